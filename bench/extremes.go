package main

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// extremes are families whose numbers or corners are extreme: weights that alternate, margins that are next to nothing,
// rows that are nearly or exactly the same, sums over sums, vertices at which very many rows meet, and weights and
// coefficients far apart.
var extremes = []model{
	// Sizes.
	{"weights-alternating", `
0.000001: 0 * Odd(A, B) + T(A) = T(B)
1000000: 0 * Even(A, B) + T(A) = T(B)
1: T(A) = O(A)
`, alternating},
	{"weights-alternating-squared", `
0.000001: 0 * Odd(A, B) + T(A) = T(B) ^2
1000000: 0 * Even(A, B) + T(A) = T(B) ^2
1: T(A) = O(A) ^2
`, alternating},
	{"coefficients-huge", `
0 * Odd(A, B) + 1000000 * T(A) <= 1000000 * T(B) + 1 .
0 * Even(A, B) + 0.001 * T(B) <= 0.001 * T(A) + 0.0001 .
1: T(A) = O(A)
`, alternating},
	{"decay", `
0 * Odd(A, B) + T(B) = 0.5 * T(A) .
0 * Even(A, B) + T(B) >= 1.9 * T(A) .
1: T(A) = O(A)
`, alternating},
	{"ratios", `
0 * Link(A, B) + T(A) <= 2 * T(B) .
0 * Link(A, B) + T(B) <= 2 * T(A) .
1: T(A) = O(A)
`, web(expander)},
	{"ratios-squared", `
0 * Link(A, B) + T(A) <= 2 * T(B) .
0 * Link(A, B) + T(B) <= 2 * T(A) .
1: T(A) = O(A) ^2
`, web(expander)},

	// Margins.
	{"margin-feasible", `
0 * Next(A, B) + T(B) >= T(A) + Step(A) .
1: T(A) = O(A)
`, margin(0.99999)},
	{"margin-infeasible", `
0 * Next(A, B) + T(B) >= T(A) + Step(A) .
1: T(A) = O(A)
`, margin(1.001)},
	{"margin-infeasible-squared", `
0 * Next(A, B) + 1000 * T(B) >= 1000 * T(A) + 1000 * Step(A) .
0 * Next(A, B) + T(B) <= T(A) + 0.5 .
1: T(A) = O(A) ^2
`, margin(1.001)},
	{"parallel", `
0 * Around(A, B) + T(A) + 1.000001 * T(B) <= 1 .
0 * Around(A, B) + 1.000001 * T(A) + T(B) >= 0.99999 .
1: T(A) = O(A)
`, chain(3, wave)},
	{"parity", `
0 * Link(A, B) + T(A) + T(B) = 1 .
1: T(A) = O(A)
`, web(lattice)},
	{"parity-infeasible", `
0 * Link(A, B) + T(A) + T(B) = 1 .
0 * Last(A) + T(A) >= 0.51 .
1: T(A) = O(A)
`, web(expander)},
	{"assignment-infeasible", `
X(A, +B) = 1 .
X(+A, B) = 1 .
1: Good(A, B) -> X(A, B)
`, matching},

	// Orders and grids.
	{"dag", `
0 * Before(A, B) + T(A) <= T(B) .
1: T(A) = O(A)
`, dag},
	{"dag-squared", `
0 * Before(A, B) + T(A) <= T(B) .
1: T(A) = O(A) ^2
`, dag},
	{"cube-denoise", `
0.3: 0 * Link(A, B) + T(A) = T(B)
1: T(A) = O(A) ^2
`, web(cube)},
	{"lipschitz", `
0 * Link(A, B) + T(A) <= T(B) + 0.01 .
0 * Link(A, B) + T(B) <= T(A) + 0.01 .
1: T(A) = O(A)
`, web(lattice)},
	{"convex-monotone", `
0 * Between(A, B, C) + 2 * T(B) <= T(A) + T(C) .
0 * Next(A, B) + T(A) <= T(B) .
1: T(A) = O(A)
`, chain(3, ramp)},

	// Many rows that meet, and the same row many times.
	{"clique-packing", `
1: O(A) -> T(A)
0 * Node(A) + 0 * Node(B) + T(A) + T(B) <= 1 .
`, clique},
	{"clique-squared", `
1: T(A) = O(A) ^2
10: 0 * Node(A) + 0 * Node(B) + T(A) + T(B) <= 0.7 ^2
`, clique},
	{"copies", `
0 * Copy(K) + 0 * Next(A, B) + T(A) + T(B) <= 1 .
1: 0 * Copy(K) + T(A) = O(A)
`, copies},
	{"windows-all", `
0 * Node(A) + T(+B) <= 2 . {B: Near(A, B)}
0 * Node(A) + T(+B) >= 1 . {B: Near(A, B)}
1: 0 * Next(A, B) + T(A) + T(B) <= 0.3
1: T(A) = O(A)
`, chain(4, wave)},

	// Sums over sums.
	{"means-of-means", `
0 * Group(G) + M(G) = T(+A) / |A| . {A: In(G, A)}
0 * All(Z) + W(Z) = M(+G) / |G| . {G: Group(G)}
5000: 0 * All(Z) + W(Z) >= 0.9
1: T(A) = O(A)
`, hierarchy},
	{"means-of-means-squared", `
0 * Group(G) + M(G) = T(+A) / |A| . {A: In(G, A)}
0 * All(Z) + W(Z) = M(+G) / |G| . {G: Group(G)}
5000: 0 * All(Z) + W(Z) >= 0.9 ^2
1: T(A) = O(A) ^2
`, hierarchy},
	{"fairness", `
0 * Group(G) + 0 * All(Z) + W(Z) <= T(+A) / |A| . {A: In(G, A)}
5000: 0 * All(Z) + W(Z) >= 1
1: O(A) -> !T(A)
`, hierarchy},
	{"facilities", `
X(A, +B) = 1 .
Good(A, B) & X(A, B) -> Y(B) .
1 * Good(A, B): X(A, B) <= 0
0.7: !Y(B)
`, facilities},
	{"equations", `
0 * Row(R) + X(+A) = X(+B) . {A: Plus(R, A)} {B: Minus(R, B)}
1: X(A) = O(A)
`, signs(6)},
	{"equations-squared", `
0 * Row(R) + X(+A) = X(+B) . {A: Plus(R, A)} {B: Minus(R, B)}
1: X(A) = O(A) ^2
`, signs(6)},

	// Scales.
	{"apart-sums", `
1000000 * Size(R): 0 * Row(R) + X(+A) = X(+B) {A: Plus(R, A)} {B: Minus(R, B)}
1: X(A) = O(A)
`, apart},
	{"apart-guesses", `
1000: 0 * Row(R) + X(+A) = X(+B) {A: Plus(R, A)} {B: Minus(R, B)}
1000000 * Worth(A): X(A) = O(A)
`, apart},
	{"apart-guesses-squared", `
1000: 0 * Row(R) + X(+A) = X(+B) ^2 {A: Plus(R, A)} {B: Minus(R, B)}
1000000 * Worth(A): X(A) = O(A) ^2
`, apart},
	{"apart-guesses-hard", `
0 * Row(R) + X(+A) = X(+B) . {A: Plus(R, A)} {B: Minus(R, B)}
1000000 * Worth(A): X(A) = O(A)
`, apart},
	{"apart-guesses-limits", `
0 * Row(R) + X(+A) <= X(+B) . {A: Plus(R, A)} {B: Minus(R, B)}
1000000 * Worth(A): X(A) = O(A)
`, apart},
	{"apart-both", `
1000000 * Size(R): 0 * Row(R) + X(+A) = X(+B) {A: Plus(R, A)} {B: Minus(R, B)}
1000000 * Worth(A): X(A) = O(A)
`, apart},
	{"apart-penalty", `
1000000: 0 * Row(R) + X(+A) = X(+B) {A: Plus(R, A)} {B: Minus(R, B)}
0.000001: X(A) = O(A)
`, apart},
	{"apart-coefficients", `
1: 0 * Odd(R) + 0.001 * X(+A) = X(+B) {A: Plus(R, A)} {B: Minus(R, B)}
1: 0 * Even(R) + 1000 * X(+A) = 1000 * X(+B) {A: Plus(R, A)} {B: Minus(R, B)}
1: X(A) = O(A)
`, apart},
	{"apart-coefficients-hard", `
0 * Odd(R) + 0.001 * X(+A) = X(+B) . {A: Plus(R, A)} {B: Minus(R, B)}
0 * Even(R) + 1000 * X(+A) = 1000 * X(+B) . {A: Plus(R, A)} {B: Minus(R, B)}
1000000 * Worth(A): X(A) = O(A)
`, apart},
}

