package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/inspect"
	"github.com/deeppsl/deeppsl/internal/session"
)

// This file is what a service is asked, whoever asks: requests over HTTP, or agents.

// ErrMissing is the error of what is asked about something that is not there.
var ErrMissing = errors.New("there is no such thing")

// missing is an ErrMissing with an error's words.
type missing struct{ error }

func (missing) Is(target error) bool { return target == ErrMissing }

// Rule is a rule of the last version.
type Rule struct {
	Number      int      `json:"number"`
	Rule        string   `json:"rule"`
	Weight      *float64 `json:"weight" nullable:"true" doc:"null of a hard rule"`
	Active      bool     `json:"active"`
	GroundRules int64    `json:"ground_rules"`
}

// Rules returns the rules of the last version.
func (s *Service) Rules() []Rule { return *s.rules.Load() }

// listRules lists the writer's rules.
func (s *Service) listRules() []Rule {
	rules := s.live.Rules()
	list := make([]Rule, len(rules))
	for k, r := range rules {
		list[k] = Rule{Number: k, Rule: r.Text, Active: !r.Inactive, GroundRules: int64(r.Ground)}
		if !r.Hard {
			list[k].Weight = finite(r.Weight)
		}
	}
	return list
}

// Predicates returns what the atoms of the last version are, by predicate.
func (s *Service) Predicates() []session.PredicateSize { return s.Current().grounding.Sizes() }

// AtomName names an atom.
type AtomName struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments" doc:"all of them, in the predicate's order"`
}

// AtomValue is an atom with its value.
type AtomValue struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments"`
	Value     float64  `json:"value"`
}

// Atoms is a part of a predicate's atoms.
type Atoms struct {
	Version int         `json:"version"`
	Atoms   []AtomValue `json:"atoms"`
	Next    *int        `json:"next" nullable:"true" doc:"the offset to go on with; null at the end"`
	Of      *Event      `json:"-"` // the version
}

// Query asks for atoms.
type Query struct {
	Predicate string   `path:"predicate"`
	Argument  []string `query:"argument,explode" doc:"all arguments of one atom, observed or not"`
	Contains  string   `query:"contains" doc:"what an argument has in it"`
	Min       float64  `query:"min" default:"0" minimum:"0" maximum:"1"`
	Max       float64  `query:"max" default:"1" minimum:"0" maximum:"1"`
	Offset    int      `query:"offset" default:"0" minimum:"0"`
	Limit     int      `query:"limit" default:"100" minimum:"1" maximum:"10000"`
	Order     string   `query:"order" default:"data" enum:"data,value" doc:"as in the data, or the largest values first"`
}

// predicate returns a predicate's name as it is declared, and checks that it has so many arguments, if there are any.
func (s *Service) predicate(name string, arguments []string) (string, error) {
	p := s.Current().grounding.Project
	k, err := p.Predicate(name)
	if err != nil {
		return "", missing{err}
	}
	declared := p.Config.Predicates[k]
	if n := len(arguments); n > 0 && n != declared.Arity() {
		return "", missing{fmt.Errorf("%s has %d arguments, and not %d", declared.Name, declared.Arity(), n)}
	}
	return declared.Name, nil
}

// Atoms returns atoms that are inferred, or one of any kind.
func (s *Service) Atoms(q *Query) (Atoms, error) {
	s.counts.reads.Add(1)
	name, err := s.predicate(q.Predicate, q.Argument)
	if err != nil {
		return Atoms{}, err
	}
	if len(q.Argument) > 0 {
		value, v := s.Value(name, q.Argument)
		if value == nil {
			return Atoms{}, missing{errors.New("there is no such atom")}
		}
		return Atoms{Version: v.Number, Atoms: []AtomValue{{name, q.Argument, *value}}, Of: v.Event()}, nil
	}
	v := s.Current()
	out := Atoms{Version: v.Number, Atoms: []AtomValue{}, Of: v.Event()}
	places, more := v.find(q)
	if more {
		next := q.Offset + q.Limit
		out.Next = &next
	}
	for _, p := range places {
		out.Atoms = append(out.Atoms, AtomValue(v.grounding.Named(p)))
	}
	return out, nil
}

// fitting visits the places of all atoms that have what a query asks for, as they come in the data.
func (v *Version) fitting(q *Query) iter.Seq[session.Place] {
	return func(yield func(session.Place) bool) {
		for p := range v.grounding.Places(v.Answer, []string{q.Predicate}) {
			fits := p.Value >= q.Min && p.Value <= q.Max && (q.Contains == "" || v.grounding.Contains(p, q.Contains))
			if fits && !yield(p) {
				return
			}
		}
	}
}

// matching visits the places of the atoms that a query asks for, and keeps none of them in memory where they come as in
// the data.
func (v *Version) matching(q *Query) iter.Seq[session.Place] {
	return func(yield func(session.Place) bool) {
		all, n := v.fitting(q), 0
		if q.Order == ByValue {
			byValue := func(a, b session.Place) int { return -cmp.Compare(a.Value, b.Value) }
			all = slices.Values(slices.SortedStableFunc(all, byValue))
		}
		for p := range all {
			if n++; n > q.Offset && (n-q.Offset > q.Limit || !yield(p)) {
				return
			}
		}
	}
}

// find returns the places of the atoms that a query asks for, and whether there are more behind them.
func (v *Version) find(q *Query) (found []session.Place, more bool) {
	further := *q
	further.Limit++
	found = slices.Collect(v.matching(&further))
	return found[:min(q.Limit, len(found))], len(found) > q.Limit
}

// ByValue is the Order of the largest values first, byData the one that atoms have in the data.
const (
	ByValue = "value"
	byData  = "data"
)

