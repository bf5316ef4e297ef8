package basis

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/kernel"
)

// block has L and U of the pivots of a tail as a dense matrix of rows: L's before the diagonal, and U's behind it, the
// columns of these divided by their diagonal's.
type block struct {
	first, order int // of the pivots
	values       []float64
}

// take takes the block's entries out of the triangles, once these are by pivots.
func (b *Basis) take() {
	d := &b.dense
	if d.order == 0 {
		return
	}
	first, last := int32(d.first), int32(d.first+d.order)
	d.values = append(d.values[:0], make([]float64, d.order*d.order)...)
	b.lower.extract(first, func(column, row int32, v float64) bool {
		if within := column < last && row < last; within {
			d.row(int(row - first))[column-first] = v
			return true
		}
		return false
	})
	b.upper.extract(first, func(column, row int32, v float64) bool {
		if within := column < last && row >= first; within {
			d.row(int(row - first))[column-first] = v * b.values[column]
			return true
		}
		return false
	})
}

// extract leaves out the entries of the columns from that one on that are taken.
func (t *triangle) extract(first int32, take func(column, row int32, v float64) bool) {
	at, begin := t.start[first], t.start[first]
	for k := int(first); k+1 < len(t.start); k++ {
		end := t.start[k+1]
		for l := begin; l < end; l++ {
			if !take(int32(k), t.row[l], t.coef[l]) {
				t.row[at], t.coef[at] = t.row[l], t.coef[l]
				at++
			}
		}
		begin, t.start[k+1] = end, at
	}
	t.row, t.coef = t.row[:at], t.coef[:at]
}

func (d *block) row(k int) []float64 { return d.values[k*d.order : (k+1)*d.order] }

// split cuts a list of pivots into those before the block, those of it, and those behind it.
func (d *block) split(filled []int32) (before, within, behind []int32) {
	low, _ := slices.BinarySearch(filled, int32(d.first))
	high, _ := slices.BinarySearch(filled, int32(d.first+d.order))
	return filled[:low], filled[low:high], filled[high:]
}

// of is the part of a vector by pivots that is the block's.
func (d *block) of(z []float64) []float64 { return z[d.first : d.first+d.order] }

// lower applies L⁻¹.
func (d *block) lower(z []float64) {
	z = d.of(z)
	for k := range z {
		z[k] -= kernel.Dot(d.row(k)[:k], z[:k])
	}
}

// upper applies U⁻¹, but for the diagonal.
func (d *block) upper(z []float64) {
	z = d.of(z)
	for k := len(z) - 1; k >= 0; k-- {
		z[k] -= kernel.Dot(d.row(k)[k+1:], z[k+1:])
	}
}

// upperTransposed applies U⁻ᵀ once the diagonal is.
func (d *block) upperTransposed(z []float64) {
	z = d.of(z)
	for k, v := range z {
		kernel.SubtractMultiple(z[k+1:], d.row(k)[k+1:], v)
	}
}

// lowerTransposed applies L⁻ᵀ.
func (d *block) lowerTransposed(z []float64) {
	z = d.of(z)
	for k := len(z) - 1; k >= 0; k-- {
		kernel.SubtractMultiple(z[:k], d.row(k)[:k], z[k])
	}
}
