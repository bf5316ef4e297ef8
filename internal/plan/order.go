package plan

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// orderer grows a plan step by step. Its estimates are the textbook ones: values are spread evenly, columns are
// independent, and the smaller set of a variable's values lies within the larger.
type orderer struct {
	rule  *program.Rule
	store *relation.Store
	plan  *Plan
	used  []bool // per atom
	// distinct estimates how many values each variable takes so far; 0 if it is not bound.
	distinct []float64
	// boundBy holds the number of generating steps after which a variable is bound.
	boundBy []int
	decided []bool // per condition
	rows    float64
}

// newOrderer begins a plan in which nothing is bound; comparisons of constants are decided before the first step.
func newOrderer(rule *program.Rule, store *relation.Store) *orderer {
	o := &orderer{
		rule: rule, store: store, plan: &Plan{Rule: rule}, rows: 1,
		used:     make([]bool, len(rule.Atoms)),
		distinct: make([]float64, len(rule.Variables)),
		boundBy:  make([]int, len(rule.Variables)),
		decided:  make([]bool, len(rule.Conditions)),
	}
	o.plan.Conditions = o.decide()
	return o
}

// cheapest returns the unused generating atom that leaves the fewest rows, among those that share a bound variable or
// constant if there are any; -1 if all are used.
func (o *orderer) cheapest() int {
	best, bestRows, bestKeyed := -1, math.Inf(1), false
	for k := range o.rule.Atoms {
		if o.used[k] || !o.rule.Atoms[k].Generates {
			continue
		}
		s := o.step(k, &o.rule.Atoms[k], Scan)
		rows, keyed := o.rows*o.matches(&s), len(s.Key) > 0 || len(s.Columns) == 0
		if best < 0 || keyed && !bestKeyed || keyed == bestKeyed && rows < bestRows {
			best, bestRows, bestKeyed = k, rows, keyed
		}
	}
	return best
}

// generate appends the step that joins atom k.
func (o *orderer) generate(k int) {
	atom := &o.rule.Atoms[k]
	s := o.step(k, atom, Scan)
	switch {
	case len(s.Bind)+len(s.Check) == 0:
		s.Op = Match
	case len(s.Key) > 0:
		s.Op = Probe
	}
	before := o.rows
	o.rows *= o.matches(&s)
	o.used[k] = true
	o.bind(&s)
	s.Conditions = o.decide()
	s.Rows = o.rows
	o.plan.Steps = append(o.plan.Steps, s)
	o.plan.Cost += before // one descent into an index, or the start of a scan, per row so far
	if s.Op != Match {
		o.plan.Cost += o.rows
	}
}

// step describes atom k as it stands: which of its columns are bound now.
func (o *orderer) step(k int, atom *program.Atom, op Op) Step {
	s := Step{Op: op, Index: k, Atom: atom, Relation: o.store.Relations[atom.Predicate]}
	seen := make(map[int]bool, len(atom.Args))
	for column, arg := range atom.Args {
		if arg.IsVariable() && o.rule.Variables[arg.Variable].Summation {
			continue
		}
		s.Columns = append(s.Columns, column)
		switch {
		case !arg.IsVariable() || o.distinct[arg.Variable] > 0:
			s.Key = append(s.Key, column)
		case seen[arg.Variable]:
			s.Check = append(s.Check, column)
		default:
			seen[arg.Variable] = true
			s.Bind = append(s.Bind, column)
		}
	}
	return s
}

// matches estimates how many rows one execution of the step yields, before conditions.
func (o *orderer) matches(s *Step) float64 {
	if len(s.Bind)+len(s.Check) == 0 {
		return o.chance(s)
	}
	rows := size(s)
	for _, column := range s.Key {
		values := float64(max(1, s.Relation.DistinctCount(column)))
		if arg := s.Atom.Args[column]; arg.IsVariable() {
			values = max(values, o.distinct[arg.Variable])
		}
		rows /= values
	}
	for _, column := range s.Check {
		rows = min(rows, float64(s.Relation.DistinctCount(column))) // as if every P(A, A) were there
	}
	return rows
}

// chance estimates how likely a fully bound atom is there. Its arguments are not independent: targets are listed for
// the very tuples that the other atoms of a rule lead to. So the smaller of the two sets of tuples, those of the
// relation and those that the plan has reached, is taken to lie within the larger.
func (o *orderer) chance(s *Step) float64 {
	rows, reached := size(s), 1.0
	for _, column := range s.Key {
		if arg := s.Atom.Args[column]; arg.IsVariable() {
			reached *= o.distinct[arg.Variable]
		} else {
			rows /= float64(max(1, s.Relation.DistinctCount(column)))
		}
	}
	return min(1, rows/max(1, min(reached, o.rows)))
}

// size returns the rows of the step's relation or, as an upper bound, of its projection.
func size(s *Step) float64 {
	rows := float64(s.Relation.Len())
	if !s.Projected() {
		return rows
	}
	combinations := 1.0
	for _, column := range s.Columns {
		combinations *= float64(s.Relation.DistinctCount(column))
	}
	return min(rows, combinations)
}

// bind records what is known of the variables once the step has run.
func (o *orderer) bind(s *Step) {
	for _, column := range s.Columns {
		arg := s.Atom.Args[column]
		if !arg.IsVariable() {
			continue
		}
		values := float64(max(1, s.Relation.DistinctCount(column)))
		if known := o.distinct[arg.Variable]; known > 0 {
			values = min(values, known)
		} else {
			o.boundBy[arg.Variable] = len(o.plan.Steps) + 1
		}
		o.distinct[arg.Variable] = values
	}
}

// decide returns the conditions that can be evaluated for the first time, and narrows the estimate by them.
func (o *orderer) decide() (now []int) {
	for k, c := range o.rule.Conditions {
		if o.decided[k] || !o.isBound(c.Left) || !o.isBound(c.Right) {
			continue
		}
		o.decided[k] = true
		o.rows *= o.selectivity(&c)
		now = append(now, k)
	}
	return now
}

// isBound tells whether a term has a value where the plan stands.
func (o *orderer) isBound(t program.Term) bool { return !t.IsVariable() || o.distinct[t.Variable] > 0 }

// selectivity estimates which part of the rows satisfies a comparison: of evenly spread values, one pair in so many is
// equal, and half of the others are in order.
func (o *orderer) selectivity(c *program.Condition) float64 {
	values := 1.0
	for _, t := range [...]program.Term{c.Left, c.Right} {
		if t.IsVariable() {
			values = max(values, o.distinct[t.Variable])
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
			bytes += 8 * free * float64(rows) / max(1, size(&s))
		} else {
			bytes += 4 * free
		}
	}
	return bytes
}
