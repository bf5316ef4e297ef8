package main

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// basic are chains, cycles, grids, trees, graphs and budgets: what one variable has to do with another one far away,
// and what iterative methods therefore crawl along.
var basic = []model{
	// Chains: a value per node, noisy observations, and what ties neighbours.
	{"chain-smooth", `
10: 0 * Next(A, B) + T(A) = T(B) ^2
1: T(A) = O(A) ^2
`, chain(2, steps)},
	{"chain-variation", `
10: 0 * Next(A, B) + T(A) = T(B)
1: T(A) = O(A)
`, chain(2, steps)},
	{"chain-isotonic-squared", `
0 * Next(A, B) + T(A) <= T(B) .
1: T(A) = O(A) ^2
`, chain(2, ramp)},
	{"chain-isotonic-linear", `
0 * Next(A, B) + T(A) <= T(B) .
1: T(A) = O(A)
`, chain(2, ramp)},
	{"chain-bending", `
100: 0 * Between(A, B, C) + 2 * T(B) = T(A) + T(C) ^2
1: T(A) = O(A) ^2
`, chain(2, wave)},
	{"chain-straight", `
0 * Between(A, B, C) + 2 * T(B) = T(A) + T(C) .
1: T(A) = O(A) ^2
`, chain(2, ramp)},
	{"chain-straight-linear", `
0 * Between(A, B, C) + 2 * T(B) = T(A) + T(C) .
1: T(A) = O(A)
`, chain(2, ramp)},
	{"chain-convex", `
0 * Between(A, B, C) + 2 * T(B) <= T(A) + T(C) .
1: T(A) = O(A) ^2
`, chain(2, wave)},
	{"chain-implies", `
10: Next(A, B) & T(A) -> T(B)
0.01: !T(A)
1: First(A) -> T(A)
`, chain(2, nothing)},
	{"chain-implies-squared", `
10: Next(A, B) & T(A) -> T(B) ^2
0.01: !T(A) ^2
1: First(A) -> T(A) ^2
`, chain(2, nothing)},
	{"chain-implies-hard", `
Next(A, B) & T(A) -> T(B) .
1: First(A) -> T(A)
1.5: Last(A) -> !T(A)
0.001: T(A) = O(A)
`, chain(2, wave)},
	{"chain-contradiction", `
Next(A, B) & T(A) -> T(B) .
First(A) -> T(A) .
Last(A) -> !T(A) .
1: T(A) = O(A) ^2
`, chain(2, wave)},
	{"chain-growth", `
0 * Next(A, B) + T(B) >= 1.001 * T(A) .
0 * First(A) + T(A) >= 0.0001 .
1: T(A) = O(A) ^2
`, chain(2, ramp)},
	{"chain-growth-infeasible", `
0 * Next(A, B) + T(B) >= 1.01 * T(A) .
0 * First(A) + T(A) >= 0.1 .
1: T(A) = O(A) ^2
`, chain(2, ramp)},
	{"chain-scales", `
0.00000001: 0 * Next(A, B) + T(A) = T(B) ^2
0.001: 0 * Skip(A, B) + T(A) <= T(B)
100000000: 0 * Third(A) + T(A) = O(A) ^2
1: T(A) <= O(A) ^2
`, chain(3, wave)},
	{"chain-windows", `
0 * Node(A) + T(+B) <= 3 . {B: Near(A, B)}
1: O(A) -> T(A)
`, chain(2, wave)},
	{"chain-windows-equal", `
0 * Node(A) + T(+B) = 3 . {B: Near(A, B)}
1: T(A) = O(A) ^2
`, chain(2, wave)},
	{"chain-packing", `
0 * Next(A, B) + T(A) + T(B) <= 1 .
1: O(A) -> T(A)
`, chain(2, wave)},
	{"chain-total", `
1: 0 * Next(A, B) + T(A) = T(B)
1: T(A) = O(A)
T(+A) / |A| = 0.5 .
`, chain(2, steps)},
	{"chain-steep", `
0 * Next(A, B) + 1000 * T(B) >= 1000 * T(A) + Step(A) .
1: T(A) = O(A) ^2
`, chain(2, steep)},
	{"chain-repeated", `
0 * Next(A, B) + T(A) <= T(B) .
0 * Next(A, B) + 1000 * T(A) <= 1000 * T(B) .
0 * Next(A, B) + 0.001 * T(A) <= 0.001 * T(B) .
1: T(A) = O(A)
`, chain(4, ramp)},
	{"cycle-halves", `
0 * Around(A, B) + T(A) + T(B) = 1 .
1: T(A) = O(A) ^2
`, chain(2, wave)},
	{"cycle-covering", `
0 * Around(A, B) + T(A) + T(B) >= 1 .
1: T(A) <= O(A)
`, chain(2, wave)},

	// Grids, trees and random graphs.
	{"grid-path", flowRules, flows(lattice)},
	{"grid-variation", `
1: 0 * Beside(A, B) + T(A) = T(B)
1: T(A) = O(A)
`, grid},
	{"grid-smooth", `
100: 0 * Beside(A, B) + T(A) = T(B) ^2
1: 0 * Third(A) + T(A) = O(A) ^2
`, grid},
	{"grid-isotonic", `
0 * Beside(A, B) + T(A) <= T(B) .
1: T(A) = O(A) ^2
`, grid},
	{"tree-order", `
0 * Parent(A, B) + T(A) >= T(B) .
1: T(A) = O(A)
`, tree},
	{"tree-shares", `
0 * Inner(A) + T(A) = T(+B) . {B: Parent(A, B)}
1: T(A) = O(A) ^2
`, tree},
	{"tree-shares-linear", `
0 * Inner(A) + T(A) = T(+B) . {B: Parent(A, B)}
1: T(A) = O(A)
`, tree},
	{"graph-scales-squared", `
0.001: 0 * Link(A, B) + T(A) = T(B) ^2
10000: 0 * Strong(A, B) + T(A) = T(B) ^2
1: T(A) = O(A) ^2
`, graph},
	{"graph-scales-linear", `
0.001: 0 * Link(A, B) + T(A) = T(B)
10000: 0 * Strong(A, B) + T(A) = T(B)
1: T(A) = O(A)
`, graph},
	{"graph-packing", `
0 * Strong(A, B) + T(A) + T(B) <= 1 .
1: O(A) -> T(A)
`, graph},

	// Budgets that overlap.
	{"budgets-3", budgetRules, budgets(3)},
	{"budgets-10", budgetRules, budgets(10)},
	{"budgets-100", budgetRules, budgets(100)},
	{"budgets-squared", `
0 * Group(G) + T(+A) / |A| <= 0.125 . {A: In(G, A)}
1: O(A) -> T(A) ^2
`, budgets(30)},
	{"components", `
1: T(A) = O(A)
2: 0 * Pair(A, B) + T(A) = T(B)
3: 0 * Pair(A, B) + T(A) + T(B) <= 0.7
`, pairs},
	{"matching", `
X(A, +B) <= 1 .
X(+A, B) <= 1 .
1: Good(A, B) -> X(A, B)
`, matching},
}

