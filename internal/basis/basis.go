// Package basis takes a basis from the columns of a sparse matrix with more columns than rows, those first that are
// wanted most, and factors it: B = LU, column by column (Gilbert and Peierls 1988), with a pivot in the row that has
// the fewest entries of those that are large enough. A basis of the columns of greatest weight is a preconditioner of
// A W Aᵀ as it is in the steps of an interior point method (Schork and Gondzio 2020): each other column is a
// combination of columns that weigh no less, so that the nearer a point comes to a vertex, the nearer the two are. Its
// pivots are then taken anew where they fill least. Where such a basis fills all the same, as of random sums, columns
// are told by where their entries are (Matched), and pivots are taken where they fill least, until what is left is
// dense. Where coefficients are far apart, columns may be left that are far larger in terms of it, and one is taken
// that has them.
package basis

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/kernel"
)

// Columns are those of a matrix, each a list of entries.
type Columns struct {
	Rows  int
	Start []int32 // column j has the entries Start[j]..Start[j+1]
	Row   []int32
	Coef  []float64
}

// FromRows makes the columns of a matrix whose row k has the entries start[k]..start[k+1].
func FromRows(columns int, start, index []int32, coef []float64) *Columns {
	c := &Columns{Rows: len(start) - 1, Start: make([]int32, columns+1), Row: make([]int32, len(index)),
		Coef: make([]float64, len(index))}
	for _, j := range index {
		c.Start[j+1]++
	}
	for j := range columns {
		c.Start[j+1] += c.Start[j]
	}
	at := slices.Clone(c.Start)
	for k := range c.Rows {
		for l := start[k]; l < start[k+1]; l++ {
			j := index[l]
			c.Row[at[j]], c.Coef[at[j]] = int32(k), coef[l]
			at[j]++
		}
	}
	return c
}

// Basis is a factored one.
type Basis struct {
	// Chosen are its columns, in the order of the pivots.
	Chosen []int32
	// Work is how many entries the last choice visited.
	Work int

	a      *Columns
	counts []int32 // entries of the rows
	behind []int32 // how many pivots' rows lead to a row without one, at most
	pivot  []int32 // the pivot of each row, or none
	row    []int32 // the row of each pivot
	lower  triangle
	upper  triangle
	dense  block     // what is in neither, once all rows have a pivot
	laid   *levels   // nil until it is solved with often
	values []float64 // the inverses of U's diagonal
	x      []float64
	seen   []int32
	stack  []int32
	next   []int32
	order  []int32
	stamp  int32
}

// triangle has the entries beside the diagonal by columns, most of which have none as a rule: filled are those that do.
type triangle struct {
	start  []int32
	row    []int32
	coef   []float64
	filled []int32
}

const none = -1

const (
	// threshold is the part of a column's largest entry that its pivot is at least.
	threshold = 0.1
	// dependent is the part of a column's largest entry that is rounding if nothing else is left of it.
	dependent = 1e-6
)

// New makes a basis without columns.
func New(a *Columns) *Basis {
	b := &Basis{a: a, counts: make([]int32, a.Rows), pivot: make([]int32, a.Rows), seen: make([]int32, a.Rows),
		x: make([]float64, a.Rows), behind: make([]int32, a.Rows)}
	for _, r := range a.Row {
		b.counts[r]++
	}
	return b
}

// Choose takes the first columns in the order that do not depend on those before, and factors them. The order has all
// columns, or enough of them. It gives up, and says so, where the factors have more than so many entries, or where so
// many have been visited: columns that depend on others, such as those of tables whose margins all add up to the same,
// are each found to do so by going through what they depend on.
func (b *Basis) Choose(order []int32, most, work int) (ok bool) {
	b.clear()
	b.Work = len(order)
	for _, j := range order {
		if len(b.Chosen) == b.a.Rows {
			break
		}
		b.add(j)
		if len(b.lower.row)+len(b.upper.row) > most || b.Work > work {
			return false
		}
	}
	b.number()
	return len(b.Chosen) == b.a.Rows
}

// clear leaves a basis without columns.
func (b *Basis) clear() {
	b.Chosen, b.row, b.values = b.Chosen[:0], b.row[:0], b.values[:0]
	b.lower.clear()
	b.upper.clear()
	b.dense.first, b.dense.order = 0, 0
	b.laid = nil
	for r := range b.pivot {
		b.pivot[r], b.behind[r] = none, 0
	}
}

// number writes L by pivots, once all rows have one.
func (b *Basis) number() {
	for k, r := range b.lower.row {
		b.lower.row[k] = b.pivot[r]
	}
	b.take()
	b.lower.list()
	b.upper.list()
}

// list lists the columns that have entries.
func (t *triangle) list() {
	t.filled = t.filled[:0]
	for k, first := range t.start[:len(t.start)-1] {
		if t.start[k+1] > first {
			t.filled = append(t.filled, int32(k))
		}
	}
}

