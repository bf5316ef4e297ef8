package main

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// networks are families as transport, planning and learning have them: flows, orders, cuts, sums within sums, and what
// all nodes or all pairs of them have to do with each other.
var networks = []model{
	{"flow-ladder", flowRules, flows(ladder)},
	{"flow-expander", flowRules, flows(expander)},
	{"flow-capacities", `
0 * Inner(A) + X(A, +B) = X(+C, A) .
0 * Link(A, B) + X(A, B) <= Capacity(A, B) .
1: First(A) & Link(A, B) -> X(A, B)
0.01: 0 * Costly(A, B) + X(A, B) <= 0
`, flows(lattice)},
	{"flow-commodities", `
0 * Good(K) + X(K, A, +B) + Sink(K, A) = X(K, +C, A) + Source(K, A) .
0 * Link(A, B) + X(+K, A, B) <= 1 .
1: 0 * Good(K) + 0 * Cheap(A, B) + X(K, A, B) <= 0
3: 0 * Good(K) + 0 * Costly(A, B) + X(K, A, B) <= 0
`, commodities(lattice)},
	{"transport", `
X(A, +B) <= 0.9 .
X(+A, B) >= 0.3 .
1 * Good(A, B): X(A, B) <= 0
`, matching},
	{"cut-expander", cutRules, web(expander)},
	{"cut-small-world", cutRules, web(smallWorld)},
	{"schedule", `
0 * Before(A, B) + T(B) >= T(A) + Length(A) .
T(A) >= Release(A) .
1: T(A) <= O(A)
0.1: T(A) >= O(A)
`, schedule},
	{"schedule-late", `
0 * Before(A, B) + T(B) >= T(A) + 1.6 * Length(A) .
T(A) >= Release(A) .
1: T(A) <= O(A)
`, schedule},

	// Graphs whose weights or shapes are extreme.
	{"variation-scales", `
1e-3: 0 * Cheap(A, B) + T(A) = T(B)
1: 0 * Dear(A, B) + T(A) = T(B)
1e3: 0 * Costly(A, B) + T(A) = T(B)
1: T(A) = O(A)
`, web(lattice)},
	{"small-world-smooth", `
100: 0 * Link(A, B) + T(A) = T(B) ^2
1: 0 * Third(A) + T(A) = O(A) ^2
`, web(smallWorld)},
	{"small-world-scales", `
1e-6: 0 * Cheap(A, B) + T(A) = T(B)
1: 0 * Dear(A, B) + T(A) <= T(B)
1e6: 0 * Costly(A, B) + T(A) = T(B)
1: T(A) = O(A)
`, web(smallWorld)},
	{"ranking", `
1: 0 * Cheap(A, B) + T(A) - T(B) = 0.5 * O(A) - 0.5 * O(B) + 0.2
1: 0 * Dear(A, B) + T(A) - T(B) = 0.5 * O(A) - 0.5 * O(B) - 0.2
1: 0 * Costly(A, B) + T(A) - T(B) = 0.1
0.01: T(A) = 0.5
`, web(expander)},
	{"near-duplicates", `
1: 0 * Link(A, B) + T(A) <= T(B)
1: 0 * Link(A, B) + 1.0000001 * T(A) <= T(B)
0 * Link(A, B) + T(A) <= T(B) + 0.2 .
0 * Link(A, B) + T(A) <= 1.0000001 * T(B) + 0.2 .
1: T(A) = O(A)
`, web(ladder)},
	{"star", `
0 * First(A) + 0 * Third(B) + T(B) <= T(A) .
0 * Last(A) + T(B) >= 0.5 * T(A) .
5000: First(A) -> !T(A)
1: O(A) -> T(A)
1: T(A) <= O(A)
`, web(ladder)},
	{"layers", `
3: Joins(A, B, C) & T(A) & T(B) -> T(C)
0.2: !T(A)
1: Third(A) & O(A) -> T(A)
`, layered},
	{"layers-hard", `
Joins(A, B, C) & T(A) & T(B) -> T(C) .
0.2: !T(A)
1: Third(A) & O(A) -> T(A)
`, layered},

	// Sums within sums.
	{"means", `
0 * Group(G) + M(G) = T(+A) / |A| . {A: In(G, A)}
1: In(G, A) & T(A) -> M(G)
1: In(G, A) & M(G) -> T(A)
2: T(A) = O(A) ^2
`, clusters},
	{"budget-tree", `
0 * Group(G) + T(+A) / |A| <= Share(G) . {A: In(G, A)}
1: O(A) -> T(A)
`, nested(1)},
	{"budget-trees", `
0 * Group(G) + T(+A) / |A| <= Share(G) . {A: In(G, A)}
1: O(A) -> T(A)
`, nested(2)},
	{"latin", `
X(+R, C, V) = 1 .
X(R, +C, V) = 1 .
X(R, C, +V) = 1 .
1 * Cost(R, C, V): !X(R, C, V)
`, latin},
	{"coverage", `
0 * O(A) + T(A) <= X(+S) . {S: Has(S, A)}
X(+S) / |S| <= 0.15 .
1: O(A) -> T(A)
`, coverage},
	{"sudoku", `
X(C, +V) = 1 .
0 * Row(R) + 0 * Value(V) + X(+C, V) = 1 . {C: InRow(C, R)}
0 * Row(R) + 0 * Value(V) + X(+C, V) = 1 . {C: InColumn(C, R)}
0 * Row(R) + 0 * Value(V) + X(+C, V) = 1 . {C: InBox(C, R)}
1: Good(C, V) -> X(C, V)
`, sudoku},
	{"doubly-stochastic", `
X(A, +B) = 1 .
X(+A, B) = 1 .
1: X(A, B) = Good(A, B) ^2
`, assignment},
	{"assignment", `
X(A, +B) = 1 .
X(+A, B) = 1 .
1: Good(A, B) -> X(A, B)
`, assignment},

	// Pairs and triples of all nodes.
	{"pairs", `
1: T(A) & T(B) -> S(A, B)
1: S(A, B) -> T(A)
0.4: !T(A)
1: O(A) -> T(A)
`, square},
	{"pairs-squared", `
1: T(A) & T(B) -> S(A, B) ^2
1: S(A, B) -> T(A) ^2
0.4: !T(A) ^2
1: O(A) -> T(A) ^2
`, square},
	{"pairs-layers", `
1: T(A) & T(B) -> S(A, B)
1: S(A, B) & T(A) -> U(A, B)
1: U(A, B) -> T(B)
0.4: !T(A)
1: O(A) -> T(A)
`, square},
	{"clustering", `
S(A, B) & S(B, C) & A != C -> S(A, C) .
S(A, B) = S(B, A) .
1: Good(A, B) -> S(A, B)
1: S(A, B) -> Good(A, B)
`, relatedness},
}

