package main

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// programs are families as books of linear and quadratic programming have them: planning over time, parts with common
// budgets, labels, codes, signs that cannot all be right, corners with many ties, and contradictions that are long.
var programs = []model{
	// Time.
	{"inventory", `
0 * Next(A, B) + Stock(B) = Stock(A) + X(A) - 0.5 * O(A) .
0 * First(A) + Stock(A) = 0.2 .
0 * Next(A, B) + X(B) <= X(A) + 0.1 .
0.1: Stock(A) <= 0
1: 0 * Third(A) + X(A) <= 0
0.5: X(A) <= 0.2
`, periods},
	{"control", `
0 * Next(A, B) + T(B) = 0.9 * T(A) + 0.1 * X(A) .
1: T(A) = O(A) ^2
0.01: X(A) = 0.5 ^2
0.1: 0 * Next(A, B) + X(A) = X(B)
`, periods},
	{"staircase", `
0 * Step(S) + X(+A) <= X(+B) + 1 . {A: Uses(S, A)} {B: Makes(S, B)}
0 * Step(S) + X(+A) <= 3 . {A: Makes(S, A)}
1: O(A) -> X(A)
`, staircase},
	{"chain-shortcuts", `
10: Link(A, B) & T(A) -> T(B)
0.01: !T(A)
1: First(A) -> T(A)
1: Last(A) -> !T(A)
`, web(highway)},
	{"labels-chain", labelRules, labels(path)},
	{"labels-lattice", labelRules, labels(lattice)},

	// Common budgets.
	{"block-angular", `
0 * Budget(G) + X(+A) <= 2 . {A: In(G, A)}
0 * Common(G) + X(+A) / |A| <= 0.15 . {A: In(G, A)}
1: O(A) -> X(A)
`, blocks},
	{"block-angular-squared", `
0 * Budget(G) + X(+A) <= 2 . {A: In(G, A)}
0 * Common(G) + X(+A) / |A| <= 0.15 . {A: In(G, A)}
1: X(A) = O(A) ^2
`, blocks},
	{"knapsacks", `
0 * Row(R) + X(+A) + 3 * X(+B) <= 8 . {A: Plus(R, A)} {B: Minus(R, B)}
1: X(A) = O(A) ^2
0.1: O(A) -> X(A)
`, signs(20)},
	{"covering", `
0 * Row(R) + X(+A) + 2 * X(+B) >= 1 . {A: Plus(R, A)} {B: Minus(R, B)}
1 * O(A): !X(A)
`, signs(6)},
	{"interdiction", `
First(A) -> T(A) .
Last(A) -> !T(A) .
0 * Link(A, B) + T(A) - T(B) <= Cut(A, B) + Gone(A, B) .
0 * Link(A, B) + T(B) - T(A) <= Cut(A, B) + Gone(A, B) .
Gone(+A, +B) <= 1.2 .
1: 0 * Cheap(A, B) + Cut(A, B) <= 0
2: 0 * Dear(A, B) + Cut(A, B) <= 0
3: 0 * Costly(A, B) + Cut(A, B) <= 0
`, cuts},
	{"flow-capacities-expander", `
0 * Inner(A) + X(A, +B) = X(+C, A) .
0 * Link(A, B) + X(A, B) <= Capacity(A, B) .
1: First(A) & Link(A, B) -> X(A, B)
0.01: 0 * Costly(A, B) + X(A, B) <= 0
`, flows(expander)},

	// Codes, and signs.
	{"sparse-code", `
1: 0 * Row(R) + X(+A) - X(+B) = Signal(R) ^2 {A: Plus(R, A)} {B: Minus(R, B)}
0.5: X(A) <= 0
`, signs(10)},
	{"least-deviations", `
1: 0 * Row(R) + X(+A) - X(+B) = Signal(R) {A: Plus(R, A)} {B: Minus(R, B)}
0.05: X(A) = 0.5
`, signs(10)},
	{"margins", `
1: 0 * Row(R) + X(+A) - X(+B) >= Signal(R) {A: Plus(R, A)} {B: Minus(R, B)}
0.1: X(A) = 0.5 ^2
`, signs(30)},
	{"signed-squares", `
1: 0 * Cheap(A, B) + T(A) = T(B) ^2
1: 0 * Dear(A, B) + T(A) + T(B) = 1 ^2
0.001: T(A) = O(A) ^2
`, web(lattice)},
	{"signed", `
1: 0 * Cheap(A, B) + T(A) = T(B)
1: 0 * Dear(A, B) + T(A) + T(B) = 1
0.3: 0 * Third(A) + T(A) = O(A)
`, web(lattice)},
	{"signed-small-world", `
1: 0 * Cheap(A, B) + T(A) = T(B)
1: 0 * Dear(A, B) + T(A) + T(B) = 1
0.3: T(A) = O(A)
`, web(smallWorld)},
	{"cube-variation", `
1: 0 * Link(A, B) + T(A) = T(B)
1: T(A) = O(A)
`, web(cube)},
	{"cube-smooth", `
100: 0 * Link(A, B) + T(A) = T(B) ^2
0.01: T(A) = O(A) ^2
`, web(cube)},

	// Corners.
	{"klee-minty", `
0 * Next(A, B) + T(B) >= 0.3 * T(A) .
0 * Next(A, B) + T(B) <= 1 - 0.3 * T(A) .
0.000001: T(A)
1: 0 * Last(A) + T(A) >= 1
0.001: O(A) -> !T(A)
`, periods},
	{"ties", `
X(A, +B) = 1 .
X(+A, B) = 1 .
1: 0 * Cheap(A, B) + X(A, B) <= 0
2: 0 * Dear(A, B) + X(A, B) <= 0
3: 0 * Costly(A, B) + X(A, B) <= 0
`, ties},
	{"duplicates-scales", `
1e-8: 0 * Link(A, B) + T(A) = T(B)
1e8: 0 * Cheap(A, B) + T(A) <= 1.0000001 * T(B)
1e8: 0 * Cheap(A, B) + 1.0000001 * T(A) <= T(B) + 0.1
1: T(A) = O(A)
1e-8: T(A) = O(A) ^2
`, web(ladder)},

	// Contradictions.
	{"flow-infeasible", `
0 * Inner(A) + X(A, +B) = X(+C, A) .
0 * First(A) + X(A, +B) = X(+C, A) + 1 .
0 * Link(A, B) + X(A, B) <= 0.4 * Capacity(A, B) .
1: 0 * Costly(A, B) + X(A, B) <= 0
`, flows(ladder)},
	{"covering-infeasible", `
0 * Row(R) + X(+A) + 2 * X(+B) >= 1 . {A: Plus(R, A)} {B: Minus(R, B)}
X(+A) / |A| <= 0.08 .
1: X(A) = O(A)
`, signs(6)},
}

