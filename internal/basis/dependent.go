package basis

import "slices"

// looking is how many times as many entries as to choose columns may be visited in all.
const looking = 8

// Dependent visits the rows that are combinations of others, each with the combination that vanishes, 1 there. Columns
// are taken, those with few entries first, for as long as a row of theirs has no pivot, so that hardly any is gone
// through that depends on others; then all are looked at in the combinations of rows that have none. It gives up, and
// says so, where the factors have more than so many entries, or so many have been visited to choose columns, or several
// times as many to look at combinations, which take less for each row that is found.
func (b *Basis) Dependent(most, work int, visit func(row int32, combination []float64)) (ok bool) {
	b.clear()
	n := len(b.a.Start) - 1
	b.Work = n
	columns, order, counts := make([]int32, n), make([]int32, n), make([]int32, n)
	scale, taken := make([]float64, n), make([]bool, n)
	for j := range columns {
		columns[j], counts[j], scale[j] = int32(j), b.a.Start[j+1]-b.a.Start[j], 1
	}
	sortByClass(order, columns, counts)
	over := func(times int) bool { return len(b.lower.row)+len(b.upper.row) > most || b.Work/times > work }
	open := func(r int32) bool { return b.pivot[r] == none }
	for _, j := range order {
		if slices.ContainsFunc(b.a.Row[b.a.Start[j]:b.a.Start[j+1]], open) {
			b.add(j)
		}
		if over(1) {
			return false
		}
	}
	y := make([]float64, b.a.Rows)
	for r := range int32(b.a.Rows) {
		if !open(r) {
			continue
		}
		b.combine(r, y)
		if j := b.largest(y, scale, taken); j == none {
			visit(r, y)
		} else if !b.addAt(j, r) {
			return false
		}
		if over(looking) {
			return false
		}
	}
	return true
}