const flowRules = `
X(A, +B) + Sink(A) = X(+C, A) + Source(A) .
1: 0 * Cheap(A, B) + X(A, B) <= 0
2: 0 * Dear(A, B) + X(A, B) <= 0
3: 0 * Costly(A, B) + X(A, B) <= 0
`

const cutRules = `
First(A) -> T(A) .
Last(A) -> !T(A) .
1: 0 * Cheap(A, B) + T(A) = T(B)
2: 0 * Dear(A, B) + T(A) = T(B)
3: 0 * Costly(A, B) + T(A) = T(B)
0.1: 0 * Third(A) + T(A) = O(A)
`

// web makes a graph whose links have one of three costs, and nodes with values.
func web(of linker) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		n := max(9, size/3)
		node := d.constants("n", n)
		d.addLinks(node, of(d, n))
		d.addNodes(node, n, wave)
		return d
	}
}

// addLinks adds the links, and each to one of three classes.
func (d *data) addLinks(node symbol.ID, all [][2]int) {
	link := newTable(2)
	for _, l := range all {
		link.observe(1, node+symbol.ID(l[0]), node+symbol.ID(l[1]))
	}
	d.add("Link", false, link)
	d.addClasses(link)
}

// addClasses adds each pair of a table to one of three classes, by what it costs.
func (d *data) addClasses(pairs *table) {
	classes := []*table{newTable(2), newTable(2), newTable(2)}
	for k, a := range pairs.columns[0] {
		classes[d.rng.IntN(len(classes))].observe(1, a, pairs.columns[1][k])
	}
	for c, name := range []string{"Cheap", "Dear", "Costly"} {
		d.add(name, false, classes[c])
	}
}

