package ground

import (
	"math/bits"
	"slices"

	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/reuse"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// The last loops of a routine are where nearly all time goes. Their rows are taken side by side, in lanes, those of one
// key after those of another: what the loop binds is copied or gathered, look-ups are made, observed atoms are folded
// and trivial groundings left out by going through all lanes for one op or atom after the other; then the lanes whose
// potentials have one shape are written at once. What is the same in all lanes is found out before anything runs. What
// only one lane in many has, such as an atom that occurs twice or is missing, is left to the routine's emit.
//
// Loops that lead to the last one have lanes of their own (tiers): where the rows of the next loop lie is looked up for
// all of them, and these rows fill the lanes of the next tier, again and again, before the ones above are touched. So
// ground rules come in the order of the loops, as if they were nested.

// lanes is how many rows are taken side by side.
const lanes = 512

// vectors are what a machine knows of each lane of a tier.
type vectors struct {
	*layout
	side, end    int      // the loop, and the op behind the look-ups that follow it
	above, below *vectors // the tiers before and behind it; nil if there is none
	arranged     *arrangement
	n            int           // how many lanes are taken
	slots        [][]symbol.ID // per slot: its value; nil if no op asks for it
	rows         [][]int32     // per atom: its row; nil if it is the same to the potential which one it is
	place        []int32       // where the row of the last loop lies in its index
	last         []int32       // this row, if it is asked for
	upper        []float64     // the template's bound
	bias         []float64     // the observed part of the template
	mask         []uint64      // the free atoms
	odd          []bool        // left to emit
	scale        []float64     // the weight's atom; nil if there is none
	alive        []int32       // the lanes that are left, ascending
	cells        []uint32      // scratch of look-ups
	// factors are the rows of the weight's atom.
	factors []int32

	// lows and highs are where the rows of the loop lie, per lane of the tier above.
	lows, highs []int32
	// frame is, per lane, the lane of the tier above that led to it; of the first tier, which of the groundings was at
	// hand before the loop: these lie one after the other.
	frame  []int32
	values []symbol.ID
	found  []int32
	kept   grounding // of the machine, while emit has a lane's
}

// grounding is the values and rows of one grounding.
type grounding struct {
	slots []symbol.ID
	rows  []int32
}

// lastLoop returns the op whose rows can be taken side by side, -1 if there is none: after it there may be look-ups
// in indexes only.
func (r *routine) lastLoop() int {
	for k := len(r.ops) - 1; k >= 0; k-- {
		switch o := &r.ops[k]; {
		case o.kind == plan.Compute || o.kind == plan.Weigh && o.found.function != nil || o.ahead != nil:
			return -1
		case o.kind == plan.Scan || o.kind == plan.Probe:
			return k
		}
	}
	return -1
}

// metLast tells whether op j is the last loop and is met, or is met with it: its values and rows are there already.
func (r *routine) metLast(j int) bool {
	return r.ops[r.side].lists != nil && j >= r.side && j <= r.side+r.ops[r.side].meets
}

// newTiers makes a routine's vectors, and returns those of the first and of the last tier.
func (r *routine) newTiers() (first, last *vectors) {
	for i, side := range r.sides {
		end, arranged := len(r.ops), &r.arranged
		if i+1 < len(r.sides) {
			plain := r.newArrangement(side, r.tiers[i])
			end, arranged = r.sides[i+1], &plain
		}
		v := r.newVectors(r.tiers[i], side, end)
		v.arranged = arranged
		if v.above = last; last != nil {
			last.below = v
			v.lows, v.highs = make([]int32, lanes), make([]int32, lanes)
		} else {
			first = v
		}
		last = v
	}
	return first, last
}

// newVectors makes the vectors of a loop and the look-ups up to an op. Constants are in all lanes from the start.
func (r *routine) newVectors(l *layout, side, end int) *vectors {
	v := &vectors{
		layout: l, side: side, end: end, slots: make([][]symbol.ID, len(r.slots)), rows: make([][]int32, len(r.atoms)),
		place: make([]int32, lanes), upper: make([]float64, lanes), alive: make([]int32, lanes), cells: make([]uint32, lanes),
		frame: make([]int32, lanes),
	}
	if v.last = v.place; r.ops[side].grouped != nil {
		v.last = make([]int32, lanes)
	}
	if end == len(r.ops) {
		v.bias, v.mask, v.odd = make([]float64, lanes), make([]uint64, lanes), make([]bool, lanes)
	}
	if r.rule.Weight.Atom != nil {
		v.scale = make([]float64, lanes)
	}
	for _, slot := range v.asked {
		v.slots[slot] = slices.Repeat([]symbol.ID{r.slots[slot]}, lanes)
	}
	for j := range r.ops[:end] {
		o := &r.ops[j]
		switch {
		case o.at < 0 || j < side && !slices.Contains(v.before, o.at):
		case r.metLast(j) && !o.prunes && !l.matters(o):
		case j == side:
			v.rows[o.at] = v.last
		default:
			v.rows[o.at] = make([]int32, lanes)
		}
	}
	return v
}

// sideBySide takes the places [lo, hi) of the rows of the first tier's loop, and runs what follows whenever all lanes
// are taken.
func (m *machine) sideBySide(lo, hi int32, upper float64) {
	v := m.top
	for lo < hi && !m.stop.Load() {
		from, n := v.n, min(lanes-v.n, int(hi-lo))
		to := from + n
		ascend(v.place[from:to], lo)
		m.copyArranged(v, from, to, lo)
		lo += int32(n)
		m.enter(from, to, upper)
	}
}

// meetSideBySide takes the places of the values that the last loop and those met with it have in common.
func (m *machine) meetSideBySide(x *relation.Meeting, places []int32, upper float64) {
	v := m.vectors
	for len(places) > 0 && !m.stop.Load() {
		from, n := v.n, min(lanes-v.n, len(places))
		to := from + n
		x.Values(v.slots[m.ops[m.side].value][from:to], places[:n])
		for j := range m.ops[m.side].meets + 1 {
			if rows := v.rows[m.ops[m.side+j].at]; rows != nil {
				x.Rows(j, rows[from:to], places[:n])
			}
		}
		places = places[n:]
		m.enter(from, to, upper)
	}
}

// enter notes for some lanes of the first tier what was found before it, and runs what follows if they were the last
// ones.
func (m *machine) enter(from, to int, upper float64) {
	v := m.top
	fill(v.frame[from:to], int32(len(v.values)/max(1, len(m.slots))))
	v.values, v.found = append(v.values, m.slots...), append(v.found, m.rows...)
	for _, slot := range v.outer {
		fill(v.slots[slot][from:to], m.slots[slot])
	}
	for _, at := range v.before {
		fill(v.rows[at][from:to], m.rows[at])
	}
	if v.prunes {
		fill(v.upper[from:to], upper)
	}
	if v.scale != nil {
		fill(v.scale[from:to], m.scale)
	}
	if v.n = to; to == lanes {
		m.flush(v)
	}
}

// descend takes the rows that the loop of the tier below has for the lanes that are left.
func (m *machine) descend(above *vectors) {
	v := above.below
	o := &m.ops[v.side]
	if o.kind == plan.Scan {
		fill(v.lows, 0)
		fill(v.highs, o.size)
	} else {
		o.index.RangeEach(v.lows, v.highs, m.keysOf(above, o), above.alive, above.cells)
	}
	for _, i := range above.alive {
		for lo, hi := v.lows[i], v.highs[i]; lo < hi && !m.stop.Load(); {
			from, n := v.n, min(lanes-v.n, int(hi-lo))
			v.n += n
			ascend(v.place[from:v.n], lo)
			fill(v.frame[from:v.n], i)
			if lo += int32(n); v.n == lanes {
				m.flush(v)
			}
		}
	}
	m.flush(v)
}

// inherit gathers what n lanes of a tier have of those above that led to them.
func (m *machine) inherit(v *vectors, n int) {
	for _, slot := range v.outer {
		gather(v.slots[slot][:n], v.above.slots[slot], v.frame)
	}
	for _, at := range v.before {
		gather(v.rows[at][:n], v.above.rows[at], v.frame)
	}
	if v.prunes {
		gather(v.upper[:n], v.above.upper, v.frame)
	}
	if v.scale != nil {
		gather(v.scale[:n], v.above.scale, v.frame)
	}
	m.gatherArranged(v, n)
}

// flush runs what follows the loop of a tier in the lanes that are taken.
func (m *machine) flush(v *vectors) {
	o, n := &m.ops[v.side], v.n
	if n == 0 {
		return
	}
	v.n, v.alive = 0, v.alive[:n]
	ascend(v.alive, 0)
	m.note(v.side)
	if v.above != nil {
		m.inherit(v, n)
	}
	if o.lists == nil {
		m.gatherLast(v, o, n)
	}
	for _, c := range o.check {
		v.check(v.slots[c.slot], c.column)
	}
	for j := range o.decide {
		c := &o.decide[j]
		v.decide(c, v.slots[c.left], v.slots[c.right])
	}
	for j := v.side; j < v.end && len(v.alive) > 0; j++ {
		m.note(j)
		m.lookUp(v, j, n)
		m.passed[j] += int64(len(v.alive))
	}
	switch {
	case len(v.alive) == 0:
	case v.below != nil:
		m.descend(v)
	default:
		m.note(len(m.ops))
		m.emitLanes(n)
	}
	v.values, v.found = v.values[:0], v.found[:0]
	m.note(v.side)
}

// gatherLast gathers what a tier's rows have.
func (m *machine) gatherLast(v *vectors, o *op, n int) {
	if o.grouped != nil && (v.numbered || v.arranged.gathers) {
		gather(v.last[:n], o.grouped, v.place)
	}
	for i, b := range o.bind {
		if values := v.slots[b.slot]; values != nil && v.arranged.columns[i] == nil {
			gather(values[:n], b.column, v.last)
		}
	}
}

// check leaves the lanes whose rows have their values in a column.
func (v *vectors) check(values, column []symbol.ID) {
	n := 0
	for _, i := range v.alive {
		if v.alive[n] = i; values[i] == column[v.last[i]] {
			n++
		}
	}
	v.alive = v.alive[:n]
}

// decide leaves the lanes for which a condition holds.
func (v *vectors) decide(c *comparison, left, right []symbol.ID) {
	n := 0
	for _, i := range v.alive {
		if v.alive[n] = i; c.compare(left[i], right[i]) {
			n++
		}
	}
	v.alive = v.alive[:n]
}

// lookUp finds the rows of op j, a tier's loop or a look-up after it, in all n lanes, and leaves those that go on.
func (m *machine) lookUp(v *vectors, j, n int) {
	o := &m.ops[j]
	if o.kind == plan.Weigh {
		m.weighLanes(v, j, n)
		return
	}
	if o.at < 0 {
		return // of a table
	}
	rows, met := v.rows[o.at], m.metLast(j)
	if j > v.side && v.arranged.rows[j] == nil && !met {
		m.find(v, o, rows[:n])
	}
	if o.kind == plan.Match && !met {
		n := 0
		for _, i := range v.alive {
			if v.alive[n] = i; rows[i] >= 0 {
				n++
			}
		}
		v.alive = v.alive[:n]
	}
	if o.prunes {
		m.prune(v, j, rows)
	}
}

// weighLanes finds the observed factors of the weights by op j, and leaves the lanes in which it is not 0.
func (m *machine) weighLanes(v *vectors, j, n int) {
	o := &m.ops[j]
	v.factors = reuse.More(v.factors[:0], n)
	m.find(v, o, v.factors)
	left := 0
	for _, i := range v.alive {
		row := v.factors[i]
		if row < 0 || row >= o.found.observed || o.found.value(row) == 0 {
			m.drop(j, &m.counts.Weightless)
			continue
		}
		v.scale[i], v.alive[left] = o.found.value(row), i
		left++
	}
	v.alive = v.alive[:left]
}

// find looks op o's key up in all lanes that are left.
func (m *machine) find(v *vectors, o *op, rows []int32) {
	some := v.alive
	if len(some) == len(rows) {
		some = nil
	}
	o.index.FindEach(rows, m.keysOf(v, o), some, v.cells)
}

// keysOf lists the columns of an op's key in the lanes of a tier.
func (m *machine) keysOf(v *vectors, o *op) [][]symbol.ID {
	m.columns = m.columns[:0]
	for _, slot := range o.key {
		m.columns = append(m.columns, v.slots[slot])
	}
	return m.columns
}

// prune leaves out the lanes in which the rows of op j show that the template is not above 0.
func (m *machine) prune(v *vectors, j int, rows []int32) {
	a, n := m.ops[j].found, 0
	for _, i := range v.alive {
		if row := rows[i]; row < a.observed {
			if v.upper[i] += a.slack(row); v.upper[i] <= m.dust {
				m.drop(j, &m.counts.Trivial)
				continue
			}
		}
		v.alive[n] = i
		n++
	}
	v.alive = v.alive[:n]
}

// emitLanes makes the potentials of those of the n lanes that are left, in their order.
func (m *machine) emitLanes(n int) {
	v := m.vectors
	clear(v.odd[:n])
	if odd := m.findOdd(); !odd && len(v.adds) == 0 && m.writable(v.fixed, v.lead) {
		m.write(v.alive, n, v.fixed)
	} else {
		m.fold()
		m.emitRuns(n)
	}
	if m.counts.Potentials >= m.due {
		m.crowded()
	}
}

// emitRuns makes the potentials of lanes that may differ in shape.
func (m *machine) emitRuns(n int) {
	v := m.vectors
	for from := 0; from < len(v.alive); {
		first := v.alive[from]
		mask, bias, to := v.mask[first], v.bias[first], from+1
		if v.odd[first] || !m.writable(mask, bias) {
			m.emitLane(first)
			from = to
			continue
		}
		for ; to < len(v.alive); to++ {
			i := v.alive[to]
			if v.mask[i] != mask || v.odd[i] || m.rule.Weight.Hard && v.bias[i] != bias {
				break
			}
		}
		m.write(v.alive[from:to], n, mask)
		from = to
	}
}

// writable tells whether the potentials of a shape are to be kept whatever else is known of them; those of a hard rule
// also have the bias in common.
func (m *machine) writable(mask uint64, bias float64) bool {
	if m.variables(mask) == 0 {
		return false
	}
	if !m.rule.Weight.Hard {
		return true
	}
	low, high := m.interval(mask, m.constant+bias)
	return !m.impossible(low, high) && !m.always(low, high)
}

// variables counts the free atoms that are not perceived.
func (m *machine) variables(mask uint64) int { return bits.OnesCount64(mask &^ m.vectors.perceived) }

// emitLane makes the potential of one lane, as a grounding of its own.
func (m *machine) emitLane(i int32) {
	v := m.vectors
	v.kept.slots = append(v.kept.slots[:0], m.slots...)
	v.kept.rows = append(v.kept.rows[:0], m.rows...)
	m.placeLane(v, i)
	scale := m.scale
	if v.scale != nil {
		m.scale = v.scale[i]
	}
	m.counts.Groundings++
	m.emit(m)
	m.scale = scale
	copy(m.slots, v.kept.slots)
	copy(m.rows, v.kept.rows)
}

// placeLane finds what was found before a lane, and what its loop and the look-ups after it have found. A row that does
// not matter may be any.
func (m *machine) placeLane(v *vectors, i int32) {
	if frame := v.frame[i]; v.above != nil {
		m.placeLane(v.above, frame)
	} else {
		copy(m.slots, v.values[int(frame)*len(m.slots):])
		copy(m.rows, v.found[int(frame)*len(m.rows):])
	}
	o := &m.ops[v.side]
	if o.lists != nil {
		m.slots[o.value] = v.slots[o.value][i]
	} else {
		row := o.row(0, int(v.place[i]))
		if o.at >= 0 {
			m.rows[o.at] = row
		}
		for _, b := range o.bind {
			m.slots[b.slot] = b.column[row]
		}
	}
	for j := v.side; j < v.end; j++ {
		at := m.ops[j].at
		switch {
		case at < 0 || j == v.side && o.lists == nil:
		case v.rows[at] == nil:
			m.rows[at] = 0
		default:
			m.rows[at] = v.rows[at][i]
		}
	}
}

// findOdd finds the lanes in which a target is missing, or an atom occurs twice, and tells whether there are any.
func (m *machine) findOdd() (found bool) {
	v := m.vectors
	for _, k := range v.sought {
		rows := v.rows[k]
		for _, i := range v.alive {
			if rows[i] < 0 {
				v.odd[i], found = true, true
			}
		}
	}
	for _, pair := range v.pairs {
		one, two, observed := v.rows[pair[0]], v.rows[pair[1]], m.atoms[pair[0]].observed
		for _, i := range v.alive {
			if one[i] == two[i] && one[i] >= observed {
				v.odd[i], found = true, true
			}
		}
	}
	return found
}

// fold finds the shape of each lane's potential and the observed part of its template, atom by atom: as emitUniform
// does for one grounding, and in the same order, so that sums have the same bits.
func (m *machine) fold() {
	v := m.vectors
	for _, i := range v.alive {
		v.mask[i], v.bias[i] = v.fixed, v.lead
	}
	for _, k := range v.adds {
		v.fold(&m.atoms[k], v.rows[k], 1<<k)
	}
}

// fold folds one atom. One without rows is there in all lanes, with value 1.
func (v *vectors) fold(a *atom, rows []int32, bit uint64) {
	if rows == nil {
		for _, i := range v.alive {
			v.bias[i] += a.coef
		}
		return
	}
	for _, i := range v.alive {
		switch row := rows[i]; {
		case row >= a.observed:
			v.mask[i] |= bit
		case row >= 0:
			v.bias[i] += a.coef * a.value(row)
		case a.without != nil || a.open:
			v.odd[i] = true
		}
	}
}

// write appends potentials of one shape, those of some of the n lanes, to its batch.
func (m *machine) write(some []int32, n int, mask uint64) {
	b := m.last
	if b == nil || b.mask != mask || b.merged {
		b = m.batchOf(mask)
	}
	b.vars = m.writeIDs(b.vars, some, n, mask&^m.vectors.perceived)
	b.inputs = m.writeIDs(b.inputs, some, n, mask&m.vectors.perceived)
	v := m.vectors
	if len(v.adds) == 0 {
		b.measureAll(v.lead, len(some))
	} else {
		b.measureEach(v.bias, some)
	}
	if v.scale != nil {
		for _, i := range some {
			b.scale = append(b.scale, float32(v.scale[i]))
		}
	}
	m.counts.Groundings += int64(len(some))
	m.counts.Potentials += int64(len(some))
}

// writeIDs appends the numbers of the variables, or of the inputs, of the lanes' potentials: of the atoms in the mask.
func (m *machine) writeIDs(out []int32, some []int32, n int, mask uint64) []int32 {
	width := bits.OnesCount64(mask)
	if width == 0 {
		return out
	}
	before := len(out)
	out = reuse.More(out, width*len(some))
	for place := before; mask != 0; mask &= mask - 1 {
		k := bits.TrailingZeros64(mask)
		rows, shift := m.vectors.rows[k], m.atoms[k].shift
		if len(some) == n {
			spread(out[place:], width, rows[:n], shift)
		} else {
			spreadSome(out[place:], width, rows, shift, some)
		}
		place++
	}
	return out
}
