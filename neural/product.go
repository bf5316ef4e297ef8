package neural

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/kernel"
	"github.com/deeppsl/deeppsl/neural/features"
)

// product computes affine maps Z = X·W + b, for a fixed choice of rows X of a feature table, and their gradients. It
// stands apart because feature vectors are often sparse.
type product interface {
	// drop chooses what the others see: the features under dropout.
	drop(d dropout)
	// forward writes Z, of shape [rows, len(biases)].
	forward(weights, biases, z []float32)
	// backward adds Xᵀ·dz to weights, of shape [features, outputs].
	backward(dz, weights []float32, outputs int)
	// row returns the features of the k-th row, and the columns where they are; nil of all.
	row(k int) (columns []int32, values []float32)
}

// newProduct copies the chosen rows, so that the loops over them run through memory in order.
func newProduct(f *features.Table, rows []int32, threads int) product {
	if f.Sparse() {
		p := newSparseProduct(f, rows)
		p.threads = threads
		return p
	}
	x := make([]float32, len(rows)*f.Width())
	f.Gather(rows, x)
	return &denseProduct{threads: threads, width: f.Width(), rows: rows, x: x, dropped: x}
}

// denseProduct is that of dense rows.
type denseProduct struct {
	threads, width int
	rows           []int32
	x, dropped     []float32
}

func (p *denseProduct) drop(d dropout) {
	p.dropped = p.x
	if d.below > 0 {
		p.dropped = slices.Clone(p.x)
		d.apply(p.dropped, make([]float32, len(p.x)), p.rows, p.width, p.threads)
	}
}

func (p *denseProduct) forward(weights, biases, z []float32) {
	affine{p.threads, p.width, len(biases)}.forward(p.dropped, len(p.rows), weights, biases, z, "")
}

func (p *denseProduct) row(k int) ([]int32, []float32) {
	return nil, p.dropped[k*p.width : (k+1)*p.width]
}

// backward goes by pieces of the rows, so that those of a block of features stay in the cache.
func (p *denseProduct) backward(dz, weights []float32, outputs int) {
	a := affine{p.threads, p.width, outputs}
	for lo := 0; lo < len(p.rows); lo += piece {
		hi := min(len(p.rows), lo+piece)
		a.backward(p.dropped[lo*a.in:hi*a.in], dz[lo*a.out:hi*a.out], hi-lo, weights)
	}
}

// sparseProduct multiplies with compressed rows forward and with compressed columns backward. Either way each thread
// writes to rows of its own, and the order of every sum is fixed.
type sparseProduct struct {
	threads int
	rows    []int32
	width   int

	start   []int // nonzeros of X by rows
	columns []int32
	values  []float32
	dropped []float32 // values under dropout

	columnStart []int // the same nonzeros by columns
	rowOf       []int32
	entry       []int32 // where the values of the columns lie in values
}

// newSparseProduct copies the nonzeros of the rows and lists them both ways.
func newSparseProduct(f *features.Table, rows []int32) *sparseProduct {
	p := &sparseProduct{rows: rows, width: f.Width(), start: make([]int, 1, len(rows)+1)}
	for _, r := range rows {
		columns, values := f.Nonzeros(int(r))
		p.columns, p.values = append(p.columns, columns...), append(p.values, values...)
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

func (p *sparseProduct) forward(weights, biases, z []float32) {
	outputs := len(biases)
	eachChunk(p.threads, len(p.rows), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			out := z[r*outputs : (r+1)*outputs]
			copy(out, biases)
			for k := p.start[r]; k < p.start[r+1]; k++ {
				kernel.AddMultiple(out, weights[int(p.columns[k])*outputs:], p.dropped[k])
			}
		}
	})
}

// drop applies dropout to the nonzeros; zeros stay zero anyway.
func (p *sparseProduct) drop(d dropout) {
	p.dropped = p.values
	if d.below == 0 {
		return
	}
	p.dropped = make([]float32, len(p.values))
	eachChunk(p.threads, len(p.rows), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			for k := p.start[r]; k < p.start[r+1]; k++ {
				cell := uint64(p.rows[r])*uint64(p.width) + uint64(p.columns[k])
				p.dropped[k] = p.values[k] * d.keep(cell)
			}
		}
	})
}

func (p *sparseProduct) row(k int) ([]int32, []float32) {
	lo, hi := p.start[k], p.start[k+1]
	return p.columns[lo:hi], p.dropped[lo:hi]
}

func (p *sparseProduct) backward(dz, weights []float32, outputs int) {
	eachChunk(p.threads, p.width, func(lo, hi int) {
		for c := lo; c < hi; c++ {
			out := weights[c*outputs : (c+1)*outputs]
			for k := p.columnStart[c]; k < p.columnStart[c+1]; k++ {
				kernel.AddMultiple(out, dz[int(p.rowOf[k])*outputs:], p.dropped[p.entry[k]])
			}
		}
	})
}
