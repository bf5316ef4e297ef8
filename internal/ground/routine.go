package ground

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// routine is a planned rule made ready to run: columns, indexes and slots of values instead of names. It is
// read-only; any number of machines run it at once.
//
// The values of a grounding lie in one array of slots: first the rule's variables, then its constants, so that keys
// and comparisons need not tell one from the other.
type routine struct {
	rule  *program.Rule
	plan  *plan.Plan
	scope *scope

	slots []symbol.ID // initial values: constants at their places
	ops   []op
	// tabled are the ops that tables are in the place of, and steps says of which step of the plan each other one is; nil
	// if there are no tables.
	tabled []tabled
	steps  []int
	atoms  []atom // one per atom of the rule
	sums   []sum
	emit   func(*machine)
	// side is the last loop if its rows are taken side by side, see lanes.go; -1 if they are not. Sides are all such
	// loops, tiers their layouts, and arranged is the last one's rows.
	side     int
	sides    []int
	tiers    []*layout
	arranged arrangement
	// peeker is the loop which leads to sums that are looked ahead to, -1 if there is none, and peeked is what they read.
	peeker int
	peeked []*origin
	// pivot is the op whose rows [lo, hi) are cut into pieces; -1 if no op goes through rows.
	pivot  int
	lo, hi int32
	most   int // how many pieces at most
	// cuts are where pieces begin and end if that is within rows of the pivot: by the rows of the op inner.
	cuts  []cut
	inner int

	natural  []float64 // the atoms' coefficients
	dust     float64   // roundingError
	constant float64   // the template's constant; 0 if it depends on |B|
	upper    float64   // the template's largest value before any row is found; +Inf if nothing may be pruned
	varying  bool      // some coefficient or the constant depends on |B|
	never    bool      // a comparison of constants fails, or a step has no rows
	// repeats lists the pairs of atoms that may turn out to be one ground atom.
	repeats [][2]int
}

// op is one step of the plan.
type op struct {
	kind    plan.Op
	at      int   // the place of the rule's atom; -1 for the weight's
	size    int32 // of the relation
	places  int32 // of the rows that the op can come to
	index   *relation.Index
	grouped []int32 // the index's rows; of a scan, all in its order, nil for that of the relation
	key     []int32 // slots of the key
	bind    []binding
	check   []binding
	decide  []comparison
	found   *atom // the atom whose row is found, nil for projections
	prunes  bool  // the row's value narrows the bound
	peeks   bool  // the loop behind it is looked ahead to
	whole   bool  // no generating op follows: what is dropped here was a whole grounding
	// Of ops that are met (plan.Step.Meets): index and key are those of the lists of values for the slot value, and
	// the first one has the number of the others in meets.
	lists    *relation.Lists
	value    int32
	meets    int
	ahead    *relation.Ahead
	aheadKey []int32
	// Of projections of living relations: the index on the columns that are left, whose first rows count.
	once  *relation.Index
	apart [][]symbol.ID
}

// tabled is an op that a table is in the place of.
type tabled struct {
	op
	step   int   // of the plan
	passed int64 // how many rows it handed on for the table
}

// binding connects a column to a slot.
type binding struct {
	column []symbol.ID
	slot   int32
}

// compile makes a plan ready, by so many threads. Indexes that do not exist yet are built.
func compile(threads int, p *plan.Plan, s *scope) *routine {
	r := &routine{rule: p.Rule, plan: p, scope: s, pivot: -1, inner: -1}
	r.most = int(min(pieces, max(fewPieces, p.Cost/worthPiece)))
	r.slots = make([]symbol.ID, len(p.Rule.Variables))
	for k := range p.Rule.Atoms {
		r.atoms = append(r.atoms, r.atom(&p.Rule.Atoms[k]))
		r.natural = append(r.natural, r.atoms[k].coef)
	}
	r.constant, r.varying = constant(p.Rule.Constant)
	r.upper, r.dust = r.bound(), r.roundingError()
	r.repeats = repeats(p.Rule)
	rows := reduce(threads, p, s.id)
	for k := range p.Steps {
		r.ops = append(r.ops, r.op(p, k))
		if step := &p.Steps[k]; step.Reduced {
			r.ops[k].over(step.Relation.IndexOf(threads, rows[k], step.Key...))
			r.never = r.never || step.Op != plan.Lookup && howMany(step.Relation, rows[k]) == 0
		}
	}
	for k := range p.Steps {
		r.meet(p, k)
	}
	for _, k := range p.Conditions {
		c := r.comparison(&p.Rule.Conditions[k])
		r.never = r.never || !c.holds(r.slots)
	}
	for k := range p.Rule.Sums {
		r.addSum(&p.Rule.Sums[k])
	}
	r.addDomains()
	r.choosePivot()
	r.chooseLanes()
	return r
}

