package training

import (
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// directed notices labels of pairs that differ by their direction, as who likes whom, where a siamese network sees the
// pairs: it compares both ways alike, so that it can tell none of them.
func (n *notices) directed() error {
	for k, declared := range n.g.Project.Config.Predicates {
		if declared.Neural == nil || !n.g.Networks.Compares(declared.Neural.Network) {
			continue
		}
		truth, err := n.truthOf(k)
		if err != nil {
			return err
		}
		if truth == nil || truth.Arity != 2 {
			continue
		}
		if both, differ := bothWays(truth); differ >= fewLabels && 4*differ >= both {
			n.see("learn-directed", declared.Span, "",
				"let a network of one output see a row for each pair, with the columns of both things side by side",
				"of %d pairs with labels both ways, %d have another one each way, but the siamese network %s says the same of both",
				both, differ, declared.Neural.Network)
		}
	}
	return nil
}

// bothWays counts the pairs of two things that a relation has both ways, and those of them that are true one way alone.
func bothWays(r *relation.Relation) (both, differ int) {
	tuple := make([]symbol.ID, 0, 2)
	for row := range int32(r.Len()) {
		tuple = r.Tuple(tuple[:0], row)
		back, too := r.Find(tuple[1], tuple[0])
		if !too || back <= row {
			continue
		}
		both++
		if (r.Value(row) >= 0.5) != (r.Value(back) >= 0.5) {
			differ++
		}
	}
	return both, differ
}
