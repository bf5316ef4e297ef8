package auto

import "github.com/deeppsl/deeppsl/internal/solve"

// Analysed tells whether the solver has found out what another method would take.
func Analysed(s solve.Solver) bool { return s.(*hybrid).interior != nil }
