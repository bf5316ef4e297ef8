package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The cheapest path from one corner of a square to the other, as one writes it for rules: cells cost something by what
// is there, and what enters a cell leaves it.
const pathRules = `
1: Ground(C, 'road') -> !On(C)
3: Ground(C, 'grass') -> !On(C)
9: Ground(C, 'swamp') -> !On(C)
Source(C) + Move(+B, C) = On(C) . {B: Adjacent(B, C)}
Sink(C) + Move(C, +D) = On(C) . {D: Adjacent(C, D)}
`

const (
	breadth    = 4 // cells of the square
	cells      = breadth * breadth
	pathsTrain = 300
)

var grounds = []string{"road", "grass", "swamp"}

// paths are learned from the cells on the cheapest one, of squares of which only features of the cells are known.
func paths(seed uint64) (*problem, error) {
	random := newRandom("paths", seed)
	p, s := pathProject(), &samples{Hidden: []int{pairHidden}}
	known := simplePaths()
	const columns = 8
	centres := newCentres(random, len(grounds), columns, 1.5)
	costs := [][]float64{{1}, {3}, {9}}
	var x [][]float64
	right := 0
	for example := 0; example < pathsTrain+tests; {
		ground, cost := make([]int, cells), make([]float64, cells)
		for c := range ground {
			ground[c] = random.IntN(len(grounds))
			cost[c] = costs[ground[c]][0]
		}
		best := cheapest(known, cost)
		if best < 0 {
			continue // several are
		}
		table := "train.csv"
		if example >= pathsTrain {
			table = "test.csv"
		}
		var all []float64
		slots := make([]string, 0, 2*cells)
		seen := make([]float64, cells)
		for c := range ground {
			row := centres.near(random, ground[c], 1)
			seen[c] = expectedCosts(row, centres, costs)[0]
			all, slots, x = append(all, row...), append(slots, strconv.Itoa(len(x))), append(x, row)
		}
		for c := range cells {
			slots = append(slots, strconv.Itoa(known[best]>>c&1))
		}
		fmt.Fprintln(p.table(table), strings.Join(slots, ","))
		if example < pathsTrain {
			s.Train, s.Known = append(s.Train, all), append(s.Known, best)
		} else {
			s.Test, s.Wanted = append(s.Test, all), append(s.Wanted, best)
			if cheapest(known, seen) == best {
				right++
			}
		}
		example++
	}
	writeRows(p, "features.tsv", "", x)
	return &problem{project: p, score: score{"all labels", "Examples", "Accuracy"}, samples: s,
		plain: s.network(len(known)), plainScore: accuracy("Neural"), reference: 100 * float64(right) / tests}, nil
}

// expectedCosts are what a thing costs in each place by its features, for one who knows what each kind costs and how
// the features of each are distributed.
func expectedCosts(row []float64, centres, costs [][]float64) []float64 {
	sums, mass := make([]float64, len(costs[0])), 0.0
	for k, centre := range centres {
		distance := 0.0
		for l, v := range row {
			distance += (v - centre[l]) * (v - centre[l])
		}
		likely := math.Exp(-distance / 2)
		mass += likely
		for place, cost := range costs[k] {
			sums[place] += likely * cost
		}
	}
	for place := range sums {
		sums[place] /= mass
	}
	return sums
}

// pathProject writes all but the examples.
func pathProject() *setting {
	p := newProject(pathRules)
	p.config.Networks["reader"] = &network{Features: "features.tsv"}
	var slots, labels []string
	for c := range cells {
		slots, labels = append(slots, cell(c)), append(labels, "On("+cell(c)+")")
		p.row("cells.tsv", cell(c))
		p.row("source.tsv", cell(c), 1-min(c, 1))
		p.row("sink.tsv", cell(c), (c+1)/cells)
		for _, d := range besides(c) {
			p.row("moves.tsv", cell(c), cell(d))
		}
	}
	for _, table := range []string{"train.csv", "test.csv"} {
		fmt.Fprintln(p.table(table), strings.Join(append(slots, labels...), ","))
	}
	p.declare("Ground/2", predicate{Neural: &neural{Network: "reader", Class: one(), Classes: grounds, Slots: slots}})
	p.declare("Adjacent/2", predicate{Observations: []string{"moves.tsv"}})
	p.declare("Source/1", predicate{Observations: []string{"source.tsv"}})
	p.declare("Sink/1", predicate{Observations: []string{"sink.tsv"}})
	p.declare("Move/2", predicate{Targets: []string{"moves.tsv"}})
	p.declare("On/1", predicate{Targets: []string{"cells.tsv"}})
	p.config.Examples = map[string]any{"learn": "train.csv", "infer": "test.csv"}
	return p
}

func cell(c int) string { return "c" + strconv.Itoa(c) }

// besides lists the cells next to one.
func besides(c int) (next []int) {
	row, column := c/breadth, c%breadth
	for _, at := range [][2]int{{row - 1, column}, {row + 1, column}, {row, column - 1}, {row, column + 1}} {
		if min(at[0], at[1]) >= 0 && max(at[0], at[1]) < breadth {
			next = append(next, at[0]*breadth+at[1])
		}
	}
	return next
}

// simplePaths lists those from the first cell to the last that visit none twice, as the bits of their cells.
func simplePaths() (paths []int) {
	var walk func(at, visited int)
	walk = func(at, visited int) {
		if at == cells-1 {
			paths = append(paths, visited)
			return
		}
		for _, next := range besides(at) {
			if visited>>next&1 == 0 {
				walk(next, visited|1<<next)
			}
		}
	}
	walk(0, 1)
	slices.Sort(paths)
	return slices.Compact(paths)
}

// cheapest returns the number of the cheapest path; -1 if several are.
func cheapest(paths []int, cost []float64) int {
	return leastOf(len(paths), func(k int) (total float64) {
		for c := range cost {
			total += float64(paths[k]>>c&1) * cost[c]
		}
		return total
	})
}

// leastOf returns which of n costs the least; -1 if several do.
func leastOf(n int, cost func(k int) float64) (best int) {
	least := math.Inf(1)
	for k := range n {
		switch total := cost(k); {
		case total < least:
			best, least = k, total
		case total == least:
			best = -1
		}
	}
	return best
}
