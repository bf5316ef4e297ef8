package plan

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// orderer grows a plan step by step. Its estimates are the textbook ones: values are spread evenly, columns are
// independent, and the smaller set of a variable's values lies within the larger.
type orderer struct {
	rule  *program.Rule
	store *relation.Store
	state
	plan  *Plan
	bound []bool // per variable: it has a value before the first step; nil if none has
	used  []bool // per atom
	// alone says that how many values columns have makes no difference.
	alone bool
	// boundBy holds the number of generating steps after which a variable is bound.
	boundBy []int
	// users lists the atoms of each variable, and checks its conditions, by their places in the rule.
	users, checks [][]int
	// outlooks are of the atoms that are not used yet; those that are stale are looked at again when they are asked for.
	outlooks []outlook
	stale    []bool
}

// state is what is estimated where a plan stands.
type state struct {
	rows float64
	cost float64 // of the steps so far
	// distinct estimates how many values each variable takes so far; 0 if it is not bound.
	distinct []float64
	decided  []bool // per condition
}

// outlook is what joining an atom would do where the plan stands, but for what depends on how many rows there are: so
// it stays true until one of the atom's variables changes.
type outlook struct {
	keyed bool    // a column is constant or bound, or there is none
	whole bool    // all columns are: the atom is matched, which some rows survive
	rows  float64 // per execution; of a whole atom, how many its relation has
	// reached is how many tuples the plan can have come to, for a whole atom.
	reached float64
}

// newOrderer begins a plan in which nothing is bound but these variables; comparisons of constants and of what is bound
// are decided before the first step.
func newOrderer(rule *program.Rule, store *relation.Store, bound []bool) *orderer {
	o := &orderer{rule: rule, store: store, bound: bound, alone: alone(rule)}
	o.use()
	o.begin()
	return o
}

// use finds where each variable is used.
func (o *orderer) use() {
	rule := o.rule
	o.users, o.checks = make([][]int, len(rule.Variables)), make([][]int, len(rule.Variables))
	for k := range rule.Atoms {
		for _, t := range rule.Atoms[k].Args {
			if t.IsVariable() {
				o.users[t.Variable] = append(o.users[t.Variable], k)
			}
		}
	}
	for k, c := range rule.Conditions {
		for _, t := range [...]program.Term{c.Left, c.Right} {
			if t.IsVariable() {
				o.checks[t.Variable] = append(o.checks[t.Variable], k)
			}
		}
	}
}

// begin forgets all steps.
func (o *orderer) begin() {
	rule := o.rule
	o.plan = &Plan{Rule: rule}
	o.state = state{
		rows: 1, distinct: make([]float64, len(rule.Variables)), decided: make([]bool, len(rule.Conditions)),
	}
	o.used = make([]bool, len(rule.Atoms))
	o.boundBy = make([]int, len(rule.Variables))
	o.outlooks, o.stale = make([]outlook, len(rule.Atoms)), make([]bool, len(rule.Atoms))
	for k := range o.stale {
		o.stale[k] = true
	}
	for v, known := range o.bound {
		if known {
			o.distinct[v] = 1
		}
	}
	for k := range rule.Conditions {
		if o.decidable(k) {
			o.decide(k)
			o.plan.Conditions = append(o.plan.Conditions, k)
		}
	}
}

// greedy uses up the atoms that generate, the cheapest one each time. It gives up when the context ends.
func (o *orderer) greedy(ctx context.Context) {
	for next := o.cheapest(); next >= 0 && ctx.Err() == nil; next = o.cheapest() {
		o.generate(next)
	}
}

// cheapest returns the unused generating atom that leaves the fewest rows, among those that share a bound variable or
// constant if there are any; -1 if all are used.
func (o *orderer) cheapest() int {
	best, bestRows, bestKeyed := -1, math.Inf(1), false
	for k := range o.rule.Atoms {
		if o.used[k] || !o.rule.Atoms[k].Generates {
			continue
		}
		if o.stale[k] {
			o.outlooks[k], o.stale[k] = o.outlook(k), false
		}
		x := &o.outlooks[k]
		rows := o.after(x)
		if best < 0 || x.keyed && !bestKeyed || x.keyed == bestKeyed && rows < bestRows {
			best, bestRows, bestKeyed = k, rows, x.keyed
		}
	}
	return best
}

