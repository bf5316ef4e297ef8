package training

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// common is the share of one answer from which on others, which are rare, are seldom the most probable one.
const common = 0.9

// usual is the largest share that one answer of a network has among the labels; 0 if these do not say. Of classes that
// do not exclude each other, one is the most probable of all things where all are of it, whatever else they are.
func (n *notices) usual(network string) (largest float64) {
	for _, spec := range n.g.Networks.Specs {
		if spec.Name == network && spec.Outputs > 1 && !spec.Exclusive() {
			return 1
		}
	}
	names, sides := n.answers(network)
	for k := range n.g.Project.Config.Predicates {
		truth, err := n.g.Truth(load.Learn, k)
		if err != nil || truth == nil || truth.Len() == 0 {
			continue
		}
		classes, exclusive := classesOf(truth)
		if sides && !names(classes) {
			share := trueShare(truth)
			largest = max(largest, share, 1-share)
		} else if exclusive && len(classes) > 0 {
			largest = max(largest, learn.Count(classes).Majority())
		}
	}
	return largest
}

// answers tells whether a network says yes or no, by one output or of two classes, and whether labels name its classes.
func (n *notices) answers(network string) (names func(classes map[symbol.ID]int) bool, sides bool) {
	var outputs []string
	for _, p := range n.g.Project.Config.Predicates {
		if p.Neural != nil && p.Neural.Network == network {
			outputs = append(outputs, p.Neural.Classes...)
			sides = sides || p.Neural.Class < 0 || len(p.Neural.Classes) == 2
		}
	}
	return func(classes map[symbol.ID]int) bool {
		for id := range classes {
			if slices.Contains(outputs, n.g.Base.Symbols.Name(id)) {
				return true
			}
		}
		return false
	}, sides
}

// trueShare is the share of the rows that are true.
func trueShare(truth *relation.Relation) float64 {
	n := 0
	for row := range int32(truth.Len()) {
		if truth.Value(row) > 0.5 {
			n++
		}
	}
	return float64(n) / float64(truth.Len())
}
