package oracle

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"
)

var truths = []float64{0, 1, 1, 0.5, 0.3, 0.9, 0.1234567, 0.99, 1e-6}

// draw draws a program.
func draw(t *rapid.T) *prog {
	p := &prog{constants: rapid.IntRange(1, 4).Draw(t, "constants"), observed: make(map[string]float64)}
	for _, a := range p.names() {
		p.observed[key("O", a)] = rapid.SampledFrom(truths).Draw(t, "truth")
		for _, b := range p.names() {
			if rapid.Bool().Draw(t, "linked") {
				p.observed[key("P", a, b)] = rapid.SampledFrom(truths[1:]).Draw(t, "truth")
			}
		}
	}
	scale := rapid.SampledFrom([]float64{1e-8, 1e-3, 1, 1, 1, 1, 1e4, 1e8}).Draw(t, "scale")
	mixed := rapid.IntRange(0, 5).Draw(t, "mixed") == 0
	seen := make(map[string]bool)
	for range rapid.IntRange(1, 6).Draw(t, "rules") {
		r := rapid.SampledFrom([]func(*rapid.T) rule{drawPrior, drawClause, drawClause, drawLinear, drawLinear}).
			Draw(t, "kind")(t)
		r.weight = scale * rapid.SampledFrom([]float64{0.1, 0.5, 1, 2, 3.7}).Draw(t, "weight")
		if mixed {
			r.weight *= rapid.SampledFrom([]float64{1e-6, 1e-3, 1, 1e3, 1e6}).Draw(t, "mix")
		}
		if rapid.IntRange(0, 3).Draw(t, "hard") == 0 {
			r.weight = -1
		}
		r.squared = r.weight >= 0 && rapid.Bool().Draw(t, "squared")
		if same := r.normal(); !seen[same] {
			seen[same] = true
			p.rules = append(p.rules, r)
		}
	}
	return p
}

// normal is the same for rules that say the same.
func (r *rule) normal() string {
	var all []string
	for _, l := range r.clause {
		all = append(all, fmt.Sprint(l.negated, l.name, l.args))
	}
	for _, t := range r.terms {
		all = append(all, fmt.Sprint(t))
	}
	slices.Sort(all)
	return fmt.Sprint(all, r.op, r.bound, r.filter)
}

func drawLiteral(t *rapid.T, names ...string) literal {
	l := literal{name: rapid.SampledFrom(names).Draw(t, "predicate")}
	for range arity[l.name] {
		l.args = append(l.args, rapid.SampledFrom([]string{"A", "A", "B", "B", "C", "a"}).Draw(t, "argument"))
	}
	return l
}

// drawPrior draws T(A), !S(A, B) and the like.
func drawPrior(t *rapid.T) rule {
	l := literal{name: "T", args: []string{"A"}}
	if rapid.Bool().Draw(t, "pairs") {
		l = literal{name: "S", args: []string{"A", "B"}}
	}
	l.negated = rapid.Bool().Draw(t, "negated")
	return rule{clause: []literal{l}}
}

// drawClause draws an implication. Its variables are bound in its body, and no atom occurs twice.
func drawClause(t *rapid.T) rule {
	var r rule
	add := func(l literal) {
		if !slices.ContainsFunc(r.clause, func(o literal) bool { return o.String() == l.String() }) {
			r.clause = append(r.clause, l)
		}
	}
	bound := make(map[string]bool)
	for range rapid.IntRange(1, 3).Draw(t, "body") {
		l := drawLiteral(t, "O", "P", "T", "S", "T", "S")
		l.body, l.negated = true, true
		for _, arg := range l.args {
			bound[arg] = true
		}
		add(l)
	}
	free := func(l literal) bool {
		return slices.ContainsFunc(l.args, func(arg string) bool { return isVariable(arg) && !bound[arg] })
	}
	if rapid.IntRange(0, 3).Draw(t, "negated body") == 0 {
		l := drawLiteral(t, "O", "P", "T", "S")
		if l.body = true; !free(l) {
			add(l)
		}
	}
	for range rapid.IntRange(1, 2).Draw(t, "head") {
		l := drawLiteral(t, "T", "S", "T", "S", "O")
		l.negated = rapid.IntRange(0, 3).Draw(t, "negated") == 0
		if !free(l) {
			add(l)
		}
	}
	if len(r.clause) == 1 || !slices.ContainsFunc(r.clause, func(l literal) bool { return !l.body }) {
		return drawPrior(t)
	}
	return r
}

// drawLinear draws a linear rule, with a sum at times.
func drawLinear(t *rapid.T) rule {
	r := rule{op: rapid.SampledFrom([]string{"<=", ">=", "=", "="}).Draw(t, "comparison")}
	coefs := []float64{1, 1, 1, -1, 2, 0.5, -3, 1.001, 0.3333}
	for range rapid.IntRange(1, 3).Draw(t, "terms") {
		l := drawLiteral(t, "T", "S", "T", "S", "O")
		if slices.ContainsFunc(r.terms, func(o term) bool { return o.atom.String() == l.String() }) {
			continue
		}
		r.terms = append(r.terms, term{coef: rapid.SampledFrom(coefs).Draw(t, "coefficient"), atom: l})
	}
	if rapid.IntRange(0, 2).Draw(t, "sum") == 0 {
		sum := literal{name: "S", args: []string{"A", "+B"}}
		r.terms = []term{{coef: rapid.SampledFrom(coefs).Draw(t, "coefficient"), atom: sum}}
		switch rapid.IntRange(0, 3).Draw(t, "of") {
		case 0:
			r.terms[0].mean = true
		case 1:
			r.filter = true
		}
		if rapid.Bool().Draw(t, "and") {
			r.terms = append(r.terms, term{coef: -1, atom: literal{name: "T", args: []string{"A"}}})
		}
	}
	if rapid.IntRange(0, 7).Draw(t, "spread") == 0 {
		for k := range r.terms {
			r.terms[k].coef *= rapid.SampledFrom([]float64{1e-3, 0.01, 1, 100, 1e4}).Draw(t, "size")
		}
	}
	r.bound = rapid.SampledFrom([]float64{0, 0, 0.5, 1, 1, 0.7, 2, -0.25}).Draw(t, "bound")
	return r
}
