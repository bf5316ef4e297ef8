// Package plan decides how a rule is grounded: in which order its atoms are joined, through which indexes, and where
// each comparison and look-up is made. A plan is chosen from statistics alone (row counts and distinct counts), so it
// is the same on every run, and it tells what grounding will cost before anything runs.
package plan

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// Plan is the physical plan of one rule: nested loops over Steps, each of which sees what the steps before it bound.
type Plan struct {
	Rule *program.Rule
	// Conditions lists comparisons of constants, decided before the first step: indexes into Rule.Conditions.
	Conditions []int
	Steps      []Step
	// Generators is how many of the first steps are needed to know that a grounding exists; the others look atoms up.
	Generators int
	// Groundings estimates how many groundings the steps yield.
	Groundings float64
	// Bytes estimates the arenas that the groundings take.
	Bytes float64
	// Cost estimates the rows touched by all steps.
	Cost float64
}

// secondsPerRow and secondsPerByte are what one thread needs to touch a row of a join, look-ups included, and to make a
// byte of an arena: fitted to the times of the rules in TestEstimates of package ground on one core of a virtual
// server, the best of six runs of each. They tell a second from an hour, not more.
const (
	secondsPerRow  = 40e-9
	secondsPerByte = 5e-9
)

// Seconds estimates the time that touching rows and making bytes of arenas takes one thread.
func Seconds(rows, bytes float64) float64 { return rows*secondsPerRow + bytes*secondsPerByte }

// seconds estimates the time that grounding takes on one thread.
func (p *Plan) seconds() float64 { return Seconds(p.Cost, p.Bytes) }

// Op says how a step reaches the rows of its relation.
type Op uint8

const (
	// Scan goes through all rows.
	Scan Op = iota
	// Probe goes through the rows that hold the bound columns' values.
	Probe
	// Match requires the one row of a fully bound atom.
	Match
	// Lookup finds the row of a fully bound atom, which may be missing.
	Lookup
	// Weigh looks up the atom of the rule's weight; a missing one is 0 and removes the grounding.
	Weigh
	// Compute calls the function that gives the value of a fully bound atom.
	Compute
)

// String returns the operation's name as plans print it.
func (op Op) String() string {
	return [...]string{"scan", "probe", "match", "look up", "weigh by", "compute"}[op]
}

// Step is one loop or look-up of a plan. The slices of columns are positions in the relation, ascending.
type Step struct {
	Op Op
	// Index is the atom's place in Rule.Atoms, -1 for the weight's atom.
	Index    int
	Atom     *program.Atom
	Relation *relation.Relation
	// Columns are those without a summation variable. If some have one, the step runs over the distinct projection on
	// Columns: a semi-join.
	Columns []int
	Key     []int // columns that are constant or bound by an earlier step
	Bind    []int // columns that bind a variable here
	Check   []int // columns whose variable is bound by an earlier column of this step
	// Conditions lists the comparisons that are decided once this step has bound its variables.
	Conditions []int
	// Rows estimates how often the next step runs.
	Rows float64
	// Meets is how many of the next steps, all of which match, are made together with this one, which binds one variable:
	// what they allow for it is read off sorted lists. Tried estimates the rows that would be tried otherwise.
	// One with refused would, if it were not better to leave the rows out that those steps refuse, see Reduce.
	Meets, refused int
	Tried          float64
	// Ahead, if not nil, tells which values are in vain.
	Ahead *Ahead
	// Reduced says that only a part of the relation's rows is indexed, those that the steps before can ask for and those
	// behind do not refuse: about so large a Part.
	Reduced bool
	Part    float64
	// Order, of a Scan, is one more than the column whose equal values stand together; 0 is the order of the relation.
	Order int
}

// Projected tells whether the step runs over a projection of its relation.
func (s *Step) Projected() bool { return len(s.Columns) < s.Relation.Arity }

// New plans rule over the relations of store, which are indexed by predicate. Of short rules it finds the order that
// costs least by its estimates; of longer ones it tries greedy orders, as many as are done in a moment. The error is
// the context's.
func New(ctx context.Context, rule *program.Rule, store *relation.Store) (*Plan, error) {
	o := newOrderer(rule, store, nil)
	firsts := o.byRows()
	short := len(firsts) <= maxExact
	firsts = firsts[:min(len(firsts), tries(len(rule.Atoms)))]
	slices.Sort(firsts) // of plans that are as good as each other, the one that is nearest to the rule as it is written
	if len(firsts) == 0 {
		return o.from(ctx, nil, math.Inf(1)), ctx.Err()
	}
	best, lowest := (*Plan)(nil), math.Inf(1)
	take := func(first []int) {
		if p := o.from(ctx, first, lowest); best == nil || p.score() < lowest {
			best, lowest = p, p.score()
		}
	}
	for _, first := range firsts {
		take([]int{first})
	}
	if short {
		take(o.exact(firsts))
	}
	return best, ctx.Err()
}

