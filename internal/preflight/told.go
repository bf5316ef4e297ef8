package preflight

import (
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
)

// told is which diagnostics there are already, by place: looking through all of them for each rule would take the
// square of the time.
type told struct {
	diags *source.Diagnostics
	read  int // how many of the diagnostics are among those by place
	by    map[telling]bool
}

// telling is a diagnostic's place and id, or anyError.
type telling struct {
	span source.Span
	id   string
}

// anyError stands for the id of every error.
const anyError = "error"

func newTold(diags *source.Diagnostics) *told { return &told{diags: diags, by: make(map[telling]bool)} }

// about tells whether something with one of the ids has been said about a whole rule.
func (t *told) about(rule *program.Rule, ids ...string) bool {
	for ; t.read < len(*t.diags); t.read++ {
		d := &(*t.diags)[t.read]
		t.by[telling{d.Span, d.ID}] = true
		if d.Severity == source.Error {
			t.by[telling{d.Span, anyError}] = true
		}
	}
	span := rule.Span.Written()
	for _, id := range ids {
		if t.by[telling{span, id}] {
			return true
		}
	}
	return false
}
