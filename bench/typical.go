package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// typicalShapes are bodies as models have them: blocks of similar things, labels along links, stars and snowflakes of
// tables, closed atoms that must not be there, wide tables, sums side by side, and very many rules.
var typicalShapes = []joinShape{
	{"similar", "1: R0(A, N) & R1(N, M) & R0(B, M) & (A != B) & Good(A) -> Good(B)\n", equals,
		`SELECT g.id AS a, h.id AS b FROM R0 k JOIN R1 l ON l.c0 = k.c1 JOIN R0 m ON m.c1 = l.c1 JOIN Good g ON g.c0 = k.c0
			JOIN Good h ON h.c0 = m.c0 WHERE k.c0 != m.c0`},
	{"blocks", "1: Block(A, K) & Block(B, K) & Block(C, K) & Same(A, B) & Same(B, C) & (A % C) -> Same(A, C)\n", blocked,
		`SELECT g.id AS a, h.id AS b, i.id AS d FROM Block k JOIN Block l ON l.c1 = k.c1 JOIN Block m ON m.c1 = k.c1
			JOIN Same g ON g.c0 = k.c0 AND g.c1 = l.c0 JOIN Same h ON h.c0 = l.c0 AND h.c1 = m.c0
			JOIN Same i ON i.c0 = k.c0 AND i.c1 = m.c0 JOIN Rank p ON p.c0 = k.c0 JOIN Rank q ON q.c0 = m.c0 WHERE p.c1 < q.c1`},
	{"pairs", "1: Block(A, K) & Block(B, K) & (A != B) -> Same(A, B)\n", blocked,
		`SELECT g.id AS a FROM Block k JOIN Block l ON l.c1 = k.c1 JOIN Same g ON g.c0 = k.c0 AND g.c1 = l.c0
			WHERE k.c0 != l.c0`},
	{"labels", "1: Link(A, B) & Label(A, L) -> Label(B, L)\n", labelled,
		`SELECT g.id AS a, h.id AS b FROM Link k JOIN Label g ON g.c0 = k.c0 JOIN Label h ON h.c0 = k.c1 AND h.c1 = g.c1`},
	{"star-5", "1: R0(A, B) & R1(A, C) & R2(A, D) & R3(A, E) & R4(A, F) & Good(B) -> Good(F)\n", equals,
		`SELECT g.id AS a, h.id AS b FROM R0 k JOIN R1 l ON l.c0 = k.c0 JOIN R2 m ON m.c0 = k.c0 JOIN R3 n ON n.c0 = k.c0
			JOIN R4 o ON o.c0 = k.c0 JOIN Good g ON g.c0 = k.c1 JOIN Good h ON h.c0 = o.c1`},
	{"snowflake", "1: Fact(A, B, C, D) & R0(B, X) & R1(C, Y) & R2(D, Z) & R3(X, U) & Start(U) & Good(Y) -> Good(Z)\n",
		equals,
		`SELECT g.id AS a, h.id AS b FROM Fact f JOIN R0 k ON k.c0 = f.c1 JOIN R1 l ON l.c0 = f.c2 JOIN R2 m ON m.c0 = f.c3
			JOIN R3 n ON n.c0 = k.c1 JOIN Start s ON s.c0 = n.c1 JOIN Good g ON g.c0 = l.c1 JOIN Good h ON h.c0 = m.c1`},
	{"not-there", "1: R0(A, B) & R1(B, C) & !R2(A, C) & !R3(C, A) & !Start(A) & !R4(B, B) & Good(A) -> Good(C)\n", equals,
		`SELECT g.id AS a, h.id AS b FROM R0 k JOIN R1 l ON l.c0 = k.c1 ANTI JOIN R2 m ON m.c0 = k.c0 AND m.c1 = l.c1
			ANTI JOIN R3 n ON n.c0 = l.c1 AND n.c1 = k.c0 ANTI JOIN Start s ON s.c0 = k.c0 ANTI JOIN R4 o ON o.c0 = k.c1
			AND o.c1 = k.c1 JOIN Good g ON g.c0 = k.c0 JOIN Good h ON h.c0 = l.c1`},
	{"kinds", "1: R0(A, B) & Kind(B, 'n3', C) & R1(C, D) & Kind(D, 'n4', E) & Good(A) -> Good(C)\n", equals,
		`SELECT g.id AS a, h.id AS b FROM R0 k JOIN Kind l ON l.c0 = k.c1 AND l.c1 = 3 JOIN R1 m ON m.c0 = l.c2 JOIN Kind n ON
			n.c0 = m.c1 AND n.c1 = 4 JOIN Good g ON g.c0 = k.c0 JOIN Good h ON h.c0 = m.c0`},
	{"barbell", "1: Link(A, B) & Link(B, C) & Link(C, A) & Link(A, D) & Link(D, E) & Link(E, F) & Link(F, D) & Good(B) " +
		"-> Good(E)\n", links(14, 4),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON n.c0 = m.c1 AND n.c1 = l.c0
			JOIN Link o ON o.c0 = l.c0 JOIN Link p ON p.c0 = o.c1 JOIN Link q ON q.c0 = p.c1 JOIN Link r ON r.c0 = q.c1 AND
			r.c1 = o.c1 JOIN Good g ON g.c0 = l.c1 JOIN Good h ON h.c0 = p.c1`},
	{"zipf-3", "1: Link(A, B) & Link(B, C) & Link(C, D) & Start(A) & End(D) & Good(A) -> Good(D)\n", zipf(6, 1),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON n.c0 = m.c1 JOIN Start s ON
			s.c0 = l.c0 JOIN Stop e ON e.c0 = n.c1 JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = n.c1`},
	{"tiny", "1: Few(A) & Link(A, B) & Link(C, B) & Link(C, D) & Good(A) -> Good(D)\n", equals,
		`SELECT g.id AS a, h.id AS b FROM Few s JOIN Link l ON l.c0 = s.c0 JOIN Link m ON m.c1 = l.c1 JOIN Link n ON
			n.c0 = m.c0 JOIN Good g ON g.c0 = s.c0 JOIN Good h ON h.c0 = n.c1`},
	{"equal-sizes", "1: R0(A, B) & R1(B, C) & R2(C, D) & R3(D, E) & R4(E, F) & R5(F, G) & Good(A) -> Good(G)\n", equals,
		`SELECT g.id AS a, h.id AS b FROM R0 k JOIN R1 l ON l.c0 = k.c1 JOIN R2 m ON m.c0 = l.c1 JOIN R3 n ON n.c0 = m.c1
			JOIN R4 o ON o.c0 = n.c1 JOIN R5 p ON p.c0 = o.c1 JOIN Good g ON g.c0 = k.c0 JOIN Good h ON h.c0 = p.c1`},
	{"wide-six", "1: Wide(A, B, C, A, D, E) & Wide(C, B, F, G, D, H) & (A != C) & Good(A) -> Good(C)\n", equals,
		`SELECT g.id AS a, h.id AS b FROM Wide k JOIN Wide l ON l.c0 = k.c2 AND l.c1 = k.c1 AND l.c4 = k.c4 JOIN Good g ON
			g.c0 = k.c0 JOIN Good h ON h.c0 = k.c2 WHERE k.c0 = k.c3 AND k.c0 != k.c2`},
	{"two-sums", "1: Good(+B) / |B| - 0.5 * Good(+D) + R0(A, C) <= 1 {B: R1(A, B) & !Start(B)} " +
		"{D: R2(C, D) || R3(D, C)}\n", equals,
		`SELECT k.c0 AS a, k.c1 AS c, (SELECT list(g.id) FROM R1 m JOIN Good g ON g.c0 = m.c1 ANTI JOIN Start s ON
			s.c0 = m.c1 WHERE m.c0 = k.c0) AS b, (SELECT list(g.id) FROM (SELECT c1 AS x FROM R2 WHERE c0 = k.c1 UNION
			SELECT c0 FROM R3 WHERE c1 = k.c1) JOIN Good g ON g.c0 = x) AS d FROM R0 k`},
	{"wide-priors", "1: !Event(A, B, C, D) ^2\n", events, `SELECT g.id AS a FROM Event g`},
	{"wide-heads", "1: Event(A, B, C, D) -> Good(B)\n1: Event(A, B, C, D) & Event(A, B, C, E) & (D % E) -> Good(A)\n",
		events,
		`SELECT g.id AS a, h.id AS b, -1 AS c FROM Event g JOIN Good h ON h.c0 = g.c1 UNION ALL SELECT g.id, i.id, h.id FROM
			Event g JOIN Event i ON i.c0 = g.c0 AND i.c1 = g.c1 AND i.c2 = g.c2 JOIN Good h ON h.c0 = g.c0 JOIN Rank p ON
			p.c0 = g.c3 JOIN Rank q ON q.c0 = i.c3 WHERE p.c1 < q.c1`},
	{"many-rules", manyRules(), manyKinds, ""},
}

