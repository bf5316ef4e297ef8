package training

import (
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// consequence is an input with a target that a rule says to follow from it.
type consequence struct{ input, variable int32 }

// borrow gives labels to networks that have none beside others that have some. Of a rule by which each label follows
// from one thing that the network sees, such as Home(A, H) & Rich(H) -> Buys(A), the truth of that thing is the mean of
// all labels that do. Where no network has labels, their likelihood does without such means.
func (g *learner) borrow(carried, labels *learn.Labels, known map[int32]int) {
	labelled := make(map[string]bool) // networks
	for k, declared := range g.Project.Config.Predicates {
		if declared.Neural != nil && (g.counterpart(k) >= 0 || g.affirmed(k).inferred >= 0) {
			labelled[declared.Neural.Network] = true
		}
	}
	for k, declared := range g.Project.Config.Predicates {
		if declared.Neural == nil || len(labelled) == 0 || labelled[declared.Neural.Network] {
			continue
		}
		truth, count := make(map[int32]float64), make(map[int32]float64)
		for _, t := range g.follows(k) {
			if label, ok := known[t.variable]; ok {
				count[t.input]++
				truth[t.input] += (labels.Truth[label] - truth[t.input]) / count[t.input]
			}
		}
		atoms, subject := g.Tables.Store.Relations[k], g.about(k)
		tuple := make([]symbol.ID, 0, atoms.Arity)
		for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
			input := atoms.Number(row)
			if count[input] == 0 {
				continue
			}
			tuple = atoms.Tuple(tuple[:0], row)
			about, class := subject.of(tuple)
			carried.Variables, carried.Truth = append(carried.Variables, input), append(carried.Truth, truth[input])
			carried.Entities, carried.Classes = append(carried.Entities, about), append(carried.Classes, class)
		}
	}
}

// follows returns what a rule says to follow from what a network sees, one thing from each target; of the first rule
// that says so.
func (g *learner) follows(neural int) []consequence {
	for _, rule := range g.Program.Rules {
		if g.toldOfAll(rule, neural) < 0 {
			continue
		}
		if ties := consequences(g.Model, rule.Index); ties != nil {
			return ties
		}
	}
	return nil
}

// consequences returns the input of each target that a rule ties to one; nil if it ties several to a target.
func consequences(model *mrf.Model, rule int) (ties []consequence) {
	inputs := make(map[int32]int32)
	var buffer mrf.RowBuffer
	for _, block := range model.Blocks {
		if block.Rule != rule {
			continue
		}
		for j := range block.Len {
			targets, seen := block.Ids(j, &buffer), block.InputRow(j)
			if len(targets) != 1 || len(seen) != 1 {
				continue // one of the two is known
			}
			other, tied := inputs[targets[0]]
			switch {
			case !tied:
				inputs[targets[0]] = seen[0]
				ties = append(ties, consequence{seen[0], targets[0]})
			case other != seen[0]:
				return nil
			}
		}
	}
	return ties
}
