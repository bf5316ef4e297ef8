package interior

import (
	"cmp"
	"math"
	"slices"
)

// nest writes rows that have others within them, as sums over groups of groups do, by what they have beside these. If
// row g has times as much of each entry of row c, and c is within no other, R has that number at g and c, and (1 - R)K
// is sparse however long the rows are. Factors do not gain by it: where c is far from its bound, what is left of g
// would be the small difference of two large numbers.
type nest struct {
	inner []inner           // such that rows come before those within them
	rest  map[int32][]int32 // of rows with others within: the entries that are in none of these
	saved int               // how many entries less there are
}

// inner is a row within another one, by their numbers among those of the nest.
type inner struct {
	outer, row int32
	times      float64
}

const (
	// worthy is the least number of entries of rows that are looked for in others, and alike what coefficients that
	// should be the same may differ by, as a part of them.
	worthy = 3
	alike  = 1e-13
	// outermost is the number of rows around a variable, each within no other so far, that are looked at.
	outermost = 8
)

// span says which entries a row has: first to last.
type span struct{ first, last int32 }

func (s span) length() int32 { return s.last - s.first }

// newNest finds the rows within rows, of n variables. The longest are taken of those that are within one but have
// variables in common.
func newNest(n int, rows []span, index []int32, coef []float64) nest {
	f := nester{rows: rows, index: index, coef: coef, around: make([][]part, n), found: make([]match, len(rows)),
		taken: make([]int32, n), nest: nest{rest: make(map[int32][]int32)}}
	var long []int32
	for k, r := range rows {
		if r.length() >= worthy {
			long = append(long, int32(k))
		}
	}
	slices.SortStableFunc(long, func(a, b int32) int { return cmp.Compare(rows[a].length(), rows[b].length()) })
	for _, k := range long {
		for _, c := range f.within(k) {
			f.take(k, c)
		}
		f.put(k)
	}
	slices.Reverse(f.nest.inner)
	return f.nest
}

// nester goes through rows from short to long ones.
type nester struct {
	rows   []span
	index  []int32
	coef   []float64
	around [][]part // of each variable: the last rows that have it and are within no other
	found  []match  // of each row, in the present one
	taken  []int32  // of each variable: 1 + the row of which it is in a part that was taken
	nest   nest
}

// match is how many entries of a row are in another one, so many times as large.
type match struct {
	entries int32
	times   float64
}

// part is a row's coefficient.
type part struct {
	row  int32
	coef float64
}

// within returns the rows that a row has within, the longest first.
func (f *nester) within(k int32) (all []int32) {
	r := f.rows[k]
	for e := r.first; e < r.last; e++ {
		for _, o := range f.around[f.index[e]] {
			m := &f.found[o.row]
			if m.entries == 0 {
				all, m.times = append(all, o.row), f.coef[e]/o.coef
			}
			if math.Abs(f.coef[e]-m.times*o.coef) <= alike*math.Abs(f.coef[e]) {
				m.entries++
			}
		}
	}
	all = slices.DeleteFunc(all, func(c int32) bool {
		entries := f.found[c].entries
		f.found[c].entries = 0
		return entries < f.rows[c].length()
	})
	slices.SortStableFunc(all, func(a, b int32) int { return cmp.Compare(f.rows[b].length(), f.rows[a].length()) })
	return all
}

// take takes a row within another one, if no variable of it is taken already.
func (f *nester) take(k, c int32) {
	r := f.rows[c]
	variables := f.index[r.first:r.last]
	if slices.ContainsFunc(variables, func(i int32) bool { return f.taken[i] == k+1 }) {
		return
	}
	for _, i := range variables {
		f.taken[i] = k + 1
		f.around[i] = slices.DeleteFunc(f.around[i], func(o part) bool { return o.row == c })
	}
	f.nest.inner = append(f.nest.inner, inner{k, c, f.found[c].times})
	f.nest.rest[k], f.nest.saved = []int32{}, f.nest.saved+len(variables)-1
}

// put notes what a row has beside those within it, and that it is within no other.
func (f *nester) put(k int32) {
	r := f.rows[k]
	rest, nested := f.nest.rest[k]
	for e := r.first; e < r.last; e++ {
		i := f.index[e]
		if nested && f.taken[i] != k+1 {
			rest = append(rest, e)
		}
		if len(f.around[i]) == outermost {
			f.around[i] = slices.Delete(f.around[i], 0, 1)
		}
		f.around[i] = append(f.around[i], part{k, f.coef[e]})
	}
	if nested {
		f.nest.rest[k] = rest
	}
}

// apply multiplies a vector of the rows with 1 - R.
func (n *nest) apply(v []float64) {
	for _, in := range n.inner {
		v[in.outer] -= in.times * v[in.row]
	}
}

// applyTransposed multiplies one with its transpose.
func (n *nest) applyTransposed(v []float64) {
	for k := len(n.inner) - 1; k >= 0; k-- {
		in := n.inner[k]
		v[in.row] -= in.times * v[in.outer]
	}
}

// undo divides one by 1 - R.
func (n *nest) undo(v []float64) {
	for k := len(n.inner) - 1; k >= 0; k-- {
		in := n.inner[k]
		v[in.outer] += in.times * v[in.row]
	}
}

// undoTransposed divides one by the transpose.
func (n *nest) undoTransposed(v []float64) {
	for _, in := range n.inner {
		v[in.row] += in.times * v[in.outer]
	}
}
