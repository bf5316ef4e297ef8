package live

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// difference is what changes come to, while they are made.
type difference struct {
	change.Applied
	faults ground.Faults
	hard   bool // hard ground rules have come
	// derives says that others follow from atoms that have changed.
	derives bool
	full    bool // there is no memory for the ground rules that have come
	// asked are the inputs, by predicate, that networks are to be asked about.
	asked map[int][]int32
	// changed are the predicates of which atoms have changed.
	changed map[int]bool
}

// make makes changes one after the other; if there is an error, some are made.
func (s *Session) make(ctx context.Context, changes []change.Change) (*difference, error) {
	d := &difference{asked: make(map[int][]int32), changed: make(map[int]bool)}
	rules := len(s.prog.Rules)
	s.ask()
	if err := s.revise(d, changes); err != nil {
		return nil, err
	}
	for k := range changes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := s.change(d, &changes[k])
		if d.full {
			err = fmt.Errorf("there is no memory for its ground rules, of which %d have come", d.Come)
		}
		if err != nil {
			return nil, fmt.Errorf("change %d of %d: %w", k+1, len(changes), err)
		}
	}
	if err := checkRepeats(s.prog, rules, func(k int) bool { return s.off[k] }, changes); err != nil {
		return nil, err
	}
	if d.derives {
		if err := s.derive(ctx, d); err != nil {
			return nil, err
		}
	}
	if d.full {
		return nil, fmt.Errorf("there is no memory for its ground rules, of which %d have come", d.Come)
	}
	if err := s.perceive(d); err != nil {
		return nil, err
	}
	options := s.grounding.Settings.Model.Options()
	return d, d.faults.Failure(options)
}

// often is how long the memory that there was is believed to be there, less what has come since.
const often = time.Second

// ask asks how much memory there is, unless it has just done so, which costs as much as a small change.
func (s *Session) ask() {
	if time.Since(s.roomAt) < often && s.room > 0 {
		return
	}
	if s.room, s.roomAt = s.grounding.Room(), time.Now(); s.room == 0 {
		s.room = math.MaxInt64
	}
}

// change makes one change.
func (s *Session) change(d *difference, c *change.Change) error {
	switch c.Kind {
	case change.RuleWeight:
		return s.setWeight(c.Rule, c.Value)
	case change.RuleOff, change.RuleOn:
		return s.turn(d, c.Rule, c.Kind == change.RuleOff)
	case change.RuleAdded:
		return s.addRule(d, c.Text)
	case change.ObserveAtom, change.RemoveAtom, change.TargetAtom, change.GiveValue:
		return s.atom(d, c)
	case change.FeatureRow:
		return nil // revise has made it
	}
	return fmt.Errorf("there is no kind of change %q", c.Kind)
}

// atom makes a change of one atom.
func (s *Session) atom(d *difference, c *change.Change) error {
	at, err := locate(s.grounding, s.grounding.Tables.Store, c)
	if err != nil {
		return err
	}
	there, role := at.row >= 0, relation.Observed
	if there {
		role = at.relation.Role(at.row)
	}
	if err := refuse(s.grounding, &at, c, there, role); err != nil {
		return err
	}
	switch {
	case c.Kind == change.GiveValue && role != relation.Observed:
		s.give(at.relation.Number(at.row), c.Value)
		return nil
	case s.wide(&at, c):
		return errAnew
	}
	d.derives = d.derives || s.grounding.Derivations.Uses(at.predicate)
	s.replace(d, at, c)
	return nil
}

