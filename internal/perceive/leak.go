package perceive

import (
	"math"
	"slices"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/neural"
)

// This file finds the column of the answers among those of the features: with it a network tells all that it has been
// told, and nothing that it has not.

// lintLeaks warns, once, of a feature that is what the truth says, wherever it says something.
func (n *Networks) lintLeaks(
	network *load.Network, config *load.Config, tables *load.Tables, diags *source.Diagnostics,
) {
	features := n.Features[network.Name]
	if features == nil || features.Sparse() || features.Width() == 0 || n.leaks[network.Name] {
		return
	}
	for k, declared := range config.Predicates {
		rows, answers := answersOf(tables.Truth[k], tables.Store.Symbols, features)
		for _, answer := range answers {
			column := sameColumn(features, rows, answer)
			if column < 0 {
				continue
			}
			name := "number " + strconv.Itoa(column+1)
			if names := features.Names(); names != nil {
				name = strconv.Quote(names[column])
			}
			n.leaks[network.Name] = true
			diags.Warnf("features-truth", network.At("columns"), `leave it out: "columns" names the features after the ids`,
				"feature %s of network %q is the truth of %s in all %d rows that have one", name, network.Name,
				declared.Name, len(rows))
			return
		}
	}
}

// maxClasses bounds the constants that truth may say of rows: of pairs, both are things.
const maxClasses = 100

// answersOf returns the rows of the features that the truth of a predicate is about, and what it says of each: a truth
// value, or for each class whether it is that, and of classes that are numbers which.
func answersOf(
	truth *relation.Relation, symbols *symbol.Table, features *neural.Features,
) (rows []int32, all [][]float32) {
	if truth == nil || truth.Len() == 0 || truth.Arity > 2 {
		return nil, nil
	}
	entity := slices.IndexFunc(truth.Columns, func(column []symbol.ID) bool {
		_, ok := features.Row(symbols.Name(column[0]))
		return ok
	})
	if entity < 0 {
		return nil, nil
	}
	class := make([]symbol.ID, truth.Len()) // of each row of the truth
	if truth.Arity == 2 {
		class = truth.Columns[1-entity]
	}
	at, place := make([]int, truth.Len()), make(map[int32]int)
	of := make(map[symbol.ID]int)
	for r, id := range truth.Columns[entity] {
		row, ok := features.Row(symbols.Name(id))
		if at[r] = -1; !ok {
			continue
		}
		if _, met := place[row]; !met {
			place[row] = len(rows)
			rows = append(rows, row)
		}
		at[r] = place[row]
		if _, met := of[class[r]]; !met {
			of[class[r]] = len(of)
		}
		if len(of) > maxClasses {
			return nil, nil
		}
	}
	all = make([][]float32, len(of)+1)
	for k := range all {
		all[k] = make([]float32, len(rows))
	}
	number := all[len(of)]
	for r, k := range at {
		if k < 0 {
			continue
		}
		value := float32(truth.Value(int32(r)))
		all[of[class[r]]][k] = value
		if v, err := strconv.ParseFloat(symbols.Name(class[r]), 32); truth.Arity == 2 && err == nil && value == 1 {
			number[k] = float32(v)
		}
	}
	return rows, all
}

// sameColumn returns the column of the features that is the answer in all rows; -1 if none is, or if one may be so by
// chance: of all ways in which the answers could be shuffled, there have to be a thousand for each column.
func sameColumn(features *neural.Features, rows []int32, answer []float32) int {
	if shuffles(answer) < math.Log(1000*float64(features.Width())) {
		return -1
	}
	first := min(len(rows), 16) // which most columns differ in
	for column := range features.Width() {
		if slices.Equal(features.Column(rows[:first], column), answer[:first]) &&
			slices.Equal(features.Column(rows, column), answer) {
			return column
		}
	}
	return -1
}

// shuffles returns the logarithm of the number of different orders of some values.
func shuffles(values []float32) float64 {
	factorial := func(n int) float64 {
		log, _ := math.Lgamma(float64(n) + 1)
		return log
	}
	count := make(map[float32]int)
	for _, v := range values {
		count[v]++
	}
	log := factorial(len(values))
	for _, n := range count {
		log -= factorial(n)
	}
	return log
}