// Entries is the number of entries of the factors.
func (b *Basis) Entries() int {
	return len(b.lower.row) + len(b.upper.row) + len(b.values) + b.dense.order*b.dense.order
}

func (t *triangle) clear() {
	t.start, t.row, t.coef = append(t.start[:0], 0), t.row[:0], t.coef[:0]
}

func (t *triangle) add(row int32, v float64) {
	t.row, t.coef = append(t.row, row), append(t.coef, v)
}

func (t *triangle) end() { t.start = append(t.start, int32(len(t.row))) }

// add takes a column if it does not depend on those before.
func (b *Basis) add(j int32) {
	largest := b.spread(j)
	best, at := 0.0, int32(none)
	for _, r := range b.order {
		if b.pivot[r] == none {
			best = max(best, math.Abs(b.x[r]))
		}
	}
	if best <= dependent*largest {
		b.wipe()
		return
	}
	for _, r := range b.order {
		if b.pivot[r] == none && math.Abs(b.x[r]) >= threshold*best && (at == none || b.easier(r, at)) {
			at = r
		}
	}
	b.keep(j, at)
	b.wipe()
}

// keep adds the column that was spread to the factors, with its pivot in that row.
func (b *Basis) keep(j, at int32) {
	v := b.x[at]
	for _, r := range b.order {
		switch k := b.pivot[r]; {
		case r == at || b.x[r] == 0:
		case k != none:
			b.upper.add(k, b.x[r])
		default:
			b.lower.add(r, b.x[r]/v)
			b.behind[r] = min(b.behind[r]+b.behind[at]+1, math.MaxInt32/4)
		}
	}
	b.lower.end()
	b.upper.end()
	b.lead(j, at, v)
}

// lead makes a row the pivot of a column, which is v there.
func (b *Basis) lead(j, row int32, v float64) {
	b.pivot[row] = int32(len(b.Chosen))
	b.Chosen, b.row, b.values = append(b.Chosen, j), append(b.row, row), append(b.values, 1/v)
}

// easier tells whether a row is the better pivot: the one that fewer lead to, so that ways along rows stay short.
func (b *Basis) easier(r, than int32) bool {
	if b.behind[r] != b.behind[than] {
		return b.behind[r] < b.behind[than]
	}
	return b.counts[r] < b.counts[than]
}

func (b *Basis) wipe() {
	for _, r := range b.order {
		b.x[r] = 0
	}
}

// spread sets x to L⁻¹ times a column, and order to the rows where it is not 0; it returns the column's largest entry.
func (b *Basis) spread(j int32) (largest float64) {
	b.stamp++
	b.order = b.order[:0]
	for l := b.a.Start[j]; l < b.a.Start[j+1]; l++ {
		b.reach(b.a.Row[l])
	}
	for l := b.a.Start[j]; l < b.a.Start[j+1]; l++ {
		b.x[b.a.Row[l]] += b.a.Coef[l]
		largest = max(largest, math.Abs(b.a.Coef[l]))
	}
	b.Work += 2 * len(b.order)
	for k := len(b.order) - 1; k >= 0; k-- {
		r := b.order[k]
		if p := b.pivot[r]; p != none && b.x[r] != 0 {
			b.Work += int(b.lower.start[p+1] - b.lower.start[p])
			b.lower.subtract(p, b.x[r], b.x)
		}
	}
	return largest
}

// reach appends to order the rows that an entry of this one leads to, each after those that it leads to. Those that
// lead nowhere, as most do, are there at once.
func (b *Basis) reach(r int32) {
	if b.seen[r] == b.stamp {
		return
	}
	b.stack, b.next = b.stack[:0], b.next[:0]
	for b.visit(r); len(b.stack) > 0; {
		top := len(b.stack) - 1
		at := b.stack[top]
		last := b.lower.start[b.pivot[at]+1]
		for len(b.stack) == top+1 && b.next[top] < last {
			to := b.lower.row[b.next[top]]
			if b.next[top]++; b.seen[to] != b.stamp {
				b.visit(to)
			}
		}
		if len(b.stack) == top+1 {
			b.order = append(b.order, at)
			b.stack, b.next = b.stack[:top], b.next[:top]
		}
	}
}

// visit appends a row to order if it leads nowhere, or else to those from where there are ways to go.
func (b *Basis) visit(r int32) {
	b.seen[r] = b.stamp
	if p := b.pivot[r]; p != none && b.lower.start[p] < b.lower.start[p+1] {
		b.stack, b.next = append(b.stack, r), append(b.next, b.lower.start[p])
		return
	}
	b.order = append(b.order, r)
}

