// Package auto chooses the method for a model, and makes solvers by the method's name.
package auto

import (
	"fmt"
	"strings"

	"github.com/deeppsl/deeppsl/internal/mrf"
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
	return "newton", "All potentials are smooth and soft: a Newton method's own ground."
}
