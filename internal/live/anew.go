package live

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
)

// errAnew is what changes fail with that take more than ground rules of some atoms: a predicate that gets targets means
// something else. All is ground anew then.
var errAnew = errors.New("all has to be ground anew")

// renew makes changes by grounding all anew.
func (s *Session) renew(ctx context.Context, changes []change.Change) (*change.Applied, error) {
	g, answer, err := s.renewed(ctx, changes)
	if err != nil {
		return nil, err
	}
	fresh, err := New(g, answer)
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	if fresh.infeasible && !s.infeasible {
		return nil, &Conflict{answer.Conflict}
	}
	if s.Journal != nil {
		if err := s.Journal.Append(Record{Changes: changes}); err != nil {
			return nil, err
		}
	}
	applied := &change.Applied{Anew: true}
	for r := range s.ground {
		applied.Gone += int(s.ground[r])
	}
	fresh.Journal = s.Journal
	*s = *fresh
	for r := range s.ground {
		applied.Come += int(s.ground[r])
	}
	return applied, nil
}

// renewed returns what changes make of this session, which stays what it is, ground and inferred.
func (s *Session) renewed(ctx context.Context, changes []change.Change) (*session.Grounding, *session.Answer, error) {
	prog, theta, err := s.amendRules(changes)
	if err != nil {
		return nil, nil, err
	}
	a := amendment{grounding: s.grounding, edits: make([]edits, len(s.grounding.Tables.Store.Relations))}
	revised := *s.grounding
	revised.Networks = revised.Networks.Fork()
	if err := revised.Networks.Take(revisions(revised.Networks, changes)); err != nil {
		return nil, nil, err
	}
	g, err := revised.Anew(ctx, prog, theta, func(store *relation.Store) error { return a.amend(store, changes) })
	if err != nil {
		return nil, nil, err
	}
	answer, err := g.InferAgain(ctx, nil)
	return g, answer, err
}

// amendRules returns the rules and weights that changes make.
func (s *Session) amendRules(changes []change.Change) (*program.Program, []float64, error) {
	out := Session{prog: &program.Program{Predicates: s.prog.Predicates, Rules: slices.Clone(s.prog.Rules)},
		off: slices.Clone(s.off)}
	theta := slices.Clone(s.grounding.Theta)
	for k, c := range changes {
		var err error
		switch c.Kind {
		case change.RuleWeight:
			if err = out.checkWeight(c.Rule, c.Value); err == nil {
				theta[c.Rule] = c.Value
			}
		case change.RuleOff, change.RuleOn:
			if _, err = out.rule(c.Rule); err == nil {
				out.off[c.Rule] = c.Kind == change.RuleOff
			}
		case change.RuleAdded:
			var more []*program.Rule
			more, err = parse(out.prog.Predicates, c.Text)
			for _, rule := range more {
				rule.Index = len(out.prog.Rules)
				out.prog.Rules, out.off = append(out.prog.Rules, rule), append(out.off, false)
				theta = append(theta, rule.Weight.Value)
			}
		}
		if err != nil {
			return nil, nil, fmt.Errorf("change %d of %d: %w", k+1, len(changes), err)
		}
	}
	return out.written(), theta, nil
}

// written is the rules as they would be written down.
func (s *Session) written() *program.Program {
	out := &program.Program{Predicates: s.prog.Predicates}
	for r, rule := range s.prog.Rules {
		again := *rule
		again.Inactive = s.off[r]
		out.Rules = append(out.Rules, &again)
	}
	return out
}

// amendment makes changes of atoms in tables.
type amendment struct {
	grounding *session.Grounding
	edits     []edits // by predicate
}

// edits are what becomes of atoms, by their tuples, in the order of the changes.
type edits struct {
	at    map[string]int
	edits []edit
}

type edit struct {
	place
	gone  bool
	role  relation.Role
	value float64
}

