package main

import (
	"fmt"
	"strings"
)

// A ballot is the learning of weights alone: each rule lets one word vote for one class, and only some rules are right.
type ballot struct {
	name           string
	words, classes int
	documents      int // half of them are known
	perDocument    int
	signal         float64 // the share of a document's words that come from its class
	method         string  // "" is the default
}

func (z ballot) task(name, about string) task {
	z.name = name
	return task{name: name, metric: "accuracy", about: about, make: z.problem}
}

func (z *ballot) problem(seed uint64) (*problem, error) {
	random := newRandom("ballot "+z.name, seed)
	var rules strings.Builder
	for word := range z.words {
		for class := range z.classes {
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
	right := 0
	for k := range z.documents {
		class := random.IntN(z.classes)
		has := make([]float64, z.words)
		for range z.perDocument {
			word := random.IntN(z.words)
			if random.Float64() < z.signal {
				word = word/z.classes*z.classes + class
			}
			has[min(word, z.words-1)] = 1
		}
		votes := make([]float64, z.classes)
		for word, there := range has {
			if there > 0 {
				p.row("words.tsv", entity(k), fmt.Sprintf("w%d", word))
				votes[word%z.classes]++
			}
		}
		for other := range z.classes {
			p.row("targets.tsv", entity(k), fmt.Sprintf("c%d", other))
		}
		if k < z.documents/2 {
			for other := range z.classes {
				p.row(trainTable, entity(k), fmt.Sprintf("c%d", other), truth(other == class))
			}
			s.Train, s.Known = append(s.Train, has), append(s.Known, class)
			continue
		}
		p.row(testTable, entity(k), fmt.Sprintf("c%d", class))
		s.Test, s.Wanted = append(s.Test, has), append(s.Wanted, class)
		if best(votes) == class {
			right++
		}
	}
	return &problem{project: p, score: accuracy("Label"), fixed: p, samples: s,
		reference: 100 * float64(right) / float64(len(s.Wanted))}, nil
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
