package main

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// shared is what few share: shifts of blocks, patterns that are cut, nodes that watch over others, clauses of two and
// three at random, ranks by links, sites within a budget, labels with links far back, and groups that fare alike.
var shared = []model{
	{"staff", `
0 * Time(T) + X(+B) >= Need(T) . {B: In(B, T)}
1 * O(B): !X(B)
`, shifts},
	{"cutting", `
0 * Width(W) + X(+A) + 2 * X(+B) + 3 * X(+C) >= Need(W) . {A: One(A, W)} {B: Two(B, W)} {C: Three(C, W)}
1: !X(P)
`, patterns},
	{"dominating", `
0 * O(A) + X(A) + X(+B) >= 1 . {B: Link(A, B)}
1 * O(A): !X(A)
`, watched},
	{"dominating-soft", `
3: 0 * O(A) + X(A) + X(+B) >= 1 {B: Link(A, B)}
1 * O(A): !X(A)
`, watched},
	{"clauses-hard", `
Either(A, B) -> X(A) || X(B) .
Follows(A, B) -> X(A) || !X(B) .
Some(A, B, C) -> X(A) || X(B) || !X(C) .
Other(A, B, C) -> !X(A) || !X(B) || X(C) .
0.3 * Wanted(A): X(A)
0.3 * Unwanted(A): !X(A)
`, clauses},
	{"clauses-mixed", `
2: Either(A, B) -> X(A) || X(B)
2: Follows(A, B) -> X(A) || !X(B)
1: Some(A, B, C) -> X(A) || X(B) || !X(C)
1: Other(A, B, C) -> !X(A) || !X(B) || X(C)
0.3 * Wanted(A): X(A)
0.3 * Unwanted(A): !X(A)
`, clauses},
	{"ranks", `
0 * O(A) + T(A) = 0.85 * M(A) + 0.15 * O(A) .
0 * O(A) + M(A) = T(+B) / |B| . {B: Link(A, B)}
1: T(A) = Guess(A)
`, ranks},
	{"sites-budget", `
Z(A, B) <= X(B) .
Z(A, +B) <= 1 .
X(+B) / |B| <= 0.1 .
1 * O(A): Z(A, B)
`, budgetSites},
	{"labels-skips", `
X(A, +V) = 1 .
1: 0 * Skip(A, B) + 0 * Value(V) + X(A, V) = X(B, V)
0.5: 0 * Next(A, B) + 0 * Value(V) + X(A, V) <= X(B, +W) {W: May(V, W)}
1 * Good(A, V): X(A, V)
`, skips},
	{"fair-groups", `
0 * Pair(G, H) + X(+A) / |A| <= X(+B) / |B| + 0.02 . {A: In(A, G)} {B: In(B, H)}
X(+A) / |A| <= 0.4 .
0 * Link(A, B) + X(A) + X(B) <= 1 .
1 * O(A): X(A)
`, fairGroups},
}

// shifts makes blocks of four times each, and what is needed at each time.
func shifts(size int, seed uint64) *data {
	d := newData(seed)
	n := max(30, size/2)
	times := n / 3
	block, time := d.constants("b", n), d.constants("t", times)
	all, need, in := newTable(1), newTable(1), newTable(2)
	for t := range symbol.ID(times) {
		all.observe(1, time+t)
		need.observe(d.rng.Float64(), time+t)
	}
	for b := range n {
		var own []int
		for k := range 4 {
			if t := (b/3 + 7*k*k + d.rng.IntN(3)) % times; !slices.Contains(own, t) {
				own = append(own, t)
				in.observe(1, block+symbol.ID(b), time+symbol.ID(t))
			}
		}
	}
	d.add("Time", false, all)
	d.add("Need", false, need)
	d.add("In", false, in)
	d.addPriced(block, n)
	return d
}

// patterns makes ways to cut a roll into one, two and three pieces of three widths, half as many.
func patterns(size int, seed uint64) *data {
	d := newData(seed)
	n := max(12, 2*size/3)
	pattern, width := d.constants("p", n), d.constants("w", n/2)
	all, need, x := newTable(1), newTable(1), newTable(1)
	pieces := []*table{newTable(2), newTable(2), newTable(2)}
	for w := range symbol.ID(n / 2) {
		all.observe(1, width+w)
		need.observe(0.3+0.7*d.rng.Float64(), width+w)
	}
	for p := range symbol.ID(n) {
		x.target(pattern + p)
		for k, w := range d.few(len(pieces), n/2) {
			pieces[k].observe(1, pattern+p, width+symbol.ID(w))
		}
	}
	d.add("Width", false, all)
	d.add("Need", false, need)
	for k, name := range []string{"One", "Two", "Three"} {
		d.add(name, false, pieces[k])
	}
	d.add("X", true, x)
	return d
}

// watched makes an expander with links both ways.
func watched(size int, seed uint64) *data {
	d := newData(seed)
	n := max(12, size/2)
	node := d.constants("n", n)
	d.addLinks(node, both(expander(d, n)))
	d.addPriced(node, n)
	return d
}

