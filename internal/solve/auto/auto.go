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

// Info is a row of the registry of methods.
type Info struct {
	Name string
	Doc  string // what it does, in a few words
	// Proves tells whether its answers come with a proof of any gap that is asked for.
	Proves bool
	// Plain methods take problems as they are, and Whole ones with all their components; neither is anything presolved
	// or taken apart for the former. Paged ones need not have all ground rules in memory.
	Plain, Whole, Paged bool
	New                 func(*mrf.Field, solve.Settings, Own) solve.Solver
}

// Own are the options of single methods; the zero value has their defaults.
type Own struct{ SGD sgd.Options }

// methods is the registry of methods.
var methods = []Info{
	{Name: "newton", Doc: "proves its answer, also of problems beyond memory", Proves: true, Paged: true,
		New: func(f *mrf.Field, s solve.Settings, _ Own) solve.Solver { return newton.New(f, s) }},
	{Name: "interior", Doc: "proves its answer by direct factorisation", Proves: true, Whole: true,
		New: func(f *mrf.Field, s solve.Settings, _ Own) solve.Solver { return interior.New(f, s) }},
	{Name: "sgd", Doc: "the paper's", Plain: true,
		New: func(f *mrf.Field, s solve.Settings, own Own) solve.Solver { return sgd.New(f, s, own.SGD) }},
}

// Methods returns the registry; before it stands "auto", which chooses among them.
func Methods() []Info {
	return append([]Info{{Name: automatic, Doc: "chooses by the model", Proves: true}}, methods...)
}

// automatic is the method that chooses; so does "".
const automatic = "auto"

// Register adds a method. It is called when packages are initialised.
func Register(row Info) { methods = append(methods, row) }

// Find returns the row of a method. The error names those that there are.
func Find(name string) (Info, error) {
	var names []string
	for _, row := range Methods() {
		if row.Name == name {
			return row, nil
		}
		names = append(names, row.Name)
	}
	return Info{}, fmt.Errorf("no inference method %q; there are %s", name, strings.Join(names, ", "))
}

// New makes a solver of that method, with the method's own options at their defaults; "auto" and "" mean Choose's.
func New(method string, field *mrf.Field, settings solve.Settings) (solve.Solver, error) {
	return With(method, field, settings, Own{})
}

// With makes a solver as New does, with options of the method's own. Where the method is chosen, another one takes over
// what Newton's does not solve in time: rules with weights of very different sizes, as learning tries them, may take it
// thousands of steps.
func With(method string, field *mrf.Field, settings solve.Settings, own Own) (solve.Solver, error) {
	row, err := named(method, field.Model)
	switch {
	case err != nil:
		return nil, err
	case row.Name != method && field.Model.Paged() == nil:
		h := newHybrid(field, settings)
		h.warm = warm
		if h.equations {
			h.warm = warmEquations
		}
		return h, nil
	}
	return row.New(field, settings, own), nil
}

// named returns the row of the method that a name stands for.
func named(method string, m *mrf.Model) (Info, error) {
	if method == "" || method == automatic {
		method, _ = Choose(m)
	}
	return Find(method)
}

// Choose names the method for a model, and why in a sentence. It is Newton's for every model: what its structure
// changes is how many outer iterations that takes.
func Choose(m *mrf.Model) (method, why string) {
	linear := false
	for _, b := range m.Blocks {
		linear = linear || b.Kinked()
	}
	switch {
	case m.Hard() && linear:
		return "newton", "Hard rules and linear potentials enter by their multipliers, around Newton's method."
	case m.Hard():
		return "newton", "Hard rules enter by their multipliers; squared potentials are what Newton's method is made for."
	case linear:
		return "newton", "Linear potentials enter by their multipliers, around Newton's method."
	}
	return "newton", "All potentials are smooth and soft: what Newton's method is made for."
}
