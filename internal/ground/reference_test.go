package ground

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// reference grounds a rule by its definition: every constant for every variable, every atom by a search through its
// relation. It shares no code with the grounder.
type reference struct {
	*fixture
	rule   *program.Rule
	values []symbol.ID // per variable

	potentials                             []string // canonical
	trivial, constant, missing, weightless int64
	violated, broken                       int64
}

// groundTerm is an atom's share in a ground rule: a coefficient for a variable or an input.
type groundTerm struct {
	input  bool
	number int32
	coef   float64
}

func (g *reference) ground(rule *program.Rule) {
	g.rule = rule
	g.values = make([]symbol.ID, len(rule.Variables))
	g.enumerate(0)
}

func (g *reference) enumerate(v int) {
	if v == len(g.values) {
		g.instance()
		return
	}
	if g.rule.Variables[v].Summation {
		g.enumerate(v + 1)
		return
	}
	for id := range g.store.Symbols.Len() {
		g.values[v] = symbol.ID(id)
		g.enumerate(v + 1)
	}
}

// name returns the constant that a term stands for.
func (g *reference) name(t program.Term) string {
	if t.IsVariable() {
		return g.store.Symbols.Name(g.values[t.Variable])
	}
	return t.Constant
}

func (g *reference) holds(c *program.Condition) bool {
	a, b := g.name(c.Left), g.name(c.Right)
	switch c.Op {
	case program.Same:
		return a == b
	case program.Different:
		return a != b
	}
	return a < b
}

// rows lists the rows that match an atom, whatever stands in the columns of the variables in free.
func (g *reference) rows(a *program.Atom, free ...int) (rows []int32) {
	r := g.store.Relations[a.Predicate]
	for row := range int32(r.Len()) {
		match := true
		for column, arg := range a.Args {
			isFree := arg.IsVariable() && slices.Contains(free, arg.Variable)
			match = match && (isFree || g.store.Symbols.Name(r.Columns[column][row]) == g.name(arg))
		}
		if match {
			rows = append(rows, row)
		}
	}
	return rows
}

func (g *reference) sumsOf(atom int) (variables []int) {
	for _, s := range g.rule.Sums {
		if s.Atom == atom {
			variables = append(variables, s.Variable)
		}
	}
	return variables
}

func (g *reference) instance() {
	for k := range g.rule.Conditions {
		if !g.holds(&g.rule.Conditions[k]) {
			return
		}
	}
	for k := range g.rule.Atoms {
		if a := &g.rule.Atoms[k]; a.Generates && len(g.rows(a, g.sumsOf(k)...)) == 0 {
			return
		}
	}
	scale := 1.0
	if a := g.rule.Weight.Atom; a != nil {
		rows := g.rows(a)
		if len(rows) == 0 || g.store.Relations[a.Predicate].Value(rows[0]) == 0 {
			g.weightless++
			return
		}
		scale = g.store.Relations[a.Predicate].Value(rows[0])
	}
	g.assemble(scale)
}

// flat is one atom of the flattened template: atom k with its summation variables replaced; row -1 is missing.
type flat struct {
	atom int
	row  int32
}

func (g *reference) assemble(scale float64) {
	sizes := make(map[int]int)
	var flats []flat
	for k := range g.rule.Atoms {
		if variables := g.sumsOf(k); len(variables) > 0 {
			flats = append(flats, g.flatten(k, variables, sizes)...)
			continue
		}
		row := int32(-1)
		if rows := g.rows(&g.rule.Atoms[k]); len(rows) > 0 {
			row = rows[0]
		}
		flats = append(flats, flat{k, row})
	}
	g.finish(flats, sizes, scale)
}

// flatten expands one summed atom and counts |B| for its variables.
func (g *reference) flatten(k int, variables []int, sizes map[int]int) (flats []flat) {
	a := &g.rule.Atoms[k]
	r := g.store.Relations[a.Predicate]
	open := r.Open || r.Free == relation.Perceived
	var domains [][]symbol.ID
	for _, v := range variables {
		domains = append(domains, g.domain(k, v))
	}
	size := 0
	g.tuples(domains, 0, variables, func() {
		row := int32(-1)
		if rows := g.rows(a); len(rows) > 0 {
			row = rows[0]
		}
		if row < 0 && open {
			return
		}
		size++
		if row >= 0 {
			flats = append(flats, flat{k, row})
		}
	})
	for _, v := range variables {
		sizes[v] = size
	}
	return flats
}

func (g *reference) tuples(domains [][]symbol.ID, i int, variables []int, body func()) {
	if i == len(variables) {
		body()
		return
	}
	for _, value := range domains[i] {
		g.values[variables[i]] = value
		g.tuples(domains, i+1, variables, body)
	}
}

// domain lists the values of v's column over the whole predicate, constants respected, that pass its filter.
func (g *reference) domain(k, v int) (values []symbol.ID) {
	a := &g.rule.Atoms[k]
	var all []int
	column := 0
	for c, arg := range a.Args {
		if arg.IsVariable() {
			all = append(all, arg.Variable)
		}
		if arg.IsVariable() && arg.Variable == v {
			column = c
		}
	}
	for _, row := range g.rows(a, all...) {
		value := g.store.Relations[a.Predicate].Columns[column][row]
		g.values[v] = value
		if !slices.Contains(values, value) && g.passes(v) {
			values = append(values, value)
		}
	}
	return values
}

