package session

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// This file is about what changes while a grounding lives: weights of rules, given values, and answers that start from
// the last one.

// takeGiven makes the values that the tables give to inputs without a network those of the grounding.
func (g *Grounding) takeGiven() {
	g.given = nil
	for k, atoms := range g.Tables.Store.Relations {
		for row := int32(atoms.Observed); g.Project.Config.Predicates[k].Given && int(row) < atoms.Len(); row++ {
			g.given = append(g.given, atoms.Number(row))
			g.Inputs[atoms.Number(row)] = atoms.GivenValue(row)
		}
	}
}

// KeepGiven writes the given values into other inputs, such as those that networks were fitted with.
func (g *Grounding) KeepGiven(x []float64) {
	for _, number := range g.given {
		x[number] = g.Inputs[number]
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
		return fmt.Errorf("there is no atom %s", relation.AtomText(atoms.Name, arguments))
	case !g.Project.Config.Predicates[k].Given || atoms.Role(row) == relation.Observed:
		return fmt.Errorf("the value of %s is not given but %s; only given ones can change",
			relation.AtomText(atoms.Name, arguments), atoms.Role(row))
	}
	g.Inputs[atoms.Number(row)] = value
	return nil
}

// SetValues changes the values of given atoms, in the order of Open, of which all have a value: NaN, or that of another
// atom, changes nothing. Neither does an error.
func (g *Grounding) SetValues(values []float64) error {
	given := make(map[string]bool)
	for _, p := range g.Project.Config.Predicates {
		given[p.Name] = p.Given
	}
	inputs, at := slices.Clone(g.Inputs), 0
	for atoms, row := range g.Open() {
		if at < len(values) && given[atoms.Name] && atoms.Role(row) == relation.Perceived {
			switch v := values[at]; {
			case v >= 0 && v <= 1:
				inputs[atoms.Number(row)] = v
			case v == v:
				return fmt.Errorf("the value %v is not in [0, 1]", v)
			}
		}
		at++
	}
	if at != len(values) {
		return fmt.Errorf("there are %d values, and not %d", at, len(values))
	}
	copy(g.Inputs, inputs)
	return nil
}

// find returns an atom's predicate and its row, which is below 0 if there is none.
func (g *Grounding) find(predicate string, arguments []string) (k int, atoms *relation.Relation, row int32, err error) {
	if k, err = g.Project.Predicate(predicate); err != nil {
		return 0, nil, -1, err
	}
	tuple, atoms, err := g.tuple(predicate, arguments)
	if err != nil || tuple == nil {
		return k, atoms, -1, err
	}
	g.names.RLock()
	defer g.names.RUnlock()
	if row, known := atoms.Find(tuple...); known {
		return k, atoms, row, nil
	}
	return k, atoms, -1, nil
}

// tuple returns an atom's constants and its relation; no constants if one is not known.
func (g *Grounding) tuple(predicate string, arguments []string) (
	tuple []symbol.ID, atoms *relation.Relation, err error) {
	k, err := g.Project.Predicate(predicate)
	if err != nil {
		return nil, nil, err
	}
	declared := g.Project.Config.Predicates[k]
	atoms = g.Tables.Store.Relations[k]
	if len(arguments) != atoms.Arity {
		return nil, atoms, fmt.Errorf("%s has %d arguments, and not %d", declared.Name, atoms.Arity, len(arguments))
	}
	g.names.RLock()
	defer g.names.RUnlock()
	tuple = make([]symbol.ID, len(arguments))
	for i, argument := range arguments {
		canonical, err := declared.Types[i].Canonical(argument)
		if err != nil {
			return nil, atoms, fmt.Errorf("argument %d of %s: %w", i+1, declared.Name, err)
		}
		id, known := g.Tables.Store.Symbols.Lookup(canonical)
		if !known {
			return nil, atoms, nil
		}
		tuple[i] = id
	}
	return tuple, atoms, nil
}

