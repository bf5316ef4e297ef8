package main

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// coupled are problems of several levels, layers or times that all have to do with each other: parts of parts, heat
// that spreads, people in households in areas, classes with quotas, and sums that leave next to no room. Of some fifty
// structures, as users of graphs, networks, plans and finance would write them, they came nearest to being lost.
var coupled = []model{
	{"assembly", `
0 * Part(C) + 0.3 * Make(+A) + 0.6 * Make(+B) <= Make(C) + Buy(C) . {A: One(A, C)} {B: Two(B, C)}
0 * Shop(K) + Make(+A) / |A| <= 0.3 . {A: In(A, K)}
1 * Price(C): !Buy(C)
0.2 * Work(C): !Make(C)
2 * Worth(A): Make(A)
`, assembly},
	{"heat-times", `
0 * Step(S, U) + 0 * Cell(A) + T(A, U) = 0.6 * T(A, S) + 0.4 * M(A, S) .
0 * Time(S) + 0 * Cell(A) + M(A, S) = T(+B, S) / |B| . {B: Near(A, B)}
1: Seen(A, S) = T(A, S)
0.1: 0 * First(S) + 0 * Near(A, B) + T(A, S) = T(B, S)
`, heat},
	{"households", `
0 * House(H) + X(H) = P(+A) / |A| . {A: Lives(A, H)}
0 * Area(R) + Y(R) = X(+H) / |H| . {H: In(H, R)}
1: 0 * Lives(A, H) + P(A) = X(H)
2: 0 * In(H, R) + X(H) = Y(R) ^2
5: Y(R) = Census(R)
1: Friend(A, B) & P(A) -> P(B)
1: P(A) = Said(A)
Y(+R) / |R| = 0.45 .
`, households},
	{"labels-quotas", `
X(A, +V) = 1 .
1 * Share(A, B): X(A, V) = X(B, V)
1 * Guess(A, V): !X(A, V)
0 * Class(V) + X(+A, V) / |A| <= 0.2 .
0 * Class(V) + X(+A, V) / |A| >= 0.1 .
`, quotaLabels},
	{"budgets-tight", `
0 * Row(R) + X(+A) <= 2.001 . {A: In(A, R)}
X(+A) / |A| >= 0.4999 .
1 * O(A): X(A)
`, tightBudgets},
}

// assembly makes parts in six layers, each of three of the next one, which are made or bought.
func assembly(size int, seed uint64) *data {
	d := newData(seed)
	const layers = 6
	n := max(60, size/3)
	part, shop := d.constants("a", n), d.constants("k", n/30)
	parts, shops, one, two, in := newTable(1), newTable(1), newTable(2), newTable(2), newTable(2)
	made, bought, price, work, worth := newTable(1), newTable(1), newTable(1), newTable(1), newTable(1)
	for k := range symbol.ID(n / 30) {
		shops.observe(1, shop+k)
	}
	for k := range n {
		a := part + symbol.ID(k)
		parts.observe(1, a)
		made.target(a)
		bought.target(a)
		price.observe(0.3+0.7*d.rng.Float64(), a)
		work.observe(d.rng.Float64(), a)
		in.observe(1, a, shop+symbol.ID(d.rng.IntN(n/30)))
		layer := k * layers / n
		if layer == 0 {
			worth.observe(d.rng.Float64(), a)
		}
		if layer == layers-1 {
			continue
		}
		first, last := (layer+1)*n/layers, (layer+2)*n/layers
		for l, c := range d.few(3, last-first) {
			[]*table{one, two, one}[l].observe(1, a, part+symbol.ID(first+c))
		}
	}
	d.add("Part", false, parts)
	d.add("Shop", false, shops)
	d.add("One", false, one)
	d.add("Two", false, two)
	d.add("In", false, in)
	d.add("Make", true, made)
	d.add("Buy", true, bought)
	d.add("Price", false, price)
	d.add("Work", false, work)
	d.add("Worth", false, worth)
	return d
}

// heat makes a lattice at ten times, at a part of which it is seen.
func heat(size int, seed uint64) *data {
	d := newData(seed)
	const times = 10
	width := max(3, int(math.Sqrt(float64(size)/(2.3*times))))
	cell, time := d.constants("c", width*width), d.constants("t", times)
	cells, all, first, step, near := newTable(1), newTable(1), newTable(1), newTable(2), newTable(2)
	t, m, seen := newTable(2), newTable(2), newTable(2)
	first.observe(1, time)
	for s := range symbol.ID(times) {
		all.observe(1, time+s)
		if s > 0 {
			step.observe(1, time+s-1, time+s)
		}
		for k := range symbol.ID(width * width) {
			t.target(cell+k, time+s)
			m.target(cell+k, time+s)
			if d.rng.Float64() < 0.15 {
				seen.observe(d.rng.Float64(), cell+k, time+s)
			}
		}
	}
	for k := range symbol.ID(width * width) {
		cells.observe(1, cell+k)
	}
	for _, l := range lattice(d, width*width) {
		near.observe(1, cell+symbol.ID(l[0]), cell+symbol.ID(l[1]))
		near.observe(1, cell+symbol.ID(l[1]), cell+symbol.ID(l[0]))
	}
	d.add("Cell", false, cells)
	d.add("Time", false, all)
	d.add("First", false, first)
	d.add("Step", false, step)
	d.add("Near", false, near)
	d.add("T", true, t)
	d.add("M", true, m)
	d.add("Seen", false, seen)
	return d
}

