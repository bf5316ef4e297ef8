package main

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// mixtures are families that mix what others have apart: hard equations with squares, flows that cost by their square,
// sums as long as the model, quotas, hierarchies, equations that determine everything, and sizes of all orders.
var mixtures = []model{
	// Equations, with squares or without freedom.
	{"flow-squared", `
X(A, +B) + Sink(A) = X(+C, A) + Source(A) .
1: 0 * Cheap(A, B) + X(A, B) <= 0 ^2
2: 0 * Dear(A, B) + X(A, B) <= 0 ^2
3: 0 * Costly(A, B) + X(A, B) <= 0
`, flows(lattice)},
	{"flow-squared-expander", `
X(A, +B) + Sink(A) = X(+C, A) + Source(A) .
1: 0 * Cheap(A, B) + X(A, B) <= 0 ^2
2: 0 * Dear(A, B) + X(A, B) <= 0 ^2
3: 0 * Costly(A, B) + X(A, B) <= 0
`, flows(expander)},
	{"flow-unbalanced", `
0 * Inner(A) + X(A, +B) = X(+C, A) .
0 * First(A) + X(A, +B) = X(+C, A) + 0.5 .
0 * Last(A) + X(+C, A) = X(A, +B) + 0.499 .
1: 0 * Costly(A, B) + X(A, B) <= 0
`, flows(lattice)},
	{"flow-unbalanced-expander", `
0 * Inner(A) + X(A, +B) = X(+C, A) .
0 * First(A) + X(A, +B) = X(+C, A) + 0.5 .
0 * Last(A) + X(+C, A) = X(A, +B) + 0.499 .
1: 0 * Costly(A, B) + X(A, B) <= 0
`, flows(expander)},
	{"absorbing", `
0 * Between(A, B, C) + T(B) = 0.55 * T(A) + 0.45 * T(C) .
0 * First(A) + T(A) = 0 .
0.01: T(A) = O(A) ^2
1: 0 * Last(A) + T(A) >= 0.7
`, chain(2, wave)},
	{"harmonic", `
0 * Inner(A) + T(A) = T(+B) / |B| . {B: Either(A, B)}
1: T(A) = O(A)
`, ways(lattice)},
	{"harmonic-expander", `
0 * Inner(A) + T(A) = 0.85 * T(+B) / |B| + 0.15 * O(A) . {B: Either(A, B)}
1: T(A) = O(A)
`, ways(expander)},
	{"harmonic-soft", `
100: 0 * Inner(A) + T(A) = T(+B) / |B| ^2 {B: Either(A, B)}
0.01: T(A) = O(A)
`, ways(lattice)},
	{"tree-mixture", `
0 * Inner(A) + T(A) = T(+B) / |B| . {B: Parent(A, B)}
5: 0 * Third(A) + T(A) = O(A)
1: 0 * Parent(A, B) + T(A) = T(B) ^2
0.1: T(A) <= O(A) ^2
`, tree},
	{"graph-mixture", `
0 * Strong(A, B) + T(A) + T(B) <= 1.2 .
3: 0 * Link(A, B) + T(A) = T(B)
1: T(A) = O(A) ^2
`, graph},

	// Denoising, and orders.
	{"chain-denoise", `
2: 0 * Next(A, B) + T(A) = T(B)
1: T(A) = O(A) ^2
`, chain(2, steps)},
	{"chain-trend", `
100: 0 * Between(A, B, C) + 2 * T(B) = T(A) + T(C)
1: T(A) = O(A) ^2
`, chain(2, wave)},
	{"grid-denoise", `
0.5: 0 * Beside(A, B) + T(A) = T(B)
1: T(A) = O(A) ^2
`, grid},
	{"order-expander", `
0 * Link(A, B) + T(A) <= T(B) .
1: T(A) = O(A) ^2
`, web(expander)},
	{"order-expander-linear", `
0 * Link(A, B) + T(A) <= T(B) .
1: T(A) = O(A)
`, web(expander)},
	{"margins-ranking", `
1: 0 * Cheap(A, B) + T(A) >= T(B) + 0.1
1: 0 * Dear(A, B) + T(B) >= T(A) + 0.05
0.01: T(A) = 0.5 ^2
`, web(expander)},
	{"cycles-inconsistent", `
1: 0 * Around(A, B) + T(B) >= T(A) + 0.1
0.3: 0 * Skip(A, B) + T(B) <= T(A) + 0.1
0.01: T(A) = O(A)
`, chain(3, wave)},
	{"cycles-inconsistent-squared", `
1: 0 * Around(A, B) + T(B) >= T(A) + 0.1 ^2
0.3: 0 * Skip(A, B) + T(B) <= T(A) + 0.1 ^2
0.0001: T(A) = O(A)
`, chain(3, wave)},

	// Covers and packings of graphs that nothing divides.
	{"cover-expander", `
0 * Link(A, B) + T(A) + T(B) >= 1 .
1 * O(A): !T(A)
1: T(A) <= 0
`, web(expander)},
	{"packing-expander", `
0 * Link(A, B) + T(A) + T(B) <= 1 .
1: O(A) -> T(A)
`, web(expander)},
	{"packing-expander-squared", `
0 * Link(A, B) + T(A) + T(B) <= 1 .
1: O(A) -> T(A) ^2
`, web(expander)},
	{"signed-expander", `
1: 0 * Cheap(A, B) + T(A) = T(B)
1: 0 * Dear(A, B) + T(A) + T(B) = 1
0.3: T(A) = O(A)
`, web(expander)},
	{"variation-expander", `
1: 0 * Link(A, B) + T(A) = T(B)
1: T(A) = O(A)
`, web(expander)},

	// Transport, shares and loads.
	{"transport-line", `
X(A, +B) = Supply(A) .
X(+A, B) = Demand(B) .
1 * Far(A, B): X(A, B) <= 0
`, transport},
	{"transport-line-prior", `
X(A, +B) = Supply(A) .
X(+A, B) = Demand(B) .
1 * Far(A, B): X(A, B) <= 0
0.0000001: X(A, B) <= 0 ^2
`, transport},
	{"minimax", `
X(A, +B) = 1 .
X(+A, B) / |A| <= 0.5 * Z('all0') .
0.01: Good(A, B) -> X(A, B)
1000: Z('all0') <= 0
`, loads},
	{"choices", `
X(A, +B) <= 1 .
X(+A, +B) / |A| <= 0.2 .
1: Good(A, B) -> X(A, B)
`, matching},
	{"quota", `
0 * Last(Z) + T(+A) / |A| - T(+B) / |B| <= 0.01 . {A: Third(A)} {B: Node(B)}
0 * Last(Z) + T(+B) / |B| - T(+A) / |A| <= 0.01 . {A: Third(A)} {B: Node(B)}
T(+A) / |A| = 0.4 .
1: 0 * Link(A, B) + T(A) = T(B)
1: T(A) = O(A)
`, web(smallWorld)},
	{"quota-squared", `
0 * Last(Z) + T(+A) / |A| - T(+B) / |B| <= 0.01 . {A: Third(A)} {B: Node(B)}
0 * Last(Z) + T(+B) / |B| - T(+A) / |A| <= 0.01 . {A: Third(A)} {B: Node(B)}
T(+A) / |A| = 0.4 .
1: 0 * Link(A, B) + T(A) = T(B) ^2
1: T(A) = O(A) ^2
`, web(smallWorld)},
	{"factors", `
1000: 0 * Group(G) + T(+A) / |A| = 0.1 + M(G) ^2 {A: In(G, A)}
T(+A) / |A| = 0.1 .
1: O(A) -> T(A)
1: M(G) <= 0 ^2
`, factors},

	// Sizes.
	{"weights-observed", `
100000 * Size(A, B): 0 * Next(A, B) + T(A) = T(B)
1: T(A) = O(A)
`, sizes(path)},
	{"weights-observed-lattice", `
100000 * Size(A, B): 0 * Next(A, B) + T(A) = T(B) ^2
1: T(A) = O(A)
`, sizes(lattice)},
	{"weights-observed-expander", `
100000 * Size(A, B): 0 * Next(A, B) + T(A) = T(B)
0.001: T(A) = O(A)
`, sizes(expander)},
	{"coefficients", `
0 * Cheap(A, B) + 10000 * T(A) <= 10000 * T(B) + 1000 .
0 * Dear(A, B) + 0.0001 * T(A) <= 0.0001 * T(B) + 0.00001 .
1: 0 * Costly(A, B) + 1000 * T(A) = 1000 * T(B)
1: T(A) = O(A)
`, web(lattice)},
	{"coefficients-mixed", `
0 * Cheap(A, B) + 1000 * T(A) + 0.001 * T(B) <= 700 .
0 * Dear(A, B) + 0.01 * T(A) + 100 * T(B) <= 80 .
1: 0 * Costly(A, B) + T(A) = T(B)
0.00001: T(A) = O(A) ^2
`, web(lattice)},

	// Parts, and hierarchies.
	{"archipelago", `
0 * Around(A, B) + T(A) + T(B) <= 1.1 .
1: 0 * Around(A, B) + T(A) = T(B) ^2
2: 0 * Far(A, B) + T(A) = T(B)
1: T(A) = O(A)
`, archipelago},
	{"archipelago-contradiction", `
0 * Around(A, B) + T(A) + T(B) <= 1.1 .
0 * Far(A, B) + T(A) <= T(B) .
0 * First(A) + T(A) >= 0.8 .
0 * Last(A) + T(A) <= 0.7 .
1: T(A) = O(A)
`, archipelago},
	{"ontology", `
Sub(C, D) & X(A, C) -> X(A, D) .
Apart(C, D) & X(A, C) -> !X(A, D) .
X(A, +C) = 1 . {C: Leaf(C)}
1: Good(A, C) -> X(A, C)
1: Beside(A, B) & X(A, C) -> X(B, C)
`, ontology},
	{"ontology-squared", `
Sub(C, D) & X(A, C) -> X(A, D) .
Apart(C, D) & X(A, C) -> !X(A, D) .
X(A, +C) = 1 . {C: Leaf(C)}
1: Good(A, C) -> X(A, C) ^2
1: Beside(A, B) & X(A, C) -> X(B, C) ^2
`, ontology},
	{"lipschitz-infeasible", `
0 * Beside(A, B) + T(A) <= T(B) + Step(A) .
0 * First(A) + T(A) >= 0.95 .
0 * Last(A) + T(A) <= 0.05 .
1: T(A) = O(A)
`, slope},
	{"transitive", `
1: S(A, B) & S(B, C) & A != C -> S(A, C) ^2
S(A, B) = S(B, A) .
1: S(A, B) = Good(A, B)
`, relatedness},
	{"transitive-linear", `
1: S(A, B) & S(B, C) & A != C -> S(A, C)
S(A, B) = S(B, A) .
1: S(A, B) = Good(A, B)
`, relatedness},
}

