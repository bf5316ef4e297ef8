package training

import (
	"strconv"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/neural"
)

const (
	// manyLabelled is how many labelled things it takes to believe that a feature is the label, and not like it by chance,
	// and fewOfClass how many of a class.
	manyLabelled = 20
	fewOfClass   = 3
)

// answers notices tables whose features have the very labels: a network that sees the answer learns nothing else, and
// knows nothing where there is none.
func (n *notices) answers() error {
	for k, declared := range n.g.Project.Config.Predicates {
		if declared.Neural == nil {
			continue
		}
		features := n.g.Networks.Features[declared.Neural.Network]
		pairs := declared.Arity() > 1 && len(declared.Neural.Classes) == 0
		if pairs || features == nil || features.Sparse() || features.Width() == 0 {
			continue
		}
		truth, err := n.truthOf(k)
		if err != nil {
			return err
		}
		if truth != nil {
			n.answersIn(declared, features, truth)
		}
	}
	return nil
}

// truthOf returns the truth to learn from about what a network sees: of its own predicate, or of its counterpart.
func (n *notices) truthOf(k int) (*relation.Relation, error) {
	truth, err := n.g.Truth(load.Learn, k)
	if at := n.g.counterpart(k); err == nil && at >= 0 && (truth == nil || truth.Len() == 0) {
		truth, err = n.g.Truth(load.Learn, at)
	}
	return truth, err
}

// answersIn looks for the labels among the features.
func (n *notices) answersIn(declared *load.Predicate, features *neural.Features, truth *relation.Relation) {
	rows, classes := n.labelledRows(declared, features, truth)
	if len(rows) < manyLabelled {
		return
	}
	sizes := make(map[symbol.ID]int)
	for _, class := range classes {
		sizes[class]++
	}
	names := make(map[symbol.ID]string) // of the feature that has a class
	for column := range features.Width() {
		for _, class := range dividedBy(features.Column(rows, column), classes) {
			if names[class] != "" {
				continue
			}
			names[class] = featureName(features, column)
		}
	}
	first, checked := "", 0
	for _, class := range classes {
		if sizes[class] < fewOfClass {
			continue
		}
		checked++
		if names[class] == "" {
			return
		}
		if first == "" {
			first = names[class]
		}
	}
	if checked == 0 || len(sizes) < 2 {
		return
	}
	for _, network := range n.g.Project.Config.Networks {
		if network.Name == declared.Neural.Network {
			n.see("learn-told", network.At("features"), "",
				`what nobody knows of things without a label, leave out: "columns" names what is read`,
				"the features of network %q have the labels of %s, such as the column %q: it sees the answer", network.Name,
				truth.Name, first)
		}
	}
}

// labelledRows returns the rows of features of the things that have a label, and their classes: the constants, or 1 and
// 0 where a thing is or is not what the predicate says; none where a thing is of several.
func (n *notices) labelledRows(declared *load.Predicate, features *neural.Features, truth *relation.Relation) (
	rows []int32, classes []symbol.ID) {
	of, several := make(map[symbol.ID]symbol.ID), false
	var things []symbol.ID
	for row := range int32(truth.Len()) {
		thing, is := truth.Columns[declared.Neural.Entity][row], truth.Value(row) >= 0.5
		class := symbol.ID(0)
		switch {
		case truth.Arity > 1 && !is:
			continue
		case truth.Arity > 1:
			class = truth.Columns[declared.Neural.Class][row]
		case is:
			class = 1
		}
		if _, again := of[thing]; again {
			several = true
		}
		of[thing], things = class, append(things, thing)
	}
	if several {
		return nil, nil
	}
	for _, thing := range things {
		if row, has := features.Row(n.g.Base.Symbols.Name(thing)); has {
			rows, classes = append(rows, row), append(classes, of[thing])
		}
	}
	return rows, classes
}

// dividedBy returns the classes whose things are just those where a column has one of its two values: one, or both of
// two classes.
func dividedBy(column []float32, classes []symbol.ID) (found []symbol.ID) {
	sides := make(map[float32]map[symbol.ID]bool, 2)
	for k, value := range column {
		if sides[value] == nil {
			if len(sides) == 2 {
				return nil
			}
			sides[value] = make(map[symbol.ID]bool)
		}
		sides[value][classes[k]] = true
	}
	for value, side := range sides {
		for other, rest := range sides {
			for class := range side {
				if other != value && len(side) == 1 && !rest[class] {
					found = append(found, class)
				}
			}
		}
	}
	return found
}

// featureName names a column of a table.
func featureName(features *neural.Features, column int) string {
	if names := features.Names(); names != nil {
		return names[column]
	}
	return strconv.Itoa(column + 1)
}