// generate appends the step that joins atom k.
func (o *orderer) generate(k int) {
	s := o.step(k, &o.rule.Atoms[k], Scan)
	switch {
	case len(s.Bind)+len(s.Check) == 0:
		s.Op = Match
	case len(s.Key) > 0:
		s.Op = Probe
	}
	x := o.outlook(k)
	bound, decided := o.join(k, &x)
	for _, v := range bound {
		o.boundBy[v] = len(o.plan.Steps) + 1
	}
	o.used[k], s.Conditions, s.Rows = true, decided, o.rows
	o.plan.Steps = append(o.plan.Steps, s)
}

// join moves the estimates past atom k, and returns the variables that it binds and the conditions that can be decided
// for the first time. A step costs one descent into an index, or the start of a scan, per row so far, and one for each
// row that it yields.
func (o *orderer) join(k int, x *outlook) (bound, decided []int) {
	o.cost += o.rows
	o.rows = o.after(x)
	bound = o.bind(k)
	for _, v := range bound {
		for _, c := range o.checks[v] {
			if !o.decided[c] && o.decidable(c) {
				o.decided[c] = true
				decided = append(decided, c)
			}
		}
	}
	slices.Sort(decided)
	for _, c := range decided {
		o.decide(c)
	}
	if !x.whole {
		o.cost += o.rows
	}
	return bound, decided
}

// bind records what is known of the variables once atom k is joined, and returns those that are new.
func (o *orderer) bind(k int) (bound []int) {
	a := &o.rule.Atoms[k]
	for column, arg := range a.Args {
		if o.isSum(arg) || !arg.IsVariable() {
			continue
		}
		values := 1.0
		if !o.alone && o.links(arg.Variable) {
			values = max(1, o.values(a, column))
		}
		switch known := o.distinct[arg.Variable]; {
		case known == 0:
			bound = append(bound, arg.Variable)
		case known <= values:
			continue
		}
		o.distinct[arg.Variable] = values
		for _, user := range o.users[arg.Variable] {
			o.stale[user] = true
		}
	}
	return bound
}

// links tells whether a variable stands anywhere else than where it is bound: how many values it takes makes no
// difference otherwise.
func (o *orderer) links(variable int) bool { return len(o.users[variable])+len(o.checks[variable]) > 1 }

// asks tells whether estimates may ask how many values a column of an atom has.
func (o *orderer) asks(a *program.Atom, column int) bool {
	switch arg := a.Args[column]; {
	case !arg.IsVariable() || slices.ContainsFunc(a.Args, o.isSum):
		return !o.isSum(arg)
	default:
		return o.links(arg.Variable)
	}
}

// isSum tells whether a term is a summation variable, whose columns are projected away.
func (o *orderer) isSum(t program.Term) bool {
	return t.IsVariable() && o.rule.Variables[t.Variable].Summation
}

// step describes atom k as it stands: which of its columns are bound now.
func (o *orderer) step(k int, atom *program.Atom, op Op) Step {
	s := Step{Op: op, Index: k, Atom: atom, Relation: o.store.Relations[atom.Predicate]}
	for column, arg := range atom.Args {
		if o.isSum(arg) {
			continue
		}
		s.Columns = append(s.Columns, column)
		switch {
		case o.isBound(arg):
			s.Key = append(s.Key, column)
		case slices.Contains(atom.Args[:column], arg):
			s.Check = append(s.Check, column)
		default:
			s.Bind = append(s.Bind, column)
		}
	}
	return s
}

