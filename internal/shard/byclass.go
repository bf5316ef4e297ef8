package shard

import (
	"math/bits"
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
)

// mostClasses is how many classes of arguments are tried in all combinations.
const mostClasses = 10

// candidates returns the cuts by components that are valid. Arguments that a rule gives the same variable have one
// class, and a cut has keys of some of the classes; those with fewer come first.
func candidates(p *program.Program, free []bool) (cuts []*Cut) {
	all := classes(p)
	n := all.Classes
	subsets := []uint64{1<<min(n, 63) - 1}
	if n <= mostClasses {
		subsets = subsets[:0]
		for set := uint64(1); set < 1<<n; set++ {
			subsets = append(subsets, set)
		}
		slices.SortStableFunc(subsets, func(a, b uint64) int { return bits.OnesCount64(a) - bits.OnesCount64(b) })
	} else {
		for class := range min(n, 63) {
			subsets = append(subsets, 1<<class)
		}
	}
	for _, set := range subsets {
		cut := all.only(set)
		if _, fault := cut.checkAll(p, free); fault == nil {
			cuts = append(cuts, cut)
		}
	}
	return cuts
}

// only returns a cut with the keys of some classes.
func (c *Cut) only(set uint64) *Cut {
	out := &Cut{Class: make([][]int, len(c.Class)), Classes: c.Classes}
	for p, arguments := range c.Class {
		for _, class := range arguments {
			if class >= 63 || class >= 0 && set>>class&1 == 0 {
				class = none
			}
			out.Class[p] = append(out.Class[p], class)
		}
	}
	return out
}

// classes returns the cut by which all arguments carry keys that any rule has an atom of.
func classes(p *program.Program) *Cut {
	c := newCut(p)
	first := make([]int, len(p.Predicates)) // the place of a predicate's first argument
	places := 0
	for k, predicate := range p.Predicates {
		first[k] = places
		places += predicate.Arity()
	}
	group, used := make([]int, places), make([]bool, places)
	for k := range group {
		group[k] = k
	}
	find := func(k int) int {
		for group[k] != k {
			k = group[k]
		}
		return k
	}
	for _, r := range p.Rules {
		of := make(map[int]int) // the group of each variable
		for _, a := range atomsOf(r) {
			if p.Predicates[a.Predicate].Functional {
				continue
			}
			for k, t := range a.Args {
				place := find(first[a.Predicate] + k)
				used[first[a.Predicate]+k] = true
				if !t.IsVariable() {
					continue
				}
				if other, known := of[t.Variable]; known {
					other = find(other)
					group[max(place, other)] = min(place, other)
				}
				of[t.Variable] = find(place)
			}
		}
	}
	number := make(map[int]int)
	for k, predicate := range p.Predicates {
		for j := range predicate.Types {
			if place := first[k] + j; used[place] {
				root := find(place)
				if _, known := number[root]; !known {
					number[root] = len(number)
				}
				c.Class[k][j] = number[root]
			}
		}
	}
	c.Classes = len(number)
	return c
}

// atomsOf returns all atoms of a rule.
func atomsOf(r *program.Rule) (all []*program.Atom) {
	for k := range r.Atoms {
		all = append(all, &r.Atoms[k])
	}
	return append(all, lookups(r)...)
}
