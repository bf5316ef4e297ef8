package oracle

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A prog is a program: constants a, b, c, …; predicates O/1 and P/2, observed, and T/1 and S/2, targets; and rules.
// Every atom of O is in a table; of P some are, and the others are 0; all atoms of T and S are targets.
type prog struct {
	constants int
	observed  map[string]float64 // by atom: O(a), P(a,b)
	rules     []rule
}

// rule is a clause, or else a linear one: Σ terms op bound.
type rule struct {
	weight  float64 // negative: hard
	squared bool
	// clause: not of literals, which the rule says not all to be false.
	clause []literal
	terms  []term
	op     string
	bound  float64
	// filter restricts the summation variable to constants of which P(A, ·) is above 0.
	filter bool
}

// literal is an atom over variables A, B, C or constants; in a linear rule, "+B" sums.
type literal struct {
	name    string
	args    []string
	negated bool
	body    bool // where it is written; in the body, with the sign turned
}

type term struct {
	coef float64
	mean bool // divided by |B|
	atom literal
}

var arity = map[string]int{"O": 1, "P": 2, "T": 1, "S": 2}

func isVariable(arg string) bool { return arg[0] >= 'A' && arg[0] <= 'Z' }

// variables lists those of the rule, without summations.
func (r *rule) variables() (all []string) {
	for _, l := range r.literals() {
		for _, arg := range l.args {
			if isVariable(arg) && !slices.Contains(all, arg) {
				all = append(all, arg)
			}
		}
	}
	return all
}

func (r *rule) literals() []literal {
	all := slices.Clone(r.clause)
	for _, t := range r.terms {
		all = append(all, t.atom)
	}
	return all
}

// String writes the rule as the language has it.
func (r *rule) String() string {
	text := ""
	if r.weight >= 0 {
		text = strconv.FormatFloat(r.weight, 'f', -1, 64) + ": "
	}
	if r.terms == nil {
		text += r.logical()
	} else {
		text += r.linear()
	}
	switch {
	case r.weight < 0:
		text += " ."
	case r.squared:
		text += " ^2"
	}
	if r.filter {
		text += " {B: P(A, B)}"
	}
	return text
}

func (r *rule) logical() string {
	var body, head []string
	for _, l := range r.clause {
		sign := ""
		if l.negated != l.body {
			sign = "!"
		}
		if l.body {
			body = append(body, sign+l.String())
		} else {
			head = append(head, sign+l.String())
		}
	}
	if len(head) == 0 || len(body) == 0 {
		return strings.Join(head, " | ") // a prior
	}
	variables := r.variables()
	for k, v := range variables {
		for _, w := range variables[:k] {
			body = append(body, fmt.Sprintf("(%s != %s)", v, w))
		}
	}
	return strings.Join(body, " & ") + " -> " + strings.Join(head, " | ")
}

func (r *rule) linear() string {
	var sum []string
	for _, t := range r.terms {
		text := strconv.FormatFloat(t.coef, 'f', -1, 64)
		if t.mean {
			text += " / |B|"
		}
		sum = append(sum, text+" * "+t.atom.String())
	}
	return strings.Join(sum, " + ") + " " + r.op + " " + strconv.FormatFloat(r.bound, 'f', -1, 64)
}

func (l literal) String() string {
	var args []string
	for _, arg := range l.args {
		if !isVariable(arg) && arg[0] != '+' {
			arg = "'" + arg + "'"
		}
		args = append(args, arg)
	}
	return l.name + "(" + strings.Join(args, ", ") + ")"
}

// names lists the constants.
func (p *prog) names() (all []string) {
	for k := range p.constants {
		all = append(all, string(rune('a'+k)))
	}
	return all
}

// targets lists the target atoms in the order of their variables.
func (p *prog) targets() (all []string) {
	for _, a := range p.names() {
		all = append(all, key("T", a))
	}
	for _, a := range p.names() {
		for _, b := range p.names() {
			all = append(all, key("S", a, b))
		}
	}
	return all
}

func key(name string, args ...string) string { return name + "(" + strings.Join(args, ",") + ")" }

// row is a ground rule w·max(0, ay + c)^p, or w·|ay + c|^p if it is two-sided; a hard one if w is negative.
type row struct {
	a        []float64
	c        float64
	w        float64
	squared  bool
	twoSided bool
}

// largest is the size of the largest coefficient.
func (r *row) largest() (most float64) {
	for _, a := range r.a {
		most = max(most, math.Abs(a))
	}
	return most
}

