package main

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// crossings are families where several hard things meet: goods that share what nothing divides, decisions over time,
// distances, orders and neighbours in the plane, loads with bounds from both sides, and cycles that lose a little.
var crossings = []model{
	// Flows.
	{"commodities-expander", `
0 * Good(K) + X(K, A, +B) + Sink(K, A) = X(K, +C, A) + Source(K, A) .
0 * Link(A, B) + X(+K, A, B) <= 0.5 .
1: 0 * Good(K) + 0 * Cheap(A, B) + X(K, A, B) <= 0
3: 0 * Good(K) + 0 * Costly(A, B) + X(K, A, B) <= 0
`, commodities(expander)},
	{"timetable", `
0 * Inner(A) + X(A, +B) = X(+C, A) .
0 * Source(A) + X(A, +B) = 0.3 .
0 * Link(A, B) + X(A, B) <= Capacity(A, B) .
1 * Cost(A, B): X(A, B) <= 0
`, timetable},
	{"timetable-rewards", `
0 * Inner(A) + X(A, +B) = X(+C, A) .
0 * Source(A) + X(A, +B) <= 0.9 .
1 * Cost(A, B): X(A, B) <= 0
1.2 * Reward(A, B): X(A, B) >= 1
`, timetable},
	{"gains", `
0 * Inner(A) + X(A, +B) = 0.97 * X(+C, A) + 0.01 .
0 * Link(A, B) + X(A, B) <= Capacity(A, B) .
1: 0 * Cheap(A, B) + X(A, B) <= 0
2: 0 * Costly(A, B) + X(A, B) <= 0
`, flows(expander)},

	// Decisions whose values follow from those of what may come next.
	{"decisions", decisionRules, decisions},
	{"decisions-squared", decisionRules + `
0.01: V(S) = 0.5 ^2
`, decisions},

	// The plane.
	{"variation-geometric", `
0.3: 0 * Link(A, B) + T(A) = T(B)
1: T(A) = O(A)
`, web(geometric)},
	{"variation-geometric-squared", `
0.3: 0 * Link(A, B) + T(A) = T(B)
1: T(A) = O(A) ^2
`, web(geometric)},
	{"dominance", `
0 * Link(A, B) + T(A) <= T(B) .
1: T(A) = O(A)
`, web(dominance)},
	{"dominance-squared", `
0 * Link(A, B) + T(A) <= T(B) .
1: T(A) = O(A) ^2
`, web(dominance)},
	{"lipschitz-geometric", `
0 * Link(A, B) + T(A) <= T(B) + 0.02 .
0 * Link(A, B) + T(B) <= T(A) + 0.02 .
1: T(A) = O(A) ^2
`, web(geometric)},

	// Distances, loads, sums of sums.
	{"distances", `
D(A, B) = D(B, A) .
0 * D(A, B) + D(A, C) <= D(A, B) + D(B, C) .
1: D(A, B) = Good(A, B)
`, distances},
	{"transitivity-hard", `
S(A, B) & S(B, C) & A != C -> S(A, C) .
1: S(A, B) = Good(A, B)
`, relatedness},
	{"loads-balanced", `
X(A, +B) = 1 .
X(+A, B) <= 1.05 .
X(+A, B) >= 0.95 .
1: Good(A, B) -> X(A, B)
`, permutations},
	{"permutations", `
X(A, +B) = 1 .
X(+A, B) = 1 .
1 * Good(A, B): X(A, B) <= 0
`, permutations},
	{"budget-chain", `
T(+A) / |A| <= 0.3 .
0 * First(Z) + T(+A) / |A| >= 0.4 . {A: Third(A)}
2: 0 * Next(A, B) + T(A) = T(B)
0 * Between(A, B, C) + T(A) + T(C) >= T(B) .
1: T(A) = O(A)
`, chain(3, wave)},
	{"sums-of-sums", `
0 * Group(G) + M(G) = T(+A) / |A| . {A: In(G, A)}
0 * All(Z) + W(Z) = M(+G) / |G| . {G: Group(G)}
0 * Group(G) + 0 * All(Z) + M(G) <= W(Z) + 0.1 .
0 * Group(G) + 0 * All(Z) + M(G) >= W(Z) - 0.1 .
1: T(A) = O(A)
`, hierarchy},

	// Graphs that nothing divides.
	{"differences-scales-expander", `
0.0001: 0 * Cheap(A, B) + T(A) = T(B)
1: 0 * Dear(A, B) + T(A) = T(B)
10000: 0 * Costly(A, B) + T(A) = T(B)
1: T(A) = O(A)
`, web(expander)},
	{"duplicates-expander", `
0 * Link(A, B) + T(A) <= T(B) + 0.1 .
0 * Link(A, B) + 1.000001 * T(A) <= T(B) + 0.1 .
0 * Link(A, B) + T(A) <= 1.000001 * T(B) + 0.1000001 .
1: T(A) = O(A) ^2
`, web(expander)},
	{"star-bounds", `
0 * First(Z) + T(A) <= T(Z) + 0.3 .
0 * First(Z) + T(A) >= T(Z) - 0.3 .
1: T(A) = O(A)
`, web(path)},
	{"cycles-losing", `
0 * Around(A, B) + T(B) = 0.999 * T(A) + 0.0005 * X(A) .
0 * Skip(A, B) + X(A) <= X(B) + 0.1 .
1: T(A) = O(A)
0.1: X(A) = 0.5
`, cycles},
	{"cycles-opposed", `
0 * Around(A, B) + T(B) = 1 - 0.999 * T(A) + 0.01 * X(A) .
1: T(A) = O(A) ^2
0.1: X(A) = 0.5
`, cycles},
}

