package ground

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Made is a ground rule in numbers, as a block of the model would have it.
type Made struct {
	Rule            int
	Kind            mrf.Kind
	Exponent        int
	Vars, Inputs    []int32
	Coef, InputCoef []float64
	Constant, Scale float64
}

// Involving returns the ground rules of all groundings that an atom has a part in, whether it has a row or not: as an
// atom of the rule or its weight, or by a filter. What another store makes of the same atom is the rest of the truth:
// the difference is what a change of the atom does to the model.
func (t *Tracer) Involving(predicate int, tuple []symbol.ID) (made []Made) {
	for _, rule := range t.prog.Rules {
		var tried bindings
		for _, a := range atomsOf(rule, predicate) {
			s := &trace{tracer: t, rule: rule, values: slices.Repeat([]symbol.ID{unbound}, len(rule.Variables))}
			if !t.sized(rule, predicate) && !s.bind(a, tuple) || !tried.add(s.values) {
				continue
			}
			s.tried = tried
			p := t.probe(rule, s.values)
			shape := p.block()
			p.each(s.values, func(m *machine, found *potential) bool {
				if s.fresh(m) {
					made = append(made, Made{
						Rule: rule.Index, Kind: shape.Kind, Exponent: shape.Exponent, Vars: slices.Clone(found.vars),
						Inputs: slices.Clone(found.inputs), Coef: slices.Clone(found.coef),
						InputCoef: slices.Clone(found.inputCoef), Constant: found.constant, Scale: float64(found.scale),
					})
				}
				return true
			})
		}
	}
	return made
}

// atomsOf lists the atoms of a predicate that a rule has anywhere.
func atomsOf(rule *program.Rule, predicate int) (all []*program.Atom) {
	add := func(a *program.Atom) {
		if a != nil && a.Predicate == predicate {
			all = append(all, a)
		}
	}
	for k := range rule.Atoms {
		add(&rule.Atoms[k])
	}
	add(rule.Weight.Atom)
	for _, sum := range rule.Sums {
		for _, conjunction := range sum.Filter {
			for _, literal := range conjunction {
				add(literal.Atom)
			}
		}
	}
	return all
}

// sized tells whether a rule counts the values that a closed predicate has, so that any of its ground rules may depend
// on any atom.
func (t *Tracer) sized(rule *program.Rule, predicate int) bool {
	for _, sum := range rule.Sums {
		a := &rule.Atoms[sum.Atom]
		counts := mentions(rule.Constant, sum.Variable) ||
			slices.ContainsFunc(rule.Atoms, func(a program.Atom) bool { return mentions(a.Coef, sum.Variable) })
		if counts && a.Predicate == predicate && !t.store.Relations[predicate].Open {
			return true
		}
	}
	return false
}

// bind gives the variables of an atom, but for summations, the constants of a tuple, and tells whether that is
// possible.
func (s *trace) bind(a *program.Atom, tuple []symbol.ID) bool {
	for column, arg := range a.Args {
		switch id := tuple[column]; {
		case !arg.IsVariable():
			if s.tracer.scope.id(arg.Constant) != id {
				return false
			}
		case s.rule.Variables[arg.Variable].Summation:
		case s.values[arg.Variable] == unbound:
			s.values[arg.Variable] = id
		case s.values[arg.Variable] != id:
			return false
		}
	}
	return true
}
