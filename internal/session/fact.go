package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// WithFact returns what an explained atom would be if an atom had a value: an observed one another, one that is in no
// table its first, a target one at which it is held. Below 0, an observed atom is not there.
func (x *Explainer) WithFact(ctx context.Context, e *explain.Explanation, value float64, predicate string,
	arguments ...string) (*explain.Counterfactual, error) {
	change, err := x.asked(value, predicate, arguments)
	if err != nil {
		return nil, err
	}
	return x.state.WhatIf(ctx, e.Number, change)
}

// asked returns the change that gives an atom a value, or says why there is none.
func (x *Explainer) asked(value float64, predicate string, arguments []string) (*explain.Change, error) {
	g := x.grounding
	k, atoms, row, err := g.find(predicate, arguments)
	if err != nil {
		return nil, err
	}
	name := relation.AtomText(atoms.Name, arguments)
	switch {
	case atoms.Function != nil:
		return nil, fmt.Errorf("%s is computed by a function, and has no other value", name)
	case g.Derivations.Uses(k):
		return nil, fmt.Errorf("other atoms are derived from those of %s, so that a change of %s takes a run of its own",
			atoms.Name, name)
	case row < 0:
		return x.added(name, k, atoms, arguments, value)
	case atoms.Role(row) == relation.Perceived:
		return nil, fmt.Errorf("%s is an output of a network, which follows from its features", name)
	case atoms.Role(row) == relation.Target:
		return held(name, atoms.Number(row), value)
	}
	return x.fact(&explain.Atom{Atom: name, Predicate: k, Row: row}, value), nil
}

// held is the change that holds a target at a value.
func held(name string, number int32, value float64) (*explain.Change, error) {
	if value < 0 {
		return nil, fmt.Errorf("%s is inferred, and no fact that could be left out", name)
	}
	change := explain.Without(fmt.Sprintf("%s held at %.4g", name, value), -1, -1)
	change.Added = []explain.Ground{{Kind: mrf.Equal, Exponent: 1, Vars: []int32{number}, Coef: []float64{1},
		Constant: -value, Scale: 1}}
	return change, nil
}

// added is the change that puts an atom into a table which lacks it.
func (x *Explainer) added(name string, k int, atoms *relation.Relation, arguments []string, value float64) (
	*explain.Change, error) {
	tuple, _, err := x.grounding.tuple(atoms.Name, arguments)
	switch {
	case err != nil:
		return nil, err
	case value < 0:
		return nil, fmt.Errorf("%s is in no table, and so not there already", name)
	case tuple == nil:
		return nil, fmt.Errorf("%s is about a constant that is in no table", name)
	case atoms.Lives():
		return nil, fmt.Errorf("%s is not observed", name)
	}
	name = fmt.Sprintf("%s = %.4g, which is in no table", name, value)
	return x.replaced(name, k, atoms.Added(value, tuple...), tuple), nil
}

// fact returns the change of an observed atom to a value, or its removal if that is below 0; nil if other atoms are
// derived from it, so that the change is not one of ground rules alone.
func (x *Explainer) fact(a *explain.Atom, value float64) *explain.Change {
	g := x.grounding
	if g.Derivations.Uses(a.Predicate) {
		return nil
	}
	before, name := g.Tables.Store.Relations[a.Predicate], "without "+a.Atom
	if value >= 0 {
		name = fmt.Sprintf("%s = %.4g instead of %.4g", a.Atom, value, before.Value(a.Row))
	}
	if before.Lives() {
		return x.altered(name, before, a, value)
	}
	after := before.Removed(a.Row)
	if value >= 0 {
		after = before.Changed(a.Row, value)
	}
	return x.replaced(name, a.Predicate, after, before.Tuple(nil, a.Row))
}

// replaced is the change of one atom by another relation of its predicate.
func (x *Explainer) replaced(name string, predicate int, after *relation.Relation, tuple []symbol.ID) *explain.Change {
	g := x.grounding
	store := &relation.Store{Symbols: g.Tables.Store.Symbols, Relations: slices.Clone(g.Tables.Store.Relations)}
	store.Relations[predicate] = after
	change := explain.Without(name, -1, -1)
	change.Gone = involving(x.tracer, predicate, tuple)
	change.Added = involving(ground.NewTracer(g.Program, store), predicate, tuple)
	return change
}

// altered is fact for a living relation, which is changed for as long as it takes to see what comes of it.
func (x *Explainer) altered(name string, r *relation.Relation, a *explain.Atom, value float64) *explain.Change {
	change, tuple, was := explain.Without(name, -1, -1), r.Tuple(nil, a.Row), r.Value(a.Row)
	there, back := func() { r.Delete(a.Row) }, func() { r.Revive(a.Row) }
	if value >= 0 {
		there, back = func() { r.SetValue(a.Row, value) }, func() { r.SetValue(a.Row, was) }
	}
	change.Gone = involving(x.tracer, a.Predicate, tuple)
	x.grounding.Alter(there)
	change.Added = involving(x.tracer, a.Predicate, tuple)
	x.grounding.Alter(back)
	return change
}

// involving are the ground rules that have an atom.
func involving(tracer *ground.Tracer, predicate int, tuple []symbol.ID) (out []explain.Ground) {
	for _, m := range tracer.Involving(predicate, tuple) {
		out = append(out, explain.Ground(m))
	}
	return out
}
