// Package partition finds the connected components of a ground problem: groups of variables that no potential or
// constraint ties to the others, which can be solved apart.
package partition

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/forest"
	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Components are the connected components of a model, in the order of their least variables.
type Components struct {
	// Of is the component of each variable, or None if it is in no potential.
	Of []int32
	// Potentials is the number of potentials and constraints of each component.
	Potentials []int
}

// None is the component of what is connected to nothing.
const None = forest.None

// Find finds the components in one pass over the arenas, by union and find.
func Find(m *mrf.Model) *Components {
	groups := make(forest.Forest, m.Variables)
	for i := range groups {
		groups[i] = None
	}
	for _, b := range m.Blocks {
		each(b, func(variables []int32) { join(groups, variables) })
	}
	of, count := groups.Number()
	c := &Components{Of: of, Potentials: make([]int, count)}
	for _, b := range m.Blocks {
		each(b, func(variables []int32) { c.Potentials[of[variables[0]]]++ })
	}
	return c
}

// each visits the variables of all potentials that have any.
func each(b *mrf.Block, visit func(variables []int32)) {
	if k := len(b.Coef); b.VarStart == nil && b.Vars != nil {
		for lo := 0; k > 0 && lo < len(b.Vars); lo += k {
			visit(b.Vars[lo : lo+k : lo+k])
		}
		return
	}
	var buffer mrf.RowBuffer
	for j := range b.Len {
		if vars := b.Ids(j, &buffer); len(vars) > 0 {
			visit(vars)
		}
	}
}

// join makes the groups of the variables one. A variable that was in no group becomes its own.
func join(groups forest.Forest, variables []int32) {
	root := variables[0]
	for _, i := range variables {
		if groups[i] == None {
			groups[i] = i
		}
		if groups[i] != root { // most are there already
			root = groups.Join(root, i)
		}
	}
}

// Largest returns the number of potentials of the largest component.
func (c *Components) Largest() int {
	if len(c.Potentials) == 0 {
		return 0
	}
	return slices.Max(c.Potentials)
}

// Batches puts the components, in their order, into batches of at least size potentials each, but for the last one, and
// returns the batch of each component. One of at least that size is alone.
func (c *Components) Batches(size int) (of []int32, count int) {
	of = make([]int32, len(c.Potentials))
	open, filled := int32(None), 0
	for k, n := range c.Potentials {
		switch {
		case n >= size:
			of[k] = int32(count)
			count++
		default:
			if open == None {
				open, filled = int32(count), 0
				count++
			}
			of[k] = open
			if filled += n; filled >= size {
				open = None
			}
		}
	}
	return of, count
}
