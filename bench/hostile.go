package main

import (
	"fmt"
	"math"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// hostileShapes are bodies that a planner gets wrong easily: long ones over relations of very different sizes and skew,
// equality in place of a shared variable, long cycles, cliques, and one row beside very many.
var hostileShapes = []joinShape{
	{"skewed-six", "1: Start(A) & R0(A, B) & R1(B, C) & R2(C, D) & R3(D, E) & Good(A) -> Good(E)\n", skewed,
		`SELECT g.id AS a, h.id AS b FROM Start s JOIN R0 k ON k.c0 = s.c0 JOIN R1 l ON l.c0 = k.c1 JOIN R2 m ON m.c0 = l.c1
			JOIN R3 n ON n.c0 = m.c1 JOIN Good g ON g.c0 = s.c0 JOIN Good h ON h.c0 = n.c1`},
	{"skewed-ten", "1: R0(A, B) & R1(A, C) & R3(B, D) & R5(C, D) & R2(D, E) & R6(E, F) & R7(F, G) & R3(G, A) & " +
		"Good(A) & Good(B) -> Good(E)\n", skewed,
		`SELECT g.id AS a, f.id AS c, h.id AS b FROM R0 i JOIN R1 j ON j.c0 = i.c0 JOIN R3 k ON k.c0 = i.c1
			JOIN R5 l ON l.c0 = j.c1 AND l.c1 = k.c1 JOIN R2 m ON m.c0 = k.c1 JOIN R6 n ON n.c0 = m.c1
			JOIN R7 o ON o.c0 = n.c1 JOIN R3 p ON p.c0 = o.c1 AND p.c1 = i.c0 JOIN Good g ON g.c0 = i.c0
			JOIN Good f ON f.c0 = i.c1 JOIN Good h ON h.c0 = m.c1`},
	{"unequal", "1: Link(A, B) & Link(A, C) & Link(A, D) & (B != C) & (C != D) & (B != D) & Good(B) -> Good(D)\n",
		links(10, 1),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c0 = m.c0 JOIN Link n ON n.c0 = m.c0 JOIN Good g ON
			g.c0 = l.c1 JOIN Good h ON h.c0 = n.c1 WHERE l.c1 != m.c1 AND m.c1 != n.c1 AND l.c1 != n.c1`},
	{"unequal-path", "1: Link(A, B) & Link(B, C) & Link(C, D) & (A != C) & (A != D) & (B != D) & Good(A) -> Good(D)\n",
		links(6, 4),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON m.c1 = n.c0 JOIN Good g ON
			g.c0 = l.c0 JOIN Good h ON h.c0 = n.c1 WHERE l.c0 != m.c1 AND l.c0 != n.c1 AND l.c1 != n.c1`},
	{"repeated", "1: T(A, A, B) & T(B, C, C) & T(C, D, A) & Good(A) -> Good(D)\n", wide,
		`SELECT g.id AS a, h.id AS b FROM T l JOIN T m ON m.c0 = l.c2 JOIN T n ON n.c0 = m.c1 AND n.c2 = l.c0 JOIN Good g
			ON g.c0 = l.c0 JOIN Good h ON h.c0 = n.c1 WHERE l.c0 = l.c1 AND m.c1 = m.c2`},
	{"middle", "1: T(A, 'n3', B) & T(B, 'n1', C) & Good(A) -> Good(C)\n", wide,
		`SELECT g.id AS a, h.id AS b FROM T l JOIN T m ON m.c0 = l.c2 JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = m.c2
			WHERE l.c1 = 3 AND m.c1 = 1`},
	{"equal", "1: Link(A, B) & Link(C, D) & (B == C) & Good(A) -> Good(D)\n", links(10, 4),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Good g ON g.c0 = l.c0
			JOIN Good h ON h.c0 = m.c1`},
	{"equal-constant", "1: Link(A, B) & Link(B, C) & (C == 'n5') & Good(A) -> Good(B)\n", links(10, 1),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Good g ON g.c0 = l.c0
			JOIN Good h ON h.c0 = m.c0 WHERE m.c1 = 5`},
	{"five-cycle", "1: Link(A, B) & Link(B, C) & Link(C, D) & Link(D, E) & Link(E, A) & Good(A) -> Good(C)\n", links(8, 4),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON n.c0 = m.c1
			JOIN Link o ON o.c0 = n.c1 JOIN Link p ON p.c0 = o.c1 AND p.c1 = l.c0 JOIN Good g ON g.c0 = l.c0
			JOIN Good h ON h.c0 = m.c1`},
	{"six-cycle", "1: Link(A, B) & Link(B, C) & Link(C, D) & Link(D, E) & Link(E, F) & Link(F, A) & Good(A) -> Good(D)\n",
		links(6, 10),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON n.c0 = m.c1
			JOIN Link o ON o.c0 = n.c1 JOIN Link p ON p.c0 = o.c1 JOIN Link q ON q.c0 = p.c1 AND q.c1 = l.c0
			JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = n.c1`},
	{"bow-tie", "1: Link(A, B) & Link(B, C) & Link(C, A) & Link(A, D) & Link(D, E) & Link(E, A) & Good(B) -> Good(D)\n",
		links(30, 1),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON n.c0 = m.c1 AND n.c1 = l.c0
			JOIN Link o ON o.c0 = l.c0 JOIN Link p ON p.c0 = o.c1 JOIN Link q ON q.c0 = p.c1 AND q.c1 = l.c0
			JOIN Good g ON g.c0 = l.c1 JOIN Good h ON h.c0 = o.c1`},
	{"hub-star", "1: Start(A) & Link(A, B) & Link(A, C) & (B % C) & Good(B) -> Good(C)\n", hub,
		`SELECT g.id AS a, h.id AS b FROM Start s JOIN Link l ON l.c0 = s.c0 JOIN Link m ON m.c0 = s.c0 JOIN Good g ON
			g.c0 = l.c1 JOIN Good h ON h.c0 = m.c1 JOIN Rank p ON p.c0 = l.c1 JOIN Rank q ON q.c0 = m.c1 WHERE p.c1 < q.c1`},
	{"hub-path", "1: Start(A) & Link(A, B) & Link(B, C) & Link(C, D) & End(D) & (A != C) & Good(A) -> Good(D)\n", hub,
		`SELECT g.id AS a, h.id AS b FROM Start s JOIN Link l ON l.c0 = s.c0 JOIN Link m ON m.c0 = l.c1 JOIN Link n ON
			n.c0 = m.c1 JOIN Stop e ON e.c0 = n.c1 JOIN Good g ON g.c0 = s.c0 JOIN Good h ON h.c0 = e.c0 WHERE s.c0 != m.c1`},
	{"late-product", "1: Start(A) & End(B) & Link(A, C) & Link(B, D) & (C % D) & Good(A) -> Good(B)\n", links(10, 3),
		`SELECT g.id AS a, h.id AS b FROM Start s JOIN Link l ON l.c0 = s.c0, Stop e JOIN Link m ON m.c0 = e.c0, Good g,
			Good h, Rank p, Rank q WHERE p.c0 = l.c1 AND q.c0 = m.c1 AND p.c1 < q.c1 AND g.c0 = s.c0 AND h.c0 = e.c0`},
	{"empty", "1: Link(A, B) & Link(B, C) & None(C, D) & Link(D, E) & Good(A) -> Good(E)\n", skewed,
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN None n ON n.c0 = m.c1 JOIN Link o ON
			o.c0 = n.c1 JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = o.c1`},
	{"one-row", "1: One(A) & Link(A, B) & Link(C, B) & Good(A) -> Good(C)\n", skewed,
		`SELECT g.id AS a, h.id AS b FROM One s JOIN Link l ON l.c0 = s.c0 JOIN Link m ON m.c1 = l.c1 JOIN Good g ON
			g.c0 = s.c0 JOIN Good h ON h.c0 = m.c0`},
	{"filtered-sums", "1: Good(+C) / |C| - 0.5 * Link(A, B) <= Good(A) {C: Link(B, C) & Link(C, A) & !Start(C)}\n",
		links(10, 1),
		`SELECT l.c0 AS a, l.c1 AS b, (SELECT list(g.id) FROM Link m JOIN Link n ON n.c0 = m.c1 JOIN Good g ON g.c0 = m.c1
			ANTI JOIN Start s ON s.c0 = m.c1 WHERE m.c0 = l.c1 AND n.c1 = l.c0) AS d FROM Link l`},
	{"far-keys", "1: F(A, B, C, D, E) & F(A, B, C, G, H) & (D % G) & Good(A) -> Good(C)\n", wide,
		`SELECT g.id AS a, h.id AS b FROM F l JOIN F m ON m.c0 = l.c0 AND m.c1 = l.c1 AND m.c2 = l.c2 JOIN Good g ON
			g.c0 = l.c0 JOIN Good h ON h.c0 = l.c2 JOIN Rank p ON p.c0 = l.c3 JOIN Rank q ON q.c0 = m.c3 WHERE p.c1 < q.c1`},
}

// skewed makes relations R0 … R7 of sizes from the whole to an eighth of it, in every second of which both ends are
// skewed and in the others neither, with a graph, a relation without rows and one of one row.
func skewed(size int, seed uint64) *data {
	d := newData(seed)
	n := max(4, size/4)
	node := d.constants("n", n)
	draw := func(skew bool) int {
		if skew {
			return int(math.Exp(d.rng.Float64()*math.Log(float64(n)))) - 1
		}
		return d.rng.IntN(n)
	}
	for r := range 8 {
		link, seen := newTable(2), make(map[uint64]bool)
		for range size / (1 + r) {
			d.link(link, seen, node, draw(r%2 == 1), draw(r%2 == 1))
		}
		d.add(fmt.Sprint("R", r), false, link)
	}
	link, seen := newTable(2), make(map[uint64]bool)
	for range size {
		d.link(link, seen, node, d.rng.IntN(n), d.rng.IntN(n))
	}
	d.addGraph(node, n, link)
	d.add("None", false, newTable(2))
	one := newTable(1)
	one.observe(1, node+symbol.ID(n/2))
	d.add("One", false, one)
	return d
}
