package main

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// plans are what is planned and shared: how often states are visited, who meets whom, what is seen in a time, groups
// that overlap with limits for each, mixtures, potentials, machines of which the last one counts, orders of places,
// coverings with weights of all sizes, and shares of which the least counts.
var plans = []model{
	{"occupancies", `
0 * State(S) + X(+A) = 0.3 * X(+B) + 0.02 . {A: Of(A, S)} {B: To(B, S)}
1 * Pay(A): X(A)
`, occupancies},
	{"degrees", `
X(A, +B) <= 2 .
X(+A, B) <= 2 .
0.7: Cheap(A, B) & Good(A, B) -> X(A, B)
1: Dear(A, B) & Good(A, B) -> X(A, B)
0.2: Costly(A, B) -> !X(A, B)
`, matchings},
	{"hub", `
0.5: 0 * O(A) + T(A) <= X(H) + 0.1
X(H) <= 0.4 .
1: T(A) = O(A)
`, hubbed},
	{"intervals", `
0 * Slot(S) + X(+A) <= 3 . {A: Covers(A, S)}
1 * Pay(A): X(A)
`, intervals},
	{"caps", `
0 * Group(G) + T(+A) <= 2 . {A: In(G, A)}
1: O(A) -> T(A)
`, overlapping},
	{"parallel-hard", `
0 * Group(G) + T(+A) / |A| = M(G) . {A: In(G, A)}
0 * Group(G) + 1.0001 * T(+A) / |A| <= M(G) + 0.00005 . {A: In(G, A)}
0 * Group(G) + 0.9999 * T(+A) / |A| + 0.0001 >= M(G) . {A: In(G, A)}
1: T(A) = O(A)
`, overlapping},
	{"variation-expander-squared", `
0.3: 0 * Link(A, B) + T(A) = T(B)
1: T(A) = O(A) ^2
`, web(expander)},
	{"mixtures", `
M(I, +K) = 1 .
1: 0 * Seen(I, F) + M(I, +K) = Seen(I, F) ^2 {K: Has(K, F)}
0.1: Next(I, J) & M(I, K) -> M(J, K)
`, shares},
	{"potentials", `
0 * Link(A, B) + T(B) <= T(A) + Offset(A, B) - 0.5 .
1: T(A)
0.5: T(A) = O(A)
`, offsets},
	{"makespan", `
X(J, +M) = 1 .
0 * Machine(M) + X(+J, M) / 8 <= Z(W) .
10: Z(W) <= 0
1 * Cost(J, M): !X(J, M)
`, machines},
	{"places", `
X(I, +P) = 1 .
X(+I, P) = 1 .
0 * First(P) + Up(I, P) = X(I, P) .
0 * Then(P, Q) + Up(I, Q) = Up(I, P) + X(I, Q) .
0 * Before(I, J) + Up(I, P) >= Up(J, P) .
1 * Cost(I, P): !X(I, P)
`, places},
	{"covering-scales", `
0 * Row(R) + X(+A) >= 1 . {A: Covers(R, A)}
1000000: 0 * Held(A) + X(A) <= 0.5
0.000001: 0 * Cheap(A) + X(A) <= 0
1 * Pay(A): !X(A)
`, coveringScales},
	{"fair-shares", `
X(+A, I) = 1 .
0 * Agent(A) + X(A, +I) + 0.5 * X(A, +J) >= 3 * Least(W) . {I: Loves(A, I)} {J: Likes(A, J)}
10: Least(W)
`, fairShares},

	// Sets drawn at random, of which factors fill.
	{"set-cover", coverRules, drawn(4, 1)},
	{"set-cover-many", coverRules, drawn(5, 2)},
	{"set-cover-soft", `
0.7: 0 * Row(R) + X(+A) >= 1 {A: In(R, A)}
1 * O(A): !X(A)
`, drawn(4, 1)},
	{"set-packing", packingRules, drawn(6, 1)},
	{"set-packing-many", packingRules, drawn(4, 2)},
	{"set-partition", `
0 * Row(R) + X(+A) = 1 . {A: In(R, A)}
1 * O(A): !X(A)
`, drawn(4, 0.5)},
	{"multicover", `
0 * Row(R) + X(+A) >= 3 . {A: In(R, A)}
1 * O(A): !X(A)
`, drawn(9, 0.5)},
}

const (
	coverRules = `
0 * Row(R) + X(+A) >= 1 . {A: In(R, A)}
1 * O(A): !X(A)
`
	packingRules = `
0 * Row(R) + X(+A) <= 1 . {A: In(R, A)}
1 * O(A): X(A)
`
)

