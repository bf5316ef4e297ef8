package main

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// usual are problems of planning as books and users have them: things in bags that had better not be together, jobs in
// rooms one after the other, sites with capacities, prices, parts of products, duties of nurses, routes over common
// lines, coverage that gains less and less, orders by pairs, and labels on a graph that nothing divides.
var usual = []model{
	{"bags-conflicts", `
0 * Bag(G) + X(+A) + 2 * X(+B) + 5 * X(+C) <= 6 . {A: Small(G, A)} {B: Middle(G, B)} {C: Big(G, C)}
0 * Conflict(A, B) + X(A) + X(B) <= 1 .
1 * O(A): X(A)
`, bags},
	{"bags-conflicts-soft", `
0 * Bag(G) + X(+A) + 2 * X(+B) + 5 * X(+C) <= 6 . {A: Small(G, A)} {B: Middle(G, B)} {C: Big(G, C)}
0.6: Conflict(A, B) & X(A) -> !X(B)
1 * O(A): X(A)
`, bags},
	{"rooms", `
X(J, +S) = 1 .
2: 0 * Room(R) + 0 * Slot(S) + X(+J, S) <= 1 {J: In(J, R)}
1: 0 * Before(I, J) + 0 * Slot(S) + X(J, +U) <= X(I, +V) {U: Until(U, S)} {V: Earlier(V, S)}
1 * Cost(J, S): !X(J, S)
`, rooms},
	{"rooms-squared", `
X(J, +S) = 1 .
2: 0 * Room(R) + 0 * Slot(S) + X(+J, S) <= 1 ^2 {J: In(J, R)}
1: 0 * Before(I, J) + 0 * Slot(S) + X(J, +U) <= X(I, +V) ^2 {U: Until(U, S)} {V: Earlier(V, S)}
1 * Cost(J, S): !X(J, S)
`, rooms},
	{"sites-capacities", `
X(A, +B) = 1 .
0 * Cheap(B) + X(+A, B) <= 6 * Y(B) .
0 * Cost(A, B) + X(A, B) <= Y(B) .
1 * Cost(A, B): !X(A, B)
1 * Cheap(B): !Y(B)
`, sites},
	{"prices", `
0 * Good(A, B) + P(A) + Q(B) >= Good(A, B) .
1: !P(A)
1: !Q(B)
`, prices},
	{"parts", `
0 * Part(C) + X(+A) <= Buy(C) + 0.1 . {A: Uses(A, C)}
0 * Kind(K) + X(+A) <= 2 . {A: Of(A, K)}
1 * O(A): X(A)
0.2: !Buy(C)
`, parts},
	{"roster", `
0 * Nurse(N) + 0 * Day(D) + X(N, D, +S) <= 1 .
0 * Day(D) + 0 * Shift(S) + X(+N, D, S) >= 2 .
Next(D, E) & Clash(S, R) & X(N, D, S) -> !X(N, E, R) .
0 * Nurse(N) + 0 * Day(D) + X(N, +E, +S) <= 5 . {E: Week(E, D)}
1 * Cost(N, D, S): !X(N, D, S)
`, roster},
	{"routes", `
0 * Line(L) + X(+A) <= 1 . {A: Over(A, L)}
0 * O(A) + 0 * Whole(Z) + X(A) >= Least(Z) .
50: Least(Z)
1 * O(A): X(A)
`, routes},
	{"cover-levels", `
0 * Row(R) + First(R) + Second(R) <= X(+A) . {A: In(R, A)}
X(+A) / |A| <= 0.2 .
1 * Row(R): First(R)
0.3 * Row(R): Second(R)
`, levels},
	{"order-pairs", `
P(A, B) + P(B, A) = 1 .
0 * Triple(A, B, C) + P(A, B) + P(B, C) + P(C, A) <= 2 .
1 * Good(A, B): P(A, B)
`, tournament},
	{"order-later", `
0 * Link(A, B) + T(A) <= T(B) .
1: T(A) = O(A)
`, laterLinks},
	{"labels-soft-expander", `
X(A, +V) = 1 .
1: Cheap(A, B) & X(A, V) -> X(B, V)
0.5: Dear(A, B) & X(A, V) -> X(B, V)
0.3: Costly(A, B) & X(B, V) -> X(A, V)
1 * Good(A, V): !X(A, V)
`, softLabels},
}

// bags makes things of three sizes, of which each bag holds few, and pairs of them that conflict.
func bags(size int, seed uint64) *data {
	d := newData(seed)
	const each = 12
	n := max(30, size/4)
	node, bag := d.constants("n", n), d.constants("g", n/5)
	all, conflict := newTable(1), newTable(2)
	kinds := []*table{newTable(2), newTable(2), newTable(2)}
	for g := range symbol.ID(n / 5) {
		all.observe(1, bag+g)
		for k, i := range d.few(each, n) {
			kinds[k%3].observe(1, bag+g, node+symbol.ID(i))
		}
	}
	for k := range n - 2 {
		for _, i := range d.few(2, n-k-1) {
			conflict.observe(1, node+symbol.ID(k), node+symbol.ID(k+1+i))
		}
	}
	d.add("Bag", false, all)
	for k, name := range []string{"Small", "Middle", "Big"} {
		d.add(name, false, kinds[k])
	}
	d.add("Conflict", false, conflict)
	d.addChoices(node, n)
	return d
}