const budgetRules = `
0 * Group(G) + T(+A) / |A| <= 0.125 . {A: In(G, A)}
1: O(A) -> T(A)
`

// shape is the observation of node k of n, noise included.
type shape func(d *data, k, n int) float64

func steps(d *data, k, n int) float64 {
	return d.value(float64(k*7/n%3)/3+0.1, 0.15)
}

func ramp(d *data, k, n int) float64 { return d.value(float64(k)/float64(n), 0.3) }

func wave(d *data, k, n int) float64 { return d.value(0.5+0.3*math.Sin(20*float64(k)/float64(n)), 0.2) }

func steep(d *data, k, n int) float64 { return d.value(0.5, 0.3) }

func nothing(*data, int, int) float64 { return 0 }

// near is how many nodes a window has.
const window = 7

// chain makes nodes in a row, with so many ground rules for each.
func chain(rules int, of shape) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		n := max(9, size/rules)
		n += 1 - n%2 // cycles are odd
		node := d.constants("n", n)
		at := func(k int) symbol.ID { return node + symbol.ID(k%n) }
		next, between, around, skip, near := newTable(2), newTable(3), newTable(2), newTable(2), newTable(2)
		step := newTable(1)
		for k := range n {
			around.observe(1, at(k), at(k+1))
			if k+1 < n {
				next.observe(1, at(k), at(k+1))
				step.observe(min(1, 999/float64(n)), at(k))
			}
			if k+2 < n {
				between.observe(1, at(k), at(k+1), at(k+2))
				skip.observe(1, at(k), at(k+2))
			}
			for l := k; l < min(k+window, n); l++ {
				near.observe(1, at(k), at(l))
			}
		}
		d.add("Next", false, next)
		d.add("Between", false, between)
		d.add("Around", false, around)
		d.add("Skip", false, skip)
		d.add("Near", false, near)
		d.add("Step", false, step)
		d.addNodes(node, n, of)
		return d
	}
}

