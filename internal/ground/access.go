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

// index returns the step's index, nil if it has none.
func (a *access) index() *relation.Index {
	if !a.indexed {
		return nil
	}
	rows, at := a.rows()
	columns := make([]int, len(a.columns))
	for k, column := range a.columns {
		columns[k] = at(column)
	}
	return rows.Index(columns...)
}

// build makes what the step needs.
func (a *access) build() {
	if a.listed {
		a.relation.Lists(a.value)
		return
	}
	a.rows()
	a.index()
}

// request tells accesses that need the same from those that do not.
type request struct {
	relation *relation.Relation
	kind     byte
	columns  string
}

// request is what the access asks of its relation.
func (a *access) request() request {
	key := []byte{byte(a.value), byte(len(a.projected))}
	for _, column := range slices.Concat(a.projected, a.columns) {
		key = append(key, byte(column), byte(column>>8))
	}
	kind := byte('r')
	switch {
	case a.listed:
		kind, key = 'l', key[:1]
	case a.indexed:
		kind = 'i'
	}
	return request{a.relation, kind, string(key)}
}

// prepare builds what the plans need, side by side.
func prepare(threads int, plans ...*plan.Plan) {
	var all []access
	known := make(map[request]bool)
	for _, p := range plans {
		for k := range p.Steps {
			a := accessOf(p, k)
			if key := a.request(); !known[key] {
				known[key] = true
				all = append(all, a)
			}
		}
	}
	parallel.For(threads, len(all), func(k int) { all[k].build() })
}
