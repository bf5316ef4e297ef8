package basis

import (
	"math/rand/v2"
	"slices"
)

// vain is how many columns that depend on others are gone through before it is told anew which do.
const vain = 8

// Dependent visits the rows that are combinations of others, each with the rows of the combination that vanishes, it
// first, with the coefficient 1. Columns are taken, those with few entries first, for as long as a row of theirs has no
// pivot, so that hardly any is gone through that depends on others; then those in which a combination at random of the
// rows that have none does not vanish. It gives up, and says so, where the factors have more than so many entries, or
// so many have been visited.
func (b *Basis) Dependent(most, work int, visit func(rows []int32, combination []float64)) (ok bool) {
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
	clear(y)
	lower := b.lower.transposed(b.a.Rows)
	for r := range int32(b.a.Rows) {
		if !open(r) {
			continue
		}
		rows := b.gather(r, lower, y)
		if over() {
			return false
		}
		visit(rows, y)
		for _, i := range rows {
			y[i] = 0
		}
	}
	return true
}

// gather sets y to the combination of the rows that row r is once the pivots are subtracted, where it is 0 so far, and
// returns these rows. It visits the entries of their rows of L alone, those of the last pivots first.
func (b *Basis) gather(r int32, lower *triangle, y []float64) []int32 {
	b.stamp++
	b.seen[r] = b.stamp
	rows := append(b.stack[:0], r)
	for k := 0; k < len(rows); k++ {
		for _, pivot := range lower.row[lower.start[rows[k]]:lower.start[rows[k]+1]] {
			if i := b.row[pivot]; b.seen[i] != b.stamp {
				b.seen[i] = b.stamp
				rows = append(rows, i)
			}
		}
	}
	b.stack = rows
	slices.SortFunc(rows[1:], func(i, j int32) int { return int(b.pivot[j]) - int(b.pivot[i]) })
	y[r] = 1
	for _, i := range rows {
		first, last := lower.start[i], lower.start[i+1]
		b.Work += 2 * int(last-first)
		for l := first; l < last; l++ {
			y[b.row[lower.row[l]]] -= lower.coef[l] * y[i]
		}
	}
	b.Work += 2 * len(rows)
	return rows
}

// transposed has the columns of a triangle by rows, before these are those of pivots.
func (t *triangle) transposed(rows int) *triangle {
	out := &triangle{start: make([]int32, rows+1), row: make([]int32, len(t.row)), coef: make([]float64, len(t.row))}
	for _, r := range t.row {
		out.start[r+1]++
	}
	for r := range rows {
		out.start[r+1] += out.start[r]
	}
	at := slices.Clone(out.start)
	for k, first := range t.start[:len(t.start)-1] {
		for l := first; l < t.start[k+1]; l++ {
			r := t.row[l]
			out.row[at[r]], out.coef[at[r]] = int32(k), t.coef[l]
			at[r]++
		}
	}
	return out
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