// rooms makes jobs of twelve slots that need two rooms each and have to wait for two others.
func rooms(size int, seed uint64) *data {
	d := newData(seed)
	const slots, waves = 12, 4
	n := max(24, size/(4*slots))
	job, slot, room := d.constants("j", n), d.constants("s", slots), d.constants("r", n/6)
	all, allRooms, until, earlier := newTable(1), newTable(1), newTable(2), newTable(2)
	in, before, x, cost := newTable(2), newTable(2), newTable(2), newTable(2)
	for s := range symbol.ID(slots) {
		all.observe(1, slot+s)
		for u := range s + 1 {
			until.observe(1, slot+u, slot+s)
			if u < s {
				earlier.observe(1, slot+u, slot+s)
			}
		}
	}
	for r := range symbol.ID(n / 6) {
		allRooms.observe(1, room+r)
	}
	for j := range n {
		for _, r := range d.few(2, n/6) {
			in.observe(1, job+symbol.ID(j), room+symbol.ID(r))
		}
		if wave := j * waves / n; wave > 0 {
			for _, i := range d.few(2, n/waves) {
				before.observe(1, job+symbol.ID((wave-1)*n/waves+i), job+symbol.ID(j))
			}
		}
		for s := range symbol.ID(slots) {
			x.target(job+symbol.ID(j), slot+s)
			cost.observe(d.rng.Float64(), job+symbol.ID(j), slot+s)
		}
	}
	d.add("Slot", false, all)
	d.add("Room", false, allRooms)
	d.add("Until", false, until)
	d.add("Earlier", false, earlier)
	d.add("In", false, in)
	d.add("Before", false, before)
	d.add("X", true, x)
	d.add("Cost", false, cost)
	return d
}

// sites makes things that four of the sites can serve, half as many, at costs of their own.
func sites(size int, seed uint64) *data {
	d := newData(seed)
	n := max(9, size/12)
	node, site := d.constants("n", n), d.constants("s", max(4, n/2))
	cheap, cost, x, y := newTable(1), newTable(2), newTable(2), newTable(1)
	for s := range symbol.ID(max(4, n/2)) {
		cheap.observe(0.5+0.5*d.rng.Float64(), site+s)
		y.target(site + s)
	}
	for k := range symbol.ID(n) {
		for _, s := range d.few(4, max(4, n/2)) {
			cost.observe(d.rng.Float64(), node+k, site+symbol.ID(s))
			x.target(node+k, site+symbol.ID(s))
		}
	}
	d.add("Cheap", false, cheap)
	d.add("Cost", false, cost)
	d.add("X", true, x)
	d.add("Y", true, y)
	return d
}

// prices makes pairs of two kinds with values, which the prices of both pay together.
func prices(size int, seed uint64) *data {
	d := newData(seed)
	const each = 5
	n := max(9, size/(each+2))
	left, right := d.constants("a", n), d.constants("b", n)
	good, p, q := newTable(2), newTable(1), newTable(1)
	for k := range symbol.ID(n) {
		p.target(left + k)
		q.target(right + k)
		for _, i := range d.few(each, n) {
			good.observe(d.rng.Float64(), left+k, right+symbol.ID(i))
		}
	}
	d.add("Good", false, good)
	d.add("P", true, p)
	d.add("Q", true, q)
	return d
}

// parts makes products of three parts each, which are bought, and kinds of products of which few are made.
func parts(size int, seed uint64) *data {
	d := newData(seed)
	n := max(10, size/3)
	node, part, kind := d.constants("n", n), d.constants("c", n/2), d.constants("k", n/10)
	all, kinds, uses, of, buy := newTable(1), newTable(1), newTable(2), newTable(2), newTable(1)
	for c := range symbol.ID(n / 2) {
		all.observe(1, part+c)
		buy.target(part + c)
	}
	for k := range symbol.ID(n / 10) {
		kinds.observe(1, kind+k)
	}
	for k := range n {
		of.observe(1, node+symbol.ID(k), kind+symbol.ID(k%(n/10)))
		for _, c := range d.few(3, n/2) {
			uses.observe(1, node+symbol.ID(k), part+symbol.ID(c))
		}
	}
	d.add("Part", false, all)
	d.add("Kind", false, kinds)
	d.add("Uses", false, uses)
	d.add("Of", false, of)
	d.add("Buy", true, buy)
	d.addChoices(node, n)
	return d
}

