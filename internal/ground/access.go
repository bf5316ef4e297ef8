package ground

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// access is how a step gets at the rows of its relation: by an index on columns, by lists of a column's values, or one
// after the other.
type access struct {
	relation  *relation.Relation
	projected []int // the columns of the projection that the step goes through; nil if there is none
	indexed   bool
	columns   []int // of the index, in the relation
	listed    bool
	value     int // the column of the lists
}

// accessOf returns that of step k. A projection is a relation of its own, with its own columns; but to match against
// it, the index of the relation itself on the same columns is as good.
func accessOf(p *plan.Plan, k int) access {
	s := &p.Steps[k]
	a := access{relation: s.Relation, columns: s.Key}
	if first := p.Meeting(k); first >= 0 && !p.Steps[first].Relation.Lives() {
		a.listed, a.value = true, slices.Index(s.Atom.Args, p.Steps[first].Met())
		return a
	}
	if s.Projected() && s.Op != plan.Match && !s.Relation.Lives() {
		a.projected = s.Columns
	}
	switch {
	case s.Reduced:
	case s.Op != plan.Scan || s.Relation.Lives(): // rows of a living relation are to be found by indexes alone
		a.indexed = true
	case s.Order > 0:
		a.indexed, a.columns = true, []int{s.Order - 1}
	}
	return a
}

// rows returns the relation that the step goes through, and the column there of one of the step's.
func (a *access) rows() (*relation.Relation, func(column int) int) {
	if a.projected == nil {
		return a.relation, func(column int) int { return column }
	}
	return a.relation.Distinct(a.projected...), func(column int) int { return slices.Index(a.projected, column) }
}

// index returns the step's index, nil if it has none, built by so many threads.
func (a *access) index(threads int) *relation.Index {
	if !a.indexed {
		return nil
	}
	rows, at := a.rows()
	columns := make([]int, len(a.columns))
	for k, column := range a.columns {
		columns[k] = at(column)
	}
	return rows.IndexBy(threads, columns...)
}

// build makes what the step needs.
func (a *access) build(threads int) {
	switch {
	case a.listed:
		a.relation.ListsBy(threads, a.value)
	case a.projected != nil:
		a.relation.IndexBy(threads, a.projected...)
	}
	a.index(threads)
}

// others are the columns that are the key of lists.
func (a *access) others() []int {
	return slices.Delete(every(a.relation.Arity), a.value, a.value+1)
}

// parts lists what is made of the relation for the step.
func (a *access) parts() []relation.Part {
	switch {
	case a.listed:
		return []relation.Part{relation.ListsOf(a.value), relation.IndexOn(a.others()...)}
	case a.projected != nil:
		return []relation.Part{relation.ProjectionOn(a.projected...), relation.IndexOn(a.projected...)}
	case a.indexed:
		return []relation.Part{relation.IndexOn(a.columns...)}
	}
	return nil
}

// every lists the columns 0 … n-1.
func every(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all
}

// accesses lists those of all steps of a plan.
func accesses(p *plan.Plan) (all []access) {
	for k := range p.Steps {
		all = append(all, accessOf(p, k))
	}
	for k := range p.Steps {
		if ahead := p.Steps[k].Ahead; ahead != nil && all[k].listed {
			s := &p.Steps[ahead.Through]
			value := slices.Index(s.Atom.Args, p.Steps[k].Met())
			all = append(all, access{relation: s.Relation, listed: true, value: value})
		}
	}
	return all
}

// build makes what the plans need, side by side; few and large indexes are each built by several threads.
func build(threads int, plans ...*plan.Plan) {
	type request struct {
		relation *relation.Relation
		part     relation.Part
		columns  relation.Part // of the index of a projection
	}
	var all []access
	known := make(map[request]bool)
	for _, p := range plans {
		for _, a := range accesses(p) {
			for _, part := range a.parts()[:min(1, len(a.parts()))] {
				if key := (request{a.relation, part, relation.IndexOn(a.columns...)}); !known[key] {
					known[key] = true
					all = append(all, a)
				}
			}
		}
	}
	each := (threads + len(all) - 1) / max(1, len(all))
	parallel.For(threads, len(all), func(k int) { all[k].build(each) })
}