const labelRules = `
X(A, +V) = 1 .
0 * Link(A, B) + 0 * Value(V) + Z(A, B, V, +W) = X(A, V) .
0 * Link(A, B) + 0 * Value(W) + Z(A, B, +V, W) = X(B, W) .
1 * Good(A, V): X(A, V) <= 0
1 * Apart(V, W): 0 * Cheap(A, B) + Z(A, B, V, W) <= 0
0.5 * Apart(V, W): 0 * Dear(A, B) + Z(A, B, V, W) <= 0
`

// cube has the nodes of a cube, as far as they go.
func cube(_ *data, n int) (all [][2]int) {
	width := int(math.Cbrt(float64(n)))
	for k := range n {
		for axis, step := 0, 1; axis < 3; axis, step = axis+1, step*width {
			if k/step%width+1 < width && k+step < n {
				all = append(all, [2]int{k, k + step})
			}
		}
	}
	return all
}

// periods makes points in time, with values of three kinds.
func periods(size int, seed uint64) *data {
	d := newData(seed)
	n := max(9, size/4)
	node := d.constants("n", n)
	next, stock, x := newTable(2), newTable(1), newTable(1)
	for k := range symbol.ID(n) {
		if k > 0 {
			next.observe(1, node+k-1, node+k)
		}
		stock.target(node + k)
		x.target(node + k)
	}
	d.add("Next", false, next)
	d.add("Stock", true, stock)
	d.add("X", true, x)
	d.addNodes(node, n, wave)
	return d
}

// addChoices adds unknown values with observations of them.
func (d *data) addChoices(node symbol.ID, n int) {
	x, observed := newTable(1), newTable(1)
	for k := range symbol.ID(n) {
		x.target(node + k)
		observed.observe(d.value(0.5, 0.3), node+k)
	}
	d.add("X", true, x)
	d.add("O", false, observed)
}

// staircase makes steps that use some of what the step before makes.
func staircase(size int, seed uint64) *data {
	d := newData(seed)
	const wide, rows, few = 10, 4, 4
	n := max(3, size/(wide+2*rows))
	node, row := d.constants("n", n*wide), d.constants("s", n*rows)
	step, uses, makes := newTable(1), newTable(2), newTable(2)
	for k := range n * rows {
		at := k / rows * wide
		step.observe(1, row+symbol.ID(k))
		first := d.rng.IntN(wide)
		for l := range few {
			makes.observe(1, row+symbol.ID(k), node+symbol.ID(at+(first+l)%wide))
			if at+wide < n*wide {
				uses.observe(1, row+symbol.ID(k), node+symbol.ID(at+wide+(first+3*l)%wide))
			}
		}
	}
	d.add("Step", false, step)
	d.add("Uses", false, uses)
	d.add("Makes", false, makes)
	d.addChoices(node, n*wide)
	return d
}