func (g *reference) passes(v int) bool {
	for _, s := range g.rule.Sums {
		if s.Variable != v {
			continue
		}
		if len(s.Filter) == 0 {
			return true
		}
		for _, conjunction := range s.Filter {
			ok := true
			for _, l := range conjunction {
				ok = ok && g.literal(&l) != l.Negated
			}
			if ok {
				return true
			}
		}
	}
	return false
}

func (g *reference) literal(l *program.Literal) bool {
	if l.Condition != nil {
		return g.holds(l.Condition)
	}
	rows := g.rows(l.Atom)
	return len(rows) > 0 && g.store.Relations[l.Atom.Predicate].Value(rows[0]) > 0
}

// finish evaluates the coefficients and decides what becomes of the ground rule.
func (g *reference) finish(flats []flat, sizes map[int]int, scale float64) {
	size := func(v int) int { return sizes[v] }
	d := g.rule.Constant.Eval(size)
	finite := !math.IsNaN(d) && !math.IsInf(d, 0)
	terms := make(map[groundTerm]float64)
	isMissing := false
	for _, f := range flats {
		a := &g.rule.Atoms[f.atom]
		r := g.store.Relations[a.Predicate]
		coef := a.Coef.Eval(size)
		finite = finite && !math.IsNaN(coef) && !math.IsInf(coef, 0)
		switch {
		case f.row < 0:
			isMissing = isMissing || r.Open && coef != 0
		case r.Role(f.row) == relation.Observed:
			d += coef * r.Value(f.row)
		default:
			terms[groundTerm{input: r.Free == relation.Perceived, number: r.Number(f.row)}] += coef
		}
	}
	if !finite {
		g.broken++
		return
	}
	g.judge(terms, d, scale, isMissing)
}

func (g *reference) judge(terms map[groundTerm]float64, d, scale float64, isMissing bool) {
	var list []groundTerm
	low, high, vars := d, d, 0
	for t, coef := range terms {
		if math.Abs(coef) < 1e-12 {
			continue
		}
		t.coef = coef
		list = append(list, t)
		low, high = low+min(coef, 0), high+max(coef, 0)
		if !t.input {
			vars++
		}
	}
	hard, oneSided := g.rule.Weight.Hard, g.rule.Comparator == program.LessEqual
	linear := g.rule.Form == program.Linear && !hard
	switch {
	case !linear && high <= 1e-13 && (oneSided || low >= -1e-13):
		g.trivial++
	case isMissing:
		g.missing++
	case hard && (low > 1e-6 || !oneSided && high < -1e-6):
		g.violated++
	case vars == 0:
		g.constant++
	default:
		g.potentials = append(g.potentials, canonical(g.rule.Index, g.kind(), g.rule.Exponent, list, d, scale))
	}
}

func (g *reference) kind() mrf.Kind {
	switch {
	case g.rule.Weight.Hard && g.rule.Comparator == program.Equal:
		return mrf.Equal
	case g.rule.Weight.Hard:
		return mrf.LessEqual
	case g.rule.Form == program.Absolute:
		return mrf.Absolute
	case g.rule.Form == program.Linear:
		return mrf.Linear
	}
	return mrf.Hinge
}

// canonical prints a potential in a way that does not depend on the order of its terms.
func canonical(rule int, kind mrf.Kind, exponent int, terms []groundTerm, d, scale float64) string {
	slices.SortFunc(terms, func(a, b groundTerm) int {
		return cmp.Or(cmp.Compare(fmt.Sprint(a.input), fmt.Sprint(b.input)), cmp.Compare(a.number, b.number))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d ^%d *%.4f:", rule, kind, exponent, scale)
	for _, t := range terms {
		fmt.Fprintf(&b, " %+.4f%s%d", t.coef, map[bool]string{false: "y", true: "x"}[t.input], t.number)
	}
	return b.String() + fmt.Sprintf(" %+.4f", math.Round(d*1e4)/1e4+0) // no negative zero
}

// potentials lists a model's potentials, canonical and sorted.
func potentials(m *mrf.Model) (all []string) {
	for _, b := range m.Blocks {
		for j := range b.Len {
			d, scale := b.Constant, 1.0
			d += b.Own(j)
			if b.Scale != nil {
				scale = float64(b.Scale[j])
			}
			all = append(all, canonical(b.Rule, b.Kind, b.Exponent, termsOf(b, j), d, scale))
		}
	}
	slices.Sort(all)
	return all
}

func termsOf(b *mrf.Block, j int) (terms []groundTerm) {
	if b.VarStart == nil {
		for k, coef := range b.Coef {
			terms = append(terms, groundTerm{number: b.Variables(j)[k], coef: coef})
		}
		for k, coef := range b.InputCoef {
			terms = append(terms, groundTerm{input: true, number: b.Inputs[j*len(b.InputCoef)+k], coef: coef})
		}
		return terms
	}
	for k := b.VarStart[j]; k < b.VarStart[j+1]; k++ {
		terms = append(terms, groundTerm{number: b.Vars[k], coef: b.VarCoef.At(int(k))})
	}
	for k := b.InputStart[j]; k < b.InputStart[j+1]; k++ {
		terms = append(terms, groundTerm{input: true, number: b.Inputs[k], coef: b.InputValue.At(int(k))})
	}
	return terms
}
