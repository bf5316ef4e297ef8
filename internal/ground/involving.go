package ground

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Involving returns the ground rules of all groundings that an atom has a part in, whether it has a row or not: as an
// atom of the rule or its weight, or by a filter. What another store makes of the same atom is the rest of the truth:
// the difference is what a change of the atom does to the model.
func (t *Tracer) Involving(predicate int, tuple []symbol.ID) (made []mrf.Potential) {
	for _, r := range t.Rules(predicate, tuple) {
		rule := t.prog.Rules[r]
		if rule.Inactive {
			continue
		}
		t.Effect(rule, predicate, tuple, nil, func(p *mrf.Potential) bool {
			own := *p
			own.Vars, own.Inputs = slices.Clone(p.Vars), slices.Clone(p.Inputs)
			own.Coef, own.InputCoef = slices.Clone(p.Coef), slices.Clone(p.InputCoef)
			made = append(made, own)
			return true
		})
	}
	return made
}

// Rules lists the rules that an atom may have a part in, in their order. Programs may have thousands about one constant
// or another, as for the words of documents: of these there are those whose constants the atom has.
func (t *Tracer) Rules(predicate int, tuple []symbol.ID) (rules []int) {
	if size := [2]int{len(t.prog.Rules), t.store.Symbols.Len()}; t.listed != size {
		t.listed, t.asking = size, make(map[int]*asking)
	}
	if t.asking[predicate] == nil {
		t.asking[predicate] = t.ask(predicate, len(tuple))
	}
	asked := t.asking[predicate]
	rules = append(rules, asked.always...)
	for column, id := range tuple {
		rules = append(rules, asked.with[column][id]...)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// asking are the rules that have atoms of a predicate: always those with an atom that has no constant, or which count
// its values, and the others with the first constant of each atom, by its column.
type asking struct {
	always []int
	with   []map[symbol.ID][]int
}

func (t *Tracer) ask(predicate, arity int) *asking {
	asked := &asking{with: make([]map[symbol.ID][]int, arity)}
	for r, rule := range t.prog.Rules {
		atoms := atomsOf(rule, predicate)
		anything := func(a *program.Atom) bool { return firstConstant(a) < 0 }
		if len(atoms) > 0 && (t.sized(rule, predicate) || slices.ContainsFunc(atoms, anything)) {
			asked.always = append(asked.always, r)
			continue
		}
		for _, a := range atoms {
			column := firstConstant(a)
			if asked.with[column] == nil {
				asked.with[column] = make(map[symbol.ID][]int)
			}
			id := t.scope.id(a.Args[column].Constant)
			asked.with[column][id] = append(asked.with[column][id], r)
		}
	}
	return asked
}

// firstConstant is the first column in which an atom has a constant, or -1.
func firstConstant(a *program.Atom) int {
	return slices.IndexFunc(a.Args, func(t program.Term) bool { return !t.IsVariable() })
}

// Effect visits the ground rules of one rule that Involving returns, until visit returns false, and adds what is wrong
// with others to faults, or, if these are leaving, takes it away. It tells whether these may be all ground rules of the
// rule. A ground rule is to be copied by whoever keeps it.
func (t *Tracer) Effect(rule *program.Rule, predicate int, tuple []symbol.ID, faults *Faults,
	visit func(*mrf.Potential) bool) (whole bool) {
	var tried bindings
	for _, a := range atomsOf(rule, predicate) {
		s := &trace{tracer: t, rule: rule, values: slices.Repeat([]symbol.ID{unbound}, len(rule.Variables))}
		if !t.sized(rule, predicate) && !s.bind(a, tuple) || !tried.add(s.values) {
			continue
		}
		s.tried = tried
		s.effect(faults, visit)
		whole = whole || !slices.ContainsFunc(s.values, func(id symbol.ID) bool { return id != unbound })
	}
	return whole
}

// All visits all ground rules of a rule, as Effect does those of one atom.
func (t *Tracer) All(rule *program.Rule, faults *Faults, visit func(*mrf.Potential) bool) {
	s := &trace{tracer: t, rule: rule, values: slices.Repeat([]symbol.ID{unbound}, len(rule.Variables))}
	s.tried.add(s.values)
	s.effect(faults, visit)
}

// effect goes through the groundings with the present values that have not been passed over.
func (s *trace) effect(faults *Faults, visit func(*mrf.Potential) bool) {
	p := s.tracer.probe(s.rule, s.values)
	p.wanted = s.fresh
	var at mrf.Potential
	p.each(s.values, func(m *machine, found *potential) bool {
		at = mrf.Potential{
			Rule: s.rule.Index, Kind: p.shape.Kind, Exponent: p.shape.Exponent, Vars: found.vars, Inputs: found.inputs,
			Coef: found.coef, InputCoef: found.inputCoef, Constant: found.constant, Scale: float64(found.scale),
		}
		return visit(&at)
	})
	p.wanted = nil
	faults.take(s.rule, &p.machine.problems)
}

// Faults are what is wrong with ground rules, of what comes less what goes.
type Faults struct {
	rules   []*program.Rule
	found   []*problems
	leaving bool
}

// Leaving says whether what is found from now on goes, or comes.
func (f *Faults) Leaving(leaving bool) { f.leaving = leaving }

// take adds the problems of a rule.
func (f *Faults) take(rule *program.Rule, found *problems) {
	if f == nil {
		return
	}
	at := slices.Index(f.rules, rule)
	if at < 0 {
		at = len(f.rules)
		f.rules, f.found = append(f.rules, rule), append(f.found, &problems{})
	}
	if f.leaving {
		f.found[at].less(found)
	} else {
		f.found[at].merge(found)
	}
}

// Failure returns what there is more of than before, but for what is discarded, as diagnostics.
func (f *Faults) Failure(o Options) error {
	var diagnostics source.Diagnostics
	for k, rule := range f.rules {
		f.found[k].remaining().diagnose(rule, o.discards(), &diagnostics)
	}
	return diagnostics.Err()
}

// less takes away what another one counts.
func (p *problems) less(other *problems) {
	p.missing.count -= other.missing.count
	p.violated.count -= other.violated.count
	p.broken.count -= other.broken.count
	p.senseless.count -= other.senseless.count
}

// remaining is what is counted at least once.
func (p *problems) remaining() *problems {
	out := *p
	for _, t := range []*tally{&out.missing, &out.violated, &out.broken, &out.senseless} {
		if t.count <= 0 {
			*t = tally{}
		}
	}
	return &out
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

// sizedBySome tells whether a rule counts the values that a closed predicate of a living store has, which a routine has
// as they were when it was made.
func (t *Tracer) sizedBySome(rule *program.Rule) bool {
	return slices.ContainsFunc(rule.Sums, func(s program.Sum) bool {
		at := rule.Atoms[s.Atom].Predicate
		return t.store.Relations[at].Lives() && t.sized(rule, at)
	})
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
