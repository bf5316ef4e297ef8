package main

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// tight are problems whose hard rules leave next to nothing to choose, or contradict each other by the rounding of what
// is observed: budgets of things that weigh more in some sums than in others, reactions that use up what others make,
// and tables of three ways whose sums are known. Of some forty structures they came nearest to being lost.
var tight = []model{
	{"budgets-weights", `
0 * Row(R) + 3 * X(+A) + 5 * X(+B) <= 12 . {A: Light(A, R)} {B: Heavy(B, R)}
X(+A) / |A| >= 0.75 .
1 * Cost(A): X(A)
0.2: Near(A, B) & X(A) -> X(B)
`, weightBudgets},
	{"reactions", `
0 * Substance(M) + V(+R) = V(+Q) . {R: Makes(R, M)} {Q: Uses(Q, M)}
V(R) <= Most(R) .
5 * Worth(R): V(R)
0.02: !V(R)
0.1: Near(R, Q) & V(R) -> V(Q)
`, reactions},
	{"tables-margins", `
0 * A(I) + 0 * B(J) + X(I, J, +K) = First(I, J) .
0 * A(I) + 0 * C(K) + X(I, +J, K) = Second(I, K) .
0 * B(J) + 0 * C(K) + X(+I, J, K) = Third(J, K) .
1: X(I, J, K) = Seen(I, J, K)
`, marginTables},
}

// near links pairs of n constants at random.
func (d *data) near(first symbol.ID, n, pairs int) *table {
	near := newTable(2)
	seen := map[[2]int]bool{}
	for len(seen) < pairs {
		a, b := d.rng.IntN(n), d.rng.IntN(n)
		if pair := [2]int{min(a, b), max(a, b)}; a != b && !seen[pair] {
			seen[pair] = true
			near.observe(1, first+symbol.ID(a), first+symbol.ID(b))
		}
	}
	return near
}

// weightBudgets makes things in two budgets of four each, in which two weigh more than the others.
func weightBudgets(size int, seed uint64) *data {
	d := newData(seed)
	n := max(24, size/3)
	n -= n % 4
	thing, row := d.constants("a", n), d.constants("r", n/2)
	x, cost, rows, light, heavy := newTable(1), newTable(1), newTable(1), newTable(2), newTable(2)
	for k := range symbol.ID(n) {
		x.target(thing + k)
		cost.observe(d.rng.Float64(), thing+k)
	}
	for k := range symbol.ID(n / 2) {
		rows.observe(1, row+k)
	}
	for half := range 2 {
		for k, i := range d.rng.Perm(n) {
			in := light
			if k/2%2 == half {
				in = heavy
			}
			in.observe(1, thing+symbol.ID(i), row+symbol.ID(half*n/4+k/4))
		}
	}
	d.add("X", true, x)
	d.add("Cost", false, cost)
	d.add("Row", false, rows)
	d.add("Light", false, light)
	d.add("Heavy", false, heavy)
	d.add("Near", false, d.near(thing, n, n))
	return d
}

// reactions makes reactions of substances of which a few are in many.
func reactions(size int, seed uint64) *data {
	d := newData(seed)
	n := max(30, size/3)
	substances := n * 6 / 10
	reaction, substance := d.constants("r", n), d.constants("m", substances)
	all, v, most, worth := newTable(1), newTable(1), newTable(1), newTable(1)
	uses, makes := newTable(2), newTable(2)
	for m := range symbol.ID(substances) {
		all.observe(1, substance+m)
	}
	for k := range n {
		r := reaction + symbol.ID(k)
		v.target(r)
		most.observe(0.1+0.9*d.rng.Float64(), r)
		if k%25 == 0 {
			worth.observe(d.rng.Float64(), r)
		}
		for _, in := range []*table{uses, makes} {
			seen := map[int]bool{}
			for range 1 + d.rng.IntN(2) {
				m := int(float64(substances) * math.Pow(d.rng.Float64(), 1.5))
				if !seen[m] {
					seen[m] = true
					in.observe(1, r, substance+symbol.ID(m))
				}
			}
		}
	}
	d.add("Substance", false, all)
	d.add("V", true, v)
	d.add("Most", false, most)
	d.add("Worth", false, worth)
	d.add("Uses", false, uses)
	d.add("Makes", false, makes)
	d.add("Near", false, d.near(reaction, n, n/3))
	return d
}

// marginTables makes a table of three ways that has other cells than those that are seen.
func marginTables(size int, seed uint64) *data {
	d := newData(seed)
	width := max(3, int(math.Cbrt(float64(size)/1.4)))
	ways := [3]symbol.ID{d.constants("a", width), d.constants("b", width), d.constants("c", width)}
	x, seen := newTable(3), newTable(3)
	var sums [3]map[[2]symbol.ID]float64
	for s := range sums {
		sums[s] = map[[2]symbol.ID]float64{}
	}
	for k := range width * width * width {
		a, b, c := ways[0]+symbol.ID(k/width/width), ways[1]+symbol.ID(k/width%width), ways[2]+symbol.ID(k%width)
		cell := d.rng.Float64() / float64(width)
		x.target(a, b, c)
		seen.observe(d.rng.Float64()/float64(width), a, b, c)
		sums[0][[2]symbol.ID{a, b}] += cell
		sums[1][[2]symbol.ID{a, c}] += cell
		sums[2][[2]symbol.ID{b, c}] += cell
	}
	for way, name := range []string{"A", "B", "C"} {
		all := newTable(1)
		for k := range symbol.ID(width) {
			all.observe(1, ways[way]+k)
		}
		d.add(name, false, all)
	}
	for s, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
		margin := newTable(2)
		for k := range width * width {
			at := [2]symbol.ID{ways[pair[0]] + symbol.ID(k/width), ways[pair[1]] + symbol.ID(k%width)}
			margin.observe(min(sums[s][at], 1), at[0], at[1])
		}
		d.add([]string{"First", "Second", "Third"}[s], false, margin)
	}
	d.add("X", true, x)
	d.add("Seen", false, seen)
	return d
}
