package ground

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// atom is what the inner loop needs to know of an atom of the template. Its relation is taken apart into plain fields:
// rows below observed have values in truth, rows from there on are variables or inputs, and row -1 is a missing atom.
type atom struct {
	coef      float64 // 0 if it depends on |B|
	expr      program.Expr
	truth     *relation.Values // nil if all are 1
	observed  int32            // rows from here on are free
	shift     int32            // a free row + shift is the number of its variable or input
	perceived bool
	open      bool // a missing row is an error
	sum       int  // its place among the sums; -1 if it is a plain atom
	function  *function
	without   []symbol.ID // see relation.Relation
	entity    int32       // the slot of the argument that could be one of these
}

// nonexistent tells whether an atom without a row is not even 0.
func (a *atom) nonexistent(m *machine) bool {
	return a.without != nil && slices.Contains(a.without, m.slots[a.entity])
}

// value returns the value of an observed row, or of what stands for the row of a function.
func (a *atom) value(row int32) float64 {
	switch {
	case a.truth != nil:
		return a.truth.At(row)
	case a.function != nil:
		return valueOf(row)
	}
	return 1
}

// slack returns by how much finding row lowers the largest value that the atom's term can have. Of a free atom nothing
// is known, nor of a missing one that ought to be a target; missing from a closed world means 0.
func (a *atom) slack(row int32) float64 {
	switch {
	case row >= a.observed || row < 0 && a.open:
		return 0
	case row < 0:
		return -max(a.coef, 0)
	}
	return a.coef*a.value(row) - max(a.coef, 0)
}

// truthOf returns a relation's values, or nil if all are 1.
func truthOf(rel *relation.Relation) *relation.Values {
	if rel.Truth.Ones() {
		return nil
	}
	return &rel.Truth
}

// positive tells whether row is an observed atom above 0, which is what filters call true.
func (a *atom) positive(row int32) bool { return row >= 0 && row < a.observed && a.value(row) > 0 }

// atom takes an atom's relation apart.
func (r *routine) atom(a *program.Atom) atom {
	rel := r.scope.store.Relations[a.Predicate]
	coef, varies := constant(a.Coef)
	r.varying = r.varying || varies
	if rel.Function != nil {
		return atom{coef: coef, expr: a.Coef, observed: math.MaxInt32, sum: -1, function: r.scope.function(rel)}
	}
	out := atom{
		coef: coef, expr: a.Coef, truth: truthOf(rel), observed: int32(rel.Observed), shift: rel.Base - int32(rel.Observed),
		perceived: rel.Free == relation.Perceived, open: rel.Open && rel.Free != relation.Perceived, sum: -1,
		without: rel.Without,
	}
	if rel.Without != nil {
		out.entity = r.slot(a.Args[rel.WithoutColumn])
	}
	return out
}