// chooseLanes decides how the ops are run.
func (r *routine) chooseLanes() {
	r.emitBy(r.emitter())
	if r.uniform() {
		r.side = r.lastLoop()
	}
	r.choosePeeks(large)
	if r.side >= 0 {
		r.sides = []int{r.side}
		r.layTiers()
		r.arranged = r.newArrangement(r.side, r.lastLayout())
	}
}

// roundingError is the template value up to which a ground rule counts as always satisfied: what adding up its terms
// may leave of 0. Whatever is more has a part in the answer, as the rule's weight can be of any size.
func (r *routine) roundingError() float64 {
	const rounding = 1e-14 // some units in the last place
	total := rounding * math.Abs(r.constant)
	for _, coef := range r.natural {
		total += rounding * math.Abs(coef)
	}
	if !finite(total) {
		return 0
	}
	return total
}

// emitBy sets what to do with each grounding; only emitUniform knows how to do that side by side.
func (r *routine) emitBy(emit func(*machine)) { r.emit, r.side = emit, -1 }

// emitter returns what to do with each grounding.
func (r *routine) emitter() func(*machine) {
	switch {
	case r.uniform():
		return emitUniform
	case r.varying || len(r.sums) > 0 || len(r.atoms) > 64:
		return emitRagged
	}
	return emitBroken
}

// uniform tells whether the coefficients are numbers, and not too many.
func (r *routine) uniform() bool {
	return !r.varying && len(r.sums) == 0 && len(r.atoms) <= 64 && finite(append(r.natural, r.constant)...)
}

// finite tells whether all values are numbers that arithmetic can go on with.
func finite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// bound returns the template's largest value over the box, if it is known beforehand and if a small one makes a
// ground rule trivial. The machine lowers it with every observed atom that it finds.
func (r *routine) bound() float64 {
	if r.varying || len(r.rule.Sums) > 0 || !oneSided(r.rule) {
		return math.Inf(1)
	}
	upper := r.constant
	for k := range r.atoms {
		upper += max(r.atoms[k].coef, 0)
	}
	return upper
}

// oneSided tells the rules whose ground rules always hold where the template is at most 0.
func oneSided(rule *program.Rule) bool {
	return rule.Comparator == program.LessEqual && (rule.Weight.Hard || rule.Form == program.Hinge)
}

// slot returns the place of a term's value.
func (r *routine) slot(t program.Term) int32 {
	if t.IsVariable() {
		return int32(t.Variable)
	}
	id, variables := r.scope.id(t.Constant), len(r.rule.Variables)
	at := slices.Index(r.slots[variables:], id)
	if at < 0 {
		at = len(r.slots) - variables
		r.slots = append(r.slots, id)
	}
	return int32(variables + at)
}

// slotsOf returns the slots of an atom's arguments in some columns.
func (r *routine) slotsOf(a *program.Atom, columns []int) []int32 {
	slots := make([]int32, len(columns))
	for k, column := range columns {
		slots[k] = r.slot(a.Args[column])
	}
	return slots
}