// Count has relations count what New asks for of the rules, side by side.
func Count(threads int, rules []*program.Rule, store *relation.Store) {
	type column struct{ predicate, number int }
	var all []column
	known := make(map[column]bool)
	for _, rule := range rules {
		if alone(rule) {
			continue
		}
		o := &orderer{rule: rule}
		o.use()
		for k := range rule.Atoms {
			a := &rule.Atoms[k]
			for number := range a.Args {
				if c := (column{a.Predicate, number}); a.Generates && o.asks(a, number) && !known[c] {
					known[c] = true
					all = append(all, c)
				}
			}
		}
	}
	parallel.For(threads, len(all), func(k int) {
		store.Relations[all[k].predicate].DistinctCount(all[k].number)
	})
}

// alone tells whether one atom generates and nothing is compared: how many values columns have makes no difference
// then.
func alone(rule *program.Rule) bool {
	generating := 0
	for k := range rule.Atoms {
		if rule.Atoms[k].Generates {
			generating++
		}
	}
	return generating == 1 && len(rule.Conditions) == 0
}

// Bound plans rule for groundings in which some variables have values before the first step, as bound says: Conditions
// lists the comparisons that these decide, too. It is for few groundings at a time, so that the order is a greedy one.
func Bound(rule *program.Rule, store *relation.Store, bound []bool) *Plan {
	return newOrderer(rule, store, bound).from(context.Background(), nil, math.Inf(1))
}

// tries is how many greedy plans are worth their time: each takes time with the square of the rule's length.
func tries(atoms int) int { return max(1, 1<<20/(1+atoms*atoms)) }

// score is the cost, and more of it the fewer rows the first step has: a plan is run by cutting those rows into pieces,
// and few rows cannot be cut evenly.
func (p *Plan) score() float64 { return p.Cost * uneven(p.Steps[0].Rows) }

// uneven is the factor of a score for so many rows of the first step.
func uneven(rows float64) float64 { return 1 + 8/max(1, rows) }

// from builds the plan that begins with these atoms and goes on greedily. Its steps do not meet where its score would
// not be below the lowest even so.
func (o *orderer) from(ctx context.Context, first []int, lowest float64) *Plan {
	o.begin()
	for _, k := range first {
		o.generate(k)
	}
	o.greedy(ctx)
	o.plan.Generators, o.plan.Cost = len(o.plan.Steps), o.cost
	o.hoist()
	if math.IsInf(lowest, 1) || o.plan.least()*uneven(o.plan.Steps[0].Rows) < lowest {
		o.meet()
	}
	o.plan.Groundings = o.rows
	o.plan.Bytes = o.rows * o.bytesPerGrounding()
	return o.plan
}

// hoist puts each look-up at the earliest place where its arguments are bound, so that it runs as rarely as can be and
// what it finds may end the search early; matches that can be made there go first, since they cost as much and end it
// more often. Generators still counts the steps up to the last one that generates.
func (o *orderer) hoist() {
	lookups := o.lookups()
	generators := o.plan.Steps
	steps := make([]Step, 0, len(generators)+len(lookups))
	rows, last := 1.0, 0
	for k := 0; k <= len(generators); k++ {
		for k == len(generators) || generators[k].Op != Match {
			if len(lookups) == 0 || o.ready(&lookups[0]) > k {
				break
			}
			lookups[0].Rows = rows
			o.plan.Cost += rows * price(&lookups[0])
			steps, lookups = append(steps, lookups[0]), lookups[1:]
		}
		if k < len(generators) {
			steps = append(steps, generators[k])
			rows, last = generators[k].Rows, len(steps)
		}
	}
	o.plan.Steps, o.plan.Generators = steps, last
}

// call is about what one call of a function costs, in rows touched: a string similarity takes a microsecond or two.
const call = 60

// price returns what one execution of a look-up costs, in rows touched.
func price(s *Step) float64 {
	if s.Relation.Function != nil {
		return call
	}
	return 1
}

// lookups returns the steps of the atoms that do not generate and of the weight's, in the order in which they can run;
// of those that can run at the same time, the cheap ones come first.
func (o *orderer) lookups() (steps []Step) {
	for k := range o.rule.Atoms {
		if !o.rule.Atoms[k].Generates {
			steps = append(steps, o.step(k, &o.rule.Atoms[k], o.lookup(k)))
		}
	}
	if atom := o.rule.Weight.Atom; atom != nil {
		steps = append(steps, o.step(-1, atom, Weigh))
	}
	slices.SortStableFunc(steps, func(a, b Step) int {
		return cmp.Or(o.ready(&a)-o.ready(&b), cmp.Compare(price(&a), price(&b)))
	})
	return steps
}

// lookup returns how the value of atom k, which does not generate, is found.
func (o *orderer) lookup(k int) Op {
	if o.store.Relations[o.rule.Atoms[k].Predicate].Function != nil {
		return Compute
	}
	return Lookup
}

// ready returns after how many generating steps all arguments of a look-up are bound.
func (o *orderer) ready(s *Step) int {
	after := 0
	for _, arg := range s.Atom.Args {
		if arg.IsVariable() {
			after = max(after, o.boundBy[arg.Variable])
		}
	}
	return after
}