// Row returns where an atom stands; row is -1 if there is none.
func (g *Grounding) Row(predicate string, arguments []string) (atoms *relation.Relation, row int32, err error) {
	_, atoms, row, err = g.find(predicate, arguments)
	return atoms, row, err
}

// Value returns the value of an atom in an answer; ok is false if there is no such atom. Any number of goroutines may
// ask, also while the grounding is used.
func (g *Grounding) Value(answer *Answer, predicate string, arguments ...string) (v float64, ok bool) {
	tuple, atoms, err := g.tuple(predicate, arguments)
	if err != nil || tuple == nil {
		return 0, false
	}
	g.names.RLock()
	defer g.names.RUnlock()
	row, known := atoms.Find(tuple...)
	switch {
	case !known:
		return g.gone(answer, atoms, tuple)
	case atoms.Role(row) == relation.Observed:
		return atoms.Value(row), true
	}
	k := row - int32(atoms.Observed)
	return answer.freeValue(atoms, k), !answer.lacks(atoms, k)
}

// Key names an atom, however its constants are written; "" if there is no such predicate, or it is none of its atoms.
func (g *Grounding) Key(predicate string, arguments []string) string {
	k, err := g.Project.Predicate(predicate)
	if err != nil {
		return ""
	}
	declared := g.Project.Config.Predicates[k]
	if len(arguments) != declared.Arity() {
		return ""
	}
	key := strings.ToLower(declared.Name)
	for i, argument := range arguments {
		canonical, err := declared.Types[i].Canonical(argument)
		if err != nil {
			return ""
		}
		key += "\x00" + canonical
	}
	return key
}

// gone returns the value of a free atom that the answer has and the grounding has no more: it has changed since.
func (g *Grounding) gone(answer *Answer, atoms *relation.Relation, tuple []symbol.ID) (v float64, ok bool) {
	if answer.Absent == nil {
		return 0, false
	}
	for k := range int32(atoms.FreeLen()) {
		row := int32(atoms.Observed) + k
		is := !answer.lacks(atoms, k)
		for column := 0; is && column < atoms.Arity; column++ {
			is = atoms.Columns[column][row] == tuple[column]
		}
		if is {
			return answer.freeValue(atoms, k), true
		}
	}
	return 0, false
}

// named iterates over the relations of the named predicates, or of all.
func (g *Grounding) named(predicates []string) iter.Seq2[string, *relation.Relation] {
	return func(yield func(string, *relation.Relation) bool) {
		for k, atoms := range g.Tables.Store.Relations {
			name := g.Project.Config.Predicates[k].Name
			wanted := func(wanted string) bool { return strings.EqualFold(wanted, name) }
			if (len(predicates) == 0 || slices.ContainsFunc(predicates, wanted)) && !yield(name, atoms) {
				return
			}
		}
	}
}

// Atoms iterates over the atoms of the named predicates, or of all, that are not observed, with their values.
func (g *Grounding) Atoms(answer *Answer, predicates []string) iter.Seq[Atom] {
	return func(yield func(Atom) bool) {
		for p := range g.Places(answer, predicates) {
			if !yield(g.Named(p)) {
				return
			}
		}
	}
}

// Place is where an atom stands that is not observed, with its value in an answer.
type Place struct {
	Value     float64
	predicate string
	atoms     *relation.Relation
	k         int32 // among the free rows
}

// Places is Atoms without their names, which cost more than all else.
func (g *Grounding) Places(answer *Answer, predicates []string) iter.Seq[Place] {
	return func(yield func(Place) bool) {
		for name, atoms := range g.named(predicates) {
			for k := range g.freeLen(atoms) {
				p := Place{predicate: name, atoms: atoms, k: k}
				var ok bool
				if p.Value, ok = p.In(answer); ok && !yield(p) {
					return
				}
			}
		}
	}
}

// In returns the value that an atom has in another answer of its grounding; ok is false if it has none there.
func (p *Place) In(answer *Answer) (v float64, ok bool) {
	if answer.lacks(p.atoms, p.k) {
		return 0, false
	}
	return answer.freeValue(p.atoms, p.k), true
}