// drawn makes choices, and sets of so many of them at random, so many times as many as there are choices.
func drawn(each int, sets float64) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		n := max(2*each, int(float64(size)/(1+sets)))
		m := int(sets * float64(n))
		node, row := d.constants("n", n), d.constants("r", m)
		in, rows := newTable(2), newTable(1)
		for r := range symbol.ID(m) {
			rows.observe(1, row+r)
			for _, i := range d.few(each, n) {
				in.observe(1, row+r, node+symbol.ID(i))
			}
		}
		d.add("In", false, in)
		d.add("Row", false, rows)
		d.addChoices(node, n)
		return d
	}
}

// occupancies makes states with three actions each, that pay something and lead to one of three states by chance.
func occupancies(size int, seed uint64) *data {
	d := newData(seed)
	const actions, chances = 3, 3
	n := max(9, size/(actions+1))
	state, action := d.constants("s", n), d.constants("a", n*actions)
	of, all, pay, to, x := newTable(2), newTable(1), newTable(1), newTable(2), newTable(1)
	for k := range n * actions {
		a, s := action+symbol.ID(k), k/actions
		of.observe(1, a, state+symbol.ID(s))
		pay.observe(d.rng.Float64(), a)
		x.target(a)
		if k%actions == 0 {
			all.observe(1, state+symbol.ID(s))
		}
		for _, next := range d.few(chances, n) {
			to.observe(1, a, state+symbol.ID(next))
		}
	}
	d.add("Of", false, of)
	d.add("State", false, all)
	d.add("Pay", false, pay)
	d.add("To", false, to)
	d.add("X", true, x)
	return d
}