// op compiles step k.
func (r *routine) op(p *plan.Plan, k int) op {
	s, way := &p.Steps[k], accessOf(p, k)
	rel, at := way.rows()
	o := op{
		kind: s.Op, at: s.Index, size: int32(rel.Len()), places: int32(rel.Len()), key: r.slotsOf(s.Atom, s.Key),
		whole: k+1 >= p.Generators,
	}
	if rel.Lives() {
		o.live(s, rel)
	}
	if x := way.index(1); x != nil && o.kind == plan.Scan {
		o.grouped = x.Grouped()
	} else if x != nil {
		o.over(x)
	}
	for _, column := range s.Bind {
		o.bind = append(o.bind, binding{rel.Columns[at(column)], r.slot(s.Atom.Args[column])})
	}
	for _, column := range s.Check {
		o.check = append(o.check, binding{rel.Columns[at(column)], r.slot(s.Atom.Args[column])})
	}
	for _, c := range s.Conditions {
		o.decide = append(o.decide, r.comparison(&r.rule.Conditions[c]))
	}
	r.value(&o, s)
	return o
}

// stepOf returns the step of the plan that an op is of, the last one of a table.
func (r *routine) stepOf(k int) int {
	if r.steps == nil {
		return k
	}
	return r.steps[k]
}

// over sets the op's index.
func (o *op) over(x *relation.Index) { o.index, o.grouped, o.places = x, x.Grouped(), int32(x.Len()) }

// live makes an op go by indexes alone, as rows of a living relation are to be found. A projection takes the first row
// of those that it cannot tell apart.
func (o *op) live(s *plan.Step, rel *relation.Relation) {
	if o.kind == plan.Scan {
		o.kind = plan.Probe
	}
	if s.Projected() && s.Op != plan.Match {
		o.once = rel.Index(s.Columns...)
		for _, column := range s.Columns {
			o.apart = append(o.apart, rel.Columns[column])
		}
	}
}

// value connects an op to the atom whose value it finds.
func (r *routine) value(o *op, s *plan.Step) {
	switch {
	case s.Index < 0:
		weight := r.atom(s.Atom)
		o.found = &weight
	case !s.Projected():
		o.found = &r.atoms[s.Index]
		o.prunes = !math.IsInf(r.upper, 1) && o.found.narrows(o)
	}
}

// choosePivot finds the first op that goes through rows, and which rows these are: only constants can be its key.
func (r *routine) choosePivot() {
	for k := range r.ops {
		switch o := &r.ops[k]; o.kind {
		case plan.Scan:
			r.pivot, r.hi = k, o.size
			return
		case plan.Probe:
			key := make([]symbol.ID, len(o.key))
			for i, slot := range o.key {
				key[i] = r.slots[slot]
			}
			r.pivot = k
			r.lo, r.hi = o.index.Range(key)
			return
		}
	}
}

// large is the size in bytes of an index beyond which caches have no room for it.
const large = 1 << 20

// choosePeeks finds the loops which lead to a loop of random places in an index of more than so many bytes.
func (r *routine) choosePeeks(least int64) {
	for k := range len(r.ops) - 1 {
		o, next := &r.ops[k], &r.ops[k+1]
		o.peeks = (o.kind == plan.Scan || o.kind == plan.Probe) && next.kind == plan.Probe && next.lists == nil &&
			slices.ContainsFunc(next.key, o.binds) && next.index.Bytes() > least
	}
	r.choosePeeked(least)
}

// choosePeeked finds what sums read at random places of an index of more than so many bytes, for each row of the last
// loop.
func (r *routine) choosePeeked(least int64) {
	r.peeker, r.peeked = -1, nil
	k := r.lastLoop()
	if k < 0 || len(r.sums) == 0 {
		return
	}
	add := func(c *origin) {
		if slices.ContainsFunc(c.key, r.ops[k].binds) && c.index.Bytes() > least {
			r.peeker, r.peeked = k, append(r.peeked, c)
		}
	}
	for i := range r.sums {
		s := &r.sums[i]
		add(&origin{index: s.own, key: s.key, column: s.relation.Columns[s.variables[0].column]})
		for _, v := range s.variables {
			for _, c := range v.filter {
				if v.readable {
					add(c.origin)
				}
			}
		}
	}
}

// binds tells whether an op binds a slot.
func (o *op) binds(slot int32) bool {
	return slices.ContainsFunc(o.bind, func(b binding) bool { return b.slot == slot })
}

