package shard

import (
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Cut says which arguments carry keys: Class[p][k] is the class of argument k of predicate p, or none. Keys of
// different classes are different, though they may be spelled alike.
type Cut struct {
	Class   [][]int
	Classes int
}

// none is the class of an argument that carries no key.
const none = -1

// newCut returns a cut without any keys.
func newCut(p *program.Program) *Cut {
	c := &Cut{Class: make([][]int, len(p.Predicates))}
	for k, predicate := range p.Predicates {
		c.Class[k] = slices.Repeat([]int{none}, predicate.Arity())
	}
	return c
}

// keyed tells whether a predicate's rows lie where their keys do. Those of others are everywhere.
func (c *Cut) keyed(predicate int) bool {
	return slices.ContainsFunc(c.Class[predicate], func(class int) bool { return class != none })
}

// A key is what an atom of a rule has in an argument that carries one: a variable, or a constant of a class.
type key struct {
	variable, class int
	constant        string
}

// keys returns those of an atom. Summation variables are left out unless summed is set: the atoms of a sum differ in
// them.
func (c *Cut) keys(r *program.Rule, a *program.Atom, summed bool) (all []key) {
	for k, t := range a.Args {
		switch class := c.Class[a.Predicate][k]; {
		case class == none:
		case !t.IsVariable():
			all = append(all, key{-1, class, t.Constant})
		case summed || !r.Variables[t.Variable].Summation:
			all = append(all, key{variable: t.Variable})
		}
	}
	return all
}

// lookups are the atoms of a rule that are looked up beside its template: in its weight and its filters.
func lookups(r *program.Rule) (all []*program.Atom) {
	if r.Weight.Atom != nil {
		all = append(all, r.Weight.Atom)
	}
	for k := range r.Sums {
		for _, conjunction := range r.Sums[k].Filter {
			for _, literal := range conjunction {
				if literal.Atom != nil {
					all = append(all, literal.Atom)
				}
			}
		}
	}
	return all
}

// check tells whether each ground rule of a rule is made in one place, and whole: free says which predicates have
// atoms that are not observed. The rule is everywhere if it has nothing but what is everywhere; such rules have no
// variable.
//
// The atoms that generate must hang together by keys that they have in common, so that the rows of a grounding lie
// together; all others must have a key of those, so that they lie there too, wherever they have a row.
func (c *Cut) check(r *program.Rule, functional, free []bool) (everywhere bool, _ *fault) {
	var generating, others []*program.Atom
	open := false
	for k := range r.Atoms {
		a := &r.Atoms[k]
		open = open || free[a.Predicate]
		switch {
		case functional[a.Predicate]:
		case free[a.Predicate] && !c.keyed(a.Predicate):
			return false, &fault{r, a, "has no key"}
		case a.Generates && c.keyed(a.Predicate):
			generating = append(generating, a)
		case c.keyed(a.Predicate):
			others = append(others, a)
		}
	}
	for _, a := range lookups(r) {
		if !functional[a.Predicate] && c.keyed(a.Predicate) {
			others = append(others, a)
		}
	}
	if len(generating) == 0 {
		switch {
		case len(others) > 0:
			return false, &fault{r, others[0], "is looked up by atoms that have no key"}
		case open:
			return false, &fault{r, &r.Atoms[0], "has no key"}
		}
		return true, nil
	}
	return false, c.connected(r, generating, others)
}

// connected looks for an atom that hangs together with the first one by no keys.
func (c *Cut) connected(r *program.Rule, generating, others []*program.Atom) *fault {
	reached := c.keys(r, generating[0], false)
	if len(reached) == 0 {
		return &fault{r, generating[0], "is summed over its keys"}
	}
	rest := slices.Clone(generating[1:])
	meets := func(a *program.Atom, summed bool) bool {
		return slices.ContainsFunc(c.keys(r, a, summed), func(k key) bool { return slices.Contains(reached, k) })
	}
	for len(rest) > 0 {
		at := slices.IndexFunc(rest, func(a *program.Atom) bool { return meets(a, false) })
		if at < 0 {
			return &fault{r, rest[0], "has another key than " + atomText(r, generating[0])}
		}
		reached = append(reached, c.keys(r, rest[at], false)...)
		rest = slices.Delete(rest, at, at+1)
	}
	for _, a := range generating { // a filter is about a value of its sum, whose row lies there
		reached = append(reached, c.keys(r, a, true)...)
	}
	for _, a := range others {
		if !meets(a, true) {
			return &fault{r, a, "has another key than " + atomText(r, generating[0])}
		}
	}
	return nil
}

// fault is an atom of a rule that a cut would take from the others.
type fault struct {
	rule *program.Rule
	atom *program.Atom
	why  string
}

// diagnose says where it is.
func (f *fault) diagnose(diags *source.Diagnostics, id, hint string) {
	diags.Errorf(id, f.atom.Span, hint, "this rule joins across keys: %s %s", atomText(f.rule, f.atom), f.why)
}

// atomText prints an atom as its rule has it.
func atomText(r *program.Rule, a *program.Atom) string {
	if a.Span.HasText() {
		return a.Span.Text()
	}
	return fmt.Sprintf("an atom of %s", r.Text)
}

// checkAll checks all rules. It returns the numbers of those that are everywhere, or the first fault.
func (c *Cut) checkAll(p *program.Program, free []bool) (everywhere []int, _ *fault) {
	functional := make([]bool, len(p.Predicates))
	for k, predicate := range p.Predicates {
		functional[k] = predicate.Functional
	}
	for k, r := range p.Rules {
		all, f := c.check(r, functional, free)
		if f != nil {
			return nil, f
		}
		if all {
			everywhere = append(everywhere, k)
		}
	}
	return everywhere, nil
}