// equals makes eight relations R0 … R7 of twice the size, each of links at random between as many nodes as the size,
// a graph of ten times as many links, and wide tables.
func equals(size int, seed uint64) *data {
	d := newData(seed)
	n := max(16, size)
	node := d.constants("n", n)
	at := func(k int) symbol.ID { return node + symbol.ID(k) }
	pairs := func(rows int) *table {
		link, seen := newTable(2), make(map[uint64]bool)
		for range rows {
			d.link(link, seen, node, d.rng.IntN(n), d.rng.IntN(n))
		}
		return link
	}
	for r := range 8 {
		d.add(fmt.Sprint("R", r), false, pairs(2*size))
	}
	d.addGraph(node, n, pairs(10*size))
	few, fact, kind, wide := newTable(1), newTable(4), newTable(3), newTable(6)
	for k := range 3 {
		few.observe(1, at(k*n/3))
	}
	m := max(4, int(math.Sqrt(float64(n))))
	for k := range size {
		fact.observe(1, at(k), at(d.rng.IntN(n)), at(d.rng.IntN(m)), at(d.rng.IntN(n)))
		kind.observe(1, at(k), at(d.rng.IntN(10)), at(d.rng.IntN(n)))
		wide.observe(1, at(d.rng.IntN(m)), at(d.rng.IntN(m)), at(d.rng.IntN(m)), at(d.rng.IntN(m)), at(d.rng.IntN(10)), at(k))
	}
	d.add("Few", false, few)
	d.add("Fact", false, fact)
	d.add("Kind", false, kind)
	d.add("Wide", false, wide)
	return d
}

