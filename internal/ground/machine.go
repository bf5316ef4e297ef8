package ground

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// machine runs one routine over pieces of its rows: nested loops over the ops, and at their core the routine's emit.
// It allocates only to grow its buffers, which it keeps from piece to piece.
type machine struct {
	*routine
	stop *atomic.Bool
	// sampler, if set, decides which rows of each loop are visited.
	sampler *sampler

	slots    []symbol.ID         // the values of the current grounding
	keys     [][]symbol.ID       // per op, space for its key
	rows     []int32             // per atom, its row; -1 if missing
	meetings []*relation.Meeting // per op, nil if it is not met
	scale    float64             // the weight's atom
	from, to cut                 // the piece
	lo, hi   int32               // its rows of the pivot
	at       int32               // the one at hand, by its place

	counts   Counts
	passed   []int64       // per op, the rows that it has handed on
	now      *atomic.Int32 // the op at hand, for a profiler; nil if there is none
	problems problems
	full     func() // takes the batches; nil if they are left to grow
	due      int64  // the number of potentials from which full is to be called; never without it
	batches  []*batch
	last     *batch   // where the previous potential went
	spare    []*batch // without potentials, whose memory is for new ones

	firsts  []int32   // scratch of peek
	touched [][]int32 // scratch of ahead
	seen    int32     // what peek has read, so that it must

	vectors *vectors // of the last loop; nil if no rows are taken side by side
	top     *vectors // of the first loop whose rows are
	columns [][]symbol.ID

	// Scratch of the potential at hand.
	vars, inputs []int32
	coef         []float64
	free, given  addends // variables and inputs
	runs         []run   // their coefficients, in the order of the atoms
	sums         []expansion
	sizes        []int // per variable: |B|
	sizeOf       func(variable int) int
	filterKey    []symbol.ID

	heads     tuples // of a derivation
	condensed int64  // how many bytes they took when each was last there once
}

// newMachine makes a machine with all the space that does not depend on the data.
func newMachine(r *routine, stop *atomic.Bool) *machine {
	m := &machine{
		routine: r, stop: stop, scale: 1, due: math.MaxInt64,
		slots: slices.Clone(r.slots), rows: make([]int32, len(r.atoms)), meetings: make([]*relation.Meeting, len(r.ops)),
		passed: make([]int64, len(r.ops)),
		firsts: make([]int32, glance), sums: make([]expansion, len(r.sums)), sizes: make([]int, len(r.rule.Variables)),
	}
	if r.side >= 0 {
		m.top, m.vectors = r.newTiers()
	}
	m.sizeOf = func(variable int) int { return m.sizes[variable] }
	for k := range r.ops {
		m.keys = append(m.keys, make([]symbol.ID, len(r.ops[k].key)))
		m.meetings[k] = r.meeting(k)
	}
	return m
}

// run grounds a piece.
func (m *machine) run(from, to cut) {
	m.from, m.to, m.lo, m.hi = from, to, from.row, to.row
	if to.inner > 0 {
		m.hi++
	}
	for k := range m.sums {
		m.sums[k].of = nil // relations may have changed
	}
	m.step(0, m.routine.upper)
	if m.top != nil {
		m.flush(m.top)
	}
}

// step runs op k and what follows it. The template is at most upper, whatever values the atoms still to come have.
// Each op is a loop of at least 0 rows, and the recursion is as deep as the rule has atoms.
func (m *machine) step(k int, upper float64) {
	m.note(k)
	if k == len(m.ops) {
		m.counts.Groundings++
		if m.emit(m); m.counts.Potentials >= m.due {
			m.crowded()
		}
		return
	}
	o := &m.ops[k]
	if m.meetings[k] != nil && m.sampler == nil {
		m.meet(k, upper)
		return
	}
	switch o.kind {
	case plan.Scan:
		m.loop(o, k, 0, o.size, upper)
	case plan.Probe:
		lo, hi := o.index.Range(m.key(o, k))
		m.loop(o, k, lo, hi, upper)
	case plan.Match:
		if row := m.match(o, k); row >= 0 {
			m.visit(o, k, row, upper)
		}
	case plan.Lookup:
		m.visit(o, k, o.index.Find(m.key(o, k)), upper)
	case plan.Compute:
		m.visit(o, k, m.evaluate(o.found.function, m.key(o, k), &m.rule.Atoms[o.at]), upper)
	case plan.Weigh:
		m.weigh(o, k, upper)
	}
}