// both adds each link's other direction.
func both(all [][2]int) [][2]int {
	for _, l := range all {
		all = append(all, [2]int{l[1], l[0]})
	}
	return all
}

// flows makes a flow along the links of a graph in both directions, from the first node to the last one.
func flows(of linker) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		n := max(9, size/5)
		node := d.constants("n", n)
		all := both(of(d, n))
		d.addLinks(node, all)
		flow, capacity := newTable(2), newTable(2)
		for _, l := range all {
			flow.target(node+symbol.ID(l[0]), node+symbol.ID(l[1]))
			capacity.observe(d.value(0.4, 0.2), node+symbol.ID(l[0]), node+symbol.ID(l[1]))
		}
		source, sink, inner := newTable(1), newTable(1), newTable(1)
		for k := range n {
			source.observe(indicator(k == 0), node+symbol.ID(k))
			sink.observe(indicator(k == n-1), node+symbol.ID(k))
			if k > 0 && k < n-1 {
				inner.observe(1, node+symbol.ID(k))
			}
		}
		d.add("X", true, flow)
		d.add("Capacity", false, capacity)
		d.add("Source", false, source)
		d.add("Sink", false, sink)
		d.add("Inner", false, inner)
		d.addNodes(node, n, nothing)
		return d
	}
}

// commodities makes flows of four goods along the links of a graph, which they share.
func commodities(of linker) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		const goods = 4
		n := max(9, size/(goods*4))
		node, good := d.constants("n", n), d.constants("g", goods)
		all := both(of(d, n))
		d.addLinks(node, all)
		kinds, flow, source, sink := newTable(1), newTable(3), newTable(2), newTable(2)
		for k := range symbol.ID(goods) {
			kinds.observe(1, good+k)
			for _, l := range all {
				flow.target(good+k, node+symbol.ID(l[0]), node+symbol.ID(l[1]))
			}
			for i := range symbol.ID(n) {
				source.observe(0.4*indicator(i == k), good+k, node+i)
				sink.observe(0.4*indicator(i == symbol.ID(n-1)-k), good+k, node+i)
			}
		}
		d.add("Good", false, kinds)
		d.add("X", true, flow)
		d.add("Source", false, source)
		d.add("Sink", false, sink)
		return d
	}
}

// schedule makes tasks, each after some of those before it, which take some time.
func schedule(size int, seed uint64) *data {
	d := newData(seed)
	n := max(9, size/5)
	node := d.constants("n", n)
	before, length, release := newTable(2), newTable(1), newTable(1)
	const lanes = 20 // a task is about a layer later than what it waits for
	for k := range n {
		length.observe(0.5*d.rng.Float64()*lanes/float64(n), node+symbol.ID(k))
		release.observe(max(0, 0.5*float64(k)/float64(n)-0.2*d.rng.Float64()), node+symbol.ID(k))
		if k >= 2*lanes {
			first, second := k-1-d.rng.IntN(lanes), k-lanes-1-d.rng.IntN(lanes)
			before.observe(1, node+symbol.ID(first), node+symbol.ID(k))
			before.observe(1, node+symbol.ID(second), node+symbol.ID(k))
		}
	}
	d.add("Before", false, before)
	d.add("Length", false, length)
	d.add("Release", false, release)
	d.addNodes(node, n, ramp)
	return d
}

