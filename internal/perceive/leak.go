package perceive

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/neural/features"
)

// This file finds the column of the answers among those of the features: with it a network tells all that it has been
// told, and nothing that it has not.

// lintLeaks warns, once, of a feature that tells the truth of a predicate.
func (n *Networks) lintLeaks(
	network *load.Network, declared *load.Predicate, rows []int32, answers [][]float32, diags *source.Diagnostics,
) {
	features := n.Features[network.Name]
	if features.Width() == 0 || n.leaks[network.Name] {
		return
	}
	for _, answer := range answers {
		column := sameColumn(features, rows, answer, 100*len(answers))
		if column < 0 {
			continue
		}
		n.leaks[network.Name] = true
		diags.Warnf("features-truth", network.At("columns"), `leave it out: "columns" names the features after the ids`,
			"feature %s of network %q says the truth of %s in all %d rows that have one", called(features, column), network.Name,
			declared.Name, len(rows))
		return
	}
}

// maxClasses bounds the constants that truth may say of rows: of pairs, both are things.
const maxClasses = 100

// answersOf returns the rows of the features that the truth of a predicate is about, and what it says of each: a truth
// value; or for each class whether it is that, and at last which.
func answersOf(
	truth *relation.Relation, symbols *symbol.Table, table *features.Table,
) (rows []int32, all [][]float32) {
	if truth == nil || truth.Len() == 0 || truth.Arity > 2 {
		return nil, nil
	}
	entity := slices.IndexFunc(truth.Columns, func(column []symbol.ID) bool {
		_, ok := table.Row(symbols.Name(column[0]))
		return ok
	})
	if entity < 0 {
		return nil, nil
	}
	class := make([]symbol.ID, truth.Len()) // of each row of the truth
	if truth.Arity == 2 {
		class = truth.Columns[1-entity]
	}
	at, place, code := make([]int, truth.Len()), make(map[int32]int), make(map[symbol.ID]int)
	for r, id := range truth.Columns[entity] {
		row, ok := table.Row(symbols.Name(id))
		if at[r] = -1; !ok {
			continue
		}
		if _, met := place[row]; !met {
			place[row] = len(rows)
			rows = append(rows, row)
		}
		if _, met := code[class[r]]; !met {
			code[class[r]] = len(code)
		}
		if at[r] = place[row]; len(code) > maxClasses {
			return nil, nil
		}
	}
	all = make([][]float32, len(code)+1)
	for k := range all {
		all[k] = make([]float32, len(rows))
	}
	for r, k := range at {
		if k < 0 {
			continue
		}
		value, is := float32(truth.Value(int32(r))), code[class[r]]
		if all[is][k] = value; value == 1 {
			all[len(code)][k] = float32(is)
		}
	}
	return rows, all
}

// sameColumn returns the column of the features that says in all rows what an answer says, in other numbers perhaps; -1
// if none does, or if one may do so by chance: of all ways in which the answer could be shuffled, there have to be
// least for each column, where ways that differ in what values are called alone count once if others may be called so.
func sameColumn(table *features.Table, rows []int32, answer []float32, least int) int {
	ways, names := shuffles(answer)
	enough := math.Log(float64(least) * float64(table.Width()))
	same := alike
	if ways-names < enough {
		same = slices.Equal[[]float32]
	}
	if ways < enough {
		return -1
	}
	first := min(len(rows), 16) // which most columns differ in
	for column := range table.Width() {
		if same(table.Column(rows[:first], column), answer[:first]) && same(table.Column(rows, column), answer) {
			return column
		}
	}
	return -1
}

// alike tells whether two lists are equal but for what their values are called.
func alike(a, b []float32) bool {
	toB, toA := make(map[float32]float32), make(map[float32]float32)
	for k := range a {
		if other, known := toB[a[k]]; known && other != b[k] {
			return false
		}
		if other, known := toA[b[k]]; known && other != a[k] {
			return false
		}
		toB[a[k]], toA[b[k]] = b[k], a[k]
	}
	return true
}

// shuffles returns the logarithms of the number of different orders of some values, and of the number of ways to give
// the different ones among them each other's names.
func shuffles(values []float32) (orders, names float64) {
	factorial := func(n int) float64 {
		log, _ := math.Lgamma(float64(n) + 1)
		return log
	}
	count := make(map[float32]int)
	for _, v := range values {
		count[v]++
	}
	orders = factorial(len(values))
	for _, n := range count {
		orders -= factorial(n)
	}
	return orders, factorial(len(count))
}
