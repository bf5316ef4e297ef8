package ground

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/reuse"
)

// batch holds the potentials of one shape that a machine has made of one piece.
type batch struct {
	// The shape: which atoms of the rule are free, and their coefficients, summed over repetitions if merged. A ragged
	// batch has no shape.
	mask            uint64
	coef, inputCoef []float64
	merged, ragged  bool
	weighted        bool // the weight has an observed factor

	len          int
	vars, inputs []int32
	scale        []float32 // the factor of each potential's weight
	firstBias    float64   // the observed part of the first potential
	sameBias     bool      // and of all others
	bias         []float32 // that of each, unless it is the same
	bias64       []float64 // instead of bias, if fine: from the first one on that single precision would round
	fine         bool

	// Ragged only: whether all potentials have the coefficients of the first one, and these, unrounded.
	regular               bool
	pattern, inputPattern []float64
	// Otherwise where each potential's variables and inputs end, and their coefficients.
	varEnd, inputEnd    []int32
	varCoef, inputValue mrf.Reals
}

// add appends a potential.
func (b *batch) add(vars, inputs []int32, bias, scale float64) {
	b.vars = append(b.vars, vars...)
	b.inputs = append(b.inputs, inputs...)
	b.measure(bias, scale)
}

// measure appends what every potential has, whatever its shape.
func (b *batch) measure(bias, scale float64) {
	b.measureAll(bias, 1)
	if b.weighted {
		b.scale = append(b.scale, float32(scale))
	}
}

// measureAll is measure for several potentials, whose factors are still to be appended. While all biases are the same,
// none is written down.
func (b *batch) measureAll(bias float64, times int) {
	if b.len == 0 {
		b.firstBias, b.sameBias = bias, true
	}
	if b.sameBias && bias != b.firstBias {
		b.sameBias = false
		b.addBias(b.firstBias, b.len)
	}
	if !b.sameBias {
		b.addBias(bias, times)
	}
	b.len += times
}

// measureEach is measureAll for some lanes, each with its bias.
func (b *batch) measureEach(bias []float64, some []int32) {
	for from := 0; from < len(some); {
		first, to := bias[some[from]], from+1
		for to < len(some) && bias[some[to]] == first {
			to++
		}
		b.measureAll(first, to-from)
		from = to
	}
}

// addBias writes a bias down so many times.
func (b *batch) addBias(bias float64, times int) {
	if single := float32(bias); !b.fine && float64(single) == bias {
		b.bias = repeated(b.bias, single, times)
		return
	}
	b.refine()
	b.bias64 = repeated(b.bias64, bias, times)
}

// precise tells whether single precision would round one of the biases.
func (b *batch) precise() bool {
	return b.fine || b.sameBias && float64(float32(b.firstBias)) != b.firstBias
}

// biasBytes returns the size of the biases, written down.
func (b *batch) biasBytes() int64 {
	if b.precise() {
		return 8 * int64(b.len)
	}
	return 4 * int64(b.len)
}

// repeated appends a value so many times.
func repeated[T any](values []T, value T, times int) []T {
	before := len(values)
	values = reuse.More(values, times)
	fill(values[before:], value)
	return values
}

// refine goes over to biases of double precision.
func (b *batch) refine() {
	if b.fine {
		return
	}
	b.fine = true
	for _, v := range b.bias {
		b.bias64 = append(b.bias64, float64(v))
	}
	b.bias = b.bias[:0]
}

// batchOf returns the batch of the potentials whose free atoms are those in mask, with the rule's own coefficients.
func (m *machine) batchOf(mask uint64) *batch {
	for _, b := range m.batches {
		if b.mask == mask && !b.merged {
			m.last = b
			return b
		}
	}
	m.last = m.newBatch(mask, m.natural)
	return m.last
}

// mergedBatch returns the batch of the potentials with these free atoms and coefficients.
func (m *machine) mergedBatch(mask uint64, coef []float64) *batch {
	for _, b := range m.batches {
		if b.mask == mask && b.merged && m.fits(b, coef) {
			return b
		}
	}
	b := m.newBatch(mask, coef)
	b.merged = true
	return b
}

// newBatch makes the batch of a shape.
func (m *machine) newBatch(mask uint64, coef []float64) *batch {
	b := &batch{}
	if n := len(m.spare); n > 0 {
		b, m.spare = m.spare[n-1], m.spare[:n-1]
	}
	b.mask, b.coef, b.inputCoef, b.merged, b.ragged = mask, nil, nil, false, false
	b.weighted = m.rule.Weight.Atom != nil
	for rest := mask; rest != 0; rest &= rest - 1 {
		k := bits.TrailingZeros64(rest)
		if m.atoms[k].perceived {
			b.inputCoef = append(b.inputCoef, coef[k])
		} else {
			b.coef = append(b.coef, coef[k])
		}
	}
	m.batches = append(m.batches, b)
	return b
}

// fits tells whether a batch has the coefficients of the atoms in its mask.
func (m *machine) fits(b *batch, coef []float64) bool {
	v, x := 0, 0
	for rest := b.mask; rest != 0; rest &= rest - 1 {
		k := bits.TrailingZeros64(rest)
		if m.atoms[k].perceived {
			if b.inputCoef[x] != coef[k] {
				return false
			}
			x++
			continue
		}
		if b.coef[v] != coef[k] {
			return false
		}
		v++
	}
	return true
}

// compareShapes orders shapes, so that blocks come in an order that does not depend on what was found first, which is
// up to the threads.
func compareShapes(a, b *batch) int {
	return cmp.Or(
		-cmp.Compare(a.mask, b.mask), // most atoms first, more or less
		slices.Compare(a.coef, b.coef),
		slices.Compare(a.inputCoef, b.inputCoef),
		cmp.Compare(a.origin(), b.origin()),
	)
}

// origin tells a shape that came from adding coefficients, which may happen to be those of a natural one.
func (b *batch) origin() int {
	if b.merged {
		return 1
	}
	return 0
}

// take returns the batches that hold anything; the machine goes on with others.
func (m *machine) take() []*batch {
	part := slices.DeleteFunc(m.batches, func(b *batch) bool { return b.len == 0 })
	m.batches, m.last = nil, nil
	return part
}

// smallPart is the size in bytes below which the batches of a piece are not worth a block of their own in a file: they
// wait in memory, and are joined.
const smallPart = 1 << 14

// bytesOf returns the size of batches.
func bytesOf(part []*batch) (total int64) {
	for _, b := range part {
		total += size(b.vars) + size(b.inputs) + size(b.bias) + size(b.bias64) + size(b.scale) + size(b.varEnd) +
			size(b.inputEnd) + b.varCoef.Bytes() + b.inputValue.Bytes()
	}
	return total
}

// reset empties the batch but keeps its memory.
func (b *batch) reset() {
	b.len = 0
	b.vars, b.inputs = b.vars[:0], b.inputs[:0]
	b.bias, b.bias64, b.scale, b.fine = b.bias[:0], b.bias64[:0], b.scale[:0], false
	b.varEnd, b.inputEnd = b.varEnd[:0], b.inputEnd[:0]
	b.varCoef.Reset()
	b.inputValue.Reset()
	b.pattern, b.inputPattern = b.pattern[:0], b.inputPattern[:0]
}