// amend makes the changes in a store.
func (a *amendment) amend(store *relation.Store, changes []change.Change) error {
	for k := range changes {
		c := &changes[k]
		switch c.Kind {
		case change.ObserveAtom, change.RemoveAtom, change.TargetAtom, change.GiveValue:
			if err := a.edit(store, c); err != nil {
				return fmt.Errorf("change %d of %d: %w", k+1, len(changes), err)
			}
		}
	}
	for k := range a.edits {
		if len(a.edits[k].edits) > 0 {
			a.rewrite(store, k)
		}
	}
	return nil
}

// edit notes what becomes of an atom.
func (a *amendment) edit(store *relation.Store, c *change.Change) error {
	at, err := locate(a.grounding, store, c)
	if err != nil {
		return err
	}
	declared, e := a.grounding.Project.Config.Predicates[at.predicate], &a.edits[at.predicate]
	if e.at == nil {
		e.at = make(map[string]int)
	}
	key := tupleName(at.tuple)
	known, edited := e.at[key]
	there := at.row >= 0
	if edited {
		there = !e.edits[known].gone
	}
	now := edit{place: at, value: c.Value, role: roleOf(declared.Perceived, c.Kind), gone: c.Kind == change.RemoveAtom}
	if c.Kind == change.TargetAtom {
		now.value = 1
	}
	if now.gone && !there {
		return fmt.Errorf("there is no atom %s in the tables", relation.AtomText(declared.Name, c.Arguments))
	}
	if edited {
		e.edits[known] = now
		return nil
	}
	e.at[key] = len(e.edits)
	e.edits = append(e.edits, now)
	return nil
}

// roleOf is the role of an atom that a change makes, of a predicate of inputs or of another one.
func roleOf(perceived bool, kind change.Kind) relation.Role {
	switch {
	case kind == change.GiveValue || kind == change.TargetAtom && perceived:
		return relation.Perceived
	case kind == change.TargetAtom:
		return relation.Target
	}
	return relation.Observed
}

// rewrite makes the relation of a predicate as it was edited. One that gets targets is open from then on: what has none
// of its atoms was 0, and is asked for now.
func (a *amendment) rewrite(store *relation.Store, predicate int) {
	before, e := store.Relations[predicate], &a.edits[predicate]
	builder, open := relation.NewBuilder(before.Name, before.Arity), before.Open
	for row := range int32(before.Len()) {
		tuple, value := before.Tuple(nil, row), 0.0
		if before.Role(row) == relation.Observed {
			value = before.Value(row)
		} else {
			value = before.GivenValue(row)
		}
		if k, edited := e.at[tupleName(tuple)]; !edited {
			builder.MustAdd(tuple, value, before.Role(row))
		} else if now := &e.edits[k]; !now.gone && now.role == before.Role(row) {
			if now.role != relation.Target {
				value = now.value
			}
			builder.MustAdd(tuple, value, now.role)
			now.gone = true // it has its place
		}
	}
	for k := range e.edits {
		if now := &e.edits[k]; !now.gone {
			builder.MustAdd(now.tuple, now.value, now.role)
			open = open || now.role == relation.Target
		}
	}
	store.Relations[predicate] = builder.Relation(open)
}

// many is how many atoms may follow from others anew before all is ground anew.
const many = 10_000

// derive lets the atoms follow that others have when others have changed: what is derived is made anew, and what is
// different changes as if it had been asked for.
func (s *Session) derive(ctx context.Context, d *difference) error {
	made, err := s.grounding.Remade(ctx, nil)
	if err != nil {
		return err
	}
	before, after := s.grounding.Tables.Store, made.Tables.Store
	for k, old := range before.Relations {
		role, makes := s.grounding.Derivations.Makes(k)
		if !makes || old.Function != nil {
			continue
		}
		x := differ{before, after, old, after.Relations[k]}
		changes := x.come(x.gone(nil))
		switch {
		case len(changes) == 0:
			continue
		case len(changes) > many || role != relation.Observed && old.Room() < len(changes):
			return errAnew
		}
		d.Derived = append(d.Derived, old.Name)
		for c := range changes {
			at, err := locate(s.grounding, before, &changes[c])
			if err != nil {
				return err
			}
			s.replace(d, at, &changes[c])
		}
	}
	return nil
}