// ways makes a graph with links that count both ways.
func ways(of linker) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		n := max(9, size/2)
		node := d.constants("n", n)
		either, inner := newTable(2), newTable(1)
		for _, l := range both(of(d, n)) {
			either.observe(1, node+symbol.ID(l[0]), node+symbol.ID(l[1]))
		}
		for k := range symbol.ID(n) {
			if d.rng.IntN(10) > 0 {
				inner.observe(1, node+k)
			}
		}
		d.add("Either", false, either)
		d.add("Inner", false, inner)
		d.addNodes(node, n, wave)
		return d
	}
}

// transport makes places on a line, what they have and what they need, as much in all.
func transport(size int, seed uint64) *data {
	d := newData(seed)
	n := max(3, int(math.Sqrt(float64(size))))
	left, right := d.constants("a", n), d.constants("b", n)
	far, supply, demand, x := newTable(2), newTable(1), newTable(1), newTable(2)
	for a := range n {
		supply.observe(0.5, left+symbol.ID(a))
		demand.observe(0.25+0.5*float64(a%2), right+symbol.ID(a))
		for b := range n {
			far.observe(math.Abs(float64(a-b))/float64(n), left+symbol.ID(a), right+symbol.ID(b))
			x.target(left+symbol.ID(a), right+symbol.ID(b))
		}
	}
	if n%2 == 1 {
		demand.truth[n-1] = 0.5
	}
	d.add("Far", false, far)
	d.add("Supply", false, supply)
	d.add("Demand", false, demand)
	d.add("X", true, x)
	return d
}

