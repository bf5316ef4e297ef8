package cli

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/training"
)

// narrow is a terminal of 60 columns.
type narrow struct{ bytes.Buffer }

func (*narrow) Columns() int { return 60 }

func TestTablesFitTheTerminal(t *testing.T) {
	rule := strings.Repeat("Knows(A, B) & ", 10) + "Likes(A, X) -> Likes(B, X)"
	for name, answer := range map[string]command.Result{
		"check":     checked{Summary: engine.Summary{Rules: []engine.RuleEstimate{{Rule: rule}}}},
		"gradcheck": gradchecked{&training.GradientReport{ByRule: []training.RuleGradient{{Rule: rule}}}},
	} {
		var out narrow
		if err := answer.Text(&out); err != nil {
			t.Fatal(err)
		}
		_, table, _ := strings.Cut(out.String(), "──") // what comes before the table is no table
		for line := range strings.Lines(table) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 60 {
				t.Errorf("%s: a line of %d columns: %s", name, n, line)
			}
		}
		if strings.Count(table, "Knows") < 10 {
			t.Errorf("%s: the rule is not there:\n%s", name, out.String())
		}
	}
}