// few draws so many different numbers below n.
func (d *data) few(many, n int) (all []int) {
	for len(all) < min(many, n) {
		if k := d.rng.IntN(n); !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	return all
}

// hubbed makes nodes that one other has to do with.
func hubbed(size int, seed uint64) *data {
	d := newData(seed)
	n := max(9, size/2)
	d.addNodes(d.constants("n", n), n, wave)
	one := newTable(1)
	one.target(d.constants("h", 1))
	d.add("X", true, one)
	return d
}

// intervals makes intervals of up to forty slots, one after the other, that pay something.
func intervals(size int, seed uint64) *data {
	d := newData(seed)
	const longest = 40
	n := max(9, size/2)
	one, slot := d.constants("i", n), d.constants("s", n)
	covers, all, pay, x := newTable(2), newTable(1), newTable(1), newTable(1)
	for k := range n {
		all.observe(1, slot+symbol.ID(k))
		first := d.rng.IntN(n)
		for s := first; s < min(n, first+1+d.rng.IntN(longest)); s++ {
			covers.observe(1, one+symbol.ID(k), slot+symbol.ID(s))
		}
		pay.observe(d.rng.Float64(), one+symbol.ID(k))
		x.target(one + symbol.ID(k))
	}
	d.add("Covers", false, covers)
	d.add("Slot", false, all)
	d.add("Pay", false, pay)
	d.add("X", true, x)
	return d
}

// overlapping makes nodes that are each in three groups, of ten nodes or so.
func overlapping(size int, seed uint64) *data {
	d := newData(seed)
	const each, members = 3, 10
	n := max(20, size*members/(members+each))
	groups := n * each / members
	node, group := d.constants("n", n), d.constants("g", groups)
	in, all, mean := newTable(2), newTable(1), newTable(1)
	for g := range symbol.ID(groups) {
		all.observe(1, group+g)
		mean.target(group + g)
	}
	for k := range n {
		for _, g := range d.few(each, groups) {
			in.observe(1, group+symbol.ID(g), node+symbol.ID(k))
		}
	}
	d.add("In", false, in)
	d.add("Group", false, all)
	d.add("M", true, mean)
	d.addNodes(node, n, wave)
	return d
}

// shares makes a chain of items that are mixtures of six kinds, by the features that some of these have.
func shares(size int, seed uint64) *data {
	d := newData(seed)
	const kinds, features = 6, 8
	n := max(4, size/(kinds+features+1))
	item, kind, feature := d.constants("i", n), d.constants("k", kinds), d.constants("f", features)
	has, seen, next, m := newTable(2), newTable(2), newTable(2), newTable(2)
	for f := range symbol.ID(features) {
		for _, k := range d.few(kinds/2, kinds) {
			has.observe(1, kind+symbol.ID(k), feature+f)
		}
	}
	for i := range symbol.ID(n) {
		for f := range symbol.ID(features) {
			seen.observe(d.rng.Float64(), item+i, feature+f)
		}
		for k := range symbol.ID(kinds) {
			m.target(item+i, kind+k)
		}
		if i > 0 {
			next.observe(1, item+i-1, item+i)
		}
	}
	d.add("Has", false, has)
	d.add("Seen", false, seen)
	d.add("Next", false, next)
	d.add("M", true, m)
	return d
}

// offsets makes an expander whose links say how much more the one end may have than the other, less than nothing for
// half of them: values that are drawn first satisfy all.
func offsets(size int, seed uint64) *data {
	d := newData(seed)
	n := max(9, size/4)
	node := d.constants("n", n)
	hidden := make([]float64, n)
	for k := range hidden {
		hidden[k] = 0.25 + 0.5*d.rng.Float64()
	}
	link, offset := newTable(2), newTable(2)
	for _, l := range expander(d, n) {
		a, b := node+symbol.ID(l[0]), node+symbol.ID(l[1])
		link.observe(1, a, b)
		offset.observe(0.5+0.9*(hidden[l[1]]-hidden[l[0]])+0.05*d.rng.Float64(), a, b)
	}
	d.add("Link", false, link)
	d.add("Offset", false, offset)
	d.addNodes(node, n, wave)
	return d
}

// machines makes jobs that four of the machines can do, at costs of their own.
func machines(size int, seed uint64) *data {
	d := newData(seed)
	const ways, load = 4, 4
	n := max(20, size/(ways+1))
	job, machine, whole := d.constants("j", n), d.constants("m", n/load), d.constants("w", 1)
	all, cost, x, z := newTable(1), newTable(2), newTable(2), newTable(1)
	z.target(whole)
	for m := range symbol.ID(n / load) {
		all.observe(1, machine+m)
	}
	for j := range n {
		for _, m := range d.few(ways, n/load) {
			x.target(job+symbol.ID(j), machine+symbol.ID(m))
			cost.observe(d.rng.Float64(), job+symbol.ID(j), machine+symbol.ID(m))
		}
	}
	d.add("Machine", false, all)
	d.add("Cost", false, cost)
	d.add("X", true, x)
	d.add("Z", true, z)
	return d
}

// places makes items that each get one of as many places, some no later than others.
func places(size int, seed uint64) *data {
	d := newData(seed)
	n := max(5, int(math.Sqrt(float64(size)/4)))
	item, place := d.constants("i", n), d.constants("p", n)
	first, then, before, cost, x, up := newTable(1), newTable(2), newTable(2), newTable(2), newTable(2), newTable(2)
	first.observe(1, place)
	for i := range n {
		if i > 0 {
			then.observe(1, place+symbol.ID(i-1), place+symbol.ID(i))
		}
		if j := d.rng.IntN(n); j > i {
			before.observe(1, item+symbol.ID(i), item+symbol.ID(j))
		}
		for p := range symbol.ID(n) {
			cost.observe(d.rng.Float64(), item+symbol.ID(i), place+p)
			x.target(item+symbol.ID(i), place+p)
			up.target(item+symbol.ID(i), place+p)
		}
	}
	d.add("First", false, first)
	d.add("Then", false, then)
	d.add("Before", false, before)
	d.add("Cost", false, cost)
	d.add("X", true, x)
	d.add("Up", true, up)
	return d
}

// coveringScales makes rows that four columns at random cover, of which some are held back and others cost nearly
// nothing, and the rest from 0.0001 to 1.
func coveringScales(size int, seed uint64) *data {
	d := newData(seed)
	n := max(12, size/3)
	column, row := d.constants("a", n), d.constants("r", n)
	covers, all, held, cheap, pay, x := newTable(2), newTable(1), newTable(1), newTable(1), newTable(1), newTable(1)
	for k := range n {
		all.observe(1, row+symbol.ID(k))
		for _, a := range d.few(4, n) {
			covers.observe(1, row+symbol.ID(k), column+symbol.ID(a))
		}
		switch k % 5 {
		case 0:
			held.observe(1, column+symbol.ID(k))
		case 1:
			cheap.observe(1, column+symbol.ID(k))
		}
		pay.observe(math.Pow(10, -4*d.rng.Float64()), column+symbol.ID(k))
		x.target(column + symbol.ID(k))
	}
	d.add("Covers", false, covers)
	d.add("Row", false, all)
	d.add("Held", false, held)
	d.add("Cheap", false, cheap)
	d.add("Pay", false, pay)
	d.add("X", true, x)
	return d
}

// fairShares makes goods that two agents love and two others like, where the least that any agent has counts.
func fairShares(size int, seed uint64) *data {
	d := newData(seed)
	n := max(10, size/2)
	agents := n * 9 / 10
	good, agent, whole := d.constants("i", n), d.constants("a", agents), d.constants("w", 1)
	all, loves, likes, x, least := newTable(1), newTable(2), newTable(2), newTable(2), newTable(1)
	for a := range symbol.ID(agents) {
		all.observe(1, agent+a)
	}
	for i := range symbol.ID(n) {
		for k, a := range d.few(4, agents) {
			t := loves
			if k >= 2 {
				t = likes
			}
			t.observe(1, agent+symbol.ID(a), good+i)
			x.target(agent+symbol.ID(a), good+i)
		}
	}
	least.target(whole)
	d.add("Agent", false, all)
	d.add("Loves", false, loves)
	d.add("Likes", false, likes)
	d.add("X", true, x)
	d.add("Least", true, least)
	return d
}
