package engine

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// This file is about what changes while a grounding lives: weights of rules, given values, and answers that start from
// the last one.

// takeGiven makes the values that the tables give to inputs without a network those of the grounding.
func (g *Grounding) takeGiven() {
	g.given = nil
	for k, atoms := range g.tables.Store.Relations {
		for row := int32(atoms.Observed); g.project.config.Predicates[k].Given && int(row) < atoms.Len(); row++ {
			g.given = append(g.given, atoms.Number(row))
			g.inputs[atoms.Number(row)] = atoms.GivenValue(row)
		}
	}
}

// keepGiven writes the given values into other inputs, such as those that networks were fitted with.
func (g *Grounding) keepGiven(x []float64) {
	for _, number := range g.given {
		x[number] = g.inputs[number]
	}
}

// SetValue changes the value of a given atom; the next inference sees it.
func (g *Grounding) SetValue(value float64, predicate string, arguments ...string) error {
	if !(value >= 0 && value <= 1) {
		return fmt.Errorf("the value %v is not in [0, 1]", value)
	}
	k, atoms, row, err := g.find(predicate, arguments)
	switch {
	case err != nil:
		return err
	case row < 0:
		return fmt.Errorf("there is no atom %s%q", atoms.Name, arguments)
	case !g.project.config.Predicates[k].Given || atoms.Role(row) == relation.Observed:
		return fmt.Errorf("the value of %s%q is not given but %s; only given ones can change", atoms.Name, arguments,
			atoms.Role(row))
	}
	g.inputs[atoms.Number(row)] = value
	return nil
}

// find returns an atom's predicate and its row, which is below 0 if there is none.
func (g *Grounding) find(predicate string, arguments []string) (k int, atoms *relation.Relation, row int32, err error) {
	if k, err = g.project.predicate(predicate); err != nil {
		return 0, nil, -1, err
	}
	declared := g.project.config.Predicates[k]
	atoms = g.tables.Store.Relations[k]
	if len(arguments) != atoms.Arity {
		return k, atoms, -1, fmt.Errorf("%s has %d arguments, and not %d", declared.Name, atoms.Arity, len(arguments))
	}
	g.names.RLock()
	defer g.names.RUnlock()
	tuple := make([]symbol.ID, len(arguments))
	for i, argument := range arguments {
		canonical, err := declared.Types[i].Canonical(argument)
		if err != nil {
			return k, atoms, -1, fmt.Errorf("argument %d of %s: %w", i+1, declared.Name, err)
		}
		id, known := g.tables.Store.Symbols.Lookup(canonical)
		if !known {
			return k, atoms, -1, nil
		}
		tuple[i] = id
	}
	if row, known := atoms.Find(tuple...); known {
		return k, atoms, row, nil
	}
	return k, atoms, -1, nil
}

// Value returns the value of an atom in an answer; ok is false if there is no such atom. Any number of goroutines may
// ask, also while the grounding is used.
func (g *Grounding) Value(answer *Answer, predicate string, arguments ...string) (v float64, ok bool) {
	_, atoms, row, err := g.find(predicate, arguments)
	if err != nil || row < 0 {
		return 0, false
	}
	return valueOf(answer, atoms, row), true
}

// named iterates over the relations of the named predicates, or of all.
func (g *Grounding) named(predicates []string) iter.Seq2[string, *relation.Relation] {
	return func(yield func(string, *relation.Relation) bool) {
		for k, atoms := range g.tables.Store.Relations {
			name := g.project.config.Predicates[k].Name
			wanted := func(wanted string) bool { return equalFold(wanted, name) }
			if (len(predicates) == 0 || slices.ContainsFunc(predicates, wanted)) && !yield(name, atoms) {
				return
			}
		}
	}
}

// Atoms iterates over the atoms of the named predicates, or of all, that are not observed, with their values.
func (g *Grounding) Atoms(answer *Answer, predicates []string) iter.Seq[Atom] {
	return func(yield func(Atom) bool) {
		for name, atoms := range g.named(predicates) {
			for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
				if !yield(Atom{name, g.arguments(atoms, row), value(answer, atoms, row)}) {
					return
				}
			}
		}
	}
}

