package interior

import (
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// ComesBack tells whether a problem of one component is solved, and steps did without factors again after some had
// them.
func ComesBack(field *mrf.Field) bool {
	s := New(field, solve.Settings{})
	s.load()
	w := &work{solver: s, target: target{gap: 1e-7, feasibility: 1e-6, limit: 100, stop: func() bool { return false }}}
	w.threads = 1
	out := w.solve(&s.components[s.main()])
	e, ok := w.matrix.(*early)
	return out.converged && ok && e.late
}
