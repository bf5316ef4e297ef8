package main

import (
	"math"
	"strings"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// oddShapes are bodies that are neither paths nor cycles alone: conditions, constants, predicates of more than two
// arguments, and skew in both columns.
var oddShapes = []joinShape{
	{"loops", "1: Link(A, A) & Link(A, B) & Link(B, B) & Good(A) -> Good(B)\n", zipf(10, 1),
		`SELECT g.id AS a, h.id AS b FROM Link k JOIN Link l ON k.c0 = l.c0 JOIN Link m ON m.c0 = l.c1
			JOIN Good g ON g.c0 = k.c0 JOIN Good h ON h.c0 = m.c0 WHERE k.c0 = k.c1 AND m.c0 = m.c1`},
	{"apart", "1: Start(A) & Link(A, B) & Link(C, D) & End(D) & (A != C) & Good(B) -> Good(C)\n", links(10, 1),
		`SELECT g.id AS a, h.id AS b FROM Start s JOIN Link l ON s.c0 = l.c0, Link m JOIN Stop e ON e.c0 = m.c1,
			Good g, Good h WHERE g.c0 = l.c1 AND h.c0 = m.c0 AND s.c0 != m.c0`},
	{"constant", "1: Link(A, 'n7') & Link('n7', B) & Link(B, C) & Good(A) -> Good(C)\n", zipf(10, 20),
		`SELECT g.id AS a, h.id AS b FROM Link k, Link l JOIN Link m ON l.c1 = m.c0, Good g, Good h
			WHERE k.c1 = 7 AND l.c0 = 7 AND g.c0 = k.c0 AND h.c0 = m.c1`},
	{"late-end", "1: Link(A, B) & Link(B, C) & Link(C, D) & (A % B) & (B % C) & (C % D) & (D % A) & Good(A) " +
		"-> Good(D)\n", links(10, 1),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON m.c1 = n.c0
			JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = n.c1 JOIN Rank p ON p.c0 = l.c0 JOIN Rank q ON q.c0 = l.c1
			JOIN Rank r ON r.c0 = m.c1 JOIN Rank s ON s.c0 = n.c1
			WHERE p.c1 < q.c1 AND q.c1 < r.c1 AND r.c1 < s.c1 AND s.c1 < p.c1`},
	{"ordered", "1: Link(A, B) & Link(A, C) & Link(A, D) & Link(A, E) & (B % C) & (C % D) & (D % E) -> Good(E)\n",
		links(9, 1),
		`SELECT h.id AS b FROM Link k JOIN Link l ON k.c0 = l.c0 JOIN Link m ON k.c0 = m.c0 JOIN Link n ON k.c0 = n.c0
			JOIN Good h ON h.c0 = n.c1 JOIN Rank p ON p.c0 = k.c1 JOIN Rank q ON q.c0 = l.c1 JOIN Rank r ON r.c0 = m.c1
			JOIN Rank s ON s.c0 = n.c1 WHERE p.c1 < q.c1 AND q.c1 < r.c1 AND r.c1 < s.c1`},
	{"absent", "1: Link(A, B) & Link(B, C) & !Link(A, C) & !Start(C) & Good(A) -> Good(C)\n", zipf(6, 4),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 ANTI JOIN Link n ON n.c0 = l.c0 AND n.c1 = m.c1
			ANTI JOIN Start s ON s.c0 = m.c1 JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = m.c1`},
	{"functional", "1: Link(A, B) & Link(B, C) & Near(A, C) & Good(A) -> Good(C)\n", measured, ""},
	{"three-way", "1: T(A, B, C) & T(C, D, A) & T(B, A, D) & Good(B) -> Good(D)\n", wide,
		`SELECT g.id AS a, h.id AS b FROM T l JOIN T m ON m.c0 = l.c2 AND m.c2 = l.c0 JOIN T n ON n.c0 = l.c1 AND n.c1 = l.c0
			AND n.c2 = m.c1 JOIN Good g ON g.c0 = l.c1 JOIN Good h ON h.c0 = m.c1`},
	{"five-ary", "1: T(A, B, C) & F(C, B, D, E, F) & T(E, F, G) & Good(A) -> Good(G)\n", wide,
		`SELECT g.id AS a, h.id AS b FROM T l JOIN F m ON m.c0 = l.c2 AND m.c1 = l.c1 JOIN T n ON n.c0 = m.c3 AND n.c1 = m.c4
			JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = n.c2`},
	{"zipf-2", "1: Link(A, B) & Link(B, C) & Good(A) -> Good(C)\n", zipf(6, 4),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Good g ON g.c0 = l.c0
			JOIN Good h ON h.c0 = m.c1`},
	{"zipf-triangle", "1: Link(A, B) & Link(B, C) & Link(C, A) & Good(A) -> Good(C)\n", zipf(6, 1),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON n.c1 = l.c0 AND n.c0 = m.c1
			JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = m.c1`},
	{"zipf-cycle", "1: Link(A, B) & Link(B, C) & Link(C, D) & Link(D, A) & Good(A) -> Good(C)\n", zipf(6, 20),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON n.c0 = m.c1
			JOIN Link o ON o.c0 = n.c1 AND o.c1 = l.c0 JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = m.c1`},
	{"hub-cycle", "1: Link(A, B) & Link(B, C) & Link(C, D) & Link(D, A) & Good(A) -> Good(C)\n", fewHubs,
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON n.c0 = m.c1
			JOIN Link o ON o.c0 = n.c1 AND o.c1 = l.c0 JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = m.c1`},
	{"diamond", "1: Link(A, B) & Link(A, C) & Link(B, D) & Link(C, D) & (B % C) & Good(A) -> Good(D)\n", links(20, 2),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c0 = m.c0 JOIN Link n ON n.c0 = l.c1
			JOIN Link o ON o.c0 = m.c1 AND o.c1 = n.c1 JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = n.c1
			JOIN Rank p ON p.c0 = l.c1 JOIN Rank q ON q.c0 = m.c1 WHERE p.c1 < q.c1`},
	{"clique-4", "1: Link(A, B) & Link(B, C) & Link(A, C) & Link(A, D) & Link(B, D) & Link(C, D) & Good(A) -> Good(D)\n",
		links(60, 1),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON n.c0 = l.c0 AND n.c1 = m.c1
			JOIN Link o ON o.c0 = l.c0 JOIN Link p ON p.c0 = l.c1 AND p.c1 = o.c1 JOIN Link q ON q.c0 = m.c1 AND q.c1 = o.c1
			JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = o.c1`},
	{"meeting-point", "1: Start(A) & Link(A, B) & Link(C, B) & End(C) & Good(A) -> Good(C)\n", zipf(6, 1),
		`SELECT g.id AS a, h.id AS b FROM Start s JOIN Link l ON l.c0 = s.c0 JOIN Link m ON m.c1 = l.c1 JOIN Stop e
			ON e.c0 = m.c0 JOIN Good g ON g.c0 = s.c0 JOIN Good h ON h.c0 = e.c0`},
	{"sums", "1: Good(+B) / |B| + Good(+D) - 0.5 * Link(A, C) <= Good(C) {B: Link(A, B) & !Start(B)} " +
		"{D: Link(C, D) & Link(D, A)}\n", links(10, 1),
		`SELECT l.c0 AS a, l.c1 AS c, (SELECT list(g.id) FROM Link m JOIN Good g ON g.c0 = m.c1 ANTI JOIN Start s
			ON s.c0 = m.c1 WHERE m.c0 = l.c0) AS b, (SELECT list(g.id) FROM Link m JOIN Link n ON n.c0 = m.c1 JOIN Good g
			ON g.c0 = m.c1 WHERE m.c0 = l.c1 AND n.c1 = l.c0) AS d FROM Link l`},
}

// zipf makes a graph of nodes with so many links each on average, and a part of the size in links: at both ends, the
// k-th node has a part of the links in proportion to 1/k. One in twenty links leads back to where it comes from.
func zipf(degree, part int) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		n := max(4, size/part/degree)
		node, link := d.constants("n", n), newTable(2)
		seen := make(map[uint64]bool)
		draw := func() int { return int(math.Exp(d.rng.Float64()*math.Log(float64(n)))) - 1 }
		for k := range n * degree {
			from, to := draw(), draw()
			if k%20 == 0 {
				to = from
			}
			if pair := uint64(from)<<32 | uint64(to); !seen[pair] {
				seen[pair] = true
				link.observe(1, node+symbol.ID(from), node+symbol.ID(to))
			}
		}
		d.addGraph(node, n, link)
		return d
	}
}

