package main

import (
	"fmt"
	"slices"
	"strings"
)

// A ballot is the learning of weights alone. Each word has four rules, which let it vote for classes: for the first
// one, as every word does, for its own, and for two others. With the weights as written the first class wins always.
type ballot struct {
	name, about    string
	words, classes int
	documents      int // half of them are known
	perDocument    int
	signal         float64 // the share of a document's words that come from its class
	method         string  // "" is the default
}

func (z ballot) task() task {
	return task{name: z.name, metric: "accuracy", about: z.about, make: z.problem}
}

// candidates are the classes that a word votes for. Its own is the remainder of its number.
func (z *ballot) candidates(word int) []int {
	var list []int
	own, step := word%z.classes, 1+word/z.classes%(z.classes-1)
	for _, class := range []int{0, own, (own + step) % z.classes, (own + 2*step) % z.classes, own + 1, own + 2, own + 3} {
		if class %= z.classes; len(list) < 4 && !slices.Contains(list, class) {
			list = append(list, class)
		}
	}
	return list
}

func (z *ballot) problem(seed uint64) (*problem, error) {
	random := newRandom("ballot "+z.name, seed)
	var rules strings.Builder
	for word := range z.words {
		for _, class := range z.candidates(word) {
			fmt.Fprintf(&rules, "1: Has(D, 'w%d') -> Label(D, 'c%d') ^2\n", word, class)
		}
	}
	rules.WriteString("Label(D, +C) = 1 .\n")
	p := newProject(rules.String())
	p.declare("Has/2", predicate{Observations: []string{"words.tsv"}})
	p.declare("Label/2", predicate{Targets: []string{"targets.tsv"}, Evaluations: []any{"CategoricalEvaluator"},
		Truth: map[string]string{"learn": trainTable, "infer": testTable}})
	if z.method != "" {
		p.set("learn.method", z.method)
	}
	s := new(samples)
	hits := 0
	for k := range z.documents {
		class := random.IntN(z.classes)
		has, votes := make([]float64, z.words), make([]float64, z.classes)
		for range z.perDocument {
			word := random.IntN(z.words)
			if random.Float64() < z.signal { // the word's class is its number's remainder
				word = min(word-word%z.classes+class, z.words-1)
			}
			if has[word] == 0 {
				p.row("words.tsv", entity(k), fmt.Sprintf("w%d", word))
				has[word] = 1
				votes[word%z.classes]++
			}
		}
		s.add(p, k, class, z.classes, k < z.documents/2, has)
		if k >= z.documents/2 && best(votes) == class {
			hits++
		}
	}
	return &problem{project: p, score: accuracy("Label"), fixed: p, samples: s,
		reference: 100 * float64(hits) / float64(len(s.Wanted))}, nil
}

// truth is how tables write it.
func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// best is the place of the largest value, the first of several.
func best(values []float64) int {
	at := 0
	for k, value := range values {
		if value > values[at] {
			at = k
		}
	}
	return at
}
