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
	a := &amendment{grounding: *s.grounding, prog: s.written(), theta: slices.Clone(s.grounding.Theta), changes: changes}
	g, err := a.ground(ctx)
	if err != nil {
		return nil, nil, err
	}
	answer, err := g.InferAgain(ctx, nil)
	return g, answer, err
}

// written is the rules as they would be written down.
func (s *Session) written() *program.Program {
	out := copied(s.prog)
	for r, rule := range out.Rules {
		rule.Inactive = s.off[r]
	}
	return out
}

// copied is a program with rules of its own.
func copied(prog *program.Program) *program.Program {
	out := &program.Program{Predicates: prog.Predicates}
	for _, rule := range prog.Rules {
		again := *rule
		out.Rules = append(out.Rules, &again)
	}
	return out
}

// amendment makes changes in tables and rules, which are then ground.
type amendment struct {
	grounding session.Grounding
	prog      *program.Program // its own, of which Inactive counts
	theta     []float64
	snapshot  *Snapshot // whose tables take the place of those there are; nil for none
	changes   []change.Change
	edits     []edits // by predicate
}

// ground returns what the changes make of the grounding, which stays what it is.
func (a *amendment) ground(ctx context.Context) (*session.Grounding, error) {
	networks := a.grounding.Networks.Fork()
	a.grounding.Networks = networks
	if a.snapshot != nil {
		if err := a.snapshot.revise(networks); err != nil {
			return nil, err
		}
	}
	if err := networks.Take(revisions(networks, a.changes)); err != nil {
		return nil, err
	}
	if err := a.amendRules(); err != nil {
		return nil, err
	}
	return a.grounding.Anew(ctx, a.prog, a.theta, a.amend)
}

// failed is the error of a change.
func (a *amendment) failed(k int, err error) error {
	return fmt.Errorf("change %d of %d: %w", k+1, len(a.changes), err)
}

// amendRules makes the changes of rules and weights.
func (a *amendment) amendRules() error {
	rules := len(a.prog.Rules)
	for k, c := range a.changes {
		var err error
		switch c.Kind {
		case change.RuleWeight:
			if err = checkWeight(a.prog, c.Rule, c.Value); err == nil {
				a.theta[c.Rule] = c.Value
			}
		case change.RuleOff, change.RuleOn:
			var rule *program.Rule
			if rule, err = ruleOf(a.prog, c.Rule); err == nil {
				rule.Inactive = c.Kind == change.RuleOff
			}
		case change.RuleAdded:
			var more []*program.Rule
			more, err = parse(a.prog.Predicates, c.Text)
			for _, rule := range more {
				rule.Index = len(a.prog.Rules)
				a.prog.Rules, a.theta = append(a.prog.Rules, rule), append(a.theta, rule.Weight.Value)
			}
		}
		if err != nil {
			return a.failed(k, err)
		}
	}
	return checkRepeats(a.prog, rules, func(k int) bool { return a.prog.Rules[k].Inactive }, a.changes)
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

// amend makes the changes of atoms in a store.
func (a *amendment) amend(store *relation.Store) error {
	if a.snapshot != nil {
		if err := a.snapshot.fill(&a.grounding, store); err != nil {
			return err
		}
	}
	a.edits = make([]edits, len(store.Relations))
	for k := range a.changes {
		c := &a.changes[k]
		switch c.Kind {
		case change.ObserveAtom, change.RemoveAtom, change.TargetAtom, change.GiveValue:
			if err := a.edit(store, c); err != nil {
				return a.failed(k, err)
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
	at, err := locate(&a.grounding, store, c)
	if err != nil {
		return err
	}
	declared, e := a.grounding.Project.Config.Predicates[at.predicate], &a.edits[at.predicate]
	if e.at == nil {
		e.at = make(map[string]int)
	}
	key := tupleName(at.tuple)
	known, edited := e.at[key]
	there, role := at.row >= 0, relation.Observed
	switch {
	case edited:
		there, role = !e.edits[known].gone, e.edits[known].role
	case there:
		role = at.relation.Role(at.row)
	}
	if err := refuse(&a.grounding, &at, c, there, role); err != nil {
		return err
	}
	now := edit{place: at, value: c.Value, role: roleOf(declared.Perceived, c.Kind), gone: c.Kind == change.RemoveAtom}
	if c.Kind == change.TargetAtom {
		now.value = 1
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
