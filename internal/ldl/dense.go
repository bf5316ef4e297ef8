package ldl

import (
	"math"
	"sync/atomic"

	"github.com/deeppsl/deeppsl/internal/kernel"
	"github.com/deeppsl/deeppsl/internal/parallel"
)

// dense is the memory for factoring fronts.
type dense struct {
	threads int
	left    []float64 // rows of L, packed
	right   []float64 // columns of D Lᵀ, packed
	clock   *clock
	since   float64 // flops since it was asked
}

// clock tells whether it is time to leave off.
type clock struct {
	stop func() bool // nil for never
	over atomic.Bool
}

func (c *clock) asks() bool {
	if c.stop != nil && !c.over.Load() && c.stop() {
		c.over.Store(true)
	}
	return c.over.Load()
}

// long is about how many flops are done between two looks at the clock: some milliseconds.
const long = 1e8

// ends tells whether to leave off before so many more flops.
func (d *dense) ends(flops float64) bool {
	if d.since += flops; d.since < long {
		return d.clock.over.Load()
	}
	d.since = 0
	return d.clock.asks()
}

// block is the number of columns that are factored before what is right of them is brought up to date.
const block = 32

// infinite stands for a pivot that must not be divided by; rank is the part of a pivot that rounding can leave of
// nothing.
const (
	infinite = 1e64
	rank     = 1e-15
)

// factor factors the first width columns of a front in place: panel has them, order numbers each. Pivots have the given
// signs, and were whole in the matrix; it returns how many were lost.
func (d *dense) factor(panel []float64, order, width int, whole, sign []float64) (lost int) {
	for lo := 0; lo < width; lo += block {
		hi := min(lo+block, width)
		if d.ends(block * float64(order-lo) * float64(width-lo)) {
			return lost
		}
		for c := lo; c < hi; c++ {
			column := panel[c*order : (c+1)*order]
			pivot := column[c]
			if !(pivot*sign[c] > rank*math.Abs(whole[c])) {
				pivot = infinite * sign[c]
				column[c] = pivot
				lost++
			}
			inverse := 1 / pivot
			low := column[c+1:]
			for k := c + 1; k < hi; k++ {
				if v := low[k-c-1] * inverse; v != 0 {
					kernel.SubtractMultiple(panel[k*order+k:(k+1)*order], low[k-c-1:], v)
				}
			}
			for n := range low {
				low[n] *= inverse
			}
		}
		if hi < width {
			d.update(panel, order, lo, hi, panel[hi*order+hi:], order, width-hi, order-hi)
		}
	}
	return lost
}

// downdate subtracts what the columns of a factored panel leave for the rows below them: L D Lᵀ.
func (d *dense) downdate(panel []float64, order, width int, update []float64) {
	below := order - width
	d.update(panel, order, 0, width, update, below, below, below)
}

// update subtracts L D Lᵀ of the panel's columns [lo,hi) from the lower part of the last rows by the first columns of
// them: c, stride numbers for each of so many columns, has the last height rows.
func (d *dense) update(panel []float64, order, lo, hi int, c []float64, stride, columns, height int) {
	first := order - height // of the rows
	if (hi-lo)*height < 256 {
		for k := lo; k < hi; k++ {
			column := panel[k*order : (k+1)*order]
			pivot, low := column[k], column[first:]
			for n := range columns {
				if v := low[n] * pivot; v != 0 {
					kernel.SubtractMultiple(c[n*stride+n:n*stride+height], low[n:], v)
				}
			}
		}
		return
	}
	d.pack(panel, order, lo, hi, first)
	depth, tiles := hi-lo, (height+tile-1)/tile
	flops := float64(depth) * float64(height) * float64(columns)
	task := func(j int) {
		if flops > long && d.clock.asks() {
			return
		}
		right := d.right[j*tile*depth : (j+1)*tile*depth]
		for i := j; i < tiles; i++ {
			left, at := d.left[i*tile*depth:(i+1)*tile*depth], j*tile*stride+i*tile
			rows, wide := min(tile, height-i*tile), min(tile, columns-j*tile)
			if rows == tile && wide == tile {
				kernel.SubtractTile(c[at:], stride, left, right) // above the diagonal, too, where nobody looks
				continue
			}
			var sum [tile * tile]float64
			kernel.SubtractTile(sum[:], tile, left, right)
			for k := range wide {
				to := c[at+k*stride : at+k*stride+rows]
				for n, v := range sum[k*tile : k*tile+rows] {
					to[n] += v
				}
			}
		}
	}
	threads := d.threads
	if flops < shareable {
		threads = 1
	}
	parallel.For(threads, (columns+tile-1)/tile, task)
}

// tile is the number of rows and columns that are taken at once.
const tile = kernel.Tile

// pack copies rows of L, by tiles, and the same times D.
func (d *dense) pack(panel []float64, order, lo, hi, first int) {
	depth, height := hi-lo, order-first
	tiles := (height + tile - 1) / tile
	if size := tiles * tile * depth; len(d.left) < size {
		d.left, d.right = make([]float64, size), make([]float64, size)
	}
	for k := lo; k < hi; k++ {
		column := panel[k*order : (k+1)*order]
		pivot := column[k]
		at, low := (k-lo)*tile, column[first:]
		for ; len(low) >= tile; at, low = at+tile*depth, low[tile:] {
			from, left, right := (*[tile]float64)(low), (*[tile]float64)(d.left[at:]), (*[tile]float64)(d.right[at:])
			for n, v := range from {
				left[n], right[n] = v, v*pivot
			}
		}
		if len(low) > 0 {
			left, right := d.left[at:at+tile], d.right[at:at+tile]
			clear(left[copy(left, low):])
			for n, v := range left {
				right[n] = v * pivot
			}
		}
	}
}