// fewHubs makes a graph in which ten nodes have links to and from each of a hundredth of the size, and all have a few.
func fewHubs(size int, seed uint64) *data {
	d := newData(seed)
	n := max(20, size/100)
	node, link := d.constants("n", n), newTable(2)
	seen := make(map[uint64]bool)
	for k := range n {
		if k < 10 {
			for j := range n / 3 {
				d.link(link, seen, node, k, (3*j+k)%n)
				d.link(link, seen, node, (3*j+2*k)%n, k)
			}
		}
		for range 3 {
			d.link(link, seen, node, k, d.rng.IntN(n))
		}
	}
	d.addGraph(node, n, link)
	return d
}

// measured makes a graph and a function of two nodes that is above 0 for one pair in three.
func measured(size int, seed uint64) *data {
	d := links(6, 20)(size, seed)
	d.add("Near", false, newTable(2))
	last := len(d.predicates) - 1
	d.predicates[last].Functional = true
	d.store.Relations[last].Function = func(names ...string) float64 {
		return float64(max(0, 1-(len(names[0])+strings.Count(names[1], "1"))%3))
	}
	return d
}

// wide makes relations of three and of five columns.
func wide(size int, seed uint64) *data {
	d := newData(seed)
	n := max(4, size/50)
	node := d.constants("n", n)
	for _, width := range []int{3, 5} {
		rows, seen := newTable(width), make(map[[5]int]bool)
		for range size {
			var key [5]int
			row := make([]symbol.ID, width)
			for k := range width {
				key[k] = d.rng.IntN(max(4, n/(1+9*(k%2))))
				row[k] = node + symbol.ID(key[k])
			}
			if !seen[key] {
				seen[key] = true
				rows.observe(1, row...)
			}
		}
		d.add(map[int]string{3: "T", 5: "F"}[width], false, rows)
	}
	good := newTable(1)
	for k := range n {
		good.target(node + symbol.ID(k))
	}
	d.add("Good", true, good)
	return d
}