// loop goes through the places [lo, hi) of op k's rows, or through those of the piece.
func (m *machine) loop(o *op, k int, lo, hi int32, upper float64) {
	if k == m.pivot {
		lo, hi = m.lo, m.hi
	}
	if m.sampler != nil {
		m.sampleRows(o, k, lo, hi, upper)
		return
	}
	lo, hi = m.part(k, lo, hi)
	if m.top != nil && k == m.top.side {
		m.sideBySide(lo, hi, upper)
		return
	}
	for at := lo; at < hi && !m.stopped(k, at-lo); at++ {
		if o.peeks && (at-lo)%glance == 0 {
			m.peek(k, at, min(hi, at+glance))
		}
		if k == m.peeker && (at-lo)%glance == 0 {
			m.peekSums(k, at, min(hi, at+glance))
		}
		if k == m.pivot {
			m.at = at
		}
		m.visit(o, k, o.row(0, int(at)), upper)
	}
}

// bind takes what a row of an op binds.
func (m *machine) bind(o *op, row int32) {
	for _, b := range o.bind {
		m.slots[b.slot] = b.column[row]
	}
}

// glance is how many rows of a loop are looked ahead.
const glance = 64

// peek touches what the rows at the places [lo, hi) of op k lead to in the loop behind it. Each of them waits for
// memory, in indexes that no cache has room for: here all wait at once.
func (m *machine) peek(k int, lo, hi int32) {
	o, next := &m.ops[k], &m.ops[k+1]
	firsts := m.firsts[:hi-lo]
	for i := range firsts {
		m.bind(o, o.row(lo, i))
		firsts[i] = next.index.Peek(m.key(next, k+1))
	}
	for _, ready := range m.ahead(k + 1) {
		for _, first := range firsts {
			if int(first) < len(ready) {
				m.seen += ready[first]
			}
		}
	}
}

// ahead returns what the loop op k reads from where its rows begin.
func (m *machine) ahead(k int) (arrays [][]int32) {
	m.touched = m.touched[:0]
	if k == m.side && m.arranged.columns != nil {
		m.touched = append(append(m.touched, m.arranged.columns...), m.arranged.rows...)
	}
	m.touched = append(m.touched, m.ops[k].grouped)
	return m.touched
}

// part returns which of the rows [lo, hi) of op k belong to the piece, where a row of the pivot is divided.
func (m *machine) part(k int, lo, hi int32) (from, to int32) {
	if k != m.inner {
		return lo, hi
	}
	from, to = lo, hi
	if m.at == m.from.row {
		from = min(hi, lo+m.from.inner)
	}
	if m.at == m.to.row {
		to = min(hi, lo+m.to.inner)
	}
	return from, to
}

// meeting returns where op k meets others, or looks ahead; nil if it does neither.
func (r *routine) meeting(k int) *relation.Meeting {
	o := &r.ops[k]
	if o.meets == 0 && o.ahead == nil {
		return nil
	}
	lists := make([]*relation.Lists, 1+o.meets)
	for j := range lists {
		lists[j] = r.ops[k+j].lists
	}
	return relation.NewMeeting(r.scope.store.Symbols.Len(), o.ahead, lists...)
}

// meet takes the values that all of op k and those met with it allow for the variable that it binds.
func (m *machine) meet(k int, upper float64) {
	x, o := m.meetings[k], &m.ops[k]
	for j := range o.meets + 1 {
		if !x.Key(j, m.key(&m.ops[k+j], k+j)) {
			return
		}
	}
	m.filterKey = m.filterKey[:0]
	for _, slot := range o.aheadKey {
		m.filterKey = append(m.filterKey, m.slots[slot])
	}
	x.Begin(m.filterKey)
	for places, more := x.Next(); more && !m.stop.Load(); places, more = x.Next() {
		if k == m.side {
			m.meetSideBySide(x, places, upper)
			continue
		}
		for _, place := range places {
			x.MoveTo(place)
			m.met(k, upper)
		}
	}
}

