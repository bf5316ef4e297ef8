package ground

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/reuse"
)

// addends are free atoms of the ground rule at hand, by their numbers, each with its coefficient.
type addends struct {
	ids  []int32
	coef []float64

	// Scratch of sort: the numbers above the lowest one, each with its place behind it, and coefficients.
	keys, next []uint64
	moved      []float64
}

// clear leaves no terms.
func (t *addends) clear() { t.ids, t.coef = t.ids[:0], t.coef[:0] }

// run is how many terms in succession have one coefficient.
type run struct {
	coef  float64
	times int
}

// emitRagged makes a potential of the current grounding of a rule whose shape differs from grounding to grounding: one
// with summations, or with more atoms than a mask has bits.
func emitRagged(m *machine) {
	for k := range m.sums {
		m.expand(k)
	}
	d, ok := m.coefficient(m.rule.Constant, m.constant)
	bias := d - m.constant
	m.free.clear()
	m.given.clear()
	m.runs = m.runs[:0]
	for k := range m.atoms {
		a, rows := &m.atoms[k], m.rowsOf(k)
		if len(rows) == 0 {
			continue // an empty sum is 0, and its coefficient need not exist
		}
		if rows[0] < 0 && a.nonexistent(m) {
			m.counts.Missing++
			return
		}
		if rows[0] < 0 && a.open {
			m.reportMissing(k)
			return
		}
		coef, exists := m.coefficient(a.expr, a.coef)
		ok = ok && exists
		bias += m.collect(a, coef, rows)
	}
	if !ok {
		m.reportBroken()
		return
	}
	m.mergeTerms()
	m.addRagged(bias)
}

// rowsOf returns the rows of atom k in the grounding at hand: one, or those of its sum.
func (m *machine) rowsOf(k int) []int32 {
	if s := m.atoms[k].sum; s >= 0 {
		return m.sums[s].rows
	}
	return m.rows[k : k+1]
}

// addRagged appends the terms at hand to the machine's one ragged batch, if they are worth it.
func (m *machine) addRagged(bias float64) {
	low, high := m.constant+bias, m.constant+bias
	for _, r := range m.runs {
		for range r.times { // one by one: products round otherwise
			low, high = low+min(r.coef, 0), high+max(r.coef, 0)
		}
	}
	if m.keep(len(m.free.ids), low, high) {
		m.addTerms(bias)
	}
}

// coefficient evaluates an expression for the sizes of the current sums; value is what it is if it is a plain number.
func (m *machine) coefficient(e program.Expr, value float64) (coef float64, ok bool) {
	if e.Op != program.Number {
		value = e.Eval(m.sizeOf)
	}
	return value, finite(value)
}

// collect appends the free ones among an atom's rows to the terms and returns what the observed ones add to the bias.
func (m *machine) collect(a *atom, coef float64, rows []int32) (bias float64) {
	if coef == 0 {
		return 0
	}
	t := &m.free
	if a.perceived {
		t = &m.given
	}
	before := len(t.ids)
	t.ids = slices.Grow(t.ids, len(rows))
	for _, row := range rows {
		if row >= a.observed {
			t.ids = append(t.ids, row+a.shift)
		} else if row >= 0 {
			bias += coef * a.value(row)
		}
	}
	times := len(t.ids) - before
	t.coef = repeated(t.coef, coef, times)
	m.runs = append(m.runs, run{coef, times})
	return bias
}

// mergeTerms adds the coefficients of repeated atoms and drops those that cancel out. Sums are long, so this sorts
// where emitMerged compares pairs; most rules cannot repeat an atom and keep the order in which the terms were found.
func (m *machine) mergeTerms() {
	if len(m.repeats) == 0 {
		return
	}
	m.runs = m.runs[:0]
	for _, t := range [...]*addends{&m.free, &m.given} {
		t.merge()
		for _, coef := range t.coef {
			m.runs = append(m.runs, run{coef, 1})
		}
	}
}

// merge leaves each atom once, by its number, unless its coefficients cancel out.
func (t *addends) merge() {
	t.sort()
	kept := addends{ids: t.ids[:0], coef: t.coef[:0]}
	for k, id := range t.ids {
		if n := len(kept.ids); n > 0 && kept.ids[n-1] == id {
			kept.coef[n-1] = together(kept.coef[n-1], t.coef[k])
		} else {
			kept.ids, kept.coef = append(kept.ids, id), append(kept.coef, t.coef[k])
		}
	}
	t.clear()
	for k, coef := range kept.coef {
		if coef != 0 {
			t.ids, t.coef = append(t.ids, kept.ids[k]), append(t.coef, coef)
		}
	}
}