// blocked makes things in blocks of ten on average, as long as Zipf's law has them, and targets for the pairs of each.
func blocked(size int, seed uint64) *data {
	d := newData(seed)
	n := max(4, size/10)
	thing, name := d.constants("t", n), d.constants("b", n)
	block, same := newTable(2), newTable(2)
	for from, k := 0, 0; from < n; k++ {
		to := min(n, from+1+int(math.Exp(d.rng.Float64()*math.Log(30))))
		for a := from; a < to; a++ {
			block.observe(1, thing+symbol.ID(a), name+symbol.ID(k))
			for b := from; b < to; b++ {
				if a != b {
					same.target(thing+symbol.ID(a), thing+symbol.ID(b))
				}
			}
		}
		from = to
	}
	d.add("Block", false, block)
	d.add("Same", true, same)
	return d
}

// labelled makes a graph whose nodes each have ten labels to be found.
func labelled(size int, seed uint64) *data {
	d := links(5, 10)(size, seed)
	n := max(4, size/50)
	label, first := newTable(2), d.constants("l", 10)
	for k := range n {
		for l := range 10 {
			label.target(symbol.ID(k), first+symbol.ID(l))
		}
	}
	d.add("Label", true, label)
	return d
}

// events makes targets of four arguments, and one for each node.
func events(size int, seed uint64) *data {
	d := newData(seed)
	n := max(4, size/4)
	node, event, good := d.constants("n", n), newTable(4), newTable(1)
	for k := range size {
		last := symbol.ID(d.rng.IntN(n/4)*4 + k%4) // differs within each four, so that no two are the same
		event.target(node+symbol.ID(k/4), node+symbol.ID(k/8), node+symbol.ID(k/3%97%n), node+last)
	}
	for k := range n {
		good.target(node + symbol.ID(k))
	}
	d.add("Event", true, event)
	d.add("Good", true, good)
	return d
}

// manyKinds makes a thousand rows of each of many relations, whatever the size.
func manyKinds(_ int, seed uint64) *data { return knowledge(1000*graphRelations, seed) }

// manyRules writes very many rules over one kind of links each; constants tell those of one kind apart.
func manyRules() string {
	var b strings.Builder
	for k := range graphRuleCount {
		fmt.Fprintf(&b, "1: R%d(A, B) & (A != 'n%d') & Good(A) -> Good(B)\n", k%graphRelations, k)
	}
	return b.String()
}
