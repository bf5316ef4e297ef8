package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// joinShape is a family of joins: a rule, or many, whose ground rules are the rows of a query.
type joinShape struct {
	name     string
	rules    string
	generate func(size int, seed uint64) *data
	// query asks a database for the same rows, over tables named as predicates with columns c0, c1, … and id, the
	// number of the row; "" where no database is asked.
	query string
}

// joinShapes are all shapes.
var joinShapes = slices.Concat(plainShapes, oddShapes, hostileShapes, typicalShapes, broughtShapes)

// The sizes of shapes are about how many links they have, but for products and long rules.
var plainShapes = []joinShape{
	{"chain-2", "1: Link(A, B) & Link(B, C) & Good(A) -> Good(C)\n", links(10, 1),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Good g ON g.c0 = l.c0
			JOIN Good h ON h.c0 = m.c1`},
	{"chain-3", "1: Link(A, B) & Link(B, C) & Link(C, D) & Good(A) -> Good(D)\n", links(6, 4),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON m.c1 = n.c0
			JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = n.c1`},
	{"triangle", "1: Link(A, B) & Link(B, C) & Link(A, C) & Good(A) -> Good(C)\n", links(40, 1),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON n.c0 = l.c0 AND n.c1 = m.c1
			JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = m.c1`},
	{"four-cycle", "1: Link(A, B) & Link(B, C) & Link(C, D) & Link(D, A) & Good(A) -> Good(C)\n", links(30, 1),
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON n.c0 = m.c1
			JOIN Link o ON o.c0 = n.c1 AND o.c1 = l.c0 JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = m.c1`},
	{"star", "1: Good(A) & Link(A, B) & Link(A, C) & Link(A, D) & (B % C) & (C % D) -> Good(D)\n", links(8, 1),
		`SELECT g.id AS a, h.id AS b FROM Good g JOIN Link l ON g.c0 = l.c0 JOIN Link m ON g.c0 = m.c0 JOIN Link n
			ON g.c0 = n.c0 JOIN Good h ON h.c0 = n.c1 JOIN Rank p ON p.c0 = l.c1 JOIN Rank q ON q.c0 = m.c1
			JOIN Rank r ON r.c0 = n.c1 WHERE p.c1 < q.c1 AND q.c1 < r.c1`},
	{"hub", "1: Link(A, B) & Link(B, C) & Link(A, C) & Good(A) -> Good(C)\n", hub,
		`SELECT g.id AS a, h.id AS b FROM Link l JOIN Link m ON l.c1 = m.c0 JOIN Link n ON n.c0 = l.c0 AND n.c1 = m.c1
			JOIN Good g ON g.c0 = l.c0 JOIN Good h ON h.c0 = m.c1`},
	{"five-way", "1: Start(A) & Link(A, B) & Link(B, C) & Link(C, D) & End(D) & Good(A) -> Good(D)\n",
		links(6, 1),
		`SELECT g.id AS a, h.id AS b FROM Start s JOIN Link l ON s.c0 = l.c0 JOIN Link m ON l.c1 = m.c0 JOIN Link n
			ON m.c1 = n.c0 JOIN Stop e ON e.c0 = n.c1 JOIN Good g ON g.c0 = s.c0 JOIN Good h ON h.c0 = e.c0`},
	{"product", "1: Good(A) & Good(B) & (A % B) -> Same(A)\n", product,
		`SELECT g.id AS a, h.id AS b, s.id AS c FROM Good g, Good h, Rank p, Rank q, Same s WHERE p.c0 = g.c0 AND q.c0 = h.c0
			AND p.c1 < q.c1 AND s.c0 = g.c0`},
	{"priors", "1: !Good(A) ^2\n", links(1, 1), `SELECT g.id AS a FROM Good g`},
	{"graph-rules", graphRules(), knowledge, ""},
	{"long-rule", longRule(), ring, ""},
}

// links makes a graph at random, of nodes with so many links each on average, and a part of the size in links. Start
// and End are one node in a hundred; Rank tells a database the order of the constants.
func links(degree, part int) func(size int, seed uint64) *data {
	return func(size int, seed uint64) *data {
		d := newData(seed)
		n := max(4, size/part/degree)
		node, link := d.constants("n", n), newTable(2)
		seen := make(map[uint64]bool)
		for range n * degree {
			d.link(link, seen, node, d.rng.IntN(n), d.rng.IntN(n))
		}
		d.addGraph(node, n, link)
		return d
	}
}