// Arity is how many arguments the atoms of a predicate have; 0 if there is no such predicate.
func (g *Grounding) Arity(predicate string) int {
	k, err := g.Project.Predicate(predicate)
	if err != nil {
		return 0
	}
	return g.Project.Config.Predicates[k].Arity()
}

// Named gives the atom of a place its name.
func (g *Grounding) Named(p Place) Atom { return Atom{p.predicate, g.free(p.atoms, p.k), p.Value} }

// Contains tells whether an argument of the atom of a place has a text in it.
func (g *Grounding) Contains(p Place, text string) bool {
	g.names.RLock()
	defer g.names.RUnlock()
	return slices.ContainsFunc(p.atoms.Columns, func(column []symbol.ID) bool {
		return strings.Contains(g.Tables.Store.Symbols.Name(column[int32(p.atoms.Observed)+p.k]), text)
	})
}

// freeLen returns how many free rows there are, while atoms may come.
func (g *Grounding) freeLen(atoms *relation.Relation) int32 {
	g.names.RLock()
	defer g.names.RUnlock()
	return int32(atoms.FreeLen())
}

// lacks tells whether a free row, by its place among them, had no atom when the answer was found.
func (a *Answer) lacks(atoms *relation.Relation, k int32) bool {
	i, absent := atoms.Base+k, a.Absent
	if atoms.Free == relation.Perceived {
		absent = a.AbsentInputs
	}
	return absent != nil && absent.Has(int(i))
}

// free returns the arguments of a free row, by its place among them: where atoms come, rows may move meanwhile.
func (g *Grounding) free(atoms *relation.Relation, k int32) []string {
	g.names.RLock()
	defer g.names.RUnlock()
	return g.argumentsOf(atoms, int32(atoms.Observed)+k)
}

// freeValue is FreeValue by the place among the free rows.
func (a *Answer) freeValue(atoms *relation.Relation, k int32) float64 {
	if atoms.Free == relation.Perceived {
		return a.Perceived[atoms.Base+k]
	}
	return a.value(atoms.Base + k)
}

// Values returns the values of Atoms, in their order.
func (g *Grounding) Values(answer *Answer, predicates []string) (values []float64) {
	for _, atoms := range g.named(predicates) {
		n := g.freeLen(atoms)
		values = slices.Grow(values, int(n))
		for k := range n {
			if !answer.lacks(atoms, k) {
				values = append(values, answer.freeValue(atoms, k))
			}
		}
	}
	return values
}

// Open iterates over what Atoms does, as rows of relations.
func (g *Grounding) Open() iter.Seq2[*relation.Relation, int32] {
	return func(yield func(*relation.Relation, int32) bool) {
		for _, atoms := range g.named(nil) {
			for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
				if atoms.Has(row) && !yield(atoms, row) {
					return
				}
			}
		}
	}
}

// arguments are those of a row's atom.
func (g *Grounding) arguments(atoms *relation.Relation, row int32) []string {
	g.names.RLock()
	defer g.names.RUnlock()
	return g.argumentsOf(atoms, row)
}

// argumentsOf is arguments for who has the lock.
func (g *Grounding) argumentsOf(atoms *relation.Relation, row int32) []string {
	arguments := make([]string, atoms.Arity)
	for k, column := range atoms.Columns {
		arguments[k] = g.Tables.Store.Symbols.Name(column[row])
	}
	return arguments
}

// Weights returns the present weights of the rules, in the order of Counts. Those of hard rules have no meaning.
func (g *Grounding) Weights() []float64 { return append([]float64(nil), g.Theta...) }

// SetWeight changes the weight of a rule; the next inference sees it.
func (g *Grounding) SetWeight(rule int, weight float64) error {
	switch {
	case rule < 0 || rule >= len(g.Theta):
		return fmt.Errorf("there is no rule %d: there are %d, numbered from 0", rule, len(g.Theta))
	case g.Program.Rules[rule].Weight.Hard:
		return fmt.Errorf("rule %d is hard and has no weight: %s", rule, g.Program.Rules[rule].Text)
	case !(weight >= 0) || math.IsInf(weight, 0):
		return fmt.Errorf("the weight %v is not a number of at least 0", weight)
	}
	g.Theta[rule] = weight
	return nil
}