// roster makes as many nurses as days, about, with three shifts a day.
func roster(size int, seed uint64) *data {
	d := newData(seed)
	const shifts, week = 3, 7
	nurses := max(12, int(math.Sqrt(float64(size)/9)))
	days := max(8, size/(9*nurses))
	nurse, day, shift := d.constants("n", nurses), d.constants("d", days), d.constants("s", shifts)
	allNurses, allDays, allShifts := newTable(1), newTable(1), newTable(1)
	next, weeks, clash, x, cost := newTable(2), newTable(2), newTable(2), newTable(3), newTable(3)
	for n := range symbol.ID(nurses) {
		allNurses.observe(1, nurse+n)
	}
	for s := range symbol.ID(shifts) {
		allShifts.observe(1, shift+s)
		for r := range s {
			clash.observe(1, shift+s, shift+r)
		}
	}
	for e := range symbol.ID(days) {
		allDays.observe(1, day+e)
		if e > 0 {
			next.observe(1, day+e-1, day+e)
		}
		for l := e; l < min(e+week, symbol.ID(days)); l++ {
			weeks.observe(1, day+l, day+e)
		}
		for n := range symbol.ID(nurses) {
			for s := range symbol.ID(shifts) {
				x.target(nurse+n, day+e, shift+s)
				cost.observe(d.rng.Float64(), nurse+n, day+e, shift+s)
			}
		}
	}
	d.add("Nurse", false, allNurses)
	d.add("Day", false, allDays)
	d.add("Shift", false, allShifts)
	d.add("Next", false, next)
	d.add("Week", false, weeks)
	d.add("Clash", false, clash)
	d.add("X", true, x)
	d.add("Cost", false, cost)
	return d
}

// routes makes routes over four lines each, which they share, and of which the least counts.
func routes(size int, seed uint64) *data {
	d := newData(seed)
	n := max(15, size/3)
	node, line, whole := d.constants("n", n), d.constants("l", n/3), d.constants("w", 1)
	all, over, one, least := newTable(1), newTable(2), newTable(1), newTable(1)
	for l := range symbol.ID(n / 3) {
		all.observe(1, line+l)
	}
	for k := range symbol.ID(n) {
		for _, l := range d.few(4, n/3) {
			over.observe(1, node+k, line+symbol.ID(l))
		}
	}
	one.observe(1, whole)
	least.target(whole)
	d.add("Line", false, all)
	d.add("Over", false, over)
	d.add("Whole", false, one)
	d.add("Least", true, least)
	d.addChoices(node, n)
	return d
}

// levels makes rows of some worth that any of four choices covers, and two better.
func levels(size int, seed uint64) *data {
	d := newData(seed)
	n := max(12, size/9)
	node, row := d.constants("n", n), d.constants("r", 3*n)
	in, rows, first, second := newTable(2), newTable(1), newTable(1), newTable(1)
	for r := range symbol.ID(3 * n) {
		rows.observe(d.rng.Float64(), row+r)
		first.target(row + r)
		second.target(row + r)
		for _, i := range d.few(4, n) {
			in.observe(1, row+r, node+symbol.ID(i))
		}
	}
	d.add("In", false, in)
	d.add("Row", false, rows)
	d.add("First", true, first)
	d.add("Second", true, second)
	d.addChoices(node, n)
	return d
}

// tournament makes values for which of two nodes comes first, of all pairs, and the triples that must not be cycles.
func tournament(size int, seed uint64) *data {
	d := newData(seed)
	n := max(5, int(math.Cbrt(3*float64(size))))
	node := d.constants("n", n)
	good, triple, p := newTable(2), newTable(3), newTable(2)
	for a := range symbol.ID(n) {
		for b := range symbol.ID(n) {
			if a == b {
				continue
			}
			p.target(node+a, node+b)
			good.observe(d.value(0.5+0.3*float64(int(b)-int(a))/float64(n), 0.3), node+a, node+b)
			for c := a + 1; a < b && c < symbol.ID(n); c++ {
				if c != b {
					triple.observe(1, node+a, node+b, node+c)
				}
			}
		}
	}
	d.add("Good", false, good)
	d.add("Triple", false, triple)
	d.add("P", true, p)
	return d
}

// laterLinks makes nodes that have links to four later ones at random.
func laterLinks(size int, seed uint64) *data {
	d := newData(seed)
	const each = 4
	n := max(9, size/(each+1))
	node := d.constants("n", n)
	var all [][2]int
	for k := range n - 1 {
		for _, i := range d.few(each, n-k-1) {
			all = append(all, [2]int{k, k + 1 + i})
		}
	}
	d.addLinks(node, all)
	d.addNodes(node, n, steep)
	return d
}

// softLabels makes an expander whose nodes have one of four labels.
func softLabels(size int, seed uint64) *data {
	d := newData(seed)
	const kinds = 4
	n := max(9, size/(3*kinds+1))
	node, value := d.constants("n", n), d.constants("v", kinds)
	d.addLinks(node, expander(d, n))
	good, x := newTable(2), newTable(2)
	for k := range symbol.ID(n) {
		for v := range symbol.ID(kinds) {
			good.observe(d.rng.Float64(), node+k, value+v)
			x.target(node+k, value+v)
		}
	}
	d.add("Good", false, good)
	d.add("X", true, x)
	return d
}