// refuse is the error of a change that has no meaning, of an atom that is there or not, and has a role then.
func refuse(g *session.Grounding, at *place, c *change.Change, there bool, role relation.Role) error {
	r, declared := at.relation, g.Project.Config.Predicates[at.predicate]
	name := func() string { return relation.AtomText(r.Name, c.Arguments) }
	by, made := g.Derivations.Makes(at.predicate)
	follows := made || declared.Neural.Makes()
	switch {
	case !(c.Value >= 0 && c.Value <= 1):
		return fmt.Errorf("the value %v is not in [0, 1]", c.Value)
	case r.Function != nil || r.Arity == 0:
		return fmt.Errorf("atoms of %s cannot change", r.Name)
	case c.Kind == change.GiveValue && !declared.Given:
		return fmt.Errorf("%s is not given", name())
	case c.Kind == change.TargetAtom && declared.Given:
		return fmt.Errorf("atoms of %s are given: give them values", r.Name)
	case made && by == relation.Observed:
		return fmt.Errorf("the atoms of %s are derived: change those that they are derived from", r.Name)
	case c.Kind == change.RemoveAtom && !there:
		return fmt.Errorf("there is no atom %s", name())
	case c.Kind == change.RemoveAtom && role != relation.Observed && follows:
		return fmt.Errorf("%s follows from others, and would be there again: change these, or observe it", name())
	}
	return nil
}

// wide tells whether a change takes more than the ground rules of its atom.
func (s *Session) wide(at *place, c *change.Change) bool {
	r, declared := at.relation, s.grounding.Project.Config.Predicates[at.predicate]
	if _, made := s.grounding.Derivations.Makes(at.predicate); made {
		return true
	}
	switch c.Kind {
	case change.ObserveAtom:
		return false
	case change.RemoveAtom:
		return declared.Neural.Makes() // an observed one that goes is the network's again
	}
	role := roleOf(declared.Perceived, c.Kind)
	there := at.row >= 0 && r.Role(at.row) == role
	return r.FreeLen() == 0 || r.Free != role || !there && r.Room() == 0
}

// place is where an atom is.
type place struct {
	predicate int
	relation  *relation.Relation
	tuple     []symbol.ID
	row       int32 // below 0 if it is not there
}

// locate finds the atom that a change is about in a store; its constants become known.
func locate(g *session.Grounding, store *relation.Store, c *change.Change) (at place, err error) {
	g.Alter(func() { at, err = findIn(g, store, c) })
	return at, err
}

func findIn(g *session.Grounding, store *relation.Store, c *change.Change) (at place, err error) {
	if at.predicate, err = g.Project.Predicate(c.Predicate); err != nil {
		return at, err
	}
	declared := g.Project.Config.Predicates[at.predicate]
	at.relation = store.Relations[at.predicate]
	if len(c.Arguments) != at.relation.Arity {
		return at, fmt.Errorf("%s has %d arguments, and not %d", declared.Name, at.relation.Arity, len(c.Arguments))
	}
	for k, argument := range c.Arguments {
		canonical, err := declared.Types[k].Canonical(argument)
		if err != nil {
			return at, fmt.Errorf("argument %d of %s: %w", k+1, declared.Name, err)
		}
		at.tuple = append(at.tuple, store.Symbols.Intern(canonical))
	}
	at.row = -1
	if row, known := at.relation.Find(at.tuple...); known {
		at.row = row
	}
	return at, nil
}

// replace lets the ground rules go that an atom has a part in, changes the atom, and lets those come that it has then.
func (s *Session) replace(d *difference, at place, c *change.Change) {
	s.refresh()
	d.changed[at.predicate] = true
	d.faults.Leaving(true)
	s.each(d, &at, func(p *mrf.Potential) bool { return s.remove(d, p) })
	s.grounding.Alter(func() { s.store(d, &at, c) })
	d.faults.Leaving(false)
	s.each(d, &at, func(p *mrf.Potential) bool { return s.add(d, p) })
}

// each visits the ground rules that an atom has a part in.
func (s *Session) each(d *difference, at *place, visit func(*mrf.Potential) bool) {
	for _, r := range s.tracer.Rules(at.predicate, at.tuple) {
		if s.off[r] {
			continue
		}
		whole := s.tracer.Effect(s.prog.Rules[r], at.predicate, at.tuple, &d.faults, visit)
		if whole && !slices.Contains(d.Reground, r) {
			d.Reground = append(d.Reground, r)
		}
	}
}

// remove lets a ground rule go.
func (s *Session) remove(d *difference, p *mrf.Potential) bool {
	place := s.state.Find(p)
	if place < 0 {
		panic("live: a ground rule that goes is not there: " + s.prog.Rules[p.Rule].Text)
	}
	s.state.Remove(place)
	s.ground[p.Rule]--
	d.Gone++
	return true
}

