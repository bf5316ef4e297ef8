package training

import (
	"maps"

	"github.com/deeppsl/deeppsl/internal/forest"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// deal deals the things that labels are about out to folds; nil if there are too few. Things that hard rules say are
// alike, such as those of one household, or that are copies of each other, are held out together where labels are of
// all of them or none: the others would tell what is held out, as they tell nothing of what inference is asked.
func (g *learner) deal(labels *label.Labels) map[int32]int {
	folds, first := g.Project.Learning.Folds, g.alike(labels, sameValues(g.Model))
	if first == nil {
		first = g.alike(labels, g.copies())
	}
	if first == nil {
		return label.Divide(labels, folds, g.Seed)
	}
	grouped := *labels
	grouped.Entities = make([]int32, len(labels.Entities))
	for k, entity := range labels.Entities {
		grouped.Entities[k] = first[entity]
	}
	divided := label.Divide(&grouped, folds, g.Seed)
	if divided == nil {
		return label.Divide(labels, folds, g.Seed)
	}
	for entity, group := range first {
		divided[entity] = divided[group]
	}
	return divided
}

// dealOthers deals those out that labels of what networks see are about and no other labels are. Too few are learned
// from in all folds.
func (g *learner) dealOthers(divided map[int32]int) error {
	labels, err := g.labels(load.Learn, relation.Perceived)
	if err != nil {
		return err
	}
	others := labels.Where(func(entity int32) bool { _, dealt := divided[entity]; return !dealt })
	for _, entity := range others.Entities {
		divided[entity] = inNoFold
	}
	maps.Copy(divided, label.Divide(others, g.Project.Learning.Folds, g.Seed))
	return nil
}

// inNoFold is the fold of what is not held out.
const inNoFold = -1

// alike returns for each thing with a label the first one whose targets are among equal ones; nil if none are, or some
// that have no label.
func (g *learner) alike(labels *label.Labels, equal forest.Forest) map[int32]int32 {
	if equal == nil {
		return nil
	}
	labelled, first := make([]bool, g.Model.Variables), make(map[int32]int32)
	for _, i := range labels.Variables {
		labelled[i] = true
	}
	for i := range equal {
		if labelled[i] != labelled[equal.Root(int32(i))] {
			return nil
		}
	}
	place, joined := make(map[int32]int32), false
	var things []int32
	for _, entity := range labels.Entities {
		if _, seen := place[entity]; !seen {
			place[entity] = int32(len(things))
			things = append(things, entity)
		}
	}
	groups, of := forest.New(len(things)), make(map[int32]int32)
	for k, i := range labels.Variables {
		at := place[labels.Entities[k]]
		other, seen := of[equal.Root(i)]
		if !seen {
			of[equal.Root(i)] = at
			continue
		}
		joined = joined || groups.Root(at) != groups.Root(other)
		groups.Join(at, other)
	}
	if !joined {
		return nil
	}
	for at, entity := range things {
		first[entity] = things[groups.Root(int32(at))]
	}
	return first
}

// sameValues groups the variables that hard rules say have one value, by an equation of two or by one rule of each
// direction; nil if there are none.
func sameValues(m *mrf.Model) forest.Forest {
	var equal forest.Forest
	below := make(map[[2]int32]bool)
	var buffer mrf.RowBuffer
	for _, b := range m.Blocks {
		if !b.Kind.Hard() {
			continue
		}
		for j := range b.Len {
			variables, coefficients := b.Row(j, &buffer)
			if len(variables) != 2 || len(b.InputRow(j)) > 0 || coefficients[0] != -coefficients[1] ||
				b.Constant+b.Own(j) != 0 {
				continue
			}
			pair := [2]int32{variables[0], variables[1]}
			if coefficients[0] < 0 {
				pair[0], pair[1] = pair[1], pair[0]
			}
			if b.Kind != mrf.Equal {
				if below[pair] = true; !below[[2]int32{pair[1], pair[0]}] {
					continue
				}
			}
			if equal == nil {
				equal = forest.New(m.Variables)
			}
			equal.Join(pair[0], pair[1])
		}
	}
	return equal
}
