package presolve

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
)

// row is a potential's affine function in terms of the variables that are left, in ascending order.
type row struct {
	vars     []int32
	coef     []float64
	constant float64
	// changed tells whether it differs from the original by more than the order.
	changed bool
	buffer  mrf.RowBuffer
}

// normalise makes r the function of the block's potential j, whose constant is c: fixed variables go into the constant,
// and tied ones are written as one.
func (d *decisions) normalise(b *mrf.Block, j int, c float64, r *row) {
	vars, coef := b.Row(j, &r.buffer)
	r.vars, r.coef, r.constant, r.changed = r.vars[:0], r.coef[:0], c, false
	for k, i := range vars {
		root := d.root(i)
		switch {
		case d.fixed[root]:
			r.constant += coef[k] * d.lo[root]
			r.changed = true
		default:
			r.changed = r.changed || root != i
			r.add(root, coef[k])
		}
	}
	if r.changed {
		r.dropZeros()
	}
}

// add adds a·y_i, in its place.
func (r *row) add(i int32, a float64) {
	at := len(r.vars)
	for at > 0 && r.vars[at-1] > i {
		at--
	}
	if at > 0 && r.vars[at-1] == i {
		r.coef[at-1] += a
		return
	}
	r.vars, r.coef = append(r.vars, 0), append(r.coef, 0)
	copy(r.vars[at+1:], r.vars[at:])
	copy(r.coef[at+1:], r.coef[at:])
	r.vars[at], r.coef[at] = i, a
}

// dropZeros removes variables that cancelled.
func (r *row) dropZeros() {
	n := 0
	for k, a := range r.coef {
		if a != 0 {
			r.vars[n], r.coef[n] = r.vars[k], a
			n++
		}
	}
	r.vars, r.coef = r.vars[:n], r.coef[:n]
}

// largest is the function's maximum over the box.
func (r *row) largest() float64 {
	total := r.constant
	for _, a := range r.coef {
		total += max(0, a)
	}
	return total
}

// largest is the maximum of r within the bounds.
func (d *decisions) largest(r *row) float64 {
	if !d.tight {
		return r.largest()
	}
	total := r.constant
	for k, a := range r.coef {
		total += max(a*d.lo[r.vars[k]], a*d.hi[r.vars[k]])
	}
	return total
}

// idle tells whether a potential of weight w, or a constraint, has no part in the choice of the variables that are
// left. A constraint may be what bounds follow from, so that these say nothing about it.
func (d *decisions) idle(r *row, b *mrf.Block, w float64) bool {
	switch {
	case len(r.vars) == 0:
		return true
	case b.Kind == mrf.Hinge:
		return w == 0 || d.largest(r) <= 0
	case b.Kind == mrf.LessEqual:
		return r.largest() <= 0
	}
	return w == 0 && b.Kind != mrf.Equal
}

// slip is the violation of a constraint that may be but rounding.
const slip = 1e-9

// broken tells whether r is a constraint that no variable can satisfy any more.
func (r *row) broken(b *mrf.Block) bool {
	if len(r.vars) > 0 {
		return false
	}
	return b.Kind == mrf.LessEqual && r.constant > slip || b.Kind == mrf.Equal && math.Abs(r.constant) > slip
}

// hash mixes what must be equal in potentials that can be merged.
func (r *row) hash() uint64 {
	h := math.Float64bits(r.constant)
	for k, i := range r.vars {
		h = (h ^ uint64(i)) * 0x9e3779b97f4a7c15
		h ^= h>>29 ^ math.Float64bits(r.coef[k])
	}
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// piece is a run of potentials [lo,hi) of block k.
type piece struct{ k, lo, hi int }

// pieces cuts the blocks that are wanted.
func pieces(m *mrf.Model, wanted func(b *mrf.Block) bool) []piece {
	var out []piece
	for k, b := range m.Blocks {
		if !wanted(b) {
			continue
		}
		for lo := 0; lo < b.Len; lo += parallel.Grain {
			out = append(out, piece{k, lo, min(lo+parallel.Grain, b.Len)})
		}
	}
	return out
}

// chunk is how many constants are looked up at a time.
const chunk = 1024

// rows visits the potentials of a piece, with their weights, unless it is time to stop.
func (d *decisions) rows(p piece, visit func(j int, w float64, r *row)) {
	if d.stop() {
		return
	}
	b := d.field.Model.Blocks[p.k]
	theta := d.field.Weights()[b.Rule]
	var constants [chunk]float64
	var r row
	for j := p.lo; j < p.hi; j++ {
		at := (j - p.lo) % chunk
		if at == 0 {
			d.field.Constants(p.k, j, min(j+chunk, p.hi), constants[:min(chunk, p.hi-j)])
		}
		d.normalise(b, j, constants[at], &r)
		visit(j, theta*b.Factor(j), &r)
	}
}