// labels makes a graph whose nodes have one of four labels, and links a pair of them.
func labels(of linker) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		const kinds = 4
		n := max(9, size/40)
		node, value := d.constants("n", n), d.constants("v", kinds)
		all := of(d, n)
		d.addLinks(node, all)
		values, good, apart, x, z := newTable(1), newTable(2), newTable(2), newTable(2), newTable(4)
		for v := range symbol.ID(kinds) {
			values.observe(1, value+v)
			for w := range symbol.ID(kinds) {
				apart.observe(math.Abs(float64(v-w))/kinds, value+v, value+w)
				for _, l := range all {
					z.target(node+symbol.ID(l[0]), node+symbol.ID(l[1]), value+v, value+w)
				}
			}
			for k := range symbol.ID(n) {
				good.observe(d.rng.Float64(), node+k, value+v)
				x.target(node+k, value+v)
			}
		}
		d.add("Value", false, values)
		d.add("Good", false, good)
		d.add("Apart", false, apart)
		d.add("X", true, x)
		d.add("Z", true, z)
		return d
	}
}

// blocks makes blocks of nodes with budgets of their own, and five budgets over half of all.
func blocks(size int, seed uint64) *data {
	d := newData(seed)
	const wide, rows, common = 40, 10, 5
	n := max(3, size/(wide+rows))
	node, group := d.constants("n", n*wide), d.constants("g", n*rows+common)
	in, budget, all := newTable(2), newTable(1), newTable(1)
	for g := range n * rows {
		budget.observe(1, group+symbol.ID(g))
		first := d.rng.IntN(wide)
		for l := range wide / 5 {
			in.observe(1, group+symbol.ID(g), node+symbol.ID(g/rows*wide+(first+3*l)%wide))
		}
	}
	for g := range common {
		all.observe(1, group+symbol.ID(n*rows+g))
		for k := range n * wide {
			if d.rng.IntN(2) == 0 {
				in.observe(1, group+symbol.ID(n*rows+g), node+symbol.ID(k))
			}
		}
	}
	d.add("In", false, in)
	d.add("Budget", false, budget)
	d.add("Common", false, all)
	d.addChoices(node, n*wide)
	return d
}

// signs makes rows of so many random nodes, half of them with the other sign, about as many rows as nodes.
func signs(terms int) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		n := max(2*terms, size/2)
		node, row := d.constants("n", n), d.constants("r", n)
		plus, minus, rows, signal := newTable(2), newTable(2), newTable(1), newTable(1)
		for r := range n {
			rows.observe(1, row+symbol.ID(r))
			signal.observe(d.value(0.3, 0.5), row+symbol.ID(r))
			seen := make(map[int]bool)
			for len(seen) < terms {
				k := d.rng.IntN(n)
				if seen[k] {
					continue
				}
				seen[k] = true
				if len(seen)%2 == 0 {
					plus.observe(1, row+symbol.ID(r), node+symbol.ID(k))
				} else {
					minus.observe(1, row+symbol.ID(r), node+symbol.ID(k))
				}
			}
		}
		d.add("Plus", false, plus)
		d.add("Minus", false, minus)
		d.add("Row", false, rows)
		d.add("Signal", false, signal)
		d.addChoices(node, n)
		return d
	}
}

// cuts makes a lattice whose links may be cut, or go.
func cuts(size int, seed uint64) *data {
	d := newData(seed)
	n := max(9, size/6)
	node := d.constants("n", n)
	all := lattice(d, n)
	d.addLinks(node, all)
	cut, gone := newTable(2), newTable(2)
	for _, l := range all {
		cut.target(node+symbol.ID(l[0]), node+symbol.ID(l[1]))
		gone.target(node+symbol.ID(l[0]), node+symbol.ID(l[1]))
	}
	d.add("Cut", true, cut)
	d.add("Gone", true, gone)
	d.addNodes(node, n, nothing)
	return d
}

// ties makes all pairs of two kinds, with one of three costs.
func ties(size int, seed uint64) *data {
	d := newData(seed)
	n := max(3, int(math.Sqrt(float64(size))))
	left, right, x := d.constants("a", n), d.constants("b", n), newTable(2)
	for a := range symbol.ID(n) {
		for b := range symbol.ID(n) {
			x.target(left+a, right+b)
		}
	}
	d.add("X", true, x)
	d.addClasses(x)
	return d
}