// layered makes nodes that each follow from three pairs of those somewhat before them.
func layered(size int, seed uint64) *data {
	d := newData(seed)
	n := max(30, size/4)
	node := d.constants("n", n)
	joins := newTable(3)
	for k := 10; k < n; k++ {
		seen := 0
		for range 3 {
			a := k - 1 - d.rng.IntN(min(k-1, n/20+5))
			if b := k - 1 - d.rng.IntN(min(k-1, n/20+5)); b != a && seen != a {
				joins.observe(1, node+symbol.ID(a), node+symbol.ID(b), node+symbol.ID(k))
				seen = a
			}
		}
	}
	d.add("Joins", false, joins)
	d.addNodes(node, n, wave)
	return d
}

// clusters makes groups with a mean each, and nodes that are in two of them.
func clusters(size int, seed uint64) *data {
	d := newData(seed)
	n := max(9, size/5)
	groups := max(2, int(math.Sqrt(float64(n))))
	node, group := d.constants("n", n), d.constants("g", groups)
	in, all, mean := newTable(2), newTable(1), newTable(1)
	for g := range groups {
		all.observe(1, group+symbol.ID(g))
		mean.target(group + symbol.ID(g))
	}
	for k := range n {
		g := k % groups
		in.observe(1, group+symbol.ID(g), node+symbol.ID(k))
		if other := (g + 1 + d.rng.IntN(groups)) % groups; other != g {
			in.observe(1, group+symbol.ID(other), node+symbol.ID(k))
		}
	}
	d.add("In", false, in)
	d.add("Group", false, all)
	d.add("M", true, mean)
	d.addNodes(node, n, wave)
	return d
}

// nested makes groups of nodes that halve each other down to a few, each with a share of its own: in so many orders, of
// which the first is that of the nodes.
func nested(orders int) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		n := max(9, size)
		node, group := d.constants("n", n), d.constants("g", orders*n)
		in, all, share := newTable(2), newTable(1), newTable(1)
		var halve func(of []int)
		halve = func(of []int) {
			if len(of) < 4 {
				return
			}
			g := group + symbol.ID(len(all.truth))
			all.observe(1, g)
			share.observe(d.value(0.4, 0.1), g)
			for _, k := range of {
				in.observe(1, g, node+symbol.ID(k))
			}
			halve(of[:len(of)/2])
			halve(of[len(of)/2:])
		}
		order := make([]int, n)
		for k := range order {
			order[k] = k
		}
		for k := range orders {
			if k > 0 {
				order = d.rng.Perm(n)
			}
			halve(order)
		}
		d.add("In", false, in)
		d.add("Group", false, all)
		d.add("Share", false, share)
		d.addNodes(node, n, wave)
		return d
	}
}

// latin makes squares whose cells each take a value that no other of the row or the column has, at costs of their own.
func latin(size int, seed uint64) *data {
	d := newData(seed)
	n := 2
	for (n+1)*(n+1)*(n+1) <= size {
		n++
	}
	row, column, value := d.constants("r", n), d.constants("c", n), d.constants("v", n)
	x, cost := newTable(3), newTable(3)
	for k := range symbol.ID(n * n * n) {
		r, c, v := row+k/symbol.ID(n*n), column+k/symbol.ID(n)%symbol.ID(n), value+k%symbol.ID(n)
		x.target(r, c, v)
		cost.observe(d.rng.Float64(), r, c, v)
	}
	d.add("X", true, x)
	d.add("Cost", false, cost)
	return d
}

