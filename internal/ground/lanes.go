package ground

import (
	"math/bits"
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// The last loop of a routine is where nearly all time goes. Its rows are taken side by side, in lanes, those of one
// key after those of another: what the loop binds is copied or gathered, look-ups are made, observed atoms are folded
// and trivial groundings left out by going through all lanes for one op or atom after the other; then the lanes whose
// potentials have one shape are written at once. What is the same in all lanes is found out before anything runs. What
// only one lane in many has, such as an atom that occurs twice or is missing, is left to the routine's emit.

// lanes is how many rows are taken side by side.
const lanes = 512

// vectors are what a machine knows of each lane.
type vectors struct {
	*layout
	n     int           // how many lanes are taken
	slots [][]symbol.ID // per slot: its value; nil if no op asks for it
	rows  [][]int32     // per atom: its row; nil if it is the same to the potential which one it is
	place []int32       // where the row of the last loop lies in its index
	last  []int32       // this row, if it is asked for
	upper []float64     // the template's bound
	bias  []float64     // the observed part of the template
	mask  []uint64      // the free atoms
	odd   []bool        // left to emit
	scale []float64     // the weight's atom; nil if there is none
	alive []int32       // the lanes that are left, ascending
	cells []uint32      // scratch of look-ups
	// factors are the rows of the weight's atom.
	factors []int32

	// frame is, per lane, which of the groundings was at hand before the last loop; these lie one after the other.
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

// newVectors makes a routine's vectors. Constants are in all lanes from the start.
func (r *routine) newVectors() *vectors {
	v := &vectors{
		layout: r.laid, slots: make([][]symbol.ID, len(r.slots)), rows: make([][]int32, len(r.atoms)),
		place: make([]int32, lanes), upper: make([]float64, lanes), bias: make([]float64, lanes), mask: make([]uint64, lanes),
		odd: make([]bool, lanes), alive: make([]int32, lanes), cells: make([]uint32, lanes), frame: make([]int32, lanes),
	}
	if v.last = v.place; r.ops[r.side].grouped != nil {
		v.last = make([]int32, lanes)
	}
	if r.rule.Weight.Atom != nil {
		v.scale = make([]float64, lanes)
	}
	for _, slot := range v.asked {
		v.slots[slot] = slices.Repeat([]symbol.ID{r.slots[slot]}, lanes)
	}
	for j := range r.ops {
		o := &r.ops[j]
		switch {
		case o.at < 0 || j < r.side && !slices.Contains(v.before, o.at):
		case r.metLast(j) && !o.prunes && !r.laid.matters(o):
		case j == r.side:
			v.rows[o.at] = v.last
		default:
			v.rows[o.at] = make([]int32, lanes)
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
		ascend(v.place[from:to], lo)
		for i, b := range o.bind {
			if ready := m.arranged.columns[i]; ready != nil && v.slots[b.slot] != nil {
				copy(v.slots[b.slot][from:to], ready[lo:])
			}
		}
		for j := m.side + 1; j < len(m.ops); j++ {
			if ready := m.arranged.rows[j]; ready != nil {
				copy(v.rows[m.ops[j].at][from:to], ready[lo:])
			}
		}
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

// enter notes for some lanes what was found before the last loop, and runs what follows if they were the last ones.
func (m *machine) enter(from, to int, upper float64) {
	v := m.vectors
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
		m.flush()
	}
}

// flush runs what follows the last loop in the lanes that are taken.
func (m *machine) flush() {
	v, o := m.vectors, &m.ops[m.side]
	n := v.n
	v.n, v.alive = 0, v.alive[:n]
	ascend(v.alive, 0)
	if o.lists == nil {
		m.gatherLast(o, n)
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
		m.lookUp(j, n)
		m.passed[j] += int64(len(v.alive))
	}
	if len(v.alive) > 0 {
		m.note(len(m.ops))
		m.emitLanes(n)
	}
	v.values, v.found = v.values[:0], v.found[:0]
	m.note(m.side)
}

// gatherLast gathers what the last loop's rows have.
func (m *machine) gatherLast(o *op, n int) {
	v := m.vectors
	if o.grouped != nil && (v.numbered || m.arranged.gathers) {
		gather(v.last[:n], o.grouped, v.place)
	}
	for i, b := range o.bind {
		if values := v.slots[b.slot]; values != nil && m.arranged.columns[i] == nil {
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

// lookUp finds the rows of op j, the last loop or a look-up after it, in all n lanes, and leaves those that go on.
func (m *machine) lookUp(j, n int) {
	o, v := &m.ops[j], m.vectors
	if o.kind == plan.Weigh {
		m.weighLanes(j, n)
		return
	}
	rows, met := v.rows[o.at], m.metLast(j)
	if j > m.side && m.arranged.rows[j] == nil && !met {
		m.find(o, rows[:n])
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
		m.prune(j, rows)
	}
}

// weighLanes finds the observed factors of the weights by op j, and leaves the lanes in which it is not 0.
func (m *machine) weighLanes(j, n int) {
	v, o := m.vectors, &m.ops[j]
	v.factors = grown(v.factors[:0], n)
	m.find(o, v.factors)
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
func (m *machine) find(o *op, rows []int32) {
	v := m.vectors
	m.columns = m.columns[:0]
	for _, slot := range o.key {
		m.columns = append(m.columns, v.slots[slot])
	}
	some := v.alive
	if len(some) == len(rows) {
		some = nil
	}
	o.index.FindEach(rows, m.columns, some, v.cells)
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
	copy(m.slots, v.values[int(v.frame[i])*len(m.slots):])
	copy(m.rows, v.found[int(v.frame[i])*len(m.rows):])
	m.placeLane(&m.ops[m.side], i)
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

// placeLane finds what the last loop and those after it have found in a lane. A row that does not matter may be any.
func (m *machine) placeLane(o *op, i int32) {
	v := m.vectors
	if o.lists != nil {
		m.slots[o.value] = v.slots[o.value][i]
	} else {
		row := o.row(0, int(v.place[i]))
		m.rows[o.at] = row
		for _, b := range o.bind {
			m.slots[b.slot] = b.column[row]
		}
	}
	for j := m.side; j < len(m.ops); j++ {
		at := m.ops[j].at
		switch {
		case at < 0 || j == m.side && o.lists == nil:
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
	out = grown(out, width*len(some))
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

// arrangement is what the rows of a routine's last loop bind and lead to, in the order in which the loop goes through
// them: where it goes through each of them more than once, that is found once and copied from then on.
type arrangement struct {
	columns [][]symbol.ID // per binding of the loop; nil if its column is not arranged
	rows    [][]int32     // per op: the row that it finds, for a look-up that needs nothing but what the loop binds
	gathers bool          // a column that is asked for is not arranged
}

// newArrangement arranges nothing but what is in order.
func (r *routine) newArrangement() arrangement {
	o := &r.ops[r.side]
	a := arrangement{columns: make([][]symbol.ID, len(o.bind)), rows: make([][]int32, len(r.ops))}
	for i, b := range o.bind {
		if o.grouped == nil {
			a.columns[i] = b.column
		} else {
			a.gathers = a.gathers || slices.Contains(r.laid.asked, b.slot)
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
	if r.plan.Steps[r.side].Rows < often*float64(size) && !always {
		return
	}
	a.gathers = false
	for i := range o.bind {
		if a.columns[i] == nil && slices.Contains(r.laid.asked, o.bind[i].slot) {
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