// loads makes jobs that twenty machines do well or badly, of which the busiest counts.
func loads(size int, seed uint64) *data {
	d := newData(seed)
	const machines = 20
	n := max(3, size/machines)
	job, machine, all := d.constants("j", n), d.constants("m", machines), d.constants("all", 1)
	good, x, top, z := newTable(2), newTable(2), newTable(1), newTable(1)
	for a := range symbol.ID(n) {
		for b := range symbol.ID(machines) {
			if d.rng.IntN(3) == 0 || int(a)%machines == int(b) {
				good.observe(d.rng.Float64(), job+a, machine+b)
				x.target(job+a, machine+b)
			}
		}
	}
	top.observe(1, all)
	z.target(all)
	d.add("Good", false, good)
	d.add("X", true, x)
	d.add("Top", false, top)
	d.add("Z", true, z)
	return d
}

// factors makes twenty groups of half of all nodes, with a mean each.
func factors(size int, seed uint64) *data {
	d := budgets(20)(size, seed)
	mean := newTable(1)
	for k := range symbol.ID(20) {
		mean.target(symbol.ID(max(9, size)) + k)
	}
	d.add("M", true, mean)
	return d
}

// sizes makes links with sizes of ten orders.
func sizes(of linker) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		n := max(9, size/3)
		node := d.constants("n", n)
		next, big := newTable(2), newTable(2)
		for _, l := range of(d, n) {
			next.observe(1, node+symbol.ID(l[0]), node+symbol.ID(l[1]))
			big.observe(math.Pow(10, -10*d.rng.Float64()), node+symbol.ID(l[0]), node+symbol.ID(l[1]))
		}
		d.add("Next", false, next)
		d.add("Size", false, big)
		d.addNodes(node, n, wave)
		return d
	}
}