// outlook estimates what joining atom k would do, before conditions.
func (o *orderer) outlook(k int) outlook {
	a := &o.rule.Atoms[k]
	x := outlook{keyed: true, whole: true, rows: o.size(a), reached: 1}
	keys, repeated := 0, math.Inf(1)
	for column, arg := range a.Args {
		if o.isSum(arg) {
			continue
		}
		switch {
		case !arg.IsVariable():
			x.rows /= max(1, o.values(a, column))
		case o.isBound(arg):
			x.reached *= o.distinct[arg.Variable]
		default:
			x.whole = false
			if slices.Contains(a.Args[:column], arg) {
				repeated = min(repeated, o.values(a, column)) // as if every P(A, A) were there
			}
			continue
		}
		keys++
	}
	if x.whole {
		return x
	}
	x.keyed = keys > 0
	for column, arg := range a.Args {
		if arg.IsVariable() && !o.isSum(arg) && o.isBound(arg) {
			x.rows /= max(1, o.values(a, column), o.distinct[arg.Variable])
		}
	}
	x.rows = min(x.rows, repeated)
	return x
}

// after estimates how many rows there are once an atom has been joined. The arguments of a whole atom are not
// independent: targets are listed for the very tuples that the other atoms of a rule lead to. So the smaller of the two
// sets of tuples, those of the relation and those that the plan has reached, is taken to lie within the larger.
func (o *orderer) after(x *outlook) float64 {
	if x.whole {
		return o.rows * min(1, x.rows/max(1, min(x.reached, o.rows)))
	}
	return min(o.rows*x.rows, math.MaxFloat64)
}

// size returns the rows of an atom's relation or, as an upper bound, of its projection on the columns that are not
// summed over.
func (o *orderer) size(a *program.Atom) float64 {
	rows, combinations := float64(o.store.Relations[a.Predicate].Len()), 1.0
	if !slices.ContainsFunc(a.Args, o.isSum) {
		return rows
	}
	for column, arg := range a.Args {
		if !o.isSum(arg) {
			combinations *= o.values(a, column)
		}
	}
	return min(rows, combinations)
}

// values returns how many values a column of an atom's relation has.
func (o *orderer) values(a *program.Atom, column int) float64 {
	return float64(o.store.Relations[a.Predicate].DistinctCount(column))
}

// decidable tells whether both terms of a condition have a value where the plan stands.
func (o *orderer) decidable(condition int) bool {
	c := &o.rule.Conditions[condition]
	return o.isBound(c.Left) && o.isBound(c.Right)
}

// decide narrows the estimate by a condition.
func (o *orderer) decide(condition int) {
	o.decided[condition] = true
	o.rows *= o.selectivity(&o.rule.Conditions[condition])
}

// isBound tells whether a term has a value where the plan stands.
func (s *state) isBound(t program.Term) bool { return !t.IsVariable() || s.distinct[t.Variable] > 0 }

// selectivity estimates which part of the rows satisfies a comparison: of evenly spread values, one pair in so many is
// equal, and half of the others are in order.
func (s *state) selectivity(c *program.Condition) float64 {
	values := 1.0
	for _, t := range [...]program.Term{c.Left, c.Right} {
		if t.IsVariable() {
			values = max(values, s.distinct[t.Variable])
		}
	}
	switch {
	case values == 1:
		return 1
	case c.Op == program.Same:
		return 1 / values
	case c.Op == program.Different:
		return 1 - 1/values
	}
	return 0.5
}

// bytesPerGrounding estimates a potential's size: the ids of the atoms that are not observed, and a bias. A summation
// has as many atoms as its column has values per key, each with a coefficient.
func (o *orderer) bytesPerGrounding() float64 {
	bytes := 4.0
	for k := range o.rule.Atoms {
		s := o.step(k, &o.rule.Atoms[k], Lookup)
		rows := s.Relation.Len()
		if rows == 0 {
			continue
		}
		free := float64(s.Relation.FreeLen()) / float64(rows)
		if s.Projected() {
			bytes += 8 * free * float64(rows) / max(1, o.size(s.Atom))
		} else {
			bytes += 4 * free
		}
	}
	return bytes
}

// byRows returns the atoms that generate, those that a plan had better begin with first: the fewer rows, the better.
func (o *orderer) byRows() (firsts []int) {
	rows := make([]float64, len(o.rule.Atoms))
	for k := range o.rule.Atoms {
		if o.rule.Atoms[k].Generates {
			x := o.outlook(k)
			rows[k] = o.after(&x)
			firsts = append(firsts, k)
		}
	}
	slices.SortStableFunc(firsts, func(a, b int) int { return cmp.Compare(rows[a], rows[b]) })
	return firsts
}
