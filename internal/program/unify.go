package program

import "slices"

// unify puts one term in the place of variables that a comparison with == gives the same value: (A == B) joins what A
// and B are arguments of, and (A == 'c') looks a constant up, where a comparison could only throw groundings away that
// had been made. The comparisons are gone then, and so are the variables.
func (r *Rule) unify() {
	stay := make([]Term, len(r.Variables)) // what stands for each variable
	for v := range stay {
		stay[v] = Term{Variable: v}
	}
	settle := func(t Term) Term {
		for t.IsVariable() && stay[t.Variable] != t {
			t = stay[t.Variable]
		}
		return t
	}
	kept := r.Conditions[:0]
	for _, c := range r.Conditions {
		left, right := settle(c.Left), settle(c.Right)
		if left.Variable < right.Variable {
			left, right = right, left // the later variable goes, and any before a constant
		}
		switch {
		case c.Op != Same || !left.IsVariable() && left != right:
			kept = append(kept, c)
		case left.IsVariable():
			stay[left.Variable] = right
		}
	}
	if len(kept) == len(r.Conditions) {
		return
	}
	r.Conditions = kept
	number := make([]int, len(stay)) // of the variables that are left
	var variables []Variable
	for v := range stay {
		if number[v] = len(variables); stay[v].Variable == v {
			variables = append(variables, r.Variables[v])
		}
	}
	by := func(t Term) Term {
		if t = settle(t); t.IsVariable() {
			t.Variable = number[t.Variable]
		}
		return t
	}
	r.Same = make(map[string]Term)
	for v := range stay {
		if stay[v].Variable != v {
			r.Same[r.Variables[v].Name] = by(stay[v])
		}
	}
	r.Variables = variables
	r.replace(by)
}

// replace puts other terms in the place of all that the rule has.
func (r *Rule) replace(by func(Term) Term) {
	condition := func(c *Condition) { c.Left, c.Right = by(c.Left), by(c.Right) }
	atom := func(a *Atom) {
		for k, t := range a.Args {
			a.Args[k] = by(t)
		}
		a.Coef.replace(by)
	}
	for k := range r.Atoms {
		atom(&r.Atoms[k])
	}
	for k := range r.Conditions {
		condition(&r.Conditions[k])
	}
	if r.Weight.Atom != nil {
		atom(r.Weight.Atom)
	}
	r.Constant.replace(by)
	for k := range r.Sums {
		s := &r.Sums[k]
		s.Variable = by(Term{Variable: s.Variable}).Variable
		for _, l := range slices.Concat(s.Filter...) {
			if l.Atom != nil {
				atom(l.Atom)
			} else {
				condition(l.Condition)
			}
		}
	}
}

// replace puts other variables in the place of those whose values are counted.
func (e *Expr) replace(by func(Term) Term) {
	if e.Op == Cardinality {
		e.Variable = by(Term{Variable: e.Variable}).Variable
	}
	for k := range e.Args {
		e.Args[k].replace(by)
	}
}