// add lets a ground rule come, unless there is no memory for it: then all will be taken back.
func (s *Session) add(d *difference, p *mrf.Potential) bool {
	const header = 250
	if s.room -= int64(header + 24*(len(p.Vars)+len(p.Inputs))); s.room < 0 {
		d.full = true
		return false
	}
	s.state.Add(p)
	s.ground[p.Rule]++
	d.Come++
	d.hard = d.hard || p.Kind.Hard()
	return true
}

// store changes an atom's row.
func (s *Session) store(d *difference, at *place, c *change.Change) {
	r, declared := at.relation, s.grounding.Project.Config.Predicates[at.predicate]
	role := roleOf(declared.Perceived, c.Kind)
	if at.row >= 0 && role == relation.Observed && c.Kind != change.RemoveAtom && r.Role(at.row) == role {
		s.setTruth(r, at.row, c.Value)
		return
	}
	if at.row >= 0 {
		s.bury(at, at.row)
	}
	if c.Kind == change.RemoveAtom {
		return
	}
	switch h := s.raise(at, role, c.Value); {
	case role == relation.Perceived && declared.Neural != nil:
		d.asked[at.predicate] = append(d.asked[at.predicate], h.number)
	case role == relation.Perceived:
		s.give(h.number, c.Value)
	}
}

// setTruth changes the value of an observed row.
func (s *Session) setTruth(r *relation.Relation, row int32, value float64) {
	was := r.Value(row)
	r.SetValue(row, value)
	s.log = append(s.log, func() { r.SetValue(row, was) })
}

// handle is what a row is known by whatever comes: free rows can move, but their numbers stay.
type handle struct {
	role   relation.Role
	number int32 // of an observed row, its place
}

func handleOf(r *relation.Relation, row int32) handle {
	if r.Role(row) == relation.Observed {
		return handle{relation.Observed, row}
	}
	return handle{r.Free, r.Number(row)}
}

func (h handle) row(r *relation.Relation) int32 {
	if h.role == relation.Observed {
		return h.number
	}
	return r.RowOf(h.number)
}

// bury takes the atom of a row away.
func (s *Session) bury(at *place, row int32) {
	r, h := at.relation, handleOf(at.relation, row)
	key := grave{at.predicate, h.role, tupleName(at.tuple)}
	r.Delete(row)
	s.graves[key] = h
	s.present(h, false)
	s.log = append(s.log, func() {
		r.Revive(h.row(r))
		delete(s.graves, key)
		s.present(h, true)
	})
}

// present notes whether a row has an atom, if answers have a value of it.
func (s *Session) present(h handle, is bool) {
	if h.role != relation.Observed {
		s.setAbsent(h.role, h.number, !is)
	}
}

// raise gives an atom a row: the one that it had, or a new one.
func (s *Session) raise(at *place, role relation.Role, value float64) handle {
	r, key := at.relation, grave{at.predicate, role, tupleName(at.tuple)}
	h, known := s.graves[key]
	if known {
		if role == relation.Observed {
			s.setTruth(r, h.number, value)
		}
		r.Revive(h.row(r))
		delete(s.graves, key)
	} else {
		h = handleOf(r, r.Insert(at.tuple, role, value))
	}
	s.present(h, true)
	s.log = append(s.log, func() {
		r.Delete(h.row(r))
		s.graves[key] = h
		s.present(h, false)
	})
	return h
}

