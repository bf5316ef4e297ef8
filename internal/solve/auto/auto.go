// Package auto chooses the method for a model, and makes solvers by the method's name.
package auto

import (
	"context"
	"fmt"
	"strings"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/partition"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
	"github.com/deeppsl/deeppsl/internal/solve/sgd"
)

// Methods are the names that New knows.
var Methods = []string{"auto", "newton", "interior", "sgd"}

// New makes a solver of that method, with the method's own options at their defaults; "auto" and "" mean Choose's.
func New(method string, field *mrf.Field, settings solve.Settings) (solve.Solver, error) {
	name, err := named(method, field.Model)
	switch {
	case err != nil:
		return nil, err
	case name == "sgd":
		return sgd.New(field, settings, sgd.Options{}), nil
	case name == "interior":
		return interior.New(field, settings), nil
	}
	return newton.New(field, settings), nil
}

// Examples makes a solver for a field of examples side by side, for the method "auto" by a direct factorisation of each
// if they are small.
func Examples(method string, field *mrf.Field, settings solve.Settings) (solve.Solver, error) {
	if method, _ = ChooseExamples(method, field.Model); method == "interior" {
		return &examples{interior.New(field, settings), field, settings}, nil
	}
	return New(method, field, settings)
}

// ChooseExamples names the method for examples side by side, and why in a sentence.
func ChooseExamples(method string, m *mrf.Model) (name, why string) {
	switch {
	case method != "" && method != "auto":
		return method, "It was asked for."
	case interior.Fits(partition.Find(m)):
		return "interior", "The examples are small: each is solved by direct factorisation."
	}
	return Choose(m)
}

// examples falls back to Newton's method where a factorisation breaks down or hard rules contradict each other, which
// that can say more about.
type examples struct {
	*interior.Solver
	field    *mrf.Field
	settings solve.Settings
}

// Solve implements solve.Solver.
func (e *examples) Solve(ctx context.Context) (*solve.Result, error) {
	result, err := e.Solver.Solve(ctx)
	if err == nil && result.Status == solve.IterationLimit {
		again := newton.New(e.field, e.settings)
		again.WarmStart(result.Y, nil)
		return again.Solve(ctx)
	}
	return result, err
}

// named returns the name of the method that a name stands for.
func named(method string, m *mrf.Model) (string, error) {
	switch method {
	case "", "auto":
		name, _ := Choose(m)
		return name, nil
	case "newton", "interior", "sgd":
		return method, nil
	}
	return "", fmt.Errorf("no inference method %q; there are %s", method, strings.Join(Methods, ", "))
}

// Choose names the method for a model, and why in a sentence. It is Newton's for every model: what its structure
// changes is how many outer iterations that takes.
func Choose(m *mrf.Model) (method, why string) {
	linear := false
	for _, b := range m.Blocks {
		linear = linear || (b.Kind == mrf.Hinge || b.Kind == mrf.Absolute) && b.Exponent == 1
	}
	switch {
	case m.Hard() && linear:
		return "newton", "Hard rules and linear potentials enter by their multipliers, around a Newton method."
	case m.Hard():
		return "newton", "Hard rules enter by their multipliers; squared potentials are a Newton method's own ground."
	case linear:
		return "newton", "Linear potentials enter by their multipliers, around a Newton method."
	}
	return "newton", "All potentials are smooth and soft: one Newton solve is exact."
}