// alternating makes a path whose links are odd and even in turns.
func alternating(size int, seed uint64) *data {
	d := newData(seed)
	n := max(9, size/2)
	node := d.constants("n", n)
	links := []*table{newTable(2), newTable(2)}
	for k := range symbol.ID(n - 1) {
		links[k%2].observe(1, node+k, node+k+1)
	}
	d.add("Even", false, links[0])
	d.add("Odd", false, links[1])
	d.addNodes(node, n, wave)
	return d
}

// margin makes a path with steps that are so much in all.
func margin(all float64) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		n := max(9, size/2)
		node := d.constants("n", n)
		next, step := newTable(2), newTable(1)
		for k := range symbol.ID(n - 1) {
			next.observe(1, node+k, node+k+1)
			step.observe(all/float64(n-1), node+k)
		}
		d.add("Next", false, next)
		d.add("Step", false, step)
		d.addNodes(node, n, ramp)
		return d
	}
}

// dag makes nodes each of which is before three of the next fifty.
func dag(size int, seed uint64) *data {
	d := newData(seed)
	n := max(60, size/4)
	node := d.constants("n", n)
	before := newTable(2)
	for k := range n - 51 {
		first := 1 + d.rng.IntN(16)
		for l := range 3 {
			before.observe(1, node+symbol.ID(k), node+symbol.ID(k+first+17*l))
		}
	}
	d.add("Before", false, before)
	d.addNodes(node, n, ramp)
	return d
}

