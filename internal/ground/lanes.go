package ground

import (
	"math/bits"
	"slices"

	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// The last loop of a routine is where nearly all time goes. Its rows are taken side by side, in lanes, those of one
// key after those of another: what the loop binds is gathered, look-ups are made, observed atoms are folded and
// trivial groundings left out by going through all lanes for one op or atom after the other; then the lanes whose
// potentials have one shape are written at once. What only one lane in many has, such as an atom that occurs twice or
// is missing, is left to the routine's emit.

// lanes is how many rows are taken side by side.
const lanes = 256

// vectors are what a machine knows of each lane.
type vectors struct {
	n     int           // how many lanes are taken
	slots [][]symbol.ID // per slot: its value
	rows  [][]int32     // per atom: its row; nil if no op finds it
	last  []int32       // the rows of the last loop
	upper []float64     // the template's bound
	bias  []float64     // the observed part of the template
	mask  []uint64      // the free atoms
	odd   []bool        // left to emit
	alive []int32       // the lanes that are left, ascending
	cells []uint32      // scratch of look-ups
	outer []binding     // what is bound before the last loop: slots
	found []int         // and atoms
	kept  grounding     // of the machine, while emit has a lane's
}

// grounding is the values and rows of one grounding.
type grounding struct {
	slots []symbol.ID
	rows  []int32
}

// lastLoop returns the op whose rows can be taken side by side, -1 if there is none: after it there may be look-ups
// in indexes only.
func (r *routine) lastLoop() int {
	if r.rule.Weight.Atom != nil {
		return -1
	}
	for k := len(r.ops) - 1; k >= 0; k-- {
		switch o := &r.ops[k]; {
		case o.lists != nil || o.kind == plan.Compute:
			return -1
		case o.kind == plan.Scan || o.kind == plan.Probe:
			return k
		}
	}
	return -1
}

// newVectors makes the vectors of a routine whose last loop is op k. Constants are in all lanes from the start.
func (r *routine) newVectors(k int) *vectors {
	v := &vectors{
		slots: make([][]symbol.ID, len(r.slots)), rows: make([][]int32, len(r.atoms)), last: make([]int32, lanes),
		upper: make([]float64, lanes), bias: make([]float64, lanes), mask: make([]uint64, lanes),
		odd: make([]bool, lanes), alive: make([]int32, lanes), cells: make([]uint32, lanes),
	}
	for slot := range v.slots {
		v.slots[slot] = slices.Repeat([]symbol.ID{r.slots[slot]}, lanes)
	}
	for j := range r.ops {
		if j < k {
			v.outer = append(v.outer, r.ops[j].bind...)
		}
		if r.ops[j].found == nil {
			continue
		}
		v.rows[r.ops[j].at] = make([]int32, lanes)
		if j < k {
			v.found = append(v.found, r.ops[j].at)
		}
	}
	return v
}

// sideBySide takes the places [lo, hi) of the rows of the last loop, op k, and runs what follows whenever all lanes
// are taken.
func (m *machine) sideBySide(o *op, lo, hi int32, upper float64) {
	v := m.vectors
	for lo < hi && !m.stop.Load() {
		from, n := v.n, min(lanes-v.n, int(hi-lo))
		to := from + n
		if o.grouped != nil {
			copy(v.last[from:to], o.grouped[lo:])
		} else {
			for i := range n {
				v.last[from+i] = lo + int32(i)
			}
		}
		for _, b := range v.outer {
			fill(v.slots[b.slot][from:to], m.slots[b.slot])
		}
		for _, at := range v.found {
			fill(v.rows[at][from:to], m.rows[at])
		}
		fill(v.upper[from:to], upper)
		lo, v.n = lo+int32(n), to
		if to == lanes {
			m.flush()
		}
	}
}

// fill sets all values.
func fill[T any](values []T, value T) {
	for k := range values {
		values[k] = value
	}
}

// flush runs what follows the last loop in the lanes that are taken.
func (m *machine) flush() {
	v, o := m.vectors, &m.ops[m.side]
	n := v.n
	v.n, v.alive = 0, v.alive[:n]
	for i := range v.alive {
		v.alive[i] = int32(i)
	}
	for _, b := range o.bind {
		values := v.slots[b.slot][:n]
		for i, row := range v.last[:n] {
			values[i] = b.column[row]
		}
	}
	for _, c := range o.check {
		v.check(v.slots[c.slot], c.column)
	}
	for j := range o.decide {
		c := &o.decide[j]
		v.decide(c, v.slots[c.left], v.slots[c.right])
	}
	for j := m.side; j < len(m.ops) && len(v.alive) > 0; j++ {
		m.note(j)
		m.lookUp(j)
		m.passed[j] += int64(len(v.alive))
	}
	if len(v.alive) > 0 {
		m.note(len(m.ops))
		m.emitLanes()
	}
	m.note(m.side)
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

// lookUp finds the rows of op j, the last loop or a look-up after it, in all lanes, and leaves those that go on.
func (m *machine) lookUp(j int) {
	o, v := &m.ops[j], m.vectors
	rows := v.last
	if o.found != nil {
		rows = v.rows[o.at]
	}
	switch {
	case j == m.side && o.found != nil:
		copy(rows, v.last)
	case j > m.side:
		m.find(o, rows)
	}
	if o.kind == plan.Match {
		n := 0
		for _, i := range v.alive {
			if v.alive[n] = i; rows[i] >= 0 {
				n++
			}
		}
		v.alive = v.alive[:n]
	}
	if o.found != nil && o.prunes {
		m.prune(j, rows)
	}
}

// find looks op o's key up in all lanes.
func (m *machine) find(o *op, rows []int32) {
	v := m.vectors
	m.columns = m.columns[:0]
	for _, slot := range o.key {
		m.columns = append(m.columns, v.slots[slot])
	}
	o.index.FindEach(rows, m.columns, v.alive, v.cells)
}

// prune leaves out the lanes in which the rows of op j show that the template is not above 0.
func (m *machine) prune(j int, rows []int32) {
	v, a, n := m.vectors, m.ops[j].found, 0
	for _, i := range v.alive {
		if row := rows[i]; row < a.observed {
			if v.upper[i] += a.slack(row); v.upper[i] <= m.dust {
				m.trivial(j)
				continue
			}
		}
		v.alive[n] = i
		n++
	}
	v.alive = v.alive[:n]
}

// emitLanes makes the potentials of the lanes that are left, in their order.
func (m *machine) emitLanes() {
	v := m.vectors
	m.fold()
	for from := 0; from < len(v.alive); {
		first := v.alive[from]
		mask, to := v.mask[first], from+1
		vars := m.variables(mask)
		if v.odd[first] || vars == 0 || m.rule.Weight.Hard {
			m.emitLane(first)
			from = to
			continue
		}
		for to < len(v.alive) && v.mask[v.alive[to]] == mask && !v.odd[v.alive[to]] {
			to++
		}
		m.write(v.alive[from:to], mask)
		from = to
	}
	if m.counts.Potentials >= m.due {
		m.crowded()
	}
}

// variables counts the free atoms that are not perceived.
func (m *machine) variables(mask uint64) (count int) {
	for ; mask != 0; mask &= mask - 1 {
		if !m.atoms[bits.TrailingZeros64(mask)].perceived {
			count++
		}
	}
	return count
}

// emitLane makes the potential of one lane, as a grounding of its own.
func (m *machine) emitLane(i int32) {
	v := m.vectors
	v.kept.slots = append(v.kept.slots[:0], m.slots...)
	v.kept.rows = append(v.kept.rows[:0], m.rows...)
	for slot, values := range v.slots {
		m.slots[slot] = values[i]
	}
	for at, rows := range v.rows {
		if rows != nil {
			m.rows[at] = rows[i]
		}
	}
	m.counts.Groundings++
	m.emit(m)
	copy(m.slots, v.kept.slots)
	copy(m.rows, v.kept.rows)
}

// fold finds the shape of each lane's potential and the observed part of its template, atom by atom: as emitUniform
// does for one grounding, and in the same order, so that sums have the same bits.
func (m *machine) fold() {
	v := m.vectors
	for _, i := range v.alive {
		v.mask[i], v.bias[i], v.odd[i] = 0, 0, false
	}
	for k := range m.atoms {
		if a := &m.atoms[k]; a.coef != 0 {
			v.fold(a, v.rows[k], 1<<k)
		}
	}
	for _, pair := range m.repeats {
		one, two, observed := v.rows[pair[0]], v.rows[pair[1]], m.atoms[pair[0]].observed
		if one == nil || two == nil {
			continue // not both have a coefficient
		}
		for _, i := range v.alive {
			v.odd[i] = v.odd[i] || one[i] == two[i] && one[i] >= observed
		}
	}
}

// fold folds one atom.
func (v *vectors) fold(a *atom, rows []int32, bit uint64) {
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

// write appends potentials of one shape, those of some lanes, to its batch.
func (m *machine) write(some []int32, mask uint64) {
	b := m.last
	if b == nil || b.mask != mask || b.merged {
		b = m.batchOf(mask)
	}
	b.vars = m.writeIDs(b.vars, some, mask, false)
	b.inputs = m.writeIDs(b.inputs, some, mask, true)
	b.measureEach(m.vectors.bias, some, m.scale)
	m.counts.Groundings += int64(len(some))
	m.counts.Potentials += int64(len(some))
}

// writeIDs appends the numbers of the variables, or of the inputs, of the lanes' potentials.
func (m *machine) writeIDs(out []int32, some []int32, mask uint64, perceived bool) []int32 {
	width := m.variables(mask)
	if perceived {
		width = bits.OnesCount64(mask) - width
	}
	if width == 0 {
		return out
	}
	before := len(out)
	out = grown(out, width*len(some))
	place := before
	for ; mask != 0; mask &= mask - 1 {
		k := bits.TrailingZeros64(mask)
		a := &m.atoms[k]
		if a.perceived != perceived {
			continue
		}
		rows := m.vectors.rows[k]
		for at, i := range some {
			out[place+at*width] = rows[i] + a.shift
		}
		place++
	}
	return out
}

// grown makes a slice longer.
func grown[T any](values []T, more int) []T {
	n := len(values) + more
	if n > cap(values) {
		bigger := make([]T, len(values), max(2*cap(values), n))
		copy(bigger, values)
		values = bigger
	}
	return values[:n]
}