// addNodes adds what is said of nodes: their observations, which are first and last, every third of them, and their
// unknown values.
func (d *data) addNodes(node symbol.ID, n int, of shape) {
	observed, third, all, first, last := newTable(1), newTable(1), newTable(1), newTable(1), newTable(1)
	value := newTable(1)
	for k := range n {
		id := node + symbol.ID(k)
		observed.observe(of(d, k, n), id)
		if k%3 == 0 {
			third.observe(1, id)
		}
		if k+window <= n {
			all.observe(1, id)
		}
		value.target(id)
	}
	first.observe(1, node)
	last.observe(1, node+symbol.ID(n-1))
	d.add("O", false, observed)
	d.add("Third", false, third)
	d.add("Node", false, all)
	d.add("First", false, first)
	d.add("Last", false, last)
	d.add("T", true, value)
}

// grid makes nodes in a square, each beside those to its right and below.
func grid(size int, seed uint64) *data {
	d := newData(seed)
	k := max(3, int(math.Sqrt(float64(size)/3)))
	node := d.constants("n", k*k)
	beside := newTable(2)
	for _, l := range lattice(d, k*k) {
		beside.observe(1, node+symbol.ID(l[0]), node+symbol.ID(l[1]))
	}
	d.add("Beside", false, beside)
	d.addNodes(node, k*k, func(d *data, i, n int) float64 {
		return d.value(float64(i/k+i%k)/float64(2*k), 0.3)
	})
	return d
}

// tree makes a tree of random shape.
func tree(size int, seed uint64) *data {
	d := newData(seed)
	n := max(3, size/2)
	node := d.constants("n", n)
	parent, inner, seen := newTable(2), newTable(1), make([]bool, n)
	for _, l := range bush(d, n) {
		parent.observe(1, node+symbol.ID(l[0]), node+symbol.ID(l[1]))
		seen[l[0]] = true
	}
	for k, has := range seen {
		if has {
			inner.observe(1, node+symbol.ID(k))
		}
	}
	d.add("Parent", false, parent)
	d.add("Inner", false, inner)
	d.addNodes(node, n, wave)
	return d
}

// graph links nodes at random: to a few others near them, some of them strongly.
func graph(size int, seed uint64) *data {
	d := newData(seed)
	n := max(3, size/3)
	node := d.constants("n", n)
	link, strong := newTable(2), newTable(2)
	for k := 1; k < n; k++ {
		for range 2 {
			other := max(0, k-1-d.rng.IntN(20))
			t := link
			if d.rng.IntN(2) == 0 {
				t = strong
			}
			a, b := node+symbol.ID(other), node+symbol.ID(k)
			if !slices.Contains(t.columns[0][max(0, len(t.columns[0])-2):], a) {
				t.observe(1, a, b)
			}
		}
	}
	d.add("Link", false, link)
	d.add("Strong", false, strong)
	d.addNodes(node, n, wave)
	return d
}

// budgets makes groups of nodes, each of half of them.
func budgets(groups int) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		n := max(9, size)
		node, group := d.constants("n", n), d.constants("g", groups)
		in, all := newTable(2), newTable(1)
		for g := range groups {
			all.observe(1, group+symbol.ID(g))
			for k := range n {
				if d.rng.IntN(2) == 0 {
					in.observe(1, group+symbol.ID(g), node+symbol.ID(k))
				}
			}
		}
		d.add("Group", false, all)
		d.add("In", false, in)
		d.addNodes(node, n, wave)
		return d
	}
}

// pairs makes components of two nodes each.
func pairs(size int, seed uint64) *data {
	d := newData(seed)
	n := max(1, size/4)
	node := d.constants("n", 2*n)
	pair := newTable(2)
	for k := range n {
		pair.observe(1, node+symbol.ID(2*k), node+symbol.ID(2*k+1))
	}
	d.add("Pair", false, pair)
	d.addNodes(node, 2*n, wave)
	return d
}

// matching makes a sparse bipartite graph with a value for each edge.
func matching(size int, seed uint64) *data {
	d := newData(seed)
	const degree = 5
	n := max(3, size/(degree+2))
	left, right := d.constants("a", n), d.constants("b", n)
	good, x := newTable(2), newTable(2)
	for k := range n {
		var seen []int
		for range degree {
			other := d.rng.IntN(n)
			if slices.Contains(seen, other) {
				continue
			}
			seen = append(seen, other)
			a, b := left+symbol.ID(k), right+symbol.ID(other)
			good.observe(d.rng.Float64(), a, b)
			x.target(a, b)
		}
	}
	d.add("Good", false, good)
	d.add("X", true, x)
	return d
}