// households makes people, of whom half have said something, in households in areas, and friends among them.
func households(size int, seed uint64) *data {
	d := newData(seed)
	n := max(100, size/5)
	houses, areas := 2*n/5, max(2, n/100)
	person, house, area := d.constants("p", n), d.constants("h", houses), d.constants("r", areas)
	allHouses, allAreas, lives, in := newTable(1), newTable(1), newTable(2), newTable(2)
	census, said, p, x, y := newTable(1), newTable(1), newTable(1), newTable(1), newTable(1)
	for r := range symbol.ID(areas) {
		allAreas.observe(1, area+r)
		census.observe(d.value(0.45, 0.2), area+r)
		y.target(area + r)
	}
	for h := range houses {
		allHouses.observe(1, house+symbol.ID(h))
		in.observe(1, house+symbol.ID(h), area+symbol.ID(h*areas/houses))
		x.target(house + symbol.ID(h))
	}
	for k := range n {
		lives.observe(1, person+symbol.ID(k), house+symbol.ID(k*houses/n))
		p.target(person + symbol.ID(k))
		if d.rng.IntN(2) == 0 {
			said.observe(d.rng.Float64(), person+symbol.ID(k))
		}
	}
	friend, known := newTable(2), make(map[uint64]bool)
	for range 2 * n {
		d.link(friend, known, person, d.rng.IntN(n), d.rng.IntN(n))
	}
	d.add("House", false, allHouses)
	d.add("Area", false, allAreas)
	d.add("Lives", false, lives)
	d.add("In", false, in)
	d.add("Census", false, census)
	d.add("Said", false, said)
	d.add("Friend", false, friend)
	d.add("P", true, p)
	d.add("X", true, x)
	d.add("Y", true, y)
	return d
}

// quotaLabels makes a graph some of whose nodes have many links, which count less there, and guesses of their classes.
func quotaLabels(size int, seed uint64) *data {
	d := newData(seed)
	const classes = 7
	n := max(12, size/(4*classes))
	node, class := d.constants("n", n), d.constants("v", classes)
	all, share, guess, x := newTable(1), newTable(2), newTable(2), newTable(2)
	for v := range symbol.ID(classes) {
		all.observe(1, class+v)
		for k := range symbol.ID(n) {
			guess.observe(d.rng.Float64()*d.rng.Float64(), node+k, class+v)
			x.target(node+k, class+v)
		}
	}
	var ends []int
	degree := make([]float64, n)
	for k := 2; k < n; k++ {
		for _, i := range d.few(2, k) {
			if l := d.rng.IntN(5); l > 1 && len(ends) > 0 {
				i = ends[d.rng.IntN(len(ends))]
			}
			if last := len(ends) - 1; i != k && (last < 1 || ends[last] != k || ends[last-1] != i) {
				ends = append(ends, i, k)
				degree[i]++
				degree[k]++
			}
		}
	}
	for e := 0; e < len(ends); e += 2 {
		i, k := ends[e], ends[e+1]
		share.observe(1/math.Sqrt(degree[i]*degree[k]), node+symbol.ID(i), node+symbol.ID(k))
	}
	d.add("Class", false, all)
	d.add("Share", false, share)
	d.add("Guess", false, guess)
	d.add("X", true, x)
	return d
}

// tightBudgets makes values each of which is in four rows, of four values each, and of which as much is to be as the
// rows leave room for but for a little.
func tightBudgets(size int, seed uint64) *data {
	d := newData(seed)
	const each = 4
	n := max(12, size/2/each*each)
	node, row := d.constants("n", n), d.constants("r", n)
	all, in := newTable(1), newTable(2)
	for r := range n {
		all.observe(1, row+symbol.ID(r))
	}
	for pass := range each {
		for k, i := range d.rng.Perm(n) {
			in.observe(1, node+symbol.ID(i), row+symbol.ID(k/each+pass*n/each))
		}
	}
	d.add("Row", false, all)
	d.add("In", false, in)
	d.addChoices(node, n)
	return d
}
