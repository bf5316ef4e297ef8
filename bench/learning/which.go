package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// which is a question about a few things side by side, such as which of them is the tallest, with rules as one writes
// them: no table of all cases, and no option. What the network tells of a thing, how tall it is, nobody has labelled.
type which struct {
	name, about string
	rules       string
	things      int
	classes     int
	train       int
	// sizes says that things have a size, of which classes are the steps; otherwise classes are points around centres.
	sizes bool
	noise float64
	// answer returns the place of the thing that is asked for, by the things' sizes or classes; -1 if there is none.
	answer func(values []float64) int
	// yes says that the label is whether that is the first thing.
	yes bool
}

const (
	tallestRules = `
1: Height(A, H) & Height(B, G) & Above(H, G) -> !Tallest(B) ^2
Tallest(+A) = 1 .
`
	oddRules = `
1: Kind(A, K) & Kind(B, K) & (A != B) -> !Odd(A) ^2
Odd(+A) = 1 .
`
	leastRules = `
1: Size(A, K) & Size(B, L) & Less(K, L) -> !Least(B) ^2
10: Least(+A) = 1 ^2
`
	earlierRules = `
1: Time('a', T) & Time('b', U) & Before(T, U) -> Earlier('a') ^2
1: Time('a', T) & Time('b', U) & Before(U, T) -> !Earlier('a') ^2
`
	mostRules = `
1: Height(A, H) & Height(B, G) & Above(H, G) & (A != B) -> Taller(A, B) ^2
1: Taller(A, B) -> !Taller(B, A) ^2
1: Taller(A, B) -> !Tallest(B) ^2
Tallest(+A) = 1 .
`
)

func (q which) task() task {
	return task{name: q.name, metric: "accuracy", about: q.about, make: q.problem}
}

// predicates of the rules: what the network tells, the relation of its classes, and the label.
func (q *which) predicates() (seen, order, label string) {
	for _, row := range [][3]string{{"Height", "Above", "Tallest"}, {"Kind", "", "Odd"}, {"Size", "Less", "Least"},
		{"Time", "Before", "Earlier"}} {
		if strings.Contains(q.rules, row[0]+"(") {
			return row[0], row[1], row[2]
		}
	}
	panic("rules of no kind")
}

func (q *which) problem(seed uint64) (*problem, error) {
	random := newRandom("which "+q.name, seed)
	draw := q.drawer(random)
	p := q.project()
	s := &samples{Hidden: []int{pairHidden}}
	train, test := p.table("train.csv"), p.table("test.csv")
	_, _, label := q.predicates()
	if q.yes {
		label += "(a)"
	}
	for _, b := range []*bytes.Buffer{train, test} {
		fmt.Fprintln(b, strings.Join(q.slots(), ",")+","+label)
	}
	for k := range q.train + tests {
		rows, answer := q.draw(draw)
		var both []float64
		cells := make([]string, q.things)
		for i, row := range rows {
			id := k*q.things + i
			both, cells[i] = append(both, row...), strconv.Itoa(id)
			features := []any{id}
			for _, value := range row {
				features = append(features, value)
			}
			p.row("features.tsv", features...)
		}
		told := q.slots()[answer]
		if q.yes {
			answer = 1 - min(answer, 1)
			told = strconv.Itoa(answer)
		}
		line := strings.Join(cells, ",") + "," + told + "\n"
		if k < q.train {
			train.WriteString(line)
			s.Train, s.Known = append(s.Train, both), append(s.Known, answer)
		} else {
			test.WriteString(line)
			s.Test, s.Wanted = append(s.Test, both), append(s.Wanted, answer)
		}
	}
	return &problem{project: p, score: score{label, "Examples", "Accuracy"}, samples: s,
		plain: s.network(max(2, q.things)), plainScore: accuracy("Neural"), reference: 100}, nil
}

// drawer returns what draws a thing: its features, and its size or class.
func (q *which) drawer(random *rand.Rand) func() ([]float64, float64) {
	const columns = 6
	if !q.sizes {
		centres := newCentres(random, q.classes, columns, 1)
		return func() ([]float64, float64) {
			class := random.IntN(q.classes)
			return centres.near(random, class, q.noise), float64(class)
		}
	}
	direction := normals(random, columns, 1)
	return func() ([]float64, float64) {
		size := random.Float64()
		row := normals(random, columns, q.noise)
		for k := range row {
			row[k] += direction[k] * size * 3
		}
		return row, size
	}
}

// draw draws things of which one is the answer.
func (q *which) draw(draw func() ([]float64, float64)) (rows [][]float64, answer int) {
	for {
		rows = rows[:0]
		values := make([]float64, q.things)
		for k := range values {
			row, value := draw()
			rows, values[k] = append(rows, row), value
		}
		if answer = q.answer(values); answer >= 0 {
			return rows, answer
		}
	}
}

func (q *which) slots() []string {
	list := make([]string, q.things)
	for k := range list {
		list[k] = string(rune('a' + k))
	}
	return list
}

// project writes all but the examples.
func (q *which) project() *setting {
	seen, order, label := q.predicates()
	p := newProject(q.rules)
	p.config.Networks["reader"] = &network{Features: "features.tsv"}
	p.declare(seen+"/2", predicate{Neural: &neural{Network: "reader", Class: one(), Classes: names("", q.classes),
		Slots: q.slots()}})
	if order != "" {
		p.declare(order+"/2", predicate{Observations: []string{"order.tsv"}})
		for a := range q.classes {
			for b := range a {
				if order == "Above" {
					p.row("order.tsv", a, b)
				} else {
					p.row("order.tsv", b, a)
				}
			}
		}
	}
	p.declare(label+"/1", predicate{Targets: []string{"targets.tsv"}})
	for k, slot := range q.slots() {
		if !q.yes || k == 0 {
			p.row("targets.tsv", slot)
		}
	}
	if strings.Contains(q.rules, "Taller(") {
		p.declare("Taller/2", predicate{Targets: []string{"pairs.tsv"}})
		for _, a := range q.slots() {
			for _, b := range q.slots() {
				if a != b {
					p.row("pairs.tsv", a, b)
				}
			}
		}
	}
	p.config.Examples = map[string]any{"learn": "train.csv", "infer": "test.csv"}
	return p
}

// Answers. What several things share is none.
func only(values []float64, value float64) int {
	first := slices.Index(values, value)
	if slices.Contains(values[first+1:], value) {
		return -1
	}
	return first
}

func greatest(values []float64) int { return only(values, slices.Max(values)) }

func lowest(values []float64) int { return only(values, slices.Min(values)) }

// odd is the one that is unlike all others, which are alike.
func odd(values []float64) int {
	for k, value := range values {
		others := slices.Delete(slices.Clone(values), k, k+1)
		if slices.Max(others) == slices.Min(others) && others[0] != value {
			return k
		}
	}
	return -1
}