// meet compiles the step k of a plan if it is met with others, or looks ahead: it and they read sorted lists of the
// values of the variable that it binds, instead of an index. The values come in the order of their numbers.
func (r *routine) meet(p *plan.Plan, k int) {
	first := &p.Steps[k]
	if first.Meets == 0 && first.Ahead == nil || first.Relation.Lives() {
		return
	}
	x := first.Met()
	for j := k; j <= k+first.Meets; j++ {
		s, o := &p.Steps[j], &r.ops[j]
		value := slices.Index(s.Atom.Args, x)
		o.lists = s.Relation.Lists(value)
		o.key = r.slotsOf(s.Atom, slices.Delete(every(s.Relation.Arity), value, value+1))
		o.index, o.grouped, o.value = o.lists.Index, o.lists.Rows, r.slot(x)
	}
	r.ops[k].meets = first.Meets
	if first.Ahead == nil {
		return
	}
	of, through := &p.Steps[first.Ahead.Of], &p.Steps[first.Ahead.Through]
	at := slices.Index(through.Atom.Args, x)
	y := slices.IndexFunc(of.Atom.Args, func(t program.Term) bool { return t == through.Atom.Args[1-at] })
	r.ops[k].ahead = &relation.Ahead{Of: of.Relation.Lists(y), Through: through.Relation.Lists(at)}
	r.ops[k].aheadKey = r.slotsOf(of.Atom, slices.Delete(every(of.Relation.Arity), y, y+1))
}

// comparison is a condition over slots.
type comparison struct {
	op          program.Relop
	left, right int32
	rank        []int32 // of every constant, if op is %
}

// comparison compiles a condition; both of its terms have one type, and a variable knows it.
func (r *routine) comparison(c *program.Condition) comparison {
	out := comparison{op: c.Op, left: r.slot(c.Left), right: r.slot(c.Right)}
	if c.Op == program.Before || c.Op == program.NotBefore {
		out.rank = r.scope.rank(c.Type)
	}
	return out
}

// holds decides the condition for the values in slots.
func (c *comparison) holds(slots []symbol.ID) bool { return c.compare(slots[c.left], slots[c.right]) }

// compare decides the condition for two values. Constants are equal if their numbers are: the scope has seen to it
// that no two constants share one, whether the data know them or not.
func (c *comparison) compare(a, b symbol.ID) bool {
	switch c.op {
	case program.Same:
		return a == b
	case program.Different:
		return a != b
	case program.NotBefore:
		return c.rank[a] >= c.rank[b]
	}
	return c.rank[a] < c.rank[b]
}

// worthTiers is how many rows a rule should touch for more than its last loop to be taken side by side: lanes have to
// be made.
const worthTiers = 1 << 14

// chooseTiers finds the loops whose rows are taken side by side, from the pivot on, or from the loop by whose rows a
// row of the pivot is divided: those after which there are no steps but look-ups and such loops.
func (r *routine) chooseTiers(least float64) {
	if r.side < 0 || r.plan.Cost < least {
		return
	}
	r.sides = nil
	for k := r.side; k >= max(r.pivot, r.inner) && r.ops[k].tiered(); k-- {
		if kind := r.ops[k].kind; kind == plan.Scan || kind == plan.Probe {
			r.sides = append(r.sides, k)
		}
	}
	if len(r.sides) == 0 {
		r.sides = []int{r.side}
	}
	slices.Reverse(r.sides)
	r.layTiers()
}

// lastLayout returns that of the last loop.
func (r *routine) lastLayout() *layout { return r.tiers[len(r.tiers)-1] }

// layTiers finds the layouts of the loops that are taken side by side.
func (r *routine) layTiers() {
	r.tiers = nil
	for _, side := range r.sides {
		r.tiers = append(r.tiers, r.layOut(side))
	}
}

// tiered tells whether an op can be made in the lanes of any loop.
func (o *op) tiered() bool {
	return o.lists == nil && o.once == nil && o.kind != plan.Compute && (o.kind != plan.Weigh || o.found.function == nil)
}
