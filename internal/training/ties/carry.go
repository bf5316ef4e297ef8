package ties

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// carriage takes labels to the perceived atoms that they stand for.
type carriage struct {
	from, to *label.Labels
	stands   []bool // which labels do
}

// carry adds a label of a perceived atom that one stands for.
func (c *carriage) carry(label int, input, class int32, truth float64) {
	c.to.Variables, c.to.Truth = append(c.to.Variables, input), append(c.to.Truth, truth)
	c.to.Entities, c.to.Classes = append(c.to.Entities, c.from.Entities[label]), append(c.to.Classes, class)
	c.stands[label] = true
}

// Carried returns the labels of perceived atoms that those of their counterparts stand for, or tell of.
func (t *Ties) Carried(labels *label.Labels) *label.Labels {
	c := &carriage{from: labels, to: new(label.Labels), stands: make([]bool, len(labels.Variables))}
	t.borrow(c, t.carryCounterparts(c))
	return c.to
}

// Apart returns labels of inputs that those of their counterparts stand for, and the labels of targets that stand for
// none.
func (t *Ties) Apart(targets *label.Labels) (stands, further *label.Labels) {
	c := &carriage{from: targets, to: new(label.Labels), stands: make([]bool, len(targets.Variables))}
	known := t.carryCounterparts(c)
	return c.to, targets.About(func(variable int32) bool { return !c.stands[known[variable]] })
}

// carryCounterparts carries labels of counterparts, and returns where that of each target is.
func (t *Ties) carryCounterparts(c *carriage) (known map[int32]int) {
	known = make(map[int32]int, len(c.from.Variables))
	for k, i := range c.from.Variables {
		known[i] = k
	}
	t.lend(known)
	for k, declared := range t.g.Project.Config.Predicates {
		if declared.Neural == nil {
			continue
		}
		at := t.Counterpart(k)
		if at < 0 {
			t.carryAffirmed(c, k, known)
			continue
		}
		atoms, inferred := t.g.Tables.Store.Relations[k], t.g.Tables.Store.Relations[at]
		for row, target := range t.Matched(k, atoms, inferred) {
			if label, labelled := known[target]; labelled {
				c.carry(label, atoms.Number(row), c.from.Classes[label], c.from.Truth[label])
			}
		}
	}
	return known
}

// carryAffirmed carries the labels of a neural predicate one of whose two classes is affirmed: the truth of the other
// is what is left to one.
func (t *Ties) carryAffirmed(c *carriage, neural int, known map[int32]int) {
	tie := t.affirmed(neural)
	affirmed, ok := t.g.Tables.Store.Symbols.Lookup(tie.class)
	if tie.inferred < 0 || !ok {
		return
	}
	place := t.g.Project.Config.Predicates[neural].Neural.Class
	atoms := t.g.Tables.Store.Relations[neural]
	tuple := make([]symbol.ID, 0, atoms.Arity)
	for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
		tuple = atoms.Tuple(tuple[:0], row)
		own := tuple[place]
		tuple[place] = affirmed
		variable, ok := t.affirmedTarget(tie, atoms, tuple, place)
		if !ok {
			continue
		}
		label, labelled := known[variable]
		if !labelled {
			continue
		}
		value := c.from.Truth[label]
		if own != affirmed {
			value = 1 - value
		}
		c.carry(label, atoms.Number(row), int32(own), value)
	}
}

// affirmedTarget is the variable of the target that an atom of the affirmed class is tied to.
func (t *Ties) affirmedTarget(tie affirmation, atoms *relation.Relation, atom []symbol.ID, place int) (int32, bool) {
	if tie.variables != nil {
		row, there := atoms.Find(atom...)
		if !there || atoms.Role(row) == relation.Observed {
			return 0, false
		}
		variable, tied := tie.variables[atoms.Number(row)]
		return variable, tied
	}
	inferred := t.g.Tables.Store.Relations[tie.inferred]
	target, there := inferred.Find(slices.Delete(atom, place, place+1)...)
	if !there || inferred.Role(target) != relation.Target {
		return 0, false
	}
	return inferred.Number(target), true
}
