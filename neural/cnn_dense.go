package neural

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/kernel"
	"github.com/deeppsl/deeppsl/internal/parallel"
)

// nodes are what a layer makes of some rows, and what comes back to it.
type nodes struct {
	width      int
	activation Activation
	y          []float32 // outputs, [rows, width]
	gradient   []float32 // ∂L/∂outputs; after descend, by what the activation was applied to
	keep       []float32 // dropout's factors for y; empty without
	factor     float32   // those of what was kept
}

func newNodes(rows, width int, activation Activation) *nodes {
	return &nodes{width: width, activation: activation, y: make([]float32, rows*width),
		gradient: make([]float32, rows*width)}
}

// drop applies dropout to the outputs for some rows.
func (o *nodes) drop(d dropout, rows []int32, threads int) {
	o.keep = slices.Grow(o.keep[:0], len(rows)*o.width)[:len(rows)*o.width]
	o.factor = d.factor
	d.apply(o.y, o.keep, rows, o.width, threads)
}

// descend takes the gradient from y to before dropout and activation, for n rows. Where dropout kept a value, the
// activation's was that value divided by the factor, by which it is multiplied again: what is above may want it.
func (o *nodes) descend(n int) {
	gradient, y := o.gradient[:n*o.width], o.y[:n*o.width]
	for i, keep := range o.keep {
		gradient[i] *= keep
		y[i] /= o.factor
	}
	o.activation.descend(gradient, y)
	for i, keep := range o.keep {
		y[i] *= keep
	}
}

// denseRun is a dense layer at work on some rows.
type denseRun struct {
	*nodes
	layer           *dense
	threads         int
	weights, biases []float32 // of the last forward
	turned          []float32 // the gradient of a piece of rows, transposed
}

func newDenseRun(d *dense, rows, threads int) *denseRun {
	return &denseRun{
		nodes: newNodes(rows, d.out, d.activation), layer: d, threads: threads,
		weights: make([]float32, len(d.weights.Value)), biases: make([]float32, len(d.biases.Value)),
		turned: make([]float32, min(piece, rows)*d.out),
	}
}

func (d *denseRun) copyParameters() {
	parallel.Range(d.threads, len(d.weights), func(lo, hi int) {
		copy(d.weights[lo:hi], d.layer.weights.Value[lo:hi])
	})
	copy(d.biases, d.layer.biases.Value)
}

// forward computes y for n rows of x.
func (d *denseRun) forward(x []float32, n int) []float32 {
	affine := affine{d.threads, d.layer.in, d.width}
	affine.forward(x, n, d.weights, d.biases, d.y, d.activation)
	d.keep = d.keep[:0]
	return d.y[:n*d.width]
}

// backward adds the gradients of the parameters, if they learn, for n rows of x, and writes that by x unless it is nil.
// It goes by pieces of the rows, whose order is fixed.
func (d *denseRun) backward(x []float32, n int, down []float32) {
	in := d.layer.in
	for lo := 0; lo < n; lo += piece {
		hi := min(n, lo+piece)
		gradient := d.gradient[lo*d.width : hi*d.width]
		if !d.layer.weights.frozen {
			addRows(d.layer.biases.Gradient, gradient)
			affine{d.threads, in, d.width}.backward(x[lo*in:hi*in], gradient, hi-lo, d.layer.weights.Gradient)
		}
		if down != nil {
			d.descendPiece(gradient, hi-lo, down[lo*in:hi*in])
		}
	}
}

// descendPiece writes the gradient by the inputs of a piece of rows.
func (d *denseRun) descendPiece(gradient []float32, n int, down []float32) {
	for i := range n {
		for j, g := range row(gradient, i, d.width) {
			d.turned[j*n+i] = g
		}
	}
	eachBlock(d.threads, d.layer.in, func(left, right int) { d.descendBlock(n, left, right, down) })
}

// descendBlock writes the gradient by some inputs: W·∂L/∂yᵀ, so that the weights are read as they lie in memory, and
// transposed back.
func (d *denseRun) descendBlock(n, left, right int, down []float32) {
	var block [blockColumns * piece]float32
	in := d.layer.in
	size := kernel.Size{Rows: right - left, Columns: n, Inner: d.width, Segments: 1}
	kernel.AddProduct(block[:], n, kernel.Left{Data: d.weights[left*d.width:], Row: d.width, Column: 1}, d.turned, n, size)
	for i := range n {
		to := down[i*in+left : i*in+right]
		for j := range to {
			to[j] = block[j*n+i]
		}
	}
}