// sort sorts terms by their numbers; those of one atom stay in their order.
func (t *addends) sort() {
	if slices.IsSorted(t.ids) {
		return
	}
	low := slices.Min(t.ids)
	t.keys = t.keys[:0]
	for k, id := range t.ids {
		t.keys = append(t.keys, uint64(id-low)<<32|uint64(k))
	}
	if len(t.keys) < manyKeys {
		slices.Sort(t.keys)
	} else {
		t.sortByDigits(uint64(slices.Max(t.ids) - low))
	}
	t.moved = reuse.More(t.moved[:0], len(t.coef))
	for k, key := range t.keys {
		t.ids[k], t.moved[k] = low+int32(key>>32), t.coef[uint32(key)]
	}
	t.coef, t.moved = t.moved, t.coef
}

// manyKeys is how many keys are sorted by their digits at least.
const manyKeys = 64

// sortByDigits sorts the keys, none of which is above the highest, by one byte after the other, the lowest first.
func (t *addends) sortByDigits(highest uint64) {
	for shift := 0; highest>>shift != 0; shift += 8 {
		var ends [256]int32
		digit := func(key uint64) uint8 { return uint8(key >> (32 + shift)) }
		for _, key := range t.keys {
			ends[digit(key)]++
		}
		total := int32(0)
		for d, count := range ends {
			ends[d], total = total, total+count
		}
		t.next = reuse.More(t.next[:0], len(t.keys))
		for _, key := range t.keys {
			at := &ends[digit(key)]
			t.next[*at] = key
			*at++
		}
		t.keys, t.next = t.next, t.keys
	}
}

// addTerms appends the terms at hand, and remembers where they end.
func (m *machine) addTerms(bias float64) {
	if len(m.batches) == 0 {
		m.newBatch(0, nil).ragged = true
	}
	b := m.batches[0]
	b.addRagged(&m.free, &m.given)
	b.measure(bias, m.scale)
	if m.full != nil && len(b.vars)+len(b.inputs) > portion/8 {
		m.crowded()
	}
}

// addRagged appends a potential's terms. As long as all potentials have the coefficients of the first one, these are
// written down once.
func (b *batch) addRagged(free, given *addends) {
	if b.len == 0 {
		b.begin(free.coef, given.coef)
	} else if b.regular && !(slices.Equal(b.pattern, free.coef) && slices.Equal(b.inputPattern, given.coef)) {
		b.spread(1)
	}
	b.vars, b.inputs = append(b.vars, free.ids...), append(b.inputs, given.ids...)
	if !b.regular {
		b.varCoef.Extend(free.coef)
		b.inputValue.Extend(given.coef)
		b.varEnd = append(b.varEnd, int32(len(b.vars)))
		b.inputEnd = append(b.inputEnd, int32(len(b.inputs)))
	}
}

// begin notes the coefficients of the first potential.
func (b *batch) begin(coef, inputCoef []float64) {
	b.regular = true
	b.pattern, b.inputPattern = append(b.pattern[:0], coef...), append(b.inputPattern[:0], inputCoef...)
}

// spread has each potential have coefficients of its own, where so far all have the same. There are expected to be so
// many times as many potentials in the end.
func (b *batch) spread(times float64) {
	b.regular = false
	b.repeatPattern(b.pattern, b.inputPattern, b.len, times)
}

// repeatPattern appends the coefficients of so many potentials, which are the same for all, and where they end.
func (b *batch) repeatPattern(coef, inputCoef []float64, count int, times float64) {
	repeatReals(&b.varCoef, coef, count, times)
	repeatReals(&b.inputValue, inputCoef, count, times)
	b.varEnd = repeatEnds(b.varEnd, len(coef), count, times)
	b.inputEnd = repeatEnds(b.inputEnd, len(inputCoef), count, times)
}

// repeatReals appends coefficients so many times.
func repeatReals(to *mrf.Reals, coef []float64, count int, times float64) {
	for _, c := range coef {
		if float64(float32(c)) != c {
			to.Widen()
		}
	}
	makeRoom(to, count*len(coef), times)
	for range count {
		to.Extend(coef)
	}
}

// repeatEnds appends the ends of so many potentials of one width.
func repeatEnds(ends []int32, width, count int, times float64) []int32 {
	ends = roomy(ends, count, times)
	end := int32(0)
	if len(ends) > 0 {
		end = ends[len(ends)-1]
	}
	for range count {
		end += int32(width)
		ends = append(ends, end)
	}
	return ends
}

// coefBytes returns the size of the coefficients, written down for each potential.
func (b *batch) coefBytes() int64 {
	if !b.regular {
		return b.varCoef.Bytes() + b.inputValue.Bytes()
	}
	var one batch
	one.repeatPattern(b.pattern, b.inputPattern, 1, 1)
	return int64(b.len) * one.coefBytes()
}
