package engine

import (
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// completeChoices adds what a table of truth leaves out that names the one true class of each thing: that its other
// classes are false. The labels are those from first on, of one predicate of two arguments, a thing and its class. They
// are completed only if each labelled thing has one label, which is true, and an atom for every class there is.
func completeChoices(labels *learn.Labels, first int, atoms *relation.Relation) {
	if atoms.Arity != 2 || first == len(labels.Truth) {
		return
	}
	labelled := make(map[int32]int32, len(labels.Truth)-first)
	for k := first; k < len(labels.Truth); k++ {
		entity := labels.Entities[k]
		if _, again := labelled[entity]; again || labels.Truth[k] != 1 {
			return
		}
		labelled[entity] = labels.Variables[k]
	}
	things, classes := atoms.Columns[0], atoms.Columns[1]
	distinct, candidates := make(map[int32]bool), make(map[int32]int)
	for row := atoms.Observed; row < atoms.Len(); row++ {
		distinct[int32(classes[row])] = true
		candidates[int32(things[row])]++
	}
	for entity := range labelled {
		if candidates[entity] != len(distinct) {
			return
		}
	}
	for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
		entity := int32(things[row])
		if right, known := labelled[entity]; known && right != atoms.Number(row) {
			labels.Variables, labels.Truth = append(labels.Variables, atoms.Number(row)), append(labels.Truth, 0)
			labels.Entities, labels.Classes = append(labels.Entities, entity), append(labels.Classes, int32(classes[row]))
		}
	}
}
