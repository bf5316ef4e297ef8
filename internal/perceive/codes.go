package perceive

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// This file finds columns of numbers that are names, such as postcodes: a network sees their order, which says nothing.

// Names have at least leastCodes different values, and each has shownCodes rows with an answer in the mean.
const (
	leastCodes = 5
	shownCodes = 3
	// surely is by how many deviations answers have to differ more between values than by chance for a warning, and
	// likely for a network to see values one by one: it sees the numbers, too, and loses little by such as are none.
	surely, likely = 4, 1.5
	// parabola is the number of coefficients of what is no sign of names: what grows or falls, or is greatest between.
	parabola = 3
	// shuffled is how often values are shuffled; of these orders, so many are to be as smooth as that of numbers for a
	// warning, and for a network to see values one by one.
	shuffled             = 100
	surelyOdd, likelyOdd = 20, 2
)

// Code has networks see columns value by value, too, where what is known says that their numbers may be names. That is
// so until they learn, and where the project says nothing of categories.
func (n *Networks) Code(truth []*relation.Relation, symbols *symbol.Table) error {
	for k := range n.Specs {
		if name := n.Specs[k].Name; n.canCode(k) {
			if err := n.System.Code(name, n.codesOf(name, truth, symbols)); err != nil {
				return err
			}
		}
	}
	return nil
}

// CanCode tells whether Code could change anything.
func (n *Networks) CanCode() bool {
	for k := range n.Specs {
		if n.canCode(k) {
			return true
		}
	}
	return false
}

func (n *Networks) canCode(k int) bool {
	return n.Specs[k].Categories == nil && n.System.CanCode(n.Specs[k].Name)
}

// codesOf returns the columns of a network's features that may be names, by any predicate whose truth is about its
// rows: those that are so most likely first, as long as they have no more values than there are answers.
func (n *Networks) codesOf(
	network string, truth []*relation.Relation, symbols *symbol.Table,
) (codes []neural.Codes) {
	features := n.Features[network]
	at, sure, most := make([]groups, features.Width()), make([]float64, features.Width()), 0
	for _, of := range truth {
		rows, answers := answersOf(of, symbols, features)
		if answers == nil {
			continue
		}
		most = max(most, len(rows))
		for column := range at {
			all := grouped(features.Column(rows, column))
			if all == nil {
				continue
			}
			if by, odd := all.named(answers); by >= likely && odd >= likelyOdd && by > sure[column] {
				at[column], sure[column] = all, by
			}
		}
	}
	columns := make([]int, 0, len(at))
	for column := range at {
		if at[column] != nil {
			columns = append(columns, column)
		}
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(sure[b], sure[a]) })
	for _, column := range columns {
		if most -= len(at[column]); most < 0 {
			break
		}
		code := neural.Codes{Column: column}
		for _, of := range at[column] {
			code.Values = append(code.Values, float32(of.value))
		}
		codes = append(codes, code)
	}
	return codes
}

// Coded are the columns of a network that it sees value by value, too.
type Coded struct {
	Network string   `json:"network"`
	Columns []string `json:"columns"`
}

// Coded returns those of all networks.
func (n *Networks) Coded() (all []Coded) {
	if n == nil {
		return nil
	}
	for _, spec := range n.Specs {
		codes := n.System.Codes(spec.Name)
		if len(codes) == 0 {
			continue
		}
		coded := Coded{Network: spec.Name}
		for _, c := range codes {
			coded.Columns = append(coded.Columns, strings.Trim(called(n.Features[spec.Name], c.Column), `"`))
		}
		all = append(all, coded)
	}
	return all
}

// called is what messages call a column of features.
func called(table *features.Table, column int) string {
	if heading := table.Heading(column); heading != "" {
		return strconv.Quote(heading)
	} else if names := table.Names(); names != nil {
		return strconv.Quote(names[column])
	}
	return "number " + strconv.Itoa(column+1)
}

// lintCodes warns, once, of columns of whole numbers whose values say much of the truth of a predicate, and whose order
// does not, unless the network sees them value by value.
func (n *Networks) lintCodes(
	network *load.Network, declared *load.Predicate, rows []int32, answers [][]float32, diags *source.Diagnostics,
) {
	features := n.Features[network.Name]
	if n.codes[network.Name] {
		return
	}
	codes := n.System.Codes(network.Name)
	var named []string
	for column := range features.Width() {
		name := features.Heading(column)
		if name == "" || slices.ContainsFunc(codes, func(c neural.Codes) bool { return c.Column == column }) {
			continue
		}
		if all := grouped(features.Column(rows, column)); all != nil {
			if by, odd := all.named(answers); by >= surely && odd > surelyOdd {
				named = append(named, strconv.Quote(name))
			}
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

// named tells by how many deviations the answers differ more between groups than by a parabola and chance, and how many
// of 100 orders of the groups are as smooth as that of their numbers. The last answer, which says which of the others
// is true, does not count.
func (g groups) named(answers [][]float32) (by float64, odd int) {
	sizes := make([]float64, len(g))
	for k, of := range g {
		sizes[k] = float64(len(of.rows))
	}
	var means [][]float64
	left, freedom := 0.0, 0.0
	for _, answer := range answers[:len(answers)-1] {
		of, mean := g.means(answer)
		if of == nil {
			continue
		}
		weight := 1.0
		if len(answers) > 2 {
			weight = 1 - mean // so that left is Pearson's χ² of exclusive classes
		}
		for k, r := range g.unbent(of, sizes) {
			left += weight * sizes[k] * r * r
		}
		means, freedom = append(means, of), freedom+weight*float64(len(g)-parabola)
	}
	if freedom == 0 {
		return 0, 0
	}
	spread := 2 / (9 * freedom) // by Wilson and Hilferty's approximation of χ², if all but a parabola is chance
	if by = (math.Cbrt(left/freedom) - 1 + spread) / math.Sqrt(spread); by < likely {
		return by, 0
	}
	order, random := make([]int, len(g)), rand.New(rand.NewPCG(1, 2))
	for k := range order {
		order[k] = k
	}
	inOrder := steps(means, sizes, order)
	for range shuffled {
		random.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		if steps(means, sizes, order) <= inOrder {
			odd++
		}
	}
	return by, odd
}

// means returns the mean answer of each group in its standard deviations, and that of all; nil if all are one.
func (g groups) means(answer []float32) (of []float64, mean float64) {
	of = make([]float64, len(g))
	square, rows := 0.0, 0.0
	for k, group := range g {
		for _, row := range group.rows {
			v := float64(answer[row])
			of[k] += v
			square += v * v
		}
		mean += of[k]
		rows += float64(len(group.rows))
	}
	mean /= rows
	variance := square/rows - mean*mean
	if variance <= 0 {
		return nil, mean
	}
	for k, group := range g {
		of[k] /= float64(len(group.rows)) * math.Sqrt(variance)
	}
	return of, mean
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

// steps is how much the means of neighbours differ, in an order.
func steps(means [][]float64, sizes []float64, order []int) (sum float64) {
	for k := 1; k < len(order); k++ {
		a, b := order[k-1], order[k]
		weight := sizes[a] * sizes[b] / (sizes[a] + sizes[b])
		for _, of := range means {
			sum += weight * (of[b] - of[a]) * (of[b] - of[a])
		}
	}
	return sum
}
