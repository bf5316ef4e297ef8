package basis

import (
	"math/rand/v2"
	"slices"
)

const (
	// vain is how many columns that depend on others are gone through before it is told anew which do.
	vain = 8
	// patient is how many times as much work as to find rows it may be to look at each by all rows and columns.
	patient = 4
)

// Dependent visits the rows that are combinations of others, each with the combination that vanishes, 1 there. Columns
// are taken, those with few entries first, for as long as a row of theirs has no pivot, so that hardly any is gone
// through that depends on others; then those in which a combination at random of the rows that have none does not
// vanish. It gives up, and says so, where the factors have more than so many entries, or so many have been visited, or
// where rows are so many that to look at each takes longer.
func (b *Basis) Dependent(most, work int, visit func(row int32, combination []float64)) (ok bool) {
	b.clear()
	n := len(b.a.Start) - 1
	b.Work = n
	columns, order, counts := make([]int32, n), make([]int32, n), make([]int32, n)
	for j := range columns {
		columns[j], counts[j] = int32(j), b.a.Start[j+1]-b.a.Start[j]
	}
	sortByClass(order, columns, counts)
	over := func() bool { return len(b.lower.row)+len(b.upper.row) > most || b.Work > work }
	open := func(r int32) bool { return b.pivot[r] == none }
	for _, j := range order {
		if slices.ContainsFunc(b.a.Row[b.a.Start[j]:b.a.Start[j+1]], open) {
			b.add(j)
		}
		if over() {
			return false
		}
	}
	y, rng, failed := make([]float64, b.a.Rows), rand.New(rand.NewPCG(1, 2)), vain
	for _, j := range order {
		if failed == vain {
			failed = 0
			b.probe(y, rng)
		}
		if b.along(y, j) == 0 {
			continue
		}
		before := len(b.Chosen)
		if b.add(j); len(b.Chosen) == before {
			failed++
		}
		if over() {
			return false
		}
	}
	if found := b.a.Rows - len(b.Chosen); found*(b.a.Rows+n) > patient*work {
		return false
	}
	for r := range int32(b.a.Rows) {
		if open(r) {
			b.combine(r, y)
			visit(r, y)
		}
	}
	return true
}

// probe sets y to a combination at random of the rows without a pivot, once the pivots are subtracted.
func (b *Basis) probe(y []float64, rng *rand.Rand) {
	b.Work += len(b.lower.row) + len(y)
	for r, k := range b.pivot {
		if y[r] = 0; k == none {
			y[r] = 1 + rng.Float64()
		}
	}
	b.extend(y)
}
