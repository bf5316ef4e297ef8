package main

import (
	"math"
	"strings"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// broughtShapes are bodies as queries of databases bring them: intervals without a common key, what was not seen
// before, tags that very many have, keys as long as sentences, kinds told apart by constants, and sums of very many
// terms.
var broughtShapes = []joinShape{
	{"intervals", "1: Visit(A, T) & Phase(P, U, V) & (U % T) & (T % V) & Good(A) -> Good(P)\n", visits,
		`SELECT g.id AS a, h.id AS b FROM Visit v JOIN Rank p ON p.c0 = v.c1 JOIN (SELECT f.c0 AS c0, q.c1 AS lo, r.c1 AS hi
			FROM Phase f JOIN Rank q ON q.c0 = f.c1 JOIN Rank r ON r.c0 = f.c2) f ON f.lo < p.c1 AND p.c1 < f.hi
			JOIN Good g ON g.c0 = v.c0 JOIN Good h ON h.c0 = f.c0`},
	{"seen", "1: Link(A, B) & Link(B, C) & !Seen(A, C) & Good(A) -> Good(C)\n", seenBefore,
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON m.c0 = l.c1 ANTI JOIN Seen s ON s.c0 = l.c0 AND s.c1 = m.c1
			JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = m.c1`},
	{"tags", "1: Tag(A, X) & Tag(B, X) & Tag(B, Y) & Start(A) & End(Y) & (A != B) & Good(A) -> Good(B)\n", tagged(""),
		`SELECT g.id AS a, h.id AS b FROM Start s JOIN Tag k ON k.c0 = s.c0 JOIN Tag l ON l.c1 = k.c1 JOIN Tag m ON
			m.c0 = l.c0 JOIN Stop e ON e.c0 = m.c1 JOIN Good g ON g.c0 = k.c0 JOIN Good h ON h.c0 = l.c0
			WHERE k.c0 != l.c0`},
	{"long-keys", "1: Tag(A, X) & Start(A) & Tag(B, X) & (A % B) & Good(A) -> Good(B)\n",
		tagged(strings.Repeat("word ", 40)),
		`SELECT g.id AS a, h.id AS b FROM Start s JOIN Tag k ON k.c0 = s.c0 JOIN Tag l ON l.c1 = k.c1 JOIN Good g ON
			g.c0 = k.c0 JOIN Good h ON h.c0 = l.c0 JOIN Rank p ON p.c0 = k.c0 JOIN Rank q ON q.c0 = l.c0
			WHERE p.c1 < q.c1`},
	{"same-kind", "1: Kind(A, K, B) & Kind(B, L, C) & (K == L) & (K == 'n3') & Good(A) -> Good(C)\n", equals,
		`SELECT g.id AS a, h.id AS b FROM Kind k JOIN Kind l ON l.c0 = k.c2 AND l.c1 = k.c1 JOIN Good g ON g.c0 = k.c0
			JOIN Good h ON h.c0 = l.c2 WHERE k.c1 = 3`},
	{"large-sums", "1: Good(+B) / |B| = Good(A) {B: Link(A, B) & !Start(B)}\n", links(300, 1),
		`SELECT g.id AS a, (SELECT list(h.id) FROM Link l JOIN Good h ON h.c0 = l.c1 ANTI JOIN Start s ON s.c0 = l.c1
			WHERE l.c0 = g.c0) AS b FROM Good g`},
}

// visits makes a tenth of the size in visits, each at one of as many times, and a hundred phases that overlap by half.
func visits(size int, seed uint64) *data {
	const phases = 100
	d := newData(seed)
	n := max(2*phases, size/10)
	node, time := d.constants("n", n), d.constants("t", n)
	visit, phase, good := newTable(2), newTable(3), newTable(1)
	for k := range n {
		visit.observe(1, node+symbol.ID(k), time+symbol.ID(d.rng.IntN(n)))
		good.target(node + symbol.ID(k))
	}
	order := d.ranks().Columns[0][n:] // the times come behind the nodes
	for k := range phases {
		from := k * n / (phases + 2)
		phase.observe(1, node+symbol.ID(k), order[from], order[from+2*n/(phases+2)])
	}
	d.add("Visit", false, visit)
	d.add("Phase", false, phase)
	d.add("Good", true, good)
	return d
}

// seenBefore makes a graph and the pairs along two links of it, of which one in twenty is left out.
func seenBefore(size int, seed uint64) *data {
	d := links(10, 10)(size, seed)
	link := d.store.Relations[0]
	next := make(map[symbol.ID][]symbol.ID)
	for k, from := range link.Columns[0] {
		next[from] = append(next[from], link.Columns[1][k])
	}
	pairs, seen := newTable(2), make(map[uint64]bool)
	for k, from := range link.Columns[0] {
		for _, to := range next[link.Columns[1][k]] {
			if d.rng.IntN(20) > 0 {
				d.link(pairs, seen, 0, int(from), int(to))
			}
		}
	}
	d.add("Seen", false, pairs)
	return d
}

// tagged gives things up to five tags each, by Zipf's law; the names of all begin with the prefix.
func tagged(prefix string) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		n := max(100, size/5)
		thing, tag := d.constants(prefix+"n", n), newTable(2)
		seen := make(map[uint64]bool)
		for k := range n {
			for range 5 {
				d.link(tag, seen, thing, k, int(math.Exp(d.rng.Float64()*math.Log(float64(n))))-1)
			}
		}
		d.addGraph(thing, n, tag)
		last := len(d.predicates) - 4 // what addGraph calls links
		d.predicates[last].Name, d.store.Relations[last].Name = "Tag", "Tag"
		return d
	}
}
