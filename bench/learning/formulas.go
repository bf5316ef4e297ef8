package main

import (
	"bytes"
	"fmt"
	"strconv"
)

// formulaRules are the table of all formulas as one would write it first.
const formulaRules = `
1: Digit('a', D) & Sign('o', O) & Digit('b', E) & Comes(D, O, E, R) -> Result(R)
Result(+R) = 1 .
`

const trainedFormulas = 1000

// signs of a formula, and what they do.
var formulaSigns = []struct {
	name string
	do   func(a, b int) int
}{
	{"plus", func(a, b int) int { return a + b }},
	{"minus", func(a, b int) int { return a - b }},
	{"times", func(a, b int) int { return a * b }},
}

// formulas are what a digit, a sign and a digit come to. Two networks see them, and nobody has labelled any.
func formulas(seed uint64) (*problem, error) {
	random := newRandom("formulas", seed)
	const digits, examples = 10, trainedFormulas + tests
	signs := len(formulaSigns)
	x, digit := blobs(random, 2*examples, digits, 12, 0.5)
	z, sign := blobs(random, examples, signs, 6, 0.5)

	p := newProject(formulaRules)
	writeRows(p, "digits.tsv", "d", x)
	writeRows(p, "signs.tsv", "s", z)
	p.config.Networks["reader"] = &network{Features: "digits.tsv"}
	p.config.Networks["clerk"] = &network{Features: "signs.tsv"}
	p.declare("Digit/2", predicate{Neural: &neural{Network: "reader", Class: one(), Classes: names("", digits),
		Slots: []string{"a", "b"}}})
	var known []string
	for _, s := range formulaSigns {
		known = append(known, s.name)
	}
	p.declare("Sign/2", predicate{Neural: &neural{Network: "clerk", Class: one(), Classes: known, Slots: []string{"o"}}})
	p.declare("Comes/4", predicate{Observations: []string{"formulas.tsv"}})
	p.declare("Result/1", predicate{Targets: []string{"results.tsv"}})
	p.config.Examples = map[string]any{"learn": "train.csv", "infer": "test.csv"}
	class := make(map[int]int) // by result
	for a := range digits {
		for b := range digits {
			for _, s := range formulaSigns {
				result := s.do(a, b)
				p.row("formulas.tsv", a, s.name, b, result)
				if _, seen := class[result]; !seen {
					class[result] = len(class)
					p.row("results.tsv", result)
				}
			}
		}
	}

	s := &samples{Hidden: []int{pairHidden}}
	train, test := p.table("train.csv"), p.table("test.csv")
	for _, b := range []*bytes.Buffer{train, test} {
		fmt.Fprintln(b, "a,o,b,Result")
	}
	for k := range examples {
		first, second := 2*k, 2*k+1
		result := formulaSigns[sign[k]].do(digit[first], digit[second])
		line := "d" + strconv.Itoa(first) + ",s" + strconv.Itoa(k) + ",d" + strconv.Itoa(second)
		all := append(append(append([]float64(nil), x[first]...), z[k]...), x[second]...)
		if k < trainedFormulas {
			fmt.Fprintf(train, "%s,%d\n", line, result)
			s.Train, s.Known = append(s.Train, all), append(s.Known, class[result])
		} else {
			fmt.Fprintf(test, "%s,%d\n", line, result)
			s.Test, s.Wanted = append(s.Test, all), append(s.Wanted, class[result])
		}
	}
	return &problem{project: p, score: score{"Result", "Examples", "Accuracy"}, samples: s,
		plain: s.network(len(class)), plainScore: accuracy("Neural"), reference: 100}, nil
}