const decisionRules = `
0 * Action(S, A) + V(S) >= 0.1 * Pay(A) + 0.95 * V(+N) / |N| - 0.045 . {N: To(A, N)}
1: V(S) <= 0
`

// timetable makes a network over time: each place and hour is a node, from which one stays or goes on to the next hour.
func timetable(size int, seed uint64) *data {
	d := newData(seed)
	const wide = 25
	hours := max(3, size/(6*wide))
	node := d.constants("n", wide*hours)
	link, capacity, cost, reward, flow := newTable(2), newTable(2), newTable(2), newTable(2), newTable(2)
	for h := range hours - 1 {
		for k := range wide {
			from := node + symbol.ID(h*wide+k)
			for _, to := range []int{k, (k + 1) % wide, (k*7 + h) % wide} {
				if next := node + symbol.ID((h+1)*wide+to); len(link.columns[0]) == 0 ||
					!linkedLately(link, from, next) {
					link.observe(1, from, next)
					capacity.observe(0.1+0.5*d.rng.Float64(), from, next)
					cost.observe(0.05+d.rng.Float64()*0.95, from, next)
					reward.observe(d.rng.Float64(), from, next)
					flow.target(from, next)
				}
			}
		}
	}
	source, inner := newTable(1), newTable(1)
	for k := range symbol.ID(wide * hours) {
		switch {
		case k < wide && k%5 == 0:
			source.observe(1, node+k)
		case k >= wide && int(k) < wide*(hours-1):
			inner.observe(1, node+k)
		}
	}
	d.add("Link", false, link)
	d.add("Capacity", false, capacity)
	d.add("Cost", false, cost)
	d.add("Reward", false, reward)
	d.add("Source", false, source)
	d.add("Inner", false, inner)
	d.add("X", true, flow)
	return d
}

// linkedLately tells whether one of the last links is this one.
func linkedLately(t *table, from, to symbol.ID) bool {
	for k := max(0, len(t.columns[0])-3); k < len(t.columns[0]); k++ {
		if t.columns[0][k] == from && t.columns[1][k] == to {
			return true
		}
	}
	return false
}

