package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// logical and arithmetic are what rules of random programs are drawn from; names after a dollar are drawn, too.
var logical = []string{
	"Link(A, B) & ${not}${any}(A) -> ${not}${open}(B)",
	"Link(A, B) & ${not}${any}(A) & ${not}${open}(B) -> ${not}P(A, B)",
	"Link(A, B) & ${not}P(A, B) & ${not}${any}(A) -> ${not}${open}(B)",
	"${not}${open}(A)",
	"O(A) -> ${open}(A)",
	"${open}(A) -> O(A)",
	"W(A, B) -> P(A, B)",
	"Link(A, B) & Link(B, C) & ${not}P(A, B) -> ${not}P(B, C)",
	"Link(A, B) & Link(B, C) & ${not}T(A) & ${not}T(C) -> ${not}U(B)",
	"Link(A, B) & Class(A, K) -> Class(B, K)",
}

var arithmetic = []string{
	"${times} * T(A) + ${times} * U(A) ${compares} ${bound}",
	"${times} * T(A) ${compares} ${times} * U(A)",
	"${times} * T(A) + ${times} * U(A) ${compares} ${times} * O(A)",
	"0 * Link(A, B) + T(A) - T(B) ${compares} ${little}",
	"0 * Link(A, B) + T(A) + T(B) ${compares} ${times} * P(A, B)",
	"${open}(A) ${compares} ${any}(+B) / |B|${end} {B: Link(A, B)}",
	"P(A, +B) ${compares} ${bound}",
	"P(A, +B) ${compares} ${any}(A)",
	"P(+A, B) ${compares} ${bound}",
	"P(+A, B) ${compares} ${open}(B)",
	"T(+A) ${compares} 10",
	"T(+A) ${compares} 100",
	"Class(A, +K) = 1",
	"P(A, +B) = ${little} * O(A) + P(+C, A)${end} {B: Link(A, B)} {C: Link(C, A)}",
}

// guesses end random programs: something soft that all else is weighed against.
var guesses = []string{
	"0.5: T(A) = O(A)\n",
	"0.5: T(A) = O(A) ^2\n",
	"0.01: !T(A)\n0.1: W(A, B) = P(A, B)\n",
}

// graphs are what random programs are about.
var graphs = []linker{path, bush, lattice, ladder, expander, smallWorld, geometric, deBruijn, preferential}

// randomModels makes programs of two to six random rules, hard or soft, over random graphs.
func randomModels(n int, seed uint64) []*model {
	all := make([]*model, n)
	for k := range all {
		own := seed + uint64(k)
		all[k] = &model{fmt.Sprint("random-", own), randomRules(rand.New(rand.NewPCG(own, 1))),
			func(size int, _ uint64) *data { return randomData(size, own) }}
	}
	return all
}

func randomRules(rng *rand.Rand) string {
	var b strings.Builder
	for range 2 + rng.IntN(5) {
		end, weight := " .", ""
		if rng.Float64() > 0.3 {
			weight = oneOf(rng, "1", "1", "1", "3", "10", "100", "0.1", "0.01") + ": "
			end = oneOf(rng, "", " ^2")
		}
		form := oneOf(rng, logical...)
		if rng.IntN(2) == 0 {
			form = oneOf(rng, arithmetic...)
		}
		if !strings.Contains(form, "${end}") {
			form += "${end}"
		}
		rule := os.Expand(form, func(name string) string {
			if name == "end" {
				return end
			}
			return draw(rng, name)
		})
		fmt.Fprintln(&b, weight+rule)
	}
	return b.String() + oneOf(rng, guesses...)
}

// draw replaces a name in the form of a rule.
func draw(rng *rand.Rand, name string) string {
	switch name {
	case "not":
		return oneOf(rng, "", "", "!")
	case "open":
		return oneOf(rng, "T", "U")
	case "any":
		return oneOf(rng, "T", "U", "O")
	case "times":
		return oneOf(rng, "1", "1", "1", "2", "3", "10", "100", "0.5", "0.1")
	case "compares":
		return oneOf(rng, "<=", ">=", "=")
	case "bound":
		return oneOf(rng, "0.2", "0.5", "1", "1.2", "2")
	case "little":
		return oneOf(rng, "0", "0.01", "0.1")
	}
	panic("nothing is drawn for " + name)
}

func oneOf[T any](rng *rand.Rand, all ...T) T { return all[rng.IntN(len(all))] }

// randomData makes a graph with something known and something unknown of its nodes and links, and of nodes' classes.
func randomData(size int, seed uint64) *data {
	d := newData(seed)
	n := max(9, size/8)
	links := oneOf(d.rng, graphs...)(d, n)
	node, kind := d.constants("n", n), d.constants("k", 3)
	link, known, between, other, class := newTable(2), newTable(2), newTable(2), newTable(1), newTable(2)
	for _, l := range links {
		a, b := node+symbol.ID(l[0]), node+symbol.ID(l[1])
		link.observe(1, a, b)
		known.observe(d.rng.Float64(), a, b)
		between.target(a, b)
	}
	for k := range symbol.ID(n) {
		other.target(node + k)
		for c := range symbol.ID(3) {
			class.target(node+k, kind+c)
		}
	}
	d.add("Link", false, link)
	d.add("W", false, known)
	d.add("P", true, between)
	d.add("U", true, other)
	d.add("Class", true, class)
	d.addNodes(node, n, steep)
	return d
}
