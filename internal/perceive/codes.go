package perceive

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/source"
)

// This file finds columns of numbers that are names, such as postcodes: a network sees their order, which says nothing.

// Names have at least leastCodes different values, and each has shownCodes rows with an answer in the mean.
const (
	leastCodes = 5
	shownCodes = 3
	// surely is by how many deviations answers have to differ more between values than by chance.
	surely = 4
	// parabola is the number of coefficients of what is no sign of names: what grows or falls, or is greatest between.
	parabola = 3
	// shuffled is how often values are shuffled; of these orders, a fifth is to be as smooth as that of numbers.
	shuffled = 100
)

// lintCodes warns, once, of columns of whole numbers whose values say much of the truth of a predicate, and whose order
// does not.
func (n *Networks) lintCodes(
	network *load.Network, declared *load.Predicate, rows []int32, answers [][]float32, diags *source.Diagnostics,
) {
	features := n.Features[network.Name]
	if n.codes[network.Name] {
		return
	}
	var named []string
	for column := range features.Width() {
		name := features.Heading(column)
		if name == "" {
			continue
		}
		groups := grouped(features.Column(rows, column))
		if groups != nil && slices.ContainsFunc(answers[:len(answers)-1], groups.named) {
			named = append(named, strconv.Quote(name))
		}
	}
	if len(named) > 0 {
		n.codes[network.Name] = true
		all := strings.Join(named, ", ")
		diags.Warnf("features-codes", network.At("features"), `if they are names, write "categories": [`+all+"]",
			"numbers of %s in network %q tell %s by what they are and not by their order, as names do", all, network.Name,
			declared.Name)
	}
}

// A group is the rows of a value of a column.
type group struct {
	value float64
	rows  []int
}

// groups are in the order of values; nil of a column of no codes.
type groups []group

// grouped finds the rows of each value.
func grouped(values []float32) (all groups) {
	at := make(map[float32]int)
	for row, v := range values {
		k, met := at[v]
		if !met {
			k, at[v] = len(all), len(all)
			all = append(all, group{value: float64(v)})
		}
		all[k].rows = append(all[k].rows, row)
		if float64(v) != math.Trunc(float64(v)) || len(all)*shownCodes > len(values) {
			return nil
		}
	}
	if len(all) < leastCodes {
		return nil
	}
	slices.SortFunc(all, func(a, b group) int { return cmp.Compare(a.value, b.value) })
	return all
}

// named tells whether an answer differs between groups by more than a parabola and chance, and between neighbours no
// less than between others.
func (g groups) named(answer []float32) bool {
	sum, square, rows := 0.0, 0.0, 0.0
	means, sizes := make([]float64, len(g)), make([]float64, len(g))
	for k, of := range g {
		sizes[k] = float64(len(of.rows))
		for _, row := range of.rows {
			v := float64(answer[row])
			means[k] += v / sizes[k]
			sum, square = sum+v, square+v*v
		}
		rows += sizes[k]
	}
	variance := square/rows - sum/rows*sum/rows
	if variance <= 0 {
		return false
	}
	left := 0.0 // is distributed as χ², of so many degrees of freedom, if all but a parabola is chance
	for k, r := range g.unbent(means, sizes) {
		left += sizes[k] * r * r / variance
	}
	freedom := float64(len(g) - parabola)
	spread := 2 / (9 * freedom) // by Wilson and Hilferty's approximation
	if math.Cbrt(left/freedom)-1+spread < surely*math.Sqrt(spread) {
		return false
	}
	inOrder, smaller, random := steps(means, sizes), 0, rand.New(rand.NewPCG(1, 2))
	for range shuffled {
		random.Shuffle(len(means), func(a, b int) {
			means[a], means[b], sizes[a], sizes[b] = means[b], means[a], sizes[b], sizes[a]
		})
		if steps(means, sizes) <= inOrder {
			smaller++
		}
	}
	return 5*smaller > shuffled
}

// unbent returns what of the groups' means the parabola of least squares leaves.
func (g groups) unbent(means, sizes []float64) []float64 {
	left, least, width := slices.Clone(means), g[0].value, g[len(g)-1].value-g[0].value
	var basis [parabola][]float64 // orthogonal, by Gram and Schmidt
	remove := func(from, along []float64) {
		product, square := 0.0, 0.0
		for k, v := range along {
			product, square = product+sizes[k]*v*from[k], square+sizes[k]*v*v
		}
		for k, v := range along {
			from[k] -= product / square * v
		}
	}
	for power := range basis {
		for _, of := range g {
			basis[power] = append(basis[power], math.Pow((of.value-least)/width, float64(power)))
		}
		for _, before := range basis[:power] {
			remove(basis[power], before)
		}
		remove(left, basis[power])
	}
	return left
}

// steps is how much the means of neighbours differ.
func steps(means, sizes []float64) (sum float64) {
	for k := 1; k < len(means); k++ {
		step := means[k] - means[k-1]
		sum += sizes[k] * sizes[k-1] / (sizes[k] + sizes[k-1]) * step * step
	}
	return sum
}