// Solve sets z, by pivots, to B⁻¹ v, v by rows.
func (b *Basis) Solve(v, z []float64) {
	for k, r := range b.row {
		z[k] = v[r]
	}
	before, within, behind := b.dense.split(b.lower.filled)
	for _, k := range before {
		b.lower.subtract(k, z[k], z)
	}
	b.dense.lower(z)
	for _, list := range [...][]int32{within, behind} {
		for _, k := range list {
			b.lower.subtract(k, z[k], z)
		}
	}
	before, within, behind = b.dense.split(b.upper.filled)
	for l := len(behind) - 1; l >= 0; l-- {
		k := behind[l]
		b.upper.subtract(k, z[k]*b.values[k], z)
	}
	b.dense.upper(z)
	for _, list := range [...][]int32{within, before} {
		for l := len(list) - 1; l >= 0; l-- {
			k := list[l]
			b.upper.subtract(k, z[k]*b.values[k], z)
		}
	}
	for k, v := range b.values {
		z[k] *= v
	}
}

// SolveTransposed sets v, by rows, to B⁻ᵀ z, z by pivots, which it overwrites.
func (b *Basis) SolveTransposed(z, v []float64) {
	for k, v := range b.values {
		z[k] *= v
	}
	before, within, behind := b.dense.split(b.upper.filled)
	for _, list := range [...][]int32{before, within} {
		for _, k := range list {
			z[k] -= b.upper.dot(k, z) * b.values[k]
		}
	}
	b.dense.upperTransposed(z)
	for _, k := range behind {
		z[k] -= b.upper.dot(k, z) * b.values[k]
	}
	before, within, behind = b.dense.split(b.lower.filled)
	for _, list := range [...][]int32{behind, within} {
		for l := len(list) - 1; l >= 0; l-- {
			k := list[l]
			z[k] -= b.lower.dot(k, z)
		}
	}
	b.dense.lowerTransposed(z)
	for l := len(before) - 1; l >= 0; l-- {
		k := before[l]
		z[k] -= b.lower.dot(k, z)
	}
	for k, r := range b.row {
		v[r] = z[k]
	}
}

// levels lays out the triangles, once.
func (b *Basis) levels() *levels {
	if b.laid == nil {
		b.laid = newLevels(b.lower.negated(), b.upper.negated(), b.values, b.dense.first, b.dense.first+b.dense.order)
	}
	return b.laid
}

// solveByLevels is Solve of what has few zeros, many times.
func (b *Basis) solveByLevels(v, z []float64) {
	for k, r := range b.row {
		z[k] = v[r]
	}
	t := b.levels()
	t.lower[before].AddInOrder(z, z)
	t.lower[within].AddInOrder(z, z)
	b.dense.lower(z)
	t.lower[behind].AddInOrder(z, z)
	t.upper[behind].AddInOrder(z, z)
	t.upper[within].AddInOrder(z, z)
	b.dense.upper(z)
	block := b.dense.of(z)
	for k, v := range b.dense.of(b.values) {
		block[k] *= v
	}
	t.upper[before].AddInOrder(z, z)
}

// solveTransposedByLevels is SolveTransposed likewise, of what is times the inverses of U's diagonal.
func (b *Basis) solveTransposedByLevels(z, v []float64) {
	t := b.levels()
	t.upperTransposed[before].Add(z, z)
	t.upperTransposed[within].Add(z, z)
	b.dense.upperTransposed(z)
	t.upperTransposed[behind].Add(z, z)
	t.lowerTransposed[behind].Add(z, z)
	t.lowerTransposed[within].Add(z, z)
	b.dense.lowerTransposed(z)
	t.lowerTransposed[before].Add(z, z)
	for k, r := range b.row {
		v[r] = z[k]
	}
}

// negated are the columns of a triangle, to be added and not subtracted.
func (t *triangle) negated() kernel.Sparse {
	s := kernel.Sparse{Start: t.start, Index: t.row, Coef: slices.Clone(t.coef)}
	for l, v := range s.Coef {
		s.Coef[l] = -v
	}
	return s
}

// subtract subtracts so many times a column from z.
func (t *triangle) subtract(k int32, times float64, z []float64) {
	first, last := t.start[k], t.start[k+1]
	if first == last || times == 0 {
		return
	}
	rows := t.row[first:last]
	coef := t.coef[first:last][:len(rows)]
	for l, r := range rows {
		z[r] -= times * coef[l]
	}
}

// dot is the product of a column with z.
func (t *triangle) dot(k int32, z []float64) float64 {
	first, last := t.start[k], t.start[k+1]
	if first == last {
		return 0
	}
	return dot(t.row[first:last], t.coef[first:last], z)
}

// dot is the product of a list of entries with z, in four sums, none of which waits for another one.
func dot(rows []int32, coef, z []float64) float64 {
	var first, second, third, fourth float64
	for len(rows) >= 4 && len(coef) >= 4 {
		first += z[rows[0]] * coef[0]
		second += z[rows[1]] * coef[1]
		third += z[rows[2]] * coef[2]
		fourth += z[rows[3]] * coef[3]
		rows, coef = rows[4:], coef[4:]
	}
	coef = coef[:len(rows)]
	for l, r := range rows {
		first += z[r] * coef[l]
	}
	return first + second + (third + fourth)
}
