package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// places are where things go at the least cost, which is by what each of them is; only features of that are known, and
// from examples where each went.
type places struct {
	name, about string
	things      int
	costs       [][]float64 // of each kind in each place; nowhere costs nothing
	rules       string      // beside what kinds cost
	predicate   string      // of things, and of places if there are several
	outcomes    [][]int     // the place of each thing, or nowhere
}

const nowhere = -1

// placesTrain is the number of examples that are learned from.
const placesTrain = 300

func (z places) task() task {
	return task{name: z.name, metric: "accuracy", about: z.about, make: z.problem}
}

// baskets take two of five things: the dearest.
var baskets = places{name: "baskets", things: 5, costs: [][]float64{{-1}, {-3}, {-7}}, rules: "Take(+I) <= 2 .",
	about:     "which two of five things are worth the most, 300 examples, of which none says what a thing is",
	predicate: "Take", outcomes: takenPairs(5)}

// threePlaces are for three things of four kinds, one for each.
var threePlaces = places{name: "places", things: 3, costs: [][]float64{{1, 4, 9}, {6, 2, 1}, {3, 8, 2}, {9, 3, 5}},
	rules:     "At(I, +S) = 1 .\nAt(+I, S) = 1 .",
	about:     "who of three goes where at the least cost, by what each is seen to be, 300 examples",
	predicate: "At", outcomes: [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}}

// takenPairs lists the ways to put two of n things in a place.
func takenPairs(n int) (outcomes [][]int) {
	for second := range n {
		for first := range second {
			outcome := make([]int, n)
			for k := range outcome {
				if outcome[k] = nowhere; k == first || k == second {
					outcome[k] = 0
				}
			}
			outcomes = append(outcomes, outcome)
		}
	}
	return outcomes
}

func (z *places) problem(seed uint64) (*problem, error) {
	random := newRandom(z.name, seed)
	p, s := z.project(), &samples{Hidden: []int{pairHidden}}
	kinds, columns := len(z.costs), 6
	centres := newCentres(random, kinds, columns, 1.5)
	var x [][]float64
	right := 0
	for example := 0; example < placesTrain+tests; {
		var all []float64
		var rows []string
		known, seen := make([][]float64, z.things), make([][]float64, z.things)
		for k := range z.things {
			kind := random.IntN(kinds)
			row := centres.near(random, kind, 1)
			known[k], seen[k] = z.costs[kind], expectedCosts(row, centres, z.costs)
			all, rows = append(all, row...), append(rows, strconv.Itoa(len(x)+k))
		}
		best := z.best(known)
		if best < 0 {
			continue // several are
		}
		for k := range z.things {
			x = append(x, all[k*columns:(k+1)*columns])
		}
		table := "train.csv"
		if example >= placesTrain {
			table = "test.csv"
			s.Test, s.Wanted = append(s.Test, all), append(s.Wanted, best)
			if z.best(seen) == best {
				right++
			}
		} else {
			s.Train, s.Known = append(s.Train, all), append(s.Known, best)
		}
		fmt.Fprintln(p.table(table), strings.Join(append(rows, z.labels(z.outcomes[best])...), ","))
		example++
	}
	writeRows(p, "features.tsv", "", x)
	return &problem{project: p, score: score{"all labels", "Examples", "Accuracy"}, samples: s,
		plain: s.network(len(z.outcomes)), plainScore: accuracy("Neural"), reference: 100 * float64(right) / tests}, nil
}

// best returns the number of the outcome of least cost, by those of each thing in each place; -1 if several are.
func (z *places) best(costs [][]float64) int {
	return leastOf(len(z.outcomes), func(n int) (total float64) {
		for k, place := range z.outcomes[n] {
			if place != nowhere {
				total += costs[k][place]
			}
		}
		return total
	})
}

// labels are the values of all atoms.
func (z *places) labels(outcome []int) (values []string) {
	for _, at := range outcome {
		for place := range z.costs[0] {
			value := "0"
			if at == place {
				value = "1"
			}
			values = append(values, value)
		}
	}
	return values
}

// project writes all but the examples.
func (z *places) project() *setting {
	rules := []string{z.rules}
	var kinds, things, header []string
	for k, costs := range z.costs {
		kinds = append(kinds, fmt.Sprintf("k%d", k))
		for place, cost := range costs {
			not := "!"
			if cost < 0 {
				not = ""
			}
			rules = append(rules, fmt.Sprintf("%v: Kind(I, 'k%d') -> %s%s", math.Abs(cost), k, not, z.atom("I", place, "'")))
		}
	}
	p := newProject(strings.Join(rules, "\n"))
	p.config.Networks["eye"] = &network{Features: "features.tsv"}
	for k := range z.things {
		things = append(things, string(rune('a'+k)))
		for place := range z.costs[0] {
			header = append(header, `"`+z.atom(things[k], place, "")+`"`)
			p.row("targets.tsv", z.arguments(things[k], place, "")...)
		}
	}
	for _, table := range []string{"train.csv", "test.csv"} {
		fmt.Fprintln(p.table(table), strings.Join(append(things, header...), ","))
	}
	p.declare(fmt.Sprintf("%s/%d", z.predicate, len(z.arguments("", 0, ""))), predicate{Targets: []string{"targets.tsv"}})
	p.declare("Kind/2", predicate{Neural: &neural{Network: "eye", Class: one(), Classes: kinds, Slots: things}})
	p.config.Examples = map[string]any{"learn": "train.csv", "infer": "test.csv"}
	return p
}

// arguments are those of the atom that a thing is in a place, the place between quotes.
func (z *places) arguments(thing string, place int, quote string) []any {
	if len(z.costs[0]) == 1 {
		return []any{thing}
	}
	return []any{thing, fmt.Sprintf("%ss%d%s", quote, place, quote)}
}

func (z *places) atom(thing string, place int, quote string) string {
	inner := fmt.Sprintln(z.arguments(thing, place, quote)...)
	return z.predicate + "(" + strings.ReplaceAll(strings.TrimSpace(inner), " ", ", ") + ")"
}
