package face

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/solve"
)

// basis is orthonormal vectors that some were made into, one after the other: the k-th of those is Σ r[k][l] q[l] for
// l up to k.
type basis struct {
	q, r [][]float64
	from []int // whose it is, for addTo
	done *work
}

// work counts products of two numbers, the sizes of vectors that are gone through; nil counts nothing.
type work float64

func (w *work) add(products int) {
	if w != nil {
		*w += work(products)
	}
}

// dependent is the part of a vector beside others below which it follows from them.
const dependent = 1e-11

// add adds a vector unless it follows from those that are there.
func (b *basis) add(a []float64) bool {
	b.done.add(4 * len(b.q) * len(a))
	rest, whole := append([]float64(nil), a...), math.Sqrt(solve.Dot(a, a))
	parts := make([]float64, len(b.q)+1)
	for range 2 { // once more for what rounding leaves
		for l, q := range b.q {
			c := solve.Dot(rest, q)
			parts[l] += c
			add(rest, -c, q)
		}
	}
	left := math.Sqrt(solve.Dot(rest, rest))
	if !(left > dependent*whole) {
		return false
	}
	for i := range rest {
		rest[i] /= left
	}
	parts[len(b.q)] = left
	b.q, b.r = append(b.q, rest), append(b.r, parts)
	return true
}

// addTo is add with a number that the vector is remembered by.
func (b *basis) addTo(a []float64, number int) bool {
	if b.add(a) {
		b.from = append(b.from, number)
		return true
	}
	return false
}

// forward returns the coordinates c, in terms of q, of the vector whose products with those that were added are known.
func (b *basis) forward(products []float64) []float64 {
	c := make([]float64, len(products))
	for k, v := range products {
		for l := range k {
			v -= b.r[k][l] * c[l]
		}
		c[k] = v / b.r[k][k]
	}
	return c
}

// back returns the coordinates, in terms of the vectors that were added, of the vector that has those in terms of q.
func (b *basis) back(c []float64) []float64 {
	x := make([]float64, len(c))
	for k := len(c) - 1; k >= 0; k-- {
		v := c[k]
		for l := k + 1; l < len(c); l++ {
			v -= b.r[l][k] * x[l]
		}
		x[k] = v / b.r[k][k]
	}
	return x
}

// least is a problem of least squares with bounds: of columns, times x between lo and hi, what comes nearest to a goal.
type least struct {
	columns [][]float64
	lo, hi  []float64
	x       []float64
	between []bool // not at a bound
	size    []float64
	stop    func() bool
	done    *work
}

// add adds a column, whose x begins where it is said, or at a bound if it is there.
func (l *least) add(column []float64, lo, hi, x float64) {
	l.columns, l.lo, l.hi = append(l.columns, column), append(l.lo, lo), append(l.hi, hi)
	l.size = append(l.size, math.Sqrt(solve.Dot(column, column)))
	free := math.IsInf(lo, 0) && math.IsInf(hi, 0)
	between := free || x > lo && x < hi
	switch {
	case free:
		x = 0
	case !between && !(x >= hi):
		x = lo
	case !between:
		x = hi
	}
	l.x, l.between = append(l.x, x), append(l.between, between)
}

// solve finds x by exchanging columns between those at a bound and the others, which solve the problem without bounds
// (Stark and Parker 1995). It returns what is left of the goal, or was when it had to stop.
func (l *least) solve(goal []float64) (rest []float64) {
	entered, barred := -1, make([]bool, len(l.columns))
	for range exchanges * (len(l.columns) + 1) {
		b, c := l.basis()
		whole := l.rest(goal, func(k int) bool { return !l.between[k] })
		rest = append([]float64(nil), whole...)
		for m, q := range b.q {
			c[m] = solve.Dot(rest, q)
			add(rest, -c[m], q)
		}
		for m, q := range b.q {
			more := solve.Dot(rest, q)
			c[m] += more
			add(rest, -more, q)
		}
		if k := l.approach(b, b.back(c)); k >= 0 {
			if l.stop() {
				break
			}
			barred[k] = barred[k] || k == entered // by rounding
			continue
		}
		if entered >= 0 && !barred[entered] {
			clear(barred)
		}
		rest = l.refine(b, goal)
		if entered = l.enter(rest, whole, barred); entered < 0 || l.stop() {
			return rest
		}
	}
	return l.rest(goal, func(int) bool { return true })
}

