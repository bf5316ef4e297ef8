package ground

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// routine is a planned rule made ready to run: columns, indexes and slots of values instead of names. It is read-only;
// any number of machines run it at once.
//
// The values of a grounding lie in one array of slots: first the rule's variables, then its constants, so that keys and
// comparisons need not tell one from the other.
type routine struct {
	rule  *program.Rule
	plan  *plan.Plan
	scope *scope

	slots []symbol.ID // initial values: constants at their places
	ops   []op
	atoms []atom // one per atom of the rule
	sums  []sum
	emit  func(*machine)
	// pivot is the op whose rows [lo, hi) are cut into pieces; -1 if no op goes through rows.
	pivot  int
	lo, hi int32

	natural  []float64 // the atoms' coefficients
	constant float64   // the template's constant; 0 if it depends on |B|
	upper    float64   // the template's largest value before any row is found; +Inf if nothing may be pruned
	varying  bool      // some coefficient or the constant depends on |B|
	never    bool      // a comparison of constants fails
	// repeats lists the pairs of atoms that may turn out to be one ground atom.
	repeats [][2]int
}

// op is one step of the plan.
type op struct {
	kind    plan.Op
	at      int // the place of the rule's atom; -1 for the weight's
	size    int32
	index   *relation.Index
	grouped []int32 // the index's rows
	key     []int32 // slots of the key
	bind    []binding
	check   []binding
	decide  []comparison
	found   *atom // the atom whose row is found, nil for projections
	prunes  bool  // the row's value narrows the bound
	whole   bool  // no generating op follows: what is dropped here was a whole grounding
}

// binding connects a column to a slot.
type binding struct {
	column []symbol.ID
	slot   int32
}

// atom is what the inner loop needs to know of an atom of the template.
type atom struct {
	coef      float64 // unless it depends on |B|
	expr      program.Expr
	truth     []float32
	observed  int32 // rows from here on are free
	shift     int32 // a free row + shift is the number of its variable or input
	perceived bool
	open      bool // a missing row is an error
	sum       int  // its place among the sums; -1 if it is a plain atom
}

// value returns the value of an observed row.
func (a *atom) value(row int32) float64 {
	if a.truth == nil {
		return 1
	}
	return float64(a.truth[row])
}

// slack returns by how much finding row (-1: missing) lowers the largest value that the atom's term can have.
func (a *atom) slack(row int32) float64 {
	switch {
	case row >= a.observed || row < 0 && a.open:
		return 0
	case row < 0:
		return -max(a.coef, 0)
	}
	return a.coef*a.value(row) - max(a.coef, 0)
}

// compile makes a plan ready. Indexes that do not exist yet are built.
func compile(p *plan.Plan, s *scope) *routine {
	r := &routine{rule: p.Rule, plan: p, scope: s, pivot: -1, slots: make([]symbol.ID, len(p.Rule.Variables))}
	for k := range p.Rule.Atoms {
		r.atoms = append(r.atoms, r.atom(&p.Rule.Atoms[k]))
		r.natural = append(r.natural, r.atoms[k].coef)
	}
	r.constant, r.varying = constant(p.Rule.Constant)
	r.upper = r.bound()
	r.repeats = repeats(p.Rule)
	for k := range p.Steps {
		r.ops = append(r.ops, r.op(&p.Steps[k], k+1 >= p.Generators))
	}
	for _, k := range p.Conditions {
		c := r.comparison(&p.Rule.Conditions[k])
		r.never = r.never || !c.holds(r.slots)
	}
	for k := range p.Rule.Sums {
		r.addSum(&p.Rule.Sums[k])
	}
	r.choosePivot()
	r.emit = r.emitter()
	return r
}

// emitter returns what to do with each grounding.
func (r *routine) emitter() func(*machine) {
	switch {
	case r.varying || len(r.sums) > 0 || len(r.atoms) > 64:
		return emitRagged
	case !finite(append(r.natural, r.constant)...):
		return emitBroken
	}
	return emitUniform
}

func finite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

func (r *routine) atom(a *program.Atom) atom {
	rel := r.scope.store.Relations[a.Predicate]
	coef, varies := constant(a.Coef)
	r.varying = r.varying || varies
	return atom{
		coef: coef, expr: a.Coef, truth: rel.Truth, observed: int32(rel.Observed), shift: rel.Base - int32(rel.Observed),
		perceived: rel.Free == relation.Perceived, open: rel.Open && rel.Free != relation.Perceived, sum: -1,
	}
}

// constant returns the value of an expression without |B|, and 0 for one that varies.
func constant(e program.Expr) (value float64, varies bool) {
	if value, ok := e.Constant(); ok {
		return value, false
	}
	return 0, true
}

// bound returns the template's largest value if it is known beforehand and a small one makes the ground rule trivial.
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

// repeats returns the pairs of atoms that some grounding could make equal: one predicate, no different constants.
func repeats(rule *program.Rule) (pairs [][2]int) {
	for i := range rule.Atoms {
		for j := range i {
			if unifiable(&rule.Atoms[j], &rule.Atoms[i]) {
				pairs = append(pairs, [2]int{j, i})
			}
		}
	}
	return pairs
}

func unifiable(a, b *program.Atom) bool {
	if a.Predicate != b.Predicate {
		return false
	}
	for k := range a.Args {
		s, t := a.Args[k], b.Args[k]
		if !s.IsVariable() && !t.IsVariable() && s.Constant != t.Constant {
			return false
		}
	}
	return true
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

func (r *routine) slotsOf(a *program.Atom, columns []int) []int32 {
	slots := make([]int32, len(columns))
	for k, column := range columns {
		slots[k] = r.slot(a.Args[column])
	}
	return slots
}

func (r *routine) op(s *plan.Step, whole bool) op {
	rel := s.Relation
	at := func(column int) int { return column }
	if s.Projected() && s.Op != plan.Match {
		rel = rel.Distinct(s.Columns...)
		at = func(column int) int { return slices.Index(s.Columns, column) }
	}
	o := op{kind: s.Op, at: s.Index, size: int32(rel.Len()), key: r.slotsOf(s.Atom, s.Key), whole: whole}
	if s.Op != plan.Scan {
		key := make([]int, len(s.Key))
		for k, column := range s.Key {
			key[k] = at(column)
		}
		o.index = rel.Index(key...)
		o.grouped = o.index.Grouped()
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

// value connects an op to the atom whose value it finds.
func (r *routine) value(o *op, s *plan.Step) {
	switch {
	case s.Index < 0:
		weight := r.atom(s.Atom)
		o.found = &weight
	case !s.Projected():
		o.found = &r.atoms[s.Index]
		o.prunes = !math.IsInf(r.upper, 1)
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

// comparison is a condition over slots; rank is the order for %.
type comparison struct {
	op          program.Relop
	left, right int32
	rank        []int32
}

func (r *routine) comparison(c *program.Condition) comparison {
	out := comparison{op: c.Op, left: r.slot(c.Left), right: r.slot(c.Right)}
	if c.Op == program.Before {
		out.rank = r.scope.rank(r.typeOf(c))
	}
	return out
}

func (r *routine) typeOf(c *program.Condition) program.Type {
	for _, t := range [...]program.Term{c.Left, c.Right} {
		if t.IsVariable() {
			return r.rule.Variables[t.Variable].Type
		}
	}
	return program.String
}

func (c *comparison) holds(slots []symbol.ID) bool {
	a, b := slots[c.left], slots[c.right]
	switch c.op {
	case program.Same:
		return a == b
	case program.Different:
		return a != b
	}
	return c.rank[a] < c.rank[b]
}
