package basis

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/kernel"
)

// levels are the triangles of a basis laid out to solve with it many times: line by line, those first that need no
// other one, and then those that need former ones alone. Each line takes its entries in the order in which Solve and
// SolveTransposed do, so that the bits are the same.
type levels struct{ lower, upper, lowerTransposed, upperTransposed parts }

// parts are the lines before a dense block, within it, and behind it.
type parts [3]*kernel.Lines

const before, within, behind = 0, 1, 2

// newLevels lays out the columns of triangles that are to be added, those of U scaled by the inverses of its diagonal,
// around a block.
func newLevels(lower, upper kernel.Sparse, inverse []float64, first, last int) *levels {
	n := len(inverse)
	cuts, all := [...]int{0, first, last, n}, span(0, n)
	v := &levels{lowerTransposed: layOut(lower, cuts, true, false, lower.ByFour),
		upperTransposed: layOut(upper, cuts, false, false, upper.ByFour)}
	lower, upper = lower.Transposed(all, n), upper.Transposed(all, n)
	for r := range n {
		slices.Reverse(upper.Index[upper.Start[r]:upper.Start[r+1]])
		slices.Reverse(upper.Coef[upper.Start[r]:upper.Start[r+1]])
	}
	v.lower = layOut(lower, cuts, false, false, lower.InOrder)
	v.upper = layOut(upper, cuts, true, true, upper.InOrder)
	for k := range v.upper {
		v.upperTransposed[k].Scale(inverse)
		if k != within {
			v.upper[k].Scale(inverse)
		}
	}
	return v
}

// layOut lays out lines that need those behind them, or else before them, without those that are empty unless they are
// to be scaled: those of the block, which is solved before that, are not.
func layOut(s kernel.Sparse, cuts [4]int, backward, scaled bool,
	by func(list, level []int32) *kernel.Lines) (out parts) {
	n := len(s.Start) - 1
	level := make([]int32, n)
	for l := range n {
		k := l
		if backward {
			k = n - 1 - l
		}
		for _, other := range s.Index[s.Start[k]:s.Start[k+1]] {
			level[k] = max(level[k], level[other]+1)
		}
	}
	for part := range out {
		if scaled && part != within {
			out[part] = by(span(cuts[part], cuts[part+1]), level)
		} else {
			out[part] = by(s.WithEntries(cuts[part], cuts[part+1]), level)
		}
	}
	return out
}

// span has the numbers from first up to last.
func span(first, last int) []int32 {
	list := make([]int32, last-first)
	for k := range list {
		list[k] = int32(first + k)
	}
	return list
}