// rest is what some columns leave of a goal, added up exactly.
func (l *least) rest(goal []float64, with func(k int) bool) []float64 {
	sums := make([]solve.Sum, len(goal))
	for i, v := range goal {
		sums[i].Add(v)
	}
	for k, x := range l.x {
		if x != 0 && with(k) {
			for i, a := range l.columns[k] {
				if a != 0 {
					sums[i].AddProduct(a, -x)
				}
			}
		}
	}
	rest := make([]float64, len(goal))
	for i := range sums {
		rest[i] = sums[i].Value()
	}
	return rest
}

// refine solves for what is left once more, and returns what then is: where the goal has entries of very different
// sizes, rounding of the largest ones is as much as the least.
func (l *least) refine(b basis, goal []float64) (rest []float64) {
	all := func(int) bool { return true }
	for range refinements {
		rest = l.rest(goal, all)
		c := make([]float64, len(b.q))
		for m, q := range b.q {
			c[m] = solve.Dot(rest, q)
		}
		for m, more := range b.back(c) {
			k := b.from[m]
			l.x[k] = min(max(l.x[k]+more, l.lo[k]), l.hi[k])
		}
	}
	return l.rest(goal, all)
}

// exchanges bounds their number, in terms of the columns.
const exchanges = 4

// basis makes one of the columns between their bounds. Others, which follow from these, stay where they are, or go to 0
// if nothing bounds them.
func (l *least) basis() (b basis, c []float64) {
	b.done = l.done
	for k, between := range l.between {
		if between && !b.addTo(l.columns[k], k) {
			l.between[k] = false
			if math.IsInf(l.hi[k], 0) {
				l.x[k] = max(l.lo[k], 0)
			}
		}
	}
	return b, make([]float64, len(b.q))
}

// bound is the nearer one of a column.
func (l *least) bound(k int) float64 {
	if l.x[k]-l.lo[k] <= l.hi[k]-l.x[k] {
		return l.lo[k]
	}
	return l.hi[k]
}

// approach moves x to the solution without bounds, or as far as the first bound. It returns the column that is there,
// or -1.
func (l *least) approach(b basis, to []float64) (blocked int) {
	step, blocked := 1.0, -1
	for m, k := range b.from {
		bound := l.lo[k]
		if to[m] > l.hi[k] {
			bound = l.hi[k]
		} else if to[m] >= l.lo[k] {
			continue
		}
		if s := (bound - l.x[k]) / (to[m] - l.x[k]); s < step || blocked < 0 {
			step, blocked = min(s, step), k
		}
	}
	for m, k := range b.from {
		l.x[k] = min(max(l.x[k]+step*(to[m]-l.x[k]), l.lo[k]), l.hi[k])
	}
	if blocked >= 0 {
		l.between[blocked] = false
		l.x[blocked] = l.bound(blocked)
	}
	return blocked
}

// enter takes the column of those at a bound that what is left of the goal pulls the most into the interval, or returns
// -1 if it is nothing but rounding.
func (l *least) enter(rest, whole []float64, barred []bool) (column int) {
	column = -1
	most := math.Sqrt(solve.Dot(whole, whole)) * nothing
	for k, between := range l.between {
		if between || barred[k] || l.lo[k] == l.hi[k] || l.size[k] == 0 {
			continue
		}
		pull := solve.Dot(rest, l.columns[k]) / l.size[k]
		if pull > 0 && l.x[k] >= l.hi[k] || pull < 0 && l.x[k] <= l.lo[k] {
			continue
		}
		if math.Abs(pull) > most {
			most, column = math.Abs(pull), k
		}
	}
	if column >= 0 {
		l.between[column] = true
	}
	return column
}

// nothing is the part of a goal that rounding leaves.
const nothing = 1e-16
