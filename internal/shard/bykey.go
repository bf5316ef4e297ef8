package shard

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
)

// byKey returns the cut by the values of one argument. The argument of an atom that a rule gives the same variable as
// one that carries the key carries it too, one of each predicate. Predicates that are observed, and that some rule
// asks for by another key, are everywhere; the fault is a rule that does so with a predicate that is not.
func byKey(p *program.Program, free []bool, predicate, argument int) (*Cut, *fault) {
	banned := make([]bool, len(p.Predicates))
	for {
		cut := newCut(p)
		cut.Classes = 1
		cut.Class[predicate][argument] = 0
		for grown := true; grown; {
			grown = false
			for _, r := range p.Rules {
				grown = cut.grow(p, r, banned) || grown
			}
		}
		_, fault := cut.checkAll(p, free)
		if fault == nil {
			return cut, nil
		}
		spread := cut.offending(fault, free)
		if spread < 0 || spread == predicate {
			return nil, fault
		}
		banned[spread] = true
	}
}

// grow gives the predicates of a rule that have no key the one of those that do.
func (c *Cut) grow(p *program.Program, r *program.Rule, banned []bool) (grown bool) {
	variable := none
	for _, a := range atomsOf(r) {
		for k, t := range a.Args {
			if c.Class[a.Predicate][k] != none && t.IsVariable() && variable == none {
				variable = t.Variable
			}
		}
	}
	if variable == none {
		return false
	}
	for _, a := range atomsOf(r) {
		if c.keyed(a.Predicate) || banned[a.Predicate] || p.Predicates[a.Predicate].Functional {
			continue
		}
		at := slices.IndexFunc(a.Args, func(t program.Term) bool { return t.Variable == variable })
		if at >= 0 {
			c.Class[a.Predicate][at], grown = 0, true
		}
	}
	return grown
}

// offending returns an observed predicate with a key that a rule would do better without; -1 if there is none.
func (c *Cut) offending(f *fault, free []bool) int {
	if !free[f.atom.Predicate] && c.keyed(f.atom.Predicate) {
		return f.atom.Predicate
	}
	for _, a := range atomsOf(f.rule) {
		if !free[a.Predicate] && c.keyed(a.Predicate) {
			return a.Predicate
		}
	}
	return -1
}