// most is the largest sum that the row can have.
func (r *row) most() float64 {
	most := r.c
	for _, a := range r.a {
		most += max(0, a)
	}
	return most
}

// least is the smallest.
func (r *row) least() float64 {
	least := r.c
	for _, a := range r.a {
		least += min(0, a)
	}
	return least
}

// ground goes through all constants of all variables of all rules.
func (p *prog) ground() (rows []row) {
	index := make(map[string]int)
	for i, atom := range p.targets() {
		index[atom] = i
	}
	g := grounder{prog: p, index: index}
	for k := range p.rules {
		g.rule, g.values = &p.rules[k], make(map[string]string)
		g.enumerate(g.rule.variables())
	}
	return g.rows
}

type grounder struct {
	*prog
	index  map[string]int
	rule   *rule
	values map[string]string
	rows   []row
}

func (g *grounder) enumerate(left []string) {
	if len(left) == 0 {
		g.instance()
		return
	}
	for _, name := range g.names() {
		if len(g.rule.clause) > 1 && slices.Contains(slices.Collect(maps.Values(g.values)), name) {
			continue // the variables of an implication are different
		}
		g.values[left[0]] = name
		g.enumerate(left[1:])
		delete(g.values, left[0])
	}
}

func (g *grounder) instance() {
	r := row{a: make([]float64, len(g.index)), w: g.rule.weight, squared: g.rule.squared}
	for _, l := range g.rule.clause { // 1 - Σ literals
		if l.negated {
			g.add(&r, 1, l)
		} else {
			g.add(&r, -1, l)
		}
	}
	if g.rule.terms == nil {
		r.c++
		for _, l := range g.rule.clause {
			if l.negated {
				r.c--
			}
		}
		g.keep(r)
		return
	}
	r.c -= g.rule.bound
	for _, t := range g.rule.terms {
		g.sum(&r, t)
	}
	r.twoSided = g.rule.op == "="
	if g.rule.op == ">=" {
		r.c = -r.c
		for i := range r.a {
			r.a[i] = -r.a[i]
		}
	}
	g.keep(r)
}

// keep leaves out what has no target, no say, or always holds. What a hard rule is multiplied by means nothing: how far
// it is from holding is in terms of its largest coefficient.
func (g *grounder) keep(r row) {
	if r.w < 0 && !r.twoSided && r.most() <= 0 {
		return
	}
	size := r.largest()
	if size <= 16 {
		if size = r.most() - r.least(); size >= 1.0/16 || size == 0 {
			size = 1
		}
	}
	if _, exponent := math.Frexp(size); r.w < 0 {
		r.c = math.Ldexp(r.c, 1-exponent)
		for i := range r.a {
			r.a[i] = math.Ldexp(r.a[i], 1-exponent)
		}
	}
	if r.w < 0 || slices.ContainsFunc(r.a, func(a float64) bool { return math.Abs(a) > 1e-12 }) {
		g.rows = append(g.rows, r)
	}
}

// sum adds a term, for all values of its summation variable if it has one.
func (g *grounder) sum(r *row, t term) {
	at := slices.Index(t.atom.args, "+B")
	if at < 0 {
		g.add(r, t.coef, t.atom)
		return
	}
	coef, atom := t.coef, t.atom
	var domain []string
	for _, name := range g.names() {
		if !g.rule.filter || g.observed[key("P", g.values["A"], name)] > 0 {
			domain = append(domain, name)
		}
	}
	if t.mean {
		coef /= float64(len(domain))
	}
	for _, name := range domain {
		atom.args = slices.Clone(t.atom.args)
		atom.args[at] = name
		g.add(r, coef, atom)
	}
}

// cancelled is the part of a coefficient that is left where others cancel it, by rounding alone.
const cancelled = 1e-15

// add adds a multiple of an atom.
func (g *grounder) add(r *row, coef float64, l literal) {
	var args []string
	for _, arg := range l.args {
		if isVariable(arg) {
			arg = g.values[arg]
		}
		args = append(args, arg)
	}
	atom := key(l.name, args...)
	if i, ok := g.index[atom]; ok {
		before := r.a[i]
		if r.a[i] += coef; math.Abs(r.a[i]) < cancelled*math.Abs(before) {
			r.a[i] = 0
		}
	} else {
		r.c += coef * g.observed[atom]
	}
}
