package shard

import (
	"cmp"
	"container/heap"
	"errors"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/forest"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// components are the groups of rows that lie together by a cut, numbered in the order of their first rows.
type components struct {
	cut    *Cut
	n      int           // symbols
	base   []int         // of each class, in keys; none of those without keys
	keys   forest.Forest // by class and symbol
	number []int32       // of the components, at their roots
	// Rows counts the rows of each component, Everywhere those of predicates without keys.
	Rows       []int64
	Everywhere int64
}

// errKeys is the error of more keys than there are numbers.
var errKeys = errors.New("there are more keys than 2147483647")

// join finds the components of a store's rows.
func (c *Cut) join(store *relation.Store) (*components, error) {
	g := &components{cut: c, n: store.Symbols.Len(), base: slices.Repeat([]int{none}, c.Classes)}
	size := 0
	for _, arguments := range c.Class {
		for _, class := range arguments {
			if class != none && g.base[class] == none {
				g.base[class] = size
				size += g.n
			}
		}
	}
	if size > math.MaxInt32 {
		return nil, errKeys
	}
	g.keys = forest.New(size)
	for p, r := range store.Relations {
		g.link(p, r)
	}
	g.count(store)
	return g, nil
}

// link makes the keys of each row lie together.
func (g *components) link(predicate int, r *relation.Relation) {
	var columns [][]int32
	var bases []int
	for k, class := range g.cut.Class[predicate] {
		if class != none {
			columns, bases = append(columns, r.Columns[k]), append(bases, g.base[class])
		}
	}
	if len(columns) < 2 {
		return
	}
	for row := range r.Len() {
		root := int32(bases[0]) + columns[0][row]
		for k := 1; k < len(columns); k++ {
			root = g.keys.Join(root, int32(bases[k])+columns[k][row])
		}
	}
}

// count numbers the components and counts their rows.
func (g *components) count(store *relation.Store) {
	g.number = slices.Repeat([]int32{none}, len(g.keys))
	for p, r := range store.Relations {
		if !g.cut.keyed(p) {
			g.Everywhere += int64(r.Len())
			continue
		}
		for row := range r.Len() {
			root := g.root(p, r, row)
			if g.number[root] == none {
				g.number[root] = int32(len(g.Rows))
				g.Rows = append(g.Rows, 0)
			}
			g.Rows[g.number[root]]++
		}
	}
}

// root returns the root of a row's component.
func (g *components) root(predicate int, r *relation.Relation, row int) int32 {
	for k, class := range g.cut.Class[predicate] {
		if class != none {
			return g.keys.Root(int32(g.base[class]) + r.Columns[k][row])
		}
	}
	panic("shard: a row without a key has no component")
}

// of returns the component of a row of a predicate with keys.
func (g *components) of(predicate int, r *relation.Relation, row int) int32 {
	return g.number[g.root(predicate, r, row)]
}

// largest returns the number of rows of the largest component.
func (g *components) largest() (most int64) {
	for _, n := range g.Rows {
		most = max(most, n)
	}
	return most
}

// cost is about how many rows the largest of so many cells has at least.
func (g *components) cost(cells int) int64 {
	all := int64(0)
	for _, n := range g.Rows {
		all += n
	}
	return max(g.largest(), all/int64(cells)) + g.Everywhere
}

// mostTried is how many cuts are compared on the rows.
const mostTried = 16

// best returns the components of the cut whose cells are the smallest; of equal ones, the first.
func best(cuts []*Cut, store *relation.Store, cells int) (found *components, err error) {
	for _, cut := range cuts[:min(len(cuts), mostTried)] {
		g, err := cut.join(store)
		if err != nil {
			return nil, err
		}
		if found == nil || g.cost(cells) < found.cost(cells) {
			found = g
		}
	}
	return found, nil
}

// deal puts things of given weights into at most so many boxes, the heaviest first, each into the one that is lightest
// until then. It returns the box of each; those of boxes have the order of their first things, and none is empty.
func deal(weights []int64, boxes int) (of []int32, count int) {
	order := make([]int32, len(weights))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(weights[b], weights[a]) })
	loads := make(boxHeap, min(boxes, len(weights)))
	for k := range loads {
		loads[k].box = int32(k)
	}
	of = make([]int32, len(weights))
	for _, k := range order {
		of[k] = loads[0].box
		loads[0].weight += weights[k]
		heap.Fix(&loads, 0)
	}
	renamed := slices.Repeat([]int32{none}, len(loads))
	for k, box := range of {
		if renamed[box] == none {
			renamed[box] = int32(count)
			count++
		}
		of[k] = renamed[box]
	}
	return of, count
}

// boxHeap has the lightest box first; of equal ones, that of the least number.
type boxHeap []struct {
	weight int64
	box    int32
}

func (h boxHeap) Len() int { return len(h) }
func (h boxHeap) Less(a, b int) bool {
	return cmp.Or(cmp.Compare(h[a].weight, h[b].weight), cmp.Compare(h[a].box, h[b].box)) < 0
}
func (h boxHeap) Swap(a, b int) { h[a], h[b] = h[b], h[a] }
func (h boxHeap) Push(any)      { panic("shard: no box is added") }
func (h boxHeap) Pop() any      { panic("shard: no box is taken away") }
