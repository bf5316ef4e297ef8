package training

import (
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// bypassed tells whether a network reaches labels only by way of targets that nobody has labelled, as where teams look
// strong, the strong win, and only games are known. The paper's surrogate, which is about the ground rules with a
// label, has nothing to say to such a network; the exact derivative has.
func (g *learner) bypassed(labels *label.Labels) bool {
	if g.Perception == nil {
		return false
	}
	heard, near := soft(g.Model), soft(g.Model.Touching(labels.Variables))
	for _, atoms := range g.Tables.Store.Relations {
		if atoms.Free != relation.Perceived {
			continue
		}
		reached, used := false, false
		for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
			input := atoms.Number(row)
			reached, used = reached || near[input], used || heard[input]
		}
		if used && !reached {
			return true
		}
	}
	return false
}

// soft tells of each input whether a potential has it. Constraints have no gradient of their own.
func soft(model *mrf.Model) []bool {
	has := make([]bool, model.Inputs)
	for _, block := range model.Blocks {
		if block.Kind.Hard() {
			continue
		}
		for _, input := range block.Inputs {
			has[input] = true
		}
	}
	return has
}