// coverage makes nodes that are each in some of a fifth as many sets, of which not many are taken.
func coverage(size int, seed uint64) *data {
	const some = 3
	d := newData(seed)
	n := max(20, size/2)
	node, set := d.constants("n", n), d.constants("s", n/5)
	has, x := newTable(2), newTable(1)
	for s := range symbol.ID(n / 5) {
		x.target(set + s)
	}
	for a := range symbol.ID(n) {
		for _, s := range d.rng.Perm(n / 5)[:some] {
			has.observe(1, set+symbol.ID(s), node+a)
		}
	}
	d.add("Has", false, has)
	d.add("X", true, x)
	d.addNodes(node, n, wave)
	return d
}

// sudoku makes cells in rows, columns and boxes, each of which takes every value once.
func sudoku(size int, seed uint64) *data {
	d := newData(seed)
	b := 2
	for (b+1)*(b+1)*(b+1)*(b+1)*(b+1)*(b+1) <= size {
		b++
	}
	n := b * b
	cell, value, row := d.constants("c", n*n), d.constants("v", n), d.constants("r", n)
	in, rows, values := []*table{newTable(2), newTable(2), newTable(2)}, newTable(1), newTable(1)
	good, x := newTable(2), newTable(2)
	for k := range symbol.ID(n) {
		rows.observe(1, row+k)
		values.observe(1, value+k)
	}
	for k := range n * n {
		c := cell + symbol.ID(k)
		r, column := k/n, k%n
		for way, at := range []int{r, column, r/b*b + column/b} {
			in[way].observe(1, c, row+symbol.ID(at))
		}
		for v := range symbol.ID(n) {
			good.observe(d.rng.Float64(), c, value+v)
			x.target(c, value+v)
		}
	}
	for way, name := range []string{"InRow", "InColumn", "InBox"} {
		d.add(name, false, in[way])
	}
	d.add("Row", false, rows)
	d.add("Value", false, values)
	d.add("Good", false, good)
	d.add("X", true, x)
	return d
}

// assignment makes all pairs of two kinds, with a value for each.
func assignment(size int, seed uint64) *data {
	d := newData(seed)
	n := max(3, int(math.Sqrt(float64(size))))
	left, right := d.constants("a", n), d.constants("b", n)
	good, x := newTable(2), newTable(2)
	for a := range symbol.ID(n) {
		for b := range symbol.ID(n) {
			good.observe(d.rng.Float64(), left+a, right+b)
			x.target(left+a, right+b)
		}
	}
	d.add("Good", false, good)
	d.add("X", true, x)
	return d
}

// square makes a value for each node and two for each pair of nodes.
func square(size int, seed uint64) *data {
	d := newData(seed)
	n := max(3, int(math.Sqrt(float64(size)/2)))
	node := d.constants("n", n)
	s, u := newTable(2), newTable(2)
	for a := range symbol.ID(n) {
		for b := range symbol.ID(n) {
			s.target(node+a, node+b)
			u.target(node+a, node+b)
		}
	}
	d.add("S", true, s)
	d.add("U", true, u)
	d.addNodes(node, n, wave)
	return d
}

// relatedness makes a noisy guess for each pair of nodes whether they are of one of five kinds.
func relatedness(size int, seed uint64) *data {
	d := newData(seed)
	d.guesses("S", pairable(size), func(a, b int) float64 {
		if a%5 == b%5 {
			return d.value(0.7, 0.3)
		}
		return d.value(0.3, 0.3)
	})
	return d
}

// pairable is the number of nodes whose triples are so many.
func pairable(size int) int { return max(4, int(math.Cbrt(float64(size)))) }

// guesses makes a target of a predicate for each pair of n nodes, and a guess for its value.
func (d *data) guesses(predicate string, n int, guess func(a, b int) float64) {
	node := d.constants("n", n)
	good, target := newTable(2), newTable(2)
	for a := range n {
		for b := range n {
			if a != b {
				good.observe(guess(a, b), node+symbol.ID(a), node+symbol.ID(b))
				target.target(node+symbol.ID(a), node+symbol.ID(b))
			}
		}
	}
	d.add("Good", false, good)
	d.add(predicate, true, target)
}

func indicator(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