// constant returns the value of an expression without |B|, and 0 for one that varies.
func constant(e program.Expr) (value float64, varies bool) {
	if value, ok := e.Constant(); ok {
		return value, false
	}
	return 0, true
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

// unifiable tells whether two atoms can become one. It does not see that P(A, B) and P(B, 'x') cannot if A is not 'x':
// a pair too many costs a comparison.
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

// layout is what of a routine's groundings, from one loop on, differs from lane to lane, and what is the same in all:
// it is found out once, from what relations hold.
type layout struct {
	asked  []int32 // the slots that ops ask for from the loop on
	outer  []int32 // those of them that are bound before
	before []int   // the atoms found before, which row of whose matters
	prunes bool    // an op from the loop on narrows the bound
	// numbered says that it matters which row of the loop's atom it is.
	numbered bool
	// What is the same in all potentials that are not odd: their free atoms, and the observed part, up to the first of
	// the atoms adds, in order, whose part is still to be found.
	fixed     uint64
	lead      float64
	adds      []int
	sought    []int    // atoms that are free or missing
	pairs     [][2]int // atoms that may turn out to be one
	perceived uint64   // the atoms that are inputs where they are free
}

// layOut finds the layout of the loop that is op side.
func (r *routine) layOut(side int) *layout {
	l := &layout{}
	for j, o := range r.ops[side:] {
		l.prunes = l.prunes || o.prunes
		if !r.metLast(side+j) && j > 0 {
			l.ask(o.key...)
		}
		for _, c := range o.check {
			l.ask(c.slot)
		}
		for _, c := range o.decide {
			l.ask(c.left, c.right)
		}
	}
	steps := make([]*op, len(r.atoms)) // that find the atoms
	for j := range r.ops {
		if r.ops[j].at >= 0 {
			steps[r.ops[j].at] = &r.ops[j]
		}
	}
	for j := range r.tabled {
		steps[r.tabled[j].at] = &r.tabled[j].op
	}
	for _, pair := range r.repeats {
		if r.atoms[pair[0]].observed < steps[pair[0]].size {
			l.pairs = append(l.pairs, pair)
		}
	}
	for at := range r.atoms {
		l.add(at, &r.atoms[at], steps[at])
	}
	l.look(r, side)
	return l
}

// ask notes that slots are asked for.
func (l *layout) ask(slots ...int32) {
	for _, slot := range slots {
		if !slices.Contains(l.asked, slot) {
			l.asked = append(l.asked, slot)
		}
	}
}

// look finds what is asked for of what is bound and found before the loop.
func (l *layout) look(r *routine, side int) {
	for j := range r.ops[:side] {
		o := &r.ops[j]
		for _, b := range o.bind {
			if slices.Contains(l.asked, b.slot) {
				l.outer = append(l.outer, b.slot)
			}
		}
		if o.at >= 0 && l.matters(o) {
			l.before = append(l.before, o.at)
		}
	}
	last := &r.ops[side]
	if l.numbered = l.matters(last) || last.prunes || len(last.check) > 0; last.lists != nil {
		l.ask(last.value)
	}
}

// matters tells whether it makes a difference to the potential which row an op finds.
func (l *layout) matters(o *op) bool {
	paired := func(pair [2]int) bool { return slices.Contains(pair[:], o.at) }
	return o.found != nil && o.found.coef != 0 && !o.found.settled(o) || slices.ContainsFunc(l.pairs, paired)
}

// add finds what is known of an atom's part in the potentials.
func (l *layout) add(at int, a *atom, o *op) {
	bit := uint64(1) << at
	if a.perceived {
		l.perceived |= bit
	}
	switch {
	case a.coef == 0:
	case a.settled(o) && len(l.adds) == 0:
		l.lead += a.coef
	case a.observed == 0 && o.kind != plan.Lookup:
		l.fixed |= bit
	case a.observed == 0 && (a.open || a.without != nil):
		l.fixed |= bit
		l.sought = append(l.sought, at)
	default:
		l.adds = append(l.adds, at)
	}
}

// settled tells whether whatever row of the atom an op finds is observed, and 1.
func (a *atom) settled(o *op) bool {
	return o.kind != plan.Lookup && a.observed >= o.size && a.truth == nil && a.function == nil
}

// narrows tells whether some row of the atom that an op finds, or none, lowers the template's bound.
func (a *atom) narrows(o *op) bool {
	switch {
	case a.coef == 0:
		return false
	case a.observed == 0:
		return o.kind == plan.Lookup && !a.open
	}
	return a.coef < 0 || !a.settled(o)
}

// arrangement is what the rows of a routine's last loop bind and lead to, in the order in which the loop goes through
// them: where it goes through each of them more than once, that is found once and copied from then on.
type arrangement struct {
	columns [][]symbol.ID // per binding of the loop; nil if its column is not arranged
	rows    [][]int32     // per op: the row that it finds, for a look-up that needs nothing but what the loop binds
	gathers bool          // a column that is asked for is not arranged
}

// newArrangement arranges nothing of a loop's rows but what is in order.
func (r *routine) newArrangement(side int, l *layout) arrangement {
	o := &r.ops[side]
	a := arrangement{columns: make([][]symbol.ID, len(o.bind)), rows: make([][]int32, len(r.ops))}
	for i, b := range o.bind {
		if o.grouped == nil {
			a.columns[i] = b.column
		} else {
			a.gathers = a.gathers || slices.Contains(l.asked, b.slot)
		}
	}
	return a
}

// often is how many times the rows of the last loop must be gone through, on average, to be arranged.
const often = 2

// chunk is how many of them are arranged at a time.
const chunk = 1 << 13

// arrange arranges the rows of the last loop, if that is worth it.
func (r *routine) arrange(threads int, always bool) {
	if r.side < 0 || r.ops[r.side].lists != nil {
		return
	}
	o, a := &r.ops[r.side], &r.arranged
	size := int(o.places)
	if r.plan.Steps[r.stepOf(r.side)].Rows < often*float64(size) && !always {
		return
	}
	a.gathers = false
	for i := range o.bind {
		if a.columns[i] == nil && slices.Contains(r.lastLayout().asked, o.bind[i].slot) {
			a.columns[i] = make([]symbol.ID, size)
		}
	}
	for j := r.side + 1; j < len(r.ops); j++ {
		if r.ops[j].at >= 0 && r.local(r.ops[j].key) {
			a.rows[j] = make([]int32, size)
		}
	}
	parallel.For(threads, (size+chunk-1)/chunk, func(c int) { r.arrangeSome(c*chunk, min(size, (c+1)*chunk)) })
}

// local tells whether slots are constants or bound by the last loop.
func (r *routine) local(slots []int32) bool {
	return !slices.ContainsFunc(slots, func(slot int32) bool {
		return int(slot) < len(r.rule.Variables) && r.boundHere(slot) < 0
	})
}

// boundHere returns which binding of the last loop binds a slot, -1 if none does.
func (r *routine) boundHere(slot int32) int {
	return slices.IndexFunc(r.ops[r.side].bind, func(b binding) bool { return b.slot == slot })
}

// arrangeSome arranges the rows at the places [lo, hi).
func (r *routine) arrangeSome(lo, hi int) {
	o, a := &r.ops[r.side], &r.arranged
	for i, b := range o.bind {
		if o.grouped == nil || a.columns[i] == nil {
			continue
		}
		values := a.columns[i][lo:hi]
		for k, row := range o.grouped[lo:hi] {
			values[k] = b.column[row]
		}
	}
	cells := make([]uint32, hi-lo)
	for j, rows := range a.rows {
		if rows == nil {
			continue
		}
		var key [][]symbol.ID
		for _, slot := range r.ops[j].key {
			if i := r.boundHere(slot); i >= 0 {
				key = append(key, a.columns[i][lo:hi])
			} else {
				key = append(key, slices.Repeat([]symbol.ID{r.slots[slot]}, hi-lo))
			}
		}
		r.ops[j].index.FindEach(rows[lo:hi], key, nil, cells)
	}
}

// copyArranged copies what is arranged of the rows from a place on.
func (m *machine) copyArranged(v *vectors, from, to int, lo int32) {
	for i, b := range m.ops[v.side].bind {
		if ready := v.arranged.columns[i]; ready != nil && v.slots[b.slot] != nil {
			copy(v.slots[b.slot][from:to], ready[lo:])
		}
	}
	for j := v.side + 1; j < v.end; j++ {
		if ready := v.arranged.rows[j]; ready != nil {
			copy(v.rows[m.ops[j].at][from:to], ready[lo:])
		}
	}
}

// gatherArranged gathers what is arranged of the rows at the places of n lanes.
func (m *machine) gatherArranged(v *vectors, n int) {
	for i, b := range m.ops[v.side].bind {
		if ready := v.arranged.columns[i]; ready != nil && v.slots[b.slot] != nil {
			gather(v.slots[b.slot][:n], ready, v.place)
		}
	}
	for j := v.side + 1; j < v.end; j++ {
		if ready := v.arranged.rows[j]; ready != nil {
			gather(v.rows[m.ops[j].at][:n], ready, v.place)
		}
	}
}