// Explained is an explanation of an atom in a version.
type Explained struct {
	Version int `json:"version"`
	*explain.Explanation
	Of *Event `json:"-"` // the version
}

// Explain says why an atom has its value, with so many counterfactuals.
func (s *Service) Explain(ctx context.Context, o explain.Options, changes int, predicate string, arguments []string) (
	Explained, error) {
	if _, err := s.predicate(predicate, arguments); err != nil {
		return Explained{}, err
	}
	out := Explained{}
	err := s.Beside(ctx, func(site *inspect.Site, of *Version) error {
		found, err := site.Explain(ctx, o, changes, predicate, arguments)
		if err != nil && ctx.Err() == nil {
			err = missing{err}
		}
		out = Explained{of.Number, found, of.Event()}
		return err
	})
	return out, err
}

// WhatIf is what an answer would be.
type WhatIf struct {
	Version   int       `json:"version" doc:"the version that the changes would be made to"`
	Status    string    `json:"status"`
	Objective *float64  `json:"objective" nullable:"true"`
	Gap       *float64  `json:"gap" nullable:"true"`
	Atoms     []Changed `json:"atoms" doc:"those that were asked for, or else those that would change most"`
}

// Changed is an atom in a what-if; a value is null where there is no such atom.
type Changed struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments"`
	Value     *float64 `json:"value" nullable:"true" doc:"what it would be"`
	Now       *float64 `json:"now" nullable:"true" doc:"what it is"`
}

// Suppose says what some atoms would be after changes, which are not made; with none, those that would change most.
func (s *Service) Suppose(ctx context.Context, changes []change.Change, atoms []AtomName, most int) (WhatIf, error) {
	out := WhatIf{Atoms: []Changed{}}
	err := s.WhatIf(ctx, changes, func(then, now *Version) {
		a := then.Answer
		out.Version, out.Status, out.Objective, out.Gap = now.Number, a.Status, finite(a.Objective), finite(a.Gap)
		for _, atom := range atoms {
			out.Atoms = append(out.Atoms, Changed{atom.Predicate, atom.Arguments,
				then.value(atom.Predicate, atom.Arguments), now.value(atom.Predicate, atom.Arguments)})
		}
		if len(atoms) == 0 {
			out.Atoms = differences(then, now, most)
		}
		for k := range out.Atoms {
			fix(&out.Atoms[k], changes)
		}
	})
	return out, err
}

// fix gives an atom the value that changes observe it with: then it is not inferred.
func fix(c *Changed, changes []change.Change) {
	for k := range changes {
		by := &changes[k]
		if by.Kind == change.ObserveAtom && strings.EqualFold(by.Predicate, c.Predicate) &&
			slices.Equal(by.Arguments, c.Arguments) {
			c.Value = &by.Value
		}
	}
}

// at returns the value of an atom that stands somewhere in another version; nil if there is none.
func (v *Version) at(other *Version, p session.Place) *float64 {
	if v.grounding != other.grounding { // it was ground anew
		a := other.grounding.Named(p)
		return v.value(a.Predicate, a.Arguments)
	}
	if value, ok := p.In(v.Answer); ok {
		return &value
	}
	return nil
}

// leastChange is what is no change of a value.
const leastChange = 1e-4

// differences are the atoms of a version whose values would change most.
func differences(then, now *Version, most int) []Changed {
	type moved struct {
		session.Place
		by   float64 // 2 of an atom that would be no more
		then float64
	}
	var all []moved
	for p := range now.grounding.Places(now.Answer, nil) {
		m := moved{Place: p, by: 2}
		if value := then.at(now, p); value != nil {
			m.by, m.then = math.Abs(*value-p.Value), *value
		}
		if m.by > leastChange {
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b moved) int { return -cmp.Compare(a.by, b.by) })
	out := []Changed{}
	for _, m := range all[:min(len(all), most)] {
		a := now.grounding.Named(m.Place)
		c := Changed{a.Predicate, a.Arguments, &m.then, &a.Value}
		if m.by == 2 {
			c.Value = nil
		}
		out = append(out, c)
	}
	return out
}

// What follows is about reading one atom while changes are made: the answer of a version never changes, but its
// grounding is the writer's, who changes rows. So the writer first keeps the values of the atoms that changes are
// about, and whoever has read one looks at these afterwards.

// keep notes the values of atoms before they change.
func (v *Version) keep(changes []change.Change) {
	kept := make(map[string]*float64)
	if before := v.kept.Load(); before != nil {
		maps.Copy(kept, *before)
	}
	for k := range changes {
		c := &changes[k]
		key := v.grounding.Key(c.Predicate, c.Arguments)
		if _, known := kept[key]; key == "" || known {
			continue
		}
		kept[key] = nil
		if value, ok := v.grounding.Value(v.Answer, c.Predicate, c.Arguments...); ok {
			kept[key] = &value
		}
	}
	v.kept.Store(&kept)
}

// value is an atom's in a version, for the writer when nothing is being changed; nil if there is none.
func (v *Version) value(predicate string, arguments []string) *float64 {
	if value, ok := v.grounding.Value(v.Answer, predicate, arguments...); ok {
		return &value
	}
	return nil
}

// Value returns the value that an atom has in the last version, and which that is; nil if there is no such atom.
func (s *Service) Value(predicate string, arguments []string) (value *float64, v *Version) {
	for {
		v = s.Current()
		value = v.value(predicate, arguments)
		if kept := v.kept.Load(); kept != nil {
			if before, changing := (*kept)[v.grounding.Key(predicate, arguments)]; changing {
				return before, v
			}
		}
		if s.Current() == v { // or else more than what was kept may have changed
			return value, v
		}
	}
}
