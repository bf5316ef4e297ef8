package live

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Warm returns steps that make what the first changes would otherwise have to: the indexes by which the ground rules of
// an atom are found, for each predicate of each rule. The session may change between them.
func (s *Session) Warm() (steps []func()) {
	for predicate := range s.grounding.Tables.Store.Relations {
		steps = append(steps, func() { s.find(predicate) })
		for _, rule := range s.prog.Rules {
			if mentions(rule, predicate) {
				steps = append(steps, func() { s.trace(rule, predicate) })
			}
		}
	}
	return steps
}

// mentions tells whether a rule has atoms of a predicate.
func mentions(rule *program.Rule, predicate int) bool {
	return slices.ContainsFunc(rule.Atoms, func(a program.Atom) bool { return a.Predicate == predicate })
}

// find looks for an atom that is there, and returns it; nil if there is none.
func (s *Session) find(predicate int) []symbol.ID {
	r := s.grounding.Tables.Store.Relations[predicate]
	for row := int32(r.Len()) - 1; row >= 0 && r.Function == nil; row-- {
		if r.Has(row) {
			tuple := r.Tuple(nil, row)
			r.Find(tuple...)
			return tuple
		}
	}
	return nil
}

// trace looks for a ground rule of an atom that is there.
func (s *Session) trace(rule *program.Rule, predicate int) {
	if tuple := s.find(predicate); tuple != nil && !s.off[rule.Index] {
		s.refresh()
		s.tracer.Effect(rule, predicate, tuple, nil, func(*mrf.Potential) bool { return false })
	}
}