// decisions makes states with three actions each, that pay something and lead to one of three states by chance.
func decisions(size int, seed uint64) *data {
	d := newData(seed)
	const actions, chances = 3, 3
	n := max(9, size/(actions+1))
	state, action := d.constants("s", n), d.constants("a", n*actions)
	can, pay, to, value := newTable(2), newTable(1), newTable(2), newTable(1)
	for s := range n {
		value.target(state + symbol.ID(s))
		for k := range actions {
			a := action + symbol.ID(s*actions+k)
			can.observe(1, state+symbol.ID(s), a)
			pay.observe(d.rng.Float64(), a)
			var seen []int
			for len(seen) < chances {
				if next := d.rng.IntN(n); !slices.Contains(seen, next) {
					seen = append(seen, next)
					to.observe(1, a, state+symbol.ID(next))
				}
			}
		}
	}
	d.add("Action", false, can)
	d.add("Pay", false, pay)
	d.add("To", false, to)
	d.add("V", true, value)
	return d
}

// geometric links random points of a square that are near each other, six each.
func geometric(d *data, n int) (all [][2]int) {
	points := d.points(n)
	reach := math.Sqrt(6 / (math.Pi * float64(n)))
	for a, p := range points {
		for b := a + 1; b < n && points[b][0] < p[0]+reach; b++ {
			if math.Hypot(points[b][0]-p[0], points[b][1]-p[1]) < reach {
				all = append(all, [2]int{a, b})
			}
		}
	}
	return all
}

// dominance links random points of a square to those few that are next in both directions.
func dominance(d *data, n int) (all [][2]int) {
	points := d.points(n)
	for a, p := range points {
		least, links := math.Inf(1), 0
		for b := a + 1; b < n && links < 3; b++ {
			if y := points[b][1]; y > p[1] && y < least {
				all = append(all, [2]int{a, b})
				least, links = y, links+1
			}
		}
	}
	return all
}

// points draws points of the unit square, from left to right.
func (d *data) points(n int) [][2]float64 {
	all := make([][2]float64, n)
	for k := range all {
		all[k] = [2]float64{d.rng.Float64(), d.rng.Float64()}
	}
	slices.SortFunc(all, func(a, b [2]float64) int {
		if a[0] < b[0] {
			return -1
		}
		return 1
	})
	return all
}

// distances makes a noisy guess for the distance of each pair of nodes.
func distances(size int, seed uint64) *data {
	d := newData(seed)
	points := d.points(pairable(size))
	d.guesses("D", len(points), func(a, b int) float64 {
		apart := math.Hypot(points[a][0]-points[b][0], points[a][1]-points[b][1])
		return d.value(0.6*apart, 0.2)
	})
	return d
}

// permutations makes pairs of two kinds: each is in four at most, by as many ways to pair all.
func permutations(size int, seed uint64) *data {
	d := newData(seed)
	const ways = 4
	n := max(9, size/(ways+2))
	left, right := d.constants("a", n), d.constants("b", n)
	good, x, seen := newTable(2), newTable(2), make(map[[2]int]bool)
	for range ways {
		for a, b := range d.rng.Perm(n) {
			if pair := [2]int{a, b}; !seen[pair] {
				seen[pair] = true
				good.observe(d.rng.Float64(), left+symbol.ID(a), right+symbol.ID(b))
				x.target(left+symbol.ID(a), right+symbol.ID(b))
			}
		}
	}
	d.add("Good", false, good)
	d.add("X", true, x)
	return d
}

// cycles makes ten cycles, and values beside their nodes.
func cycles(size int, seed uint64) *data {
	d := newData(seed)
	const rings = 10
	long := max(3, size/(4*rings))
	n := rings * long
	node := d.constants("n", n)
	around, skip, beside := newTable(2), newTable(2), newTable(1)
	for k := range n {
		at := func(by int) symbol.ID { return node + symbol.ID(k/long*long+(k%long+by)%long) }
		around.observe(1, at(0), at(1))
		if k+long < n {
			skip.observe(1, at(0), node+symbol.ID(k+long))
		}
		beside.target(node + symbol.ID(k))
	}
	d.add("Around", false, around)
	d.add("Skip", false, skip)
	d.add("X", true, beside)
	d.addNodes(node, n, wave)
	return d
}