// met takes the rows that op k and those met with it have found, and goes on unless one of them forbids it.
func (m *machine) met(k int, upper float64) {
	n := 1 + m.ops[k].meets
	for j := range n {
		var ok bool
		if upper, ok = m.admit(&m.ops[k+j], k+j, m.meetings[k].Row(j), upper); !ok {
			return
		}
	}
	m.step(k+n, upper)
	m.note(k)
}

// note tells the profiler which op is at hand.
func (m *machine) note(k int) {
	if m.now != nil {
		m.now.Store(int32(k))
	}
}

// fewest returns how many rows are tried if op k is met with those behind it.
func (m *machine) fewest(k int) float64 {
	least := math.MaxInt32
	for j := k; j <= k+m.ops[k].meets; j++ {
		lo, hi := m.ops[j].index.Range(m.key(&m.ops[j], j))
		least = min(least, int(hi-lo))
	}
	return float64(least)
}

// stopped tells whether to give up before the i-th row of op k's loop. The outermost loop asks each time; inner ones,
// which may be long or many, ask now and then.
func (m *machine) stopped(k int, i int32) bool { return (k <= m.pivot || i&0xff == 0) && m.stop.Load() }

// key gathers the key of op k.
func (m *machine) key(o *op, k int) []symbol.ID {
	key := m.keys[k]
	for i, slot := range o.key {
		key[i] = m.slots[slot]
	}
	return key
}

// match returns the row that op k requires, or -1.
func (m *machine) match(o *op, k int) int32 {
	if o.lists != nil {
		return o.lists.Find(m.key(o, k), m.slots[o.value])
	}
	return o.index.Find(m.key(o, k))
}

// visit takes one row of op k, and goes on if that is admitted.
func (m *machine) visit(o *op, k int, row int32, upper float64) {
	if upper, ok := m.admit(o, k, row, upper); ok {
		m.step(k+1, upper)
		m.note(k)
	}
}

// admit takes one row of op k and returns the template's bound, unless the row's values or a condition forbid it, or
// the template can no longer be above 0: that is how an observed 0 in a body, or a 1 in a head, ends the search at
// once.
func (m *machine) admit(o *op, k int, row int32, upper float64) (bound float64, ok bool) {
	if o.once != nil && !m.first(o, row) {
		return 0, false
	}
	for i := range o.bind {
		m.slots[o.bind[i].slot] = o.bind[i].column[row]
	}
	for i := range o.check {
		if m.slots[o.check[i].slot] != o.check[i].column[row] {
			return 0, false
		}
	}
	for i := range o.decide {
		if !o.decide[i].holds(m.slots) {
			return 0, false
		}
	}
	if o.found != nil {
		m.rows[o.at] = row
		if o.prunes {
			if upper += o.found.slack(row); upper <= m.dust {
				m.drop(k, &m.counts.Trivial)
				return 0, false
			}
		}
	}
	m.passed[k]++
	return upper, true
}

// first tells whether a row is the first of those that a projection does not tell apart.
func (m *machine) first(o *op, row int32) bool {
	m.filterKey = m.filterKey[:0]
	for _, column := range o.apart {
		m.filterKey = append(m.filterKey, column[row])
	}
	return o.once.Find(m.filterKey) == row
}

// drop counts a reason for which op k went no further, if what it dropped was a whole grounding and not a part that may
// have led to many, or to none. The ops before the pivot run in every piece and count in the first; those before the op
// by whose rows a row is divided run in all of its pieces and count in the first of them.
func (m *machine) drop(k int, reason *int64) {
	if !m.ops[k].whole || k < m.pivot && m.from != (cut{row: m.routine.lo}) ||
		k < m.inner && m.at == m.from.row && m.from.inner > 0 {
		return
	}
	m.counts.Groundings++
	*reason++
}

// weightRow finds the row of the weight's atom, or what stands for it.
func (m *machine) weightRow(o *op, key []symbol.ID) int32 {
	if f := o.found.function; f != nil {
		return m.evaluate(f, key, m.rule.Weight.Atom)
	}
	return o.index.Find(key)
}

// weigh finds the observed factor of the weight, and goes on if it is not 0.
func (m *machine) weigh(o *op, k int, upper float64) {
	row := m.weightRow(o, m.key(o, k))
	if row < 0 || row >= o.found.observed || o.found.value(row) == 0 {
		m.drop(k, &m.counts.Weightless)
		return
	}
	m.scale = o.found.value(row)
	m.passed[k]++
	m.step(k+1, upper)
}