// clique makes as many nodes as have about so many pairs.
func clique(size int, seed uint64) *data {
	d := newData(seed)
	n := 3
	for n*n < size {
		n++
	}
	d.addNodes(d.constants("n", n), n, wave)
	return d
}

// copies makes a path, and twenty constants for rules that say the same.
func copies(size int, seed uint64) *data {
	const times = 20
	d := chain(2*times, wave)(size, seed)
	copy := newTable(1)
	first := d.constants("k", times)
	for k := range symbol.ID(times) {
		copy.observe(1, first+k)
	}
	d.add("Copy", false, copy)
	return d
}

// hierarchy makes groups of ten nodes that overlap by half, and one constant for all.
func hierarchy(size int, seed uint64) *data {
	d := newData(seed)
	const wide = 10
	n := max(2*wide, size)
	node := d.constants("n", n)
	groups := n/(wide/2) - 1
	group, whole := d.constants("g", groups), d.constants("all", 1)
	in, all, one, mean, top := newTable(2), newTable(1), newTable(1), newTable(1), newTable(1)
	for g := range groups {
		all.observe(1, group+symbol.ID(g))
		mean.target(group + symbol.ID(g))
		for k := range wide {
			in.observe(1, group+symbol.ID(g), node+symbol.ID(g*wide/2+k))
		}
	}
	one.observe(1, whole)
	top.target(whole)
	d.add("In", false, in)
	d.add("Group", false, all)
	d.add("All", false, one)
	d.add("M", true, mean)
	d.add("W", true, top)
	d.addNodes(node, n, wave)
	return d
}

// facilities makes customers that each can be served by five places, which cost something to open.
func facilities(size int, seed uint64) *data {
	d := matching(size/2, seed)
	y, seen := newTable(1), make(map[symbol.ID]bool)
	x := d.store.Relations[len(d.store.Relations)-1]
	for _, b := range x.Columns[1] {
		if !seen[b] {
			seen[b] = true
			y.target(b)
		}
	}
	d.add("Y", true, y)
	return d
}

// apart makes rows of four nodes, two on each side, and sizes and worths of 1e-12 to 1.
func apart(size int, seed uint64) *data {
	d := newData(seed)
	rows := max(8, size/3)
	node, row := d.constants("n", 2*rows), d.constants("r", rows)
	plus, minus, all := newTable(2), newTable(2), newTable(1)
	sizes, worths := newTable(1), newTable(1)
	parity := []*table{newTable(1), newTable(1)}
	factor := func() float64 { return math.Pow(10, float64(-3*d.rng.IntN(5))) }
	for r := range symbol.ID(rows) {
		all.observe(1, row+r)
		parity[r%2].observe(1, row+r)
		sizes.observe(factor(), row+r)
		for k, i := range d.few(4, 2*rows) {
			[]*table{plus, minus}[k%2].observe(1, row+r, node+symbol.ID(i))
		}
	}
	for i := range symbol.ID(2 * rows) {
		worths.observe(factor(), node+i)
	}
	d.add("Plus", false, plus)
	d.add("Minus", false, minus)
	d.add("Row", false, all)
	d.add("Even", false, parity[0])
	d.add("Odd", false, parity[1])
	d.add("Size", false, sizes)
	d.add("Worth", false, worths)
	d.addChoices(node, 2*rows)
	return d
}
