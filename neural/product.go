package neural

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// product computes the first layer, Z = X·W + b, for a fixed choice of rows X of a feature table, and its gradient. It
// stands outside the GoMLX graph because feature vectors are often sparse, and GoMLX has no sparse matrices; the
// package's documentation has the figures.
type product interface {
	// forward writes Z, of shape [rows, outputs]. If rate is positive, each feature is dropped with that probability.
	forward(weights, biases, z []float32, masks stream, rate float64)
	// backward adds Xᵀ·dz to weights, where X has the features that the last forward left.
	backward(dz, weights []float32)
}

// newProduct copies the chosen rows, so that the loops over them run through memory in order.
func newProduct(f *Features, rows []int32, outputs int) product {
	if f.Sparse() {
		return newSparseProduct(f, rows, outputs)
	}
	x := make([]float32, len(rows)*f.width)
	f.dense(rows, x)
	return &denseProduct{rows: rows, width: f.width, outputs: outputs, x: x, dropped: x}
}

// denseProduct leaves the work to gonum's matrix product, which is as fast as GoMLX's here and needs no copies.
type denseProduct struct {
	rows           []int32
	width, outputs int
	x, dropped     []float32
}

func (p *denseProduct) forward(weights, biases, z []float32, masks stream, rate float64) {
	p.dropped = p.x
	if rate > 0 {
		p.dropped = make([]float32, len(p.x))
		parallel.Range(parallel.Threads(0), len(p.x), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				p.dropped[i] = p.x[i] * masks.keep(p.cell(i), rate)
			}
		})
	}
	for i := range p.rows {
		copy(z[i*p.outputs:(i+1)*p.outputs], biases)
	}
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, p.features(), general(weights, p.outputs), 1, general(z, p.outputs))
}

// cell numbers an element of x by its entity and feature, so that its mask does not depend on the choice of rows.
func (p *denseProduct) cell(i int) uint64 {
	return uint64(p.rows[i/p.width])*uint64(p.width) + uint64(i%p.width)
}

func (p *denseProduct) backward(dz, weights []float32) {
	blas32.Gemm(blas.Trans, blas.NoTrans, 1, p.features(), general(dz, p.outputs), 1, general(weights, p.outputs))
}

func (p *denseProduct) features() blas32.General { return general(p.dropped, p.width) }

func general(data []float32, columns int) blas32.General {
	return blas32.General{Rows: len(data) / columns, Cols: columns, Stride: columns, Data: data}
}

// sparseProduct multiplies with compressed rows forward and with compressed columns backward. Either way each thread
// writes to rows of its own, and the order of every sum is fixed.
type sparseProduct struct {
	rows    []int32
	outputs int
	width   int

	start   []int // nonzeros of X by rows
	columns []int32
	values  []float32
	dropped []float32 // values under the last forward's dropout

	columnStart []int // the same nonzeros by columns
	rowOf       []int32
	entry       []int32 // where the values of the columns lie in values
}

// chunk is the number of rows, columns or pairs of one parallel task. Sums over chunks depend on it, but not on the
// number of threads.
const chunk = 128

// newSparseProduct copies the nonzeros of the rows and lists them both ways.
func newSparseProduct(f *Features, rows []int32, outputs int) *sparseProduct {
	p := &sparseProduct{rows: rows, outputs: outputs, width: f.width, start: make([]int, 1, len(rows)+1)}
	for _, r := range rows {
		lo, hi := f.span(int(r))
		p.columns = append(p.columns, f.columns[lo:hi]...)
		p.values = append(p.values, f.values[lo:hi]...)
		p.start = append(p.start, len(p.columns))
	}
	p.dropped = p.values
	p.transpose()
	return p
}

// transpose lists the nonzeros by columns, in ascending order of rows. It keeps places and not values, because dropout
// changes the values at every pass.
func (p *sparseProduct) transpose() {
	p.columnStart = make([]int, p.width+1)
	for _, c := range p.columns {
		p.columnStart[c+1]++
	}
	for c := range p.width {
		p.columnStart[c+1] += p.columnStart[c]
	}
	next := slices.Clone(p.columnStart)
	p.rowOf, p.entry = make([]int32, len(p.columns)), make([]int32, len(p.columns))
	for r := range p.rows {
		for k := p.start[r]; k < p.start[r+1]; k++ {
			to := next[p.columns[k]]
			p.rowOf[to], p.entry[to] = int32(r), int32(k)
			next[p.columns[k]]++
		}
	}
}

func (p *sparseProduct) forward(weights, biases, z []float32, masks stream, rate float64) {
	p.dropped = p.values
	if rate > 0 {
		p.dropped = make([]float32, len(p.values))
	}
	eachChunk(len(p.rows), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			if rate > 0 {
				p.drop(r, masks, rate)
			}
			out := z[r*p.outputs : (r+1)*p.outputs]
			copy(out, biases)
			for k := p.start[r]; k < p.start[r+1]; k++ {
				addScaled(out, p.dropped[k], weights[int(p.columns[k])*p.outputs:])
			}
		}
	})
}

// drop applies dropout to the nonzeros of a row; zeros stay zero anyway.
func (p *sparseProduct) drop(r int, masks stream, rate float64) {
	for k := p.start[r]; k < p.start[r+1]; k++ {
		cell := uint64(p.rows[r])*uint64(p.width) + uint64(p.columns[k])
		p.dropped[k] = p.values[k] * masks.keep(cell, rate)
	}
}

func (p *sparseProduct) backward(dz, weights []float32) {
	eachChunk(p.width, func(lo, hi int) {
		for c := lo; c < hi; c++ {
			out := weights[c*p.outputs : (c+1)*p.outputs]
			for k := p.columnStart[c]; k < p.columnStart[c+1]; k++ {
				addScaled(out, p.dropped[p.entry[k]], dz[int(p.rowOf[k])*p.outputs:])
			}
		}
	})
}

// addScaled adds a·x to out, over the length of out.
func addScaled(out []float32, a float32, x []float32) {
	x = x[:len(out)]
	for i := range out {
		out[i] += a * x[i]
	}
}

// eachChunk calls body on consecutive pieces of [0,n), in parallel; body writes to its own piece only.
func eachChunk(n int, body func(lo, hi int)) {
	parallel.For(parallel.Threads(0), (n+chunk-1)/chunk, func(task int) {
		body(task*chunk, min(n, (task+1)*chunk))
	})
}