// Options are those of the project with the seed of the last Reset.
func (g *Grounding) Options() *project.Options {
	o := g.Project.Options
	o.Seed = g.Seed
	return &o
}

// Serves tells whether the grounding can be that of another phase too: where they share their atoms.
func (g *Grounding) Serves(phase load.Phase) bool {
	return phase == g.Phase || g.paging == nil && g.Project.SharesAtoms(g.Phase, phase)
}

// Turn makes the grounding that of a phase which it serves.
func (g *Grounding) Turn(phase load.Phase) error {
	if phase == g.Phase {
		return nil
	}
	truth := make([]*relation.Relation, len(g.Tables.Truth))
	for k := range truth {
		var err error
		if truth[k], err = g.Truth(phase, k); err != nil {
			return err
		}
	}
	g.Phase, g.Settings, g.Tables.Truth = phase, &g.Project.Phases[phase], truth
	return nil
}

// InferAgain is Infer that begins where the last answer, if it is not nil, ended. That pays where little has changed
// since.
func (g *Grounding) InferAgain(ctx context.Context, last *Answer) (answer *Answer, err error) {
	if last != nil && (last.Status == solve.Infeasible.String() || last.Status == solve.NumericalError.String()) {
		last = nil // its multipliers go to infinity
	}
	err = g.Guard(func() error {
		answer, err = g.infer(ctx, inference{settings: &g.Project.Phases[load.Infer], last: last})
		return err
	})
	return answer, err
}

// Reset gives the rules their weights as written and the networks new parameters, drawn by seed. Nothing is known then.
func (g *Grounding) Reset(seed uint64) error {
	g.Seed, g.Known = seed, Known{}
	for r, rule := range g.Program.Rules {
		g.Theta[r] = rule.Weight.Value
	}
	if g.Networks == nil {
		return nil
	}
	networks, err := g.Networks.Renewed(seed)
	if err != nil {
		return err
	}
	g.Networks = networks
	return g.Rebind()
}

// Adopt takes over the networks of another grounding of the same project, and its weights of the rules that both have:
// after Train, the learned ones.
func (g *Grounding) Adopt(learned *Grounding) error {
	g.TakeWeights(learned)
	if g.Perception == nil {
		return nil
	}
	networks := learned.Networks
	if revisions := g.Networks.Revisions(); len(revisions) > 0 {
		networks = networks.Fork()
		if err := networks.Take(revisions); err != nil {
			return err
		}
	}
	g.Networks = networks
	return g.Rebind()
}

// Rebind connects the networks to the atoms that they had been connected to before.
func (g *Grounding) Rebind() (err error) {
	if g.Perception == nil {
		return nil
	}
	g.Perception, err = g.Networks.Bind(g.Project, g.Tables.Store, len(g.Inputs))
	return err
}

// TakeFeatures takes over the rows of features that have been revised in another grounding of the same project.
func (g *Grounding) TakeFeatures(revised *Grounding) error {
	if g.Networks == revised.Networks {
		return nil
	}
	return g.Networks.Take(revised.Networks.Revisions())
}

// TakeWeights takes over the learned weights of the rules that both groundings have, those that are written at one
// place, and learned thresholds.
func (g *Grounding) TakeWeights(learned *Grounding) {
	g.thresholds = learned.thresholds
	if g.Settings.Model.ClearRules {
		return
	}
	weights := make(map[source.Span]float64)
	for k, rule := range learned.Program.Rules {
		weights[rule.Span] = learned.Theta[k]
	}
	for k, rule := range g.Program.Rules {
		if weight, common := weights[rule.Span]; common {
			g.Theta[k] = weight
		}
	}
}