// archipelago makes rings of five nodes, of two thirds of the size, and a square of the others.
func archipelago(size int, seed uint64) *data {
	d := newData(seed)
	n := max(20, size/3)
	node := d.constants("n", n)
	around, far := newTable(2), newTable(2)
	const ring = 5
	land := n / 3
	for _, l := range lattice(d, land) {
		far.observe(1, node+symbol.ID(l[0]), node+symbol.ID(l[1]))
	}
	for k := land; k+ring <= n; k += ring {
		for j := range ring {
			around.observe(1, node+symbol.ID(k+j), node+symbol.ID(k+(j+1)%ring))
		}
	}
	d.add("Around", false, around)
	d.add("Far", false, far)
	d.addNodes(node, n, wave)
	last := len(d.store.Relations) - 2 // of the square
	d.store.Relations[last].Columns[0][0] = node + symbol.ID(int(math.Sqrt(float64(land)))*int(math.Sqrt(float64(land)))-1)
	return d
}

// ontology makes things of kinds in a tree, and things beside each other.
func ontology(size int, seed uint64) *data {
	d := newData(seed)
	const kinds = 15
	n := max(5, size/70)
	node, kind := d.constants("n", n), d.constants("k", kinds)
	sub, apart, leaf, good, beside, x := newTable(2), newTable(2), newTable(1), newTable(2), newTable(2), newTable(2)
	for k := range symbol.ID(kinds) {
		if k > 0 {
			sub.observe(1, kind+k, kind+(k-1)/2)
		}
		if k%2 == 1 {
			apart.observe(1, kind+k, kind+k+1)
		}
		if 2*k+1 >= kinds {
			leaf.observe(1, kind+k)
		}
	}
	for a := range n {
		for k := range symbol.ID(kinds) {
			good.observe(d.value(0.3, 0.3), node+symbol.ID(a), kind+k)
			x.target(node+symbol.ID(a), kind+k)
		}
	}
	for _, l := range expander(d, n) {
		beside.observe(1, node+symbol.ID(l[0]), node+symbol.ID(l[1]))
	}
	d.add("Sub", false, sub)
	d.add("Apart", false, apart)
	d.add("Leaf", false, leaf)
	d.add("Good", false, good)
	d.add("Beside", false, beside)
	d.add("X", true, x)
	return d
}

// slope makes a square whose nodes may differ by so little that its corners cannot differ by as much as they are to.
func slope(size int, seed uint64) *data {
	d := grid(size, seed)
	step := newTable(1)
	nodes := d.store.Symbols.Len()
	for k := range symbol.ID(nodes) {
		step.observe(0.89/(2*math.Sqrt(float64(nodes))-2), k)
	}
	d.add("Step", false, step)
	return d
}