// tupleName makes a key of a tuple.
func tupleName(tuple []symbol.ID) string {
	name := make([]byte, 0, 4*len(tuple))
	for _, id := range tuple {
		name = append(name, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
	}
	return string(name)
}

// give changes the value of an input.
func (s *Session) give(number int32, value float64) {
	was := s.grounding.Inputs[number]
	s.state.SetInput(number, value)
	s.grounding.Inputs[number] = value
	s.log = append(s.log, func() { s.grounding.Inputs[number] = was })
}

// ruleOf returns the rule of a number.
func ruleOf(prog *program.Program, number int) (*program.Rule, error) {
	if number < 0 || number >= len(prog.Rules) {
		return nil, fmt.Errorf("there is no rule %d: there are %d, numbered from 0", number, len(prog.Rules))
	}
	return prog.Rules[number], nil
}

// checkWeight checks the weight of a rule.
func checkWeight(prog *program.Program, number int, weight float64) error {
	rule, err := ruleOf(prog, number)
	switch {
	case err != nil:
		return err
	case rule.Weight.Hard:
		return fmt.Errorf("rule %d is hard and has no weight: %s", number, rule.Text)
	case !(weight >= 0) || math.IsInf(weight, 0):
		return fmt.Errorf("the weight %v is not a number of at least 0", weight)
	}
	return nil
}

// checkRepeats checks that no rule that changes have added, from a number on, or activated is the same as another one
// that counts: in files, the first of such alone would.
func checkRepeats(prog *program.Program, added int, off func(rule int) bool, changes []change.Change) error {
	var come []int
	for k := added; k < len(prog.Rules); k++ {
		come = append(come, k)
	}
	for _, c := range changes {
		if c.Kind == change.RuleOn {
			come = append(come, c.Rule)
		}
	}
	if len(come) == 0 {
		return nil
	}
	var names []string
	for _, p := range prog.Predicates {
		names = append(names, p.Name)
	}
	seen := make(map[string]int)
	for k, rule := range prog.Rules {
		if off(k) {
			continue
		}
		clause := rule.Clause(names)
		if first, ok := seen[clause]; ok && (slices.Contains(come, k) || slices.Contains(come, first)) {
			return fmt.Errorf("rule %d is the same as rule %d, which alone would count: give that another weight, or "+
				"deactivate it: %s", k, first, rule.Text)
		}
		seen[clause] = k
	}
	return nil
}

// setWeight changes the weight of a rule.
func (s *Session) setWeight(number int, weight float64) error {
	if err := checkWeight(s.prog, number, weight); err != nil {
		return err
	}
	s.grounding.Theta[number] = weight
	s.state.SetWeight(number, weight)
	return nil
}

// turn takes the ground rules of a rule away, or grounds it. Where these are much of all, all is to be ground anew.
func (s *Session) turn(d *difference, number int, off bool) error {
	rule, err := ruleOf(s.prog, number)
	if err != nil || s.off[number] == off {
		return err
	}
	most := s.most()
	if s.ground[number] > most {
		return errAnew
	}
	s.refresh()
	d.faults.Leaving(off)
	each := func(p *mrf.Potential) bool { return s.ground[number] <= most && s.add(d, p) }
	if off {
		each = func(p *mrf.Potential) bool { return s.remove(d, p) }
	}
	s.tracer.All(rule, &d.faults, each)
	if s.ground[number] > most {
		return errAnew
	}
	s.off[number] = off
	d.Reground = append(d.Reground, number)
	return nil
}

// A rule's ground rules come and go one by one unless they are more than some, and than a part of all (1/much). To
// ground and solve all anew takes about as long then.
const some, much = 10_000, 8

// most is how many ground rules of a rule come or go one by one.
func (s *Session) most() int64 {
	all := int64(0)
	for _, n := range s.ground {
		all += n
	}
	return max(some, all/much)
}

// addRule adds a rule behind the others.
func (s *Session) addRule(d *difference, text string) error {
	compiled, err := parse(s.prog.Predicates, text)
	if err != nil {
		return err
	}
	for _, rule := range compiled {
		rule.Index = len(s.prog.Rules)
		s.prog.Rules = append(slices.Clip(s.prog.Rules), rule)
		s.grounding.Theta = append(slices.Clip(s.grounding.Theta), rule.Weight.Value)
		s.state.AddRule(rule.Weight.Value)
		s.off, s.ground = append(slices.Clip(s.off), true), append(slices.Clip(s.ground), 0)
		s.tracer = nil
		if err := s.turn(d, rule.Index, false); err != nil {
			return err
		}
	}
	return nil
}

// Rules returns the rules as they are now.
func (s *Session) Rules() []session.Rule {
	weights := s.Grounding().Weights()
	rules := make([]session.Rule, len(s.prog.Rules))
	for k, rule := range s.prog.Rules {
		rules[k] = session.Rule{Text: rule.Text, Weight: weights[k], Hard: rule.Weight.Hard, Ground: int(s.ground[k]),
			Inactive: s.off[k]}
	}
	return rules
}
