package mrf

import (
	"math"
	"slices"
)

// Reals are numbers in single precision, or all of them in double if that would round one of them: thirds and tenths
// need twice the memory of ones and halves. The zero value is empty.
type Reals struct {
	Single []float32
	Double []float64 // instead of Single, if not nil
	// Memory for the one that is not there.
	spareSingle []float32
	spareDouble []float64
}

// Len returns how many there are.
func (r *Reals) Len() int { return len(r.Single) + len(r.Double) }

// At returns number k.
func (r *Reals) At(k int) float64 {
	if r.Double != nil {
		return r.Double[k]
	}
	return float64(r.Single[k])
}

// Append adds a number, and keeps all in double precision from the first one on that single precision would round.
func (r *Reals) Append(v float64) {
	if r.Double == nil {
		if single := float32(v); float64(single) == v {
			r.Single = append(r.Single, single)
			return
		}
		r.Widen()
	}
	r.Double = append(r.Double, v)
}

// Widen keeps the numbers in double precision from now on.
func (r *Reals) Widen() {
	if r.Double != nil {
		return
	}
	r.Double, r.spareDouble = append(r.spareDouble[:0], make([]float64, len(r.Single))...), nil
	for k, single := range r.Single {
		r.Double[k] = float64(single)
	}
	r.Single, r.spareSingle = nil, r.Single[:0]
}

// Extend adds several numbers.
func (r *Reals) Extend(values []float64) {
	for k, v := range values {
		if r.Double != nil {
			r.Double = append(r.Double, values[k:]...)
			return
		}
		r.Append(v)
	}
}

// AppendRange adds numbers [lo,hi) of others.
func (r *Reals) AppendRange(of *Reals, lo, hi int32) {
	if r.Double == nil && of.Double == nil {
		r.Single = append(r.Single, of.Single[lo:hi]...)
		return
	}
	for ; lo < hi && (r.Double == nil || of.Double == nil); lo++ {
		r.Append(of.At(int(lo)))
	}
	if lo < hi {
		r.Double = append(r.Double, of.Double[lo:hi]...)
	}
}

// AppendTo appends the numbers to others.
func (r *Reals) AppendTo(to []float64) []float64 {
	for k := range r.Len() {
		to = append(to, r.At(k))
	}
	return to
}

// Bytes returns the size of the array.
func (r *Reals) Bytes() int64 { return 4*int64(len(r.Single)) + 8*int64(len(r.Double)) }

// Reset forgets the numbers but keeps the memory.
func (r *Reals) Reset() {
	if r.Double != nil {
		r.Single, r.Double, r.spareDouble = r.spareSingle, nil, r.Double[:0]
	}
	r.Single = r.Single[:0]
}

// Clone returns a copy without spare room.
func (r *Reals) Clone() Reals { return Reals{Single: clone(r.Single), Double: clone(r.Double)} }

// clone is slices.Clone without spare room; nil stays nil.
func clone[T any](values []T) []T {
	if values == nil {
		return nil
	}
	return append(make([]T, 0, len(values)), values...)
}

// truncate keeps the first n.
func (r *Reals) truncate(n int32) {
	if r.Double != nil {
		r.Double = r.Double[:n]
	} else {
		r.Single = r.Single[:n]
	}
}

// repeat returns the numbers so many times.
func (r *Reals) repeat(times int) Reals {
	return Reals{Single: repeated(r.Single, times), Double: repeated(r.Double, times)}
}

// norm1 is the sum of the absolute values of numbers [lo,hi).
func (r *Reals) norm1(lo, hi int32) float64 {
	if r.Double != nil {
		return norm1(r.Double[lo:hi])
	}
	return norm1(r.Single[lo:hi])
}

// repeated repeats values n times; nil stays nil.
func repeated[T any](values []T, n int) []T {
	if values == nil {
		return nil
	}
	return slices.Repeat(values, n)
}

// norm1 is the sum of the absolute values.
func norm1[T float32 | float64](values []T) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Abs(float64(v))
	}
	return sum
}
