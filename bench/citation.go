package main

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Citation labels the documents of a citation graph: linear potentials, a classifier's guess for each document, the
// mean guess of its neighbours and of theirs, which are sums, links between alike documents, and hard sums to one.
const citationRules = `
1: Guess(A, Y) -> Label(A, Y)
1: Label(B, Y) & Alike(B, A) & Cite(B, A) -> Label(A, Y)
0.1: Label(B, Y) & !Alike(B, A) & Cite(B, A) -> !Label(A, Y)
1: Guess(+B, Y) / @Max[|B|, 1] <= Label(A, Y) {B: Cite(A, B)}
1: Guess(+B, Y) / @Max[|B|, 1] <= Label(A, Y) {B: Near(A, B)}
Label(A, +Y) = 1 .
`

const (
	classes   = 7
	citations = 2 // of earlier documents, by each document
)

func citation(size int, seed uint64) *data {
	d := newData(seed)
	// A document has rules for each class, two for each of its links in both directions, and a sum to one.
	documents := atLeast(float64(size), func(n float64) float64 { return n * (classes*(3+4*citations) + 1) })
	document, class := d.constants("document", documents), d.constants("class", classes)
	truth := make([]int, documents)
	for k := range truth {
		truth[k] = d.rng.IntN(classes)
	}
	links := d.cite(truth)
	cite, alike, near := newTable(2), newTable(2), newTable(2)
	for a, cited := range links {
		for _, b := range cited {
			cite.observe(1, document+symbol.ID(a), document+b)
			alike.observe(d.value(0.3, 0.2), document+symbol.ID(a), document+b)
		}
		for _, b := range twoSteps(links, a) {
			near.observe(1, document+symbol.ID(a), document+b)
		}
	}
	d.add("Cite", false, cite)
	d.add("Alike", false, alike)
	d.add("Near", false, near)
	d.addLabels(document, class, truth)
	return d
}

// cite draws the links, most of them within a class, and returns each document's neighbours, ascending.
func (d *data) cite(truth []int) [][]symbol.ID {
	links := make([][]symbol.ID, len(truth))
	for a := 1; a < len(truth); a++ {
		for range min(a, citations) {
			b := d.rng.IntN(a)
			for tries := 0; truth[b] != truth[a] && tries < 4; tries++ {
				b = d.rng.IntN(a)
			}
			if !slices.Contains(links[a], symbol.ID(b)) {
				links[a], links[b] = append(links[a], symbol.ID(b)), append(links[b], symbol.ID(a))
			}
		}
	}
	for a := range links {
		slices.Sort(links[a])
	}
	return links
}

// nearest bounds a document's neighbours at two steps, which would otherwise grow with the graph.
const nearest = 32

// twoSteps returns the documents at two steps from a.
func twoSteps(links [][]symbol.ID, a int) []symbol.ID {
	var near []symbol.ID
	for _, b := range links[a] {
		for _, c := range links[b][:min(len(links[b]), nearest)] {
			if int(c) != a {
				near = append(near, c)
			}
		}
		if len(near) > nearest {
			break
		}
	}
	slices.Sort(near)
	return slices.Compact(near)
}

// addLabels adds the guesses, right for two documents of three, and the labels, of which one in twenty is known.
func (d *data) addLabels(document, class symbol.ID, truth []int) {
	guess, label, unknown := newTable(2), newTable(2), []int{}
	for a, right := range truth {
		best := right
		if d.rng.IntN(3) == 0 {
			best = d.rng.IntN(classes)
		}
		for y := range classes {
			p := 0.4 / (classes - 1)
			if y == best {
				p = 0.6
			}
			guess.observe(p, document+symbol.ID(a), class+symbol.ID(y))
		}
		if a%20 > 0 {
			unknown = append(unknown, a)
			continue
		}
		for y := range classes {
			known := 0.0
			if y == right {
				known = 1
			}
			label.observe(known, document+symbol.ID(a), class+symbol.ID(y))
		}
	}
	for _, a := range unknown {
		for y := range classes {
			label.target(document+symbol.ID(a), class+symbol.ID(y))
		}
	}
	d.add("Guess", false, guess)
	d.add("Label", true, label)
}
