package neural

import (
	"github.com/deeppsl/deeppsl/internal/kernel"
	"github.com/deeppsl/deeppsl/internal/parallel"
)

// denseRun is a dense layer at work on up to a piece of rows.
type denseRun struct {
	*dense
	weights, biases []float32 // of the last forward
	y, gradient     []float32 // outputs and ∂L/∂outputs, [piece, out]
	keep            []float32 // dropout's factors for y; empty without
	turned          []float32 // the gradient, transposed
}

func newDenseRun(d *dense, rows int) *denseRun {
	return &denseRun{
		dense:   d,
		weights: make([]float32, len(d.weights.Value)), biases: make([]float32, len(d.biases.Value)),
		y: make([]float32, rows*d.out), gradient: make([]float32, rows*d.out), turned: make([]float32, rows*d.out),
	}
}

func (d *denseRun) copyParameters() {
	parallel.Range(parallel.Threads(0), len(d.weights), func(lo, hi int) {
		copy(d.weights[lo:hi], d.dense.weights.Value[lo:hi])
	})
	copy(d.biases, d.dense.biases.Value)
}

// The tasks of dense layers work on blocks of blockRows rows and blockColumns columns or inputs.
const blockRows, blockColumns = 16, 64

// forward computes y for n rows of x.
func (d *denseRun) forward(x []float32, n int) []float32 {
	down := (n + blockRows - 1) / blockRows
	across := (d.out + blockColumns - 1) / blockColumns
	parallel.For(parallel.Threads(0), down*across, func(task int) {
		top, left := task%down*blockRows, task/down*blockColumns
		d.forwardBlock(x, top, min(n, top+blockRows), left, min(d.out, left+blockColumns))
	})
	d.keep = d.keep[:0]
	return d.y[:n*d.out]
}

// forwardBlock computes some rows and columns of y, in steps whose weights stay in the innermost cache.
func (d *denseRun) forwardBlock(x []float32, top, bottom, left, right int) {
	y := d.y[top*d.out+left:]
	for i := range bottom - top {
		copy(y[i*d.out:i*d.out+right-left], d.biases[left:right])
	}
	for p := 0; p < d.in; p += blockInner {
		size := kernel.Size{Rows: bottom - top, Columns: right - left, Inner: min(blockInner, d.in-p), Segments: 1}
		a := kernel.Left{Data: x[top*d.in+p:], Row: d.in, Column: 1}
		kernel.AddProduct(y, d.out, a, d.weights[p*d.out+left:], d.out, size)
	}
	for i := range bottom - top {
		d.activation.apply(y[i*d.out : i*d.out+right-left])
	}
}

// drop applies dropout to y, which it is given.
func (d *denseRun) drop(y []float32, mask dropoutMask, rows []int32) {
	if mask.rate == 0 {
		return
	}
	d.keep = append(d.keep[:0], y...)
	mask.fill(rows, d.out, func(i int, keep float32) {
		y[i] *= keep
		d.keep[i] = keep
	})
}

// descend takes the gradient from y to before dropout and activation, for n rows. Where dropout kept a value, the
// activation's was that value divided by the factor.
func (d *denseRun) descend(n int) {
	gradient, y := d.gradient[:n*d.out], d.y[:n*d.out]
	for i, keep := range d.keep {
		gradient[i] *= keep
		if keep != 0 {
			y[i] /= keep
		}
	}
	d.activation.descend(gradient, y)
}

// backward adds the gradients of the parameters for n rows of x, and writes that by x unless it is nil.
func (d *denseRun) backward(x []float32, n int, down []float32) {
	addRows(d.dense.biases.Gradient, d.gradient[:n*d.out])
	for i := range n {
		for j, g := range row(d.gradient, i, d.out) {
			d.turned[j*n+i] = g
		}
	}
	parallel.For(parallel.Threads(0), (d.in+blockColumns-1)/blockColumns, func(task int) {
		left := task * blockColumns
		right := min(d.in, left+blockColumns)
		size := kernel.Size{Rows: right - left, Columns: d.out, Inner: n, Segments: 1}
		kernel.AddProduct(d.dense.weights.Gradient[left*d.out:], d.out, kernel.Left{Data: x[left:], Row: 1, Column: d.in},
			d.gradient, d.out, size)
		if down != nil {
			d.backwardBlock(n, left, right, down)
		}
	})
}

// backwardBlock writes the gradient by some inputs: W·∂L/∂yᵀ, so that the weights are read as they lie in memory, and
// transposed back.
func (d *denseRun) backwardBlock(n, left, right int, down []float32) {
	var block [blockColumns * piece]float32
	size := kernel.Size{Rows: right - left, Columns: n, Inner: d.out, Segments: 1}
	kernel.AddProduct(block[:], n, kernel.Left{Data: d.weights[left*d.out:], Row: d.out, Column: 1}, d.turned, n, size)
	for i := range n {
		to := down[i*d.in+left : i*d.in+right]
		for j := range to {
			to[j] = block[j*n+i]
		}
	}
}
