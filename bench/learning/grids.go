package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// gridRules is what one would write first: two of a line that show the same make a grid wrong.
const gridRules = `
1: Same(A, B) & Shows(A, K) & Shows(B, K) -> Grid('wrong')
0.1: Grid('right')
Grid(+G) = 1 .
`

const (
	gridWidth, gridCells = 4, 16
	trainedGrids         = 100
	testedGrids          = 300
)

// sameLine tells whether two cells are in one row, column or square of a grid.
func sameLine(a, b int) bool {
	row, column := func(k int) int { return k / gridWidth }, func(k int) int { return k % gridWidth }
	return row(a) == row(b) || column(a) == column(b) || row(a)/2 == row(b)/2 && column(a)/2 == column(b)/2
}

// rightGrid tells whether no two cells of a line show the same.
func rightGrid(cells []int) bool {
	for b := range cells {
		for a := range b {
			if sameLine(a, b) && cells[a] == cells[b] {
				return false
			}
		}
	}
	return true
}

// drawGrid fills a grid, and then spoils one or two cells of every other one.
func drawGrid(random *rand.Rand, spoils bool) []int {
	cells := make([]int, 0, gridCells)
	for !fillGrid(random, &cells) {
		cells = cells[:0]
	}
	for spoils && rightGrid(cells) {
		for range 1 + random.IntN(2) {
			cells[random.IntN(gridCells)] = random.IntN(gridWidth)
		}
	}
	return cells
}

// fillGrid fills the cells one after another, and tells whether there was a kind for each.
func fillGrid(random *rand.Rand, cells *[]int) bool {
	for len(*cells) < gridCells {
		filled := false
		for _, kind := range random.Perm(gridWidth) {
			if rightGrid(append(*cells, kind)) {
				*cells, filled = append(*cells, kind), true
				break
			}
		}
		if !filled {
			return false
		}
	}
	return true
}

// grids are whether a grid of four by four is right, by what its cells are seen to show, which nobody has labelled.
func grids(seed uint64) (*problem, error) {
	random := newRandom("grids", seed)
	p, slots := newProject(gridRules), make([]string, gridCells)
	for k := range slots {
		slots[k] = string(rune('a' + k))
		for other := range k {
			if sameLine(k, other) {
				p.row("same.tsv", slots[other], slots[k])
			}
		}
	}
	p.config.Networks["eye"] = &network{Features: "features.tsv"}
	p.declare("Shows/2", predicate{Neural: &neural{Network: "eye", Class: one(), Classes: names("k", gridWidth),
		Slots: slots}})
	p.declare("Same/2", predicate{Observations: []string{"same.tsv"}})
	p.declare("Grid/1", predicate{Targets: []string{"verdicts.tsv"}})
	p.row("verdicts.tsv", "right")
	p.row("verdicts.tsv", "wrong")
	p.config.Examples = map[string]any{"learn": "train.csv", "infer": "test.csv"}

	s := &samples{Hidden: []int{pairHidden}}
	train, test := p.table("train.csv"), p.table("test.csv")
	fmt.Fprintln(train, strings.Join(slots, ",")+",Grid")
	fmt.Fprintln(test, strings.Join(slots, ",")+",Grid")
	const columns = 8
	centres := newCentres(random, gridWidth, columns, 1)
	for k := range trainedGrids + testedGrids {
		var all []float64
		ids := make([]string, gridCells)
		wrong := k % 2
		for i, kind := range drawGrid(random, wrong == 1) {
			cell, features := centres.near(random, kind, 0.5), []any{k*gridCells + i}
			for _, value := range cell {
				features = append(features, value)
			}
			p.row("features.tsv", features...)
			all, ids[i] = append(all, cell...), strconv.Itoa(k*gridCells+i)
		}
		line := strings.Join(ids, ",") + "," + []string{"right", "wrong"}[wrong]
		if k < trainedGrids {
			fmt.Fprintln(train, line)
			s.Train, s.Known = append(s.Train, all), append(s.Known, wrong)
		} else {
			fmt.Fprintln(test, line)
			s.Test, s.Wanted = append(s.Test, all), append(s.Wanted, wrong)
		}
	}
	return &problem{project: p, score: score{"Grid", "Examples", "Accuracy"}, samples: s, plain: s.network(2),
		plainScore: accuracy("Neural"), reference: 100}, nil
}
