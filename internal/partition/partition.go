// Package partition finds the connected components of a ground problem: groups of variables that no potential or
// constraint ties to the others, which can be solved apart.
package partition

import (
	"slices"

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
const None = -1

// Find finds the components in one pass over the arenas, by union and find.
func Find(m *mrf.Model) *Components {
	parent := make([]int32, m.Variables)
	for i := range parent {
		parent[i] = None
	}
	for _, b := range m.Blocks {
		each(b, func(variables []int32) { join(parent, variables) })
	}
	c := &Components{Of: number(parent)}
	c.count(m)
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

// join makes the groups of the variables one; the least variable is the root of a group.
func join(parent, variables []int32) {
	root := parent[variables[0]]
	if root == None || parent[root] != root {
		root = find(parent, variables[0])
	}
	for _, i := range variables[1:] {
		if parent[i] == root {
			continue
		}
		other := find(parent, i)
		parent[max(root, other)] = min(root, other)
		root = min(root, other)
	}
}

// find returns the root of i's group, and halves the way to it. A variable that was in no group becomes its own.
func find(parent []int32, i int32) int32 {
	if parent[i] == None {
		parent[i] = i
	}
	for parent[i] != i {
		parent[i] = parent[parent[i]]
		i = parent[i]
	}
	return i
}

// number replaces the roots by the components' numbers. A root comes before the others of its group.
func number(parent []int32) []int32 {
	next := int32(0)
	for i, p := range parent {
		switch {
		case p == None:
		case int(p) == i:
			parent[i] = next
			next++
		default:
			parent[i] = parent[p] // a parent is less, and so has its number already
		}
	}
	return parent
}

// count counts the components' potentials.
func (c *Components) count(m *mrf.Model) {
	n := int32(0)
	for _, k := range c.Of {
		n = max(n, k+1)
	}
	c.Potentials = make([]int, n)
	for _, b := range m.Blocks {
		each(b, func(variables []int32) { c.Potentials[c.Of[variables[0]]]++ })
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