// hub makes a graph in which one node has links to and from each of a tenth of the size, and all have a few.
func hub(size int, seed uint64) *data {
	d := newData(seed)
	n := max(4, size/10)
	node, link := d.constants("n", n), newTable(2)
	seen := make(map[uint64]bool)
	for k := 1; k < n; k++ {
		d.link(link, seen, node, 0, k)
		d.link(link, seen, node, k, 0)
		d.link(link, seen, node, k, 1+d.rng.IntN(n-1))
	}
	d.addGraph(node, n, link)
	return d
}

// ring makes a graph of a hundredth of the size, in which each node has one link: so a path of any length has as many
// ways through it as there are nodes.
func ring(size int, seed uint64) *data {
	d := newData(seed)
	n := max(4, size/100) + 1
	node, link := d.constants("n", n), newTable(2)
	for k := range n {
		link.observe(1, node+symbol.ID(k), node+symbol.ID((k+1)%n))
	}
	d.addGraph(node, n, link)
	return d
}

// link adds a link unless it is there.
func (d *data) link(link *table, seen map[uint64]bool, node symbol.ID, from, to int) {
	if pair := uint64(from)<<32 | uint64(to); !seen[pair] && from != to {
		seen[pair] = true
		link.observe(1, node+symbol.ID(from), node+symbol.ID(to))
	}
}

// addGraph adds the relations of a graph.
func (d *data) addGraph(node symbol.ID, n int, link *table) {
	start, end, good := newTable(1), newTable(1), newTable(1)
	for k := range n {
		if k%100 == 0 {
			start.observe(1, node+symbol.ID(k))
		}
		if k%100 == 1 {
			end.observe(1, node+symbol.ID(k))
		}
		good.target(node + symbol.ID(k))
	}
	d.add("Link", false, link)
	d.add("Start", false, start)
	d.add("End", false, end)
	d.add("Good", true, good)
}

// product makes so many nodes that their pairs are about the size.
func product(size int, seed uint64) *data {
	d := newData(seed)
	n := max(2, int(math.Sqrt(2*float64(size))))
	node, good, same := d.constants("n", n), newTable(1), newTable(1)
	for k := range n {
		good.target(node + symbol.ID(k))
		same.target(node + symbol.ID(k))
	}
	d.add("Good", true, good)
	d.add("Same", true, same)
	return d
}

// graphRelations and graphRuleCount are those of a knowledge graph.
const (
	graphRelations = 200
	graphRuleCount = 5000
)

// knowledge makes a graph with links of many kinds.
func knowledge(size int, seed uint64) *data {
	d := newData(seed)
	n := max(4, size/20)
	node, good := d.constants("n", n), newTable(1)
	for r := range graphRelations {
		link, seen := newTable(2), make(map[uint64]bool)
		for range size / graphRelations {
			d.link(link, seen, node, d.rng.IntN(n), d.rng.IntN(n))
		}
		d.add(fmt.Sprint("R", r), false, link)
	}
	for k := range n {
		good.target(node + symbol.ID(k))
	}
	d.add("Good", true, good)
	return d
}

// graphRules writes rules over two kinds of links each.
func graphRules() string {
	var b strings.Builder
	for k := range graphRuleCount {
		fmt.Fprintf(&b, "1: R%d(A, B) & R%d(B, C) & Good(A) -> Good(C)\n", k%graphRelations,
			k*7/graphRelations%graphRelations)
	}
	return b.String()
}

// longRuleAtoms is how many links the longest rule has.
const longRuleAtoms = 1000

// longRule writes a rule along a path of very many links.
func longRule() string {
	var b strings.Builder
	b.WriteString("1: Good(X0)")
	for k := range longRuleAtoms {
		fmt.Fprintf(&b, " & Link(X%d, X%d)", k, k+1)
	}
	fmt.Fprintf(&b, " -> Good(X%d)\n", longRuleAtoms)
	return b.String()
}