// clauses makes a clause of two and three of three for each value.
func clauses(size int, seed uint64) *data {
	d := newData(seed)
	n := max(12, size/5)
	node := d.constants("n", n)
	others := func(k, many int) (ids []symbol.ID) {
		for _, i := range d.few(many, n-1) {
			ids = append(ids, node+symbol.ID((k+1+i)%n))
		}
		return ids
	}
	two, three := []*table{newTable(2), newTable(2)}, []*table{newTable(3), newTable(3)}
	wishes, x := []*table{newTable(1), newTable(1)}, newTable(1)
	for k := range n {
		own, o := node+symbol.ID(k), others(k, 7)
		two[k%2].observe(1, own, o[0])
		three[0].observe(1, own, o[1], o[2])
		three[1].observe(1, own, o[3], o[4])
		three[k%2].observe(1, own, o[5], o[6])
		wishes[d.rng.IntN(2)].observe(d.rng.Float64(), own)
		x.target(own)
	}
	d.add("Either", false, two[0])
	d.add("Follows", false, two[1])
	d.add("Some", false, three[0])
	d.add("Other", false, three[1])
	d.add("Wanted", false, wishes[0])
	d.add("Unwanted", false, wishes[1])
	d.add("X", true, x)
	return d
}

// ranks makes nodes with links to up to five others, and guesses of their ranks.
func ranks(size int, seed uint64) *data {
	d := newData(seed)
	n := max(12, size/3)
	node := d.constants("n", n)
	own, guess, link, rank, mean := newTable(1), newTable(1), newTable(2), newTable(1), newTable(1)
	for k := range symbol.ID(n) {
		own.observe(d.rng.Float64(), node+k)
		guess.observe(d.rng.Float64(), node+k)
		rank.target(node + k)
		mean.target(node + k)
		for _, i := range d.few(1+d.rng.IntN(5), n) {
			link.observe(1, node+k, node+symbol.ID(i))
		}
	}
	d.add("O", false, own)
	d.add("Guess", false, guess)
	d.add("Link", false, link)
	d.add("T", true, rank)
	d.add("M", true, mean)
	return d
}

// budgetSites makes things that four of as many sites can serve.
func budgetSites(size int, seed uint64) *data {
	d := newData(seed)
	n := max(12, size/9)
	node := d.constants("n", n)
	serves := newTable(2)
	for k := range symbol.ID(n) {
		for _, i := range d.few(4, n) {
			serves.target(node+k, node+symbol.ID(i))
		}
	}
	d.add("Z", true, serves)
	d.addPriced(node, n)
	return d
}

// skips makes a sequence of things with one of four labels, each with a link to any earlier one.
func skips(size int, seed uint64) *data {
	d := newData(seed)
	const kinds = 4
	n := max(9, size/(3*kinds))
	node, value := d.constants("n", n), d.constants("v", kinds)
	all, may, good, next, skip, x := newTable(1), newTable(2), newTable(2), newTable(2), newTable(2), newTable(2)
	for v := range symbol.ID(kinds) {
		all.observe(1, value+v)
		may.observe(1, value+v, value+v)
		may.observe(1, value+v, value+(v+1)%kinds)
	}
	for k := range n {
		id := node + symbol.ID(k)
		for v := range symbol.ID(kinds) {
			good.observe(d.rng.Float64(), id, value+v)
			x.target(id, value+v)
		}
		if k > 0 {
			next.observe(1, id-1, id)
		}
		if k > 3 {
			skip.observe(1, node+symbol.ID(d.rng.IntN(k-2)), id)
		}
	}
	d.add("Value", false, all)
	d.add("May", false, may)
	d.add("Good", false, good)
	d.add("Next", false, next)
	d.add("Skip", false, skip)
	d.add("X", true, x)
	return d
}

// fairGroups makes things of eight groups, and two links of each to any other.
func fairGroups(size int, seed uint64) *data {
	d := newData(seed)
	const groups = 8
	n := max(24, size/3)
	node, group := d.constants("n", n), d.constants("g", groups)
	pair, in := newTable(2), newTable(2)
	for g := range symbol.ID(groups) {
		for h := range symbol.ID(groups) {
			if g != h {
				pair.observe(1, group+g, group+h)
			}
		}
	}
	var all [][2]int
	for k := range n {
		in.observe(1, node+symbol.ID(k), group+symbol.ID(k%groups))
		for _, i := range d.few(2, n-1) {
			all = append(all, [2]int{k, (k + 1 + i) % n})
		}
	}
	d.add("Pair", false, pair)
	d.add("In", false, in)
	d.addLinks(node, all)
	d.addChoices(node, n)
	return d
}

// addPriced adds unknown values with what they cost or are worth, a fifth at least.
func (d *data) addPriced(node symbol.ID, n int) {
	x, price := newTable(1), newTable(1)
	for k := range symbol.ID(n) {
		x.target(node + k)
		price.observe(0.2+0.8*d.rng.Float64(), node+k)
	}
	d.add("X", true, x)
	d.add("O", false, price)
}
