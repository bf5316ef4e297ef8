package neural

import (
	"github.com/deeppsl/deeppsl/internal/kernel"
	"github.com/deeppsl/deeppsl/internal/parallel"
)

// affine is the map x ↦ x·W + b of rows, and its gradient by W.
type affine struct{ threads, in, out int }

// The tasks of affine maps work on blocks of blockRows rows and blockColumns columns or inputs.
const blockRows, blockColumns = 16, 64

// blockInner is about the number of rows of a product's right factor that are worked on together, so that they stay in
// the innermost cache.
const blockInner = 96

// eachBlock calls body with the blocks of so many columns or inputs.
func eachBlock(threads, columns int, body func(left, right int)) {
	parallel.For(threads, (columns+blockColumns-1)/blockColumns, func(task int) {
		left := task * blockColumns
		body(left, min(columns, left+blockColumns))
	})
}

// forward writes y, of which the activation is taken, for n rows of x.
func (a affine) forward(x []float32, n int, weights, biases, y []float32, activation Activation) {
	down := (n + blockRows - 1) / blockRows
	across := (a.out + blockColumns - 1) / blockColumns
	parallel.For(a.threads, down*across, func(task int) {
		top, left := task%down*blockRows, task/down*blockColumns
		bottom, right := min(n, top+blockRows), min(a.out, left+blockColumns)
		block := y[top*a.out+left:]
		for i := range bottom - top {
			copy(block[i*a.out:i*a.out+right-left], biases[left:right])
		}
		for p := 0; p < a.in; p += blockInner { // in steps whose weights stay in the innermost cache
			size := kernel.Size{Rows: bottom - top, Columns: right - left, Inner: min(blockInner, a.in-p), Segments: 1}
			from := kernel.Left{Data: x[top*a.in+p:], Row: a.in, Column: 1}
			kernel.AddProduct(block, a.out, from, weights[p*a.out+left:], a.out, size)
		}
		for i := range bottom - top {
			activation.apply(block[i*a.out : i*a.out+right-left])
		}
	})
}

// backward adds xᵀ·gradient, for n rows of both, to weights.
func (a affine) backward(x, gradient []float32, n int, weights []float32) {
	eachBlock(a.threads, a.in, func(left, right int) {
		size := kernel.Size{Rows: right - left, Columns: a.out, Inner: n, Segments: 1}
		kernel.AddProduct(weights[left*a.out:], a.out, kernel.Left{Data: x[left:], Row: 1, Column: a.in}, gradient, a.out,
			size)
	})
}

// one is a row of ones, of any length.
var one = kernel.Left{Data: []float32{1}}

// addRows adds the rows of a matrix to sums.
func addRows(sums, values []float32) {
	size := kernel.Size{Rows: 1, Columns: len(sums), Inner: len(values) / len(sums), Segments: 1}
	kernel.AddProduct(sums, size.Columns, one, values, size.Columns, size)
}
