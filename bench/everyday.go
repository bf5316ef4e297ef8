package main

import (
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// everyday are problems as people bring them: who does what with limits for kinds of work, shares of budgets on many
// levels, goods that share machines and are stored, jobs one after the other that share slots, and rules that nearly
// repeat others.
var everyday = []model{
	{"assignment-kinds", `
X(+P, T) = 1 .
X(P, +T) <= 2 .
0 * Kind(K) + X(P, +T) <= 0.8 . {T: Of(T, K)}
1 * Cost(P, T): !X(P, T)
`, work},
	{"grid-hinges", `
1: 0 * Beside(A, B) + T(A) <= T(B) + 0.05
0.5: 0 * Beside(A, B) + T(B) <= T(A) + 0.1
0 * Third(A) + T(A) <= 0.7 .
0 * Third(A) + T(A) >= 0.2 .
1: T(A) = O(A)
`, grid},
	{"budget-shares", `
0 * Group(G) + T(+A) / |A| <= Share(G) . {A: In(G, A)}
20: 0 * Group(G) + T(+A) / |A| + 0.05 >= Share(G) {A: In(G, A)}
1: T(A) = O(A)
`, nested(1)},
	{"matching-scales", `
X(A, +B) <= 2 .
X(+A, B) <= 2 .
0.0001: Cheap(A, B) & Good(A, B) -> X(A, B)
1: Dear(A, B) & Good(A, B) -> X(A, B)
10000: Costly(A, B) & Good(A, B) -> X(A, B)
`, matchings},
	{"margins-repeated", `
0 * Link(A, B) + T(A) <= T(B) + 0.1 .
0 * Link(A, B) + 0.999 * T(A) <= T(B) + 0.1001 .
0 * Link(A, B) + T(A) <= 1.001 * T(B) + 0.1 .
1: T(A) = O(A)
`, web(smallWorld)},
	{"transitivity-near", `
S(A, B) & S(B, C) & Link(A, C) -> S(A, C) .
S(A, B) = S(B, A) .
1: S(A, B) = Good(A, B)
`, neighbours},
	{"jobs-slots", `
X(J, +S) = 1 .
0 * Slot(S) + X(+J, S) / |J| <= 0.08 .
0 * Before(I, J) + 0 * Slot(S) + X(J, +U) <= X(I, +V) . {U: Until(U, S)} {V: Earlier(V, S)}
1 * Cost(J, S): !X(J, S)
`, jobs},
	{"cardinalities", `
1: 0 * Group(G) + T(+A) <= 3 {A: In(G, A)}
2: 0 * Group(G) + T(+A) >= 2 {A: In(G, A)}
0.5: T(A) = O(A)
`, clusters},
	{"lattice-implications", `
Joins(A, B, C) & T(A) & T(B) -> T(C) .
2: Splits(A, B, C) & T(C) -> T(A) || T(B)
1: T(A) = O(A)
`, latticeJoins},
	{"lots", `
0 * Next(S, U) + Stock(G, S) + Make(G, U) = Stock(G, U) + Need(G, U) .
Make(+G, U) <= 1 .
0.1: Stock(G, S) <= 0
1 * Cost(G, U): !Make(G, U)
`, lots},
}

// work makes tasks of four kinds, each of which five people can do.
func work(size int, seed uint64) *data {
	d := newData(seed)
	const able, kinds = 5, 4
	n := max(20, size/(able+4))
	task, person, kind := d.constants("t", n), d.constants("p", n), d.constants("k", kinds)
	x, cost, of, all := newTable(2), newTable(2), newTable(2), newTable(1)
	for k := range symbol.ID(kinds) {
		all.observe(1, kind+k)
	}
	for t := range symbol.ID(n) {
		of.observe(1, task+t, kind+t%kinds)
		for k := range symbol.ID(able) { // so that all tasks can be done: the first ways are shifts
			p := person + (t+k*k*7)%symbol.ID(n)
			x.target(p, task+t)
			cost.observe(d.rng.Float64(), p, task+t)
		}
	}
	d.add("X", true, x)
	d.add("Cost", false, cost)
	d.add("Of", false, of)
	d.add("Kind", false, all)
	return d
}

// matchings makes pairs of two kinds of nodes with a value each, in three classes.
func matchings(size int, seed uint64) *data {
	d := newData(seed)
	const ways = 4
	n := max(9, size/(ways+2))
	left, right := d.constants("a", n), d.constants("b", n)
	good, x, seen := newTable(2), newTable(2), make(map[uint64]bool)
	for a := range n {
		for range ways {
			b := d.rng.IntN(n)
			if pair := uint64(a)<<32 | uint64(b); !seen[pair] {
				seen[pair] = true
				good.observe(d.rng.Float64(), left+symbol.ID(a), right+symbol.ID(b))
				x.target(left+symbol.ID(a), right+symbol.ID(b))
			}
		}
	}
	d.add("Good", false, good)
	d.addClasses(x)
	d.add("X", true, x)
	return d
}

// neighbours makes guesses of what pairs of near points of a square belong together, by the corners they are in.
func neighbours(size int, seed uint64) *data {
	d := newData(seed)
	n := max(9, size/25)
	node := d.constants("n", n)
	all := both(geometric(d, n))
	d.addLinks(node, all)
	good, same := newTable(2), newTable(2)
	for _, l := range all {
		mean := 0.3
		if l[0]/16 == l[1]/16 {
			mean = 0.8
		}
		good.observe(d.value(mean, 0.3), node+symbol.ID(l[0]), node+symbol.ID(l[1]))
		same.target(node+symbol.ID(l[0]), node+symbol.ID(l[1]))
	}
	d.add("Good", false, good)
	d.add("S", true, same)
	return d
}

// jobs makes jobs that are done in twenty slots, each after another one.
func jobs(size int, seed uint64) *data {
	d := newData(seed)
	const slots = 20
	n := max(9, size/(2*slots+1))
	job, slot := d.constants("j", n), d.constants("s", slots)
	before, all, until, earlier := newTable(2), newTable(1), newTable(2), newTable(2)
	x, cost := newTable(2), newTable(2)
	for s := range symbol.ID(slots) {
		all.observe(1, slot+s)
		for u := range s + 1 {
			until.observe(1, slot+u, slot+s)
			if u < s {
				earlier.observe(1, slot+u, slot+s)
			}
		}
	}
	for j := range n {
		if part := n / 8; j >= part {
			before.observe(1, job+symbol.ID(j-part+d.rng.IntN(max(1, part/2))), job+symbol.ID(j))
		}
		for s := range symbol.ID(slots) {
			x.target(job+symbol.ID(j), slot+s)
			cost.observe(d.rng.Float64(), job+symbol.ID(j), slot+s)
		}
	}
	d.add("Before", false, before)
	d.add("Slot", false, all)
	d.add("Until", false, until)
	d.add("Earlier", false, earlier)
	d.add("X", true, x)
	d.add("Cost", false, cost)
	return d
}

// latticeJoins makes a square of nodes, each of which joins the one above and the one before, or is split into them.
func latticeJoins(size int, seed uint64) *data {
	d := newData(seed)
	width := 3
	for (width+1)*(width+1)*2 <= size {
		width++
	}
	node := d.constants("n", width*width)
	ways := []*table{newTable(3), newTable(3)}
	for k := width; k < width*width; k++ {
		if k%width > 0 {
			c := node + symbol.ID(k)
			ways[(k/width+k)%2].observe(1, c-1, c-symbol.ID(width), c)
		}
	}
	d.add("Joins", false, ways[0])
	d.add("Splits", false, ways[1])
	d.addNodes(node, width*width, wave)
	return d
}

// lots makes ten goods that are needed over time, made on one machine, and stored.
func lots(size int, seed uint64) *data {
	d := newData(seed)
	const goods = 10
	n := max(4, size/(3*goods))
	good, slot := d.constants("g", goods), d.constants("s", n)
	next, need, cost, stock, makes := newTable(2), newTable(2), newTable(2), newTable(2), newTable(2)
	for s := range symbol.ID(n) {
		if s > 0 {
			next.observe(1, slot+s-1, slot+s)
		}
		for g := range symbol.ID(goods) {
			need.observe(0.14*d.rng.Float64(), good+g, slot+s)
			cost.observe(d.rng.Float64(), good+g, slot+s)
			stock.target(good+g, slot+s)
			makes.target(good+g, slot+s)
		}
	}
	d.add("Next", false, next)
	d.add("Need", false, need)
	d.add("Cost", false, cost)
	d.add("Stock", true, stock)
	d.add("Make", true, makes)
	return d
}
