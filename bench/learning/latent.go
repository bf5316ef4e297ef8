package main

import (
	"fmt"
	"strings"
)

// A puzzle is a function of two latent classes, of which only the result is known. Its network reads pictures, or
// points around a centre of each class.
type puzzle struct {
	name    string
	classes int
	results []string
	result  func(a, b int) int
	train   int
	// options are those that docs/examples.md writes for such programs; nil leaves every default.
	options map[string]string
	// noise is the deviation of points around centres; 0 means pictures of digits.
	noise float64
}

// documented are the options of the documented program of sums.
var documented = map[string]string{"learn.method": "energy", "learn.batch": "16"}

// The documented program, with the table of any function.
const puzzleRules = `
fixed 1: Row(D1, +D2, +S) = Digit('a', D1) ^2
fixed 1: Row(+D1, D2, +S) = Digit('b', D2) ^2
Row(+D1, +D2, S) = Result(S) .
Result(+S) = 1 .
fixed 0.00001: Row(D1, D2, S) <= Digit('a', D1) + Digit('b', D2) - 1 ^2
`

func (z *puzzle) problem(seed uint64) (*problem, error) {
	const tests = 500
	random := newRandom("puzzle "+z.name, seed)
	var x [][]float64
	var y []int
	if z.noise == 0 {
		all := allDigits()
		for _, k := range random.Perm(len(all.digit)) {
			if all.digit[k] < z.classes {
				x, y = append(x, all.pixels[k]), append(y, all.digit[k])
			}
		}
	} else {
		x, y = blobs(random, 2*(z.train+tests), z.classes, 8, z.noise)
	}
	p := newProject(puzzleRules)
	p.config.Networks["reader"] = &network{Features: "features.tsv", Hidden: []int{32}}
	p.declare("Digit/2", predicate{Neural: &neural{Network: "reader", Class: one(), Classes: names("", z.classes),
		Slots: []string{"a", "b"}}})
	p.declare("Row/3", predicate{Targets: []string{"rows.tsv"}})
	p.declare("Result/1", predicate{Targets: []string{"results.tsv"}})
	p.config.Examples = map[string]string{"learn": "train.csv", "infer": "test.csv"}
	p.config.Options = z.options
	for a := range z.classes {
		for b := range z.classes {
			p.row("rows.tsv", a, b, z.results[z.result(a, b)])
		}
	}
	for _, name := range z.results {
		p.row("results.tsv", name)
	}
	for k := range x {
		cells := []any{fmt.Sprint(k)}
		for _, value := range x[k] {
			cells = append(cells, value)
		}
		p.row("features.tsv", cells...)
	}
	s := &samples{Hidden: []int{pairHidden}}
	for k := range z.train + tests {
		// The pictures may be fewer than the examples have places: each is then in several pairs, but tests share none.
		a, b := 2*k, 2*k+1
		if k >= z.train {
			a, b = len(x)-2*(k-z.train)-1, len(x)-2*(k-z.train)-2
		} else if limit := len(x) - 2*tests; b >= limit {
			a, b = random.IntN(limit), random.IntN(limit)
		}
		result := z.result(y[a], y[b])
		table := "train.csv"
		both := append(append([]float64(nil), x[a]...), x[b]...)
		if k >= z.train {
			table = "test.csv"
			s.Test, s.Wanted = append(s.Test, both), append(s.Wanted, result)
		} else {
			s.Train, s.Known = append(s.Train, both), append(s.Known, result)
		}
		b0 := p.table(table)
		if b0.Len() == 0 {
			b0.WriteString("a,b,Result\n")
		}
		b0.WriteString(strings.Join([]string{fmt.Sprint(a), fmt.Sprint(b), z.results[result]}, ",") + "\n")
	}
	return &problem{project: p, score: score{"Result", "Examples", "Accuracy"}, samples: s,
		plain: pairNetwork(s, z.results), plainScore: accuracy("Neural"), reference: 100}, nil
}

func (z puzzle) task(name, about string) task {
	z.name = name
	return task{name: name, metric: "accuracy", about: about, make: z.problem}
}

var (
	sums = puzzle{classes: 10, results: names("", 19), result: func(a, b int) int { return a + b }, train: 3000,
		options: documented}
	mod10 = puzzle{classes: 10, results: names("", 10), result: func(a, b int) int { return (a + b) % 10 }, train: 3000,
		options: documented}
	xor = puzzle{classes: 2, results: names("", 2), result: func(a, b int) int { return a ^ b }, train: 3000,
		options: documented, noise: 0.5}
)

// pairHidden is the width of its hidden layer.
const pairHidden = 64

// pairNetwork is a network that is shown both inputs of an example side by side, and the result as its class.
func pairNetwork(s *samples, results []string) *project {
	c := &classification{classes: len(results), hidden: []int{pairHidden}}
	c.x, c.y = append(append(c.x, s.Train...), s.Test...), append(append(c.y, s.Known...), s.Wanted...)
	for k := range c.y {
		if k < len(s.Known) {
			c.train = append(c.train, k)
		} else {
			c.test = append(c.test, k)
		}
	}
	return c.problem().plain
}