// Values returns the values of Atoms, in their order.
func (g *Grounding) Values(answer *Answer, predicates []string) (values []float64) {
	for _, atoms := range g.named(predicates) {
		values = slices.Grow(values, atoms.Len()-atoms.Observed)
		for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
			values = append(values, value(answer, atoms, row))
		}
	}
	return values
}

// arguments are those of a row's atom.
func (g *Grounding) arguments(atoms *relation.Relation, row int32) []string {
	g.names.RLock()
	defer g.names.RUnlock()
	arguments := make([]string, atoms.Arity)
	for k, column := range atoms.Columns {
		arguments[k] = g.tables.Store.Symbols.Name(column[row])
	}
	return arguments
}

// Weights returns the present weights of the rules, in the order of Counts. Those of hard rules have no meaning.
func (g *Grounding) Weights() []float64 { return append([]float64(nil), g.theta...) }

// SetWeight changes the weight of a rule; the next inference sees it.
func (g *Grounding) SetWeight(rule int, weight float64) error {
	switch {
	case rule < 0 || rule >= len(g.theta):
		return fmt.Errorf("there is no rule %d: there are %d, numbered from 0", rule, len(g.theta))
	case g.program.Rules[rule].Weight.Hard:
		return fmt.Errorf("rule %d is hard and has no weight: %s", rule, g.program.Rules[rule].Text)
	case !(weight >= 0) || math.IsInf(weight, 0):
		return fmt.Errorf("the weight %v is not a number of at least 0", weight)
	}
	g.theta[rule] = weight
	return nil
}

// options are those of the project with the seed of the last Reset.
func (g *Grounding) options() *Options {
	o := g.project.Options
	o.Seed = g.seed
	return &o
}

// For returns the grounding of another phase: this one, if the phases share their atoms, which is then of that phase.
// Another one shares networks that were loaded; others are new, and scale features by what that phase sees.
func (g *Grounding) For(ctx context.Context, phase Phase) (*Grounding, error) {
	if phase == g.phase {
		return g, nil
	}
	if g.paging != nil || !g.project.sharesAtoms(g.phase, phase) {
		if g.loaded {
			return g.project.groundWith(ctx, phase, g.networks)
		}
		return g.project.Ground(ctx, phase)
	}
	truth := make([]*relation.Relation, len(g.tables.Truth))
	for k := range truth {
		var err error
		if truth[k], err = g.truth(phase, k); err != nil {
			return nil, err
		}
	}
	g.phase, g.settings, g.tables.Truth = phase, &g.project.phases[phase], truth
	return g, nil
}

// Learn is Train with signs that nothing was learned; being cut short is no error.
func (g *Grounding) Learn(ctx context.Context) (*Training, Warnings, error) {
	training, err := g.Train(ctx)
	if _, cut := learn.CutShort(ctx, err); err != nil && (!cut || training == nil) {
		return nil, nil, err
	}
	if training.Ended.Early() {
		return training, g.notices.told, nil
	}
	err = g.notices.notice(ctx, training)
	return training, g.notices.told, err
}

// TakeWeights takes over the weights of the rules that another grounding of the project has too.
func (g *Grounding) TakeWeights(other *Grounding) { g.adopt(other) }

// InferAgain is Infer for a grounding that lives on: the answer keeps its multipliers, and begins where the last
// answer, if it is not nil, ended. That pays where little has changed since.
func (g *Grounding) InferAgain(ctx context.Context, last *Answer) (answer *Answer, err error) {
	if last != nil && (last.Status == solve.Infeasible.String() || last.Status == solve.NumericalError.String()) {
		last = nil // its multipliers go to infinity
	}
	err = g.guard(func() error {
		answer, err = g.infer(ctx, inference{settings: &g.project.phases[Infer], last: last, lives: true})
		return err
	})
	return answer, err
}
