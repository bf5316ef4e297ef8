package training

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// carried returns the labels of perceived atoms that those of their counterparts stand for.
func (g *learner) carried(labels *learn.Labels) *learn.Labels {
	known := make(map[int32]int, len(labels.Variables))
	for k, i := range labels.Variables {
		known[i] = k
	}
	g.lend(known)
	carried := new(learn.Labels)
	for k, declared := range g.Project.Config.Predicates {
		if declared.Neural == nil {
			continue
		}
		at := g.counterpart(k)
		if at < 0 {
			g.carryAffirmed(carried, k, known, labels)
			continue
		}
		atoms, inferred := g.Tables.Store.Relations[k], g.Tables.Store.Relations[at]
		for row, target := range g.matched(k, atoms, inferred) {
			if label, labelled := known[target]; labelled {
				carried.Variables = append(carried.Variables, atoms.Number(row))
				carried.Truth = append(carried.Truth, labels.Truth[label])
				carried.Entities = append(carried.Entities, labels.Entities[label])
				carried.Classes = append(carried.Classes, labels.Classes[label])
			}
		}
	}
	g.borrow(carried, labels, known)
	return carried
}

// carryAffirmed adds the labels of a neural predicate one of whose two classes is affirmed: the truth of the other is
// what is left to one.
func (g *learner) carryAffirmed(carried *learn.Labels, neural int, known map[int32]int, labels *learn.Labels) {
	tie := g.affirmed(neural)
	affirmed, ok := g.Tables.Store.Symbols.Lookup(tie.class)
	if tie.inferred < 0 || !ok {
		return
	}
	place := g.Project.Config.Predicates[neural].Neural.Class
	atoms := g.Tables.Store.Relations[neural]
	tuple := make([]symbol.ID, 0, atoms.Arity)
	for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
		tuple = atoms.Tuple(tuple[:0], row)
		own := tuple[place]
		tuple[place] = affirmed
		variable, ok := g.affirmedTarget(tie, atoms, tuple, place)
		if !ok {
			continue
		}
		label, labelled := known[variable]
		if !labelled {
			continue
		}
		value := labels.Truth[label]
		if own != affirmed {
			value = 1 - value
		}
		carried.Variables, carried.Truth = append(carried.Variables, atoms.Number(row)), append(carried.Truth, value)
		carried.Entities = append(carried.Entities, labels.Entities[label])
		carried.Classes = append(carried.Classes, int32(own))
	}
}

// affirmedTarget is the variable of the target that an atom of the affirmed class is tied to.
func (g *learner) affirmedTarget(tie affirmation, atoms *relation.Relation, atom []symbol.ID, place int) (int32, bool) {
	if tie.variables != nil {
		row, there := atoms.Find(atom...)
		if !there || atoms.Role(row) == relation.Observed {
			return 0, false
		}
		variable, tied := tie.variables[atoms.Number(row)]
		return variable, tied
	}
	inferred := g.Tables.Store.Relations[tie.inferred]
	target, there := inferred.Find(slices.Delete(atom, place, place+1)...)
	if !there || inferred.Role(target) != relation.Target {
		return 0, false
	}
	return inferred.Number(target), true
}
