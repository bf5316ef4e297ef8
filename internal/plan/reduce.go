package plan

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/relation"
)

// Reducing. An index costs time and memory with all rows of its relation, of which the steps before may ask for few:
// those of a constant, or of the keys that few rows lead to. Then the rows that can be asked for are found by going
// through the relation once, with what is known of the key in bits (a semi-join), and they alone are indexed: as a hash
// join does that is built on the smaller side. Such an index is for one rule; one that is made of all rows can serve
// others.

const (
	// fewRows is how many rows a relation has at least for its index to be worth anything.
	fewRows = 1 << 12
	// dearIndex is how many times as long as going through rows it takes to index them.
	dearIndex = 2
)

// Reduce decides which steps of the plans index a part of their rows only. One whose relation is indexed for others
// does not.
func Reduce(plans []*Plan) {
	users, whole := make(map[lookedUp]int), make(map[lookedUp]bool)
	for _, p := range plans {
		for k := range p.Steps {
			if p.Reducible(k) && !p.Rule.Inactive {
				users[p.Steps[k].lookedUp()]++
			}
		}
	}
	for _, p := range plans {
		for k := range p.Steps {
			if s := &p.Steps[k]; p.Reducible(k) {
				p.reduce(k, users[s.lookedUp()])
				whole[s.lookedUp()] = whole[s.lookedUp()] || !s.Reduced
			}
		}
	}
	for _, p := range plans {
		for k := range p.Steps {
			s := &p.Steps[k]
			s.Reduced = s.Reduced && !whole[s.lookedUp()]
		}
	}
}

// lookedUp is by which columns of which relation rows are looked up.
type lookedUp struct {
	relation *relation.Relation
	part     relation.Part
}

func (s *Step) lookedUp() lookedUp { return lookedUp{s.Relation, relation.IndexOn(s.Key...)} }

// reduce decides whether step k does so, where that is for so many steps of all plans.
func (p *Plan) reduce(k, users int) {
	s := &p.Steps[k]
	if s.Reduced = false; s.Relation.Len() >= fewRows && !s.Relation.Indexed(s.Key...) {
		s.Part = p.part(k)
		s.Reduced = s.Part*dearIndex*float64(max(1, users)) <= 1
	}
}

// ReduceAll has all steps do so that can: for tests, whose relations are small.
func (p *Plan) ReduceAll() {
	for k := range p.Steps {
		p.Steps[k].Reduced = p.Reducible(k)
	}
}

// Reducible tells whether step k looks a key up in an index of its relation.
func (p *Plan) Reducible(k int) bool {
	s := &p.Steps[k]
	return (s.Op == Probe || s.Op == Match || s.Op == Lookup) && len(s.Key) > 0 && !s.Projected() && !s.Relation.Lives() &&
		p.Meeting(k) < 0
}

// Binder is which columns of a step's key have values from one step before it, in its columns At; the others are
// constants, of the step -1.
type Binder struct {
	Step        int
	Columns, At []int
}

// Binders lists the steps that bind the key of step k, constants first.
func (p *Plan) Binders(k int) (all []Binder) {
	s := &p.Steps[k]
	for j := -1; j < k; j++ {
		b := Binder{Step: j}
		for _, column := range s.Key {
			at := -1
			if arg := s.Atom.Args[column]; j < 0 && !arg.IsVariable() {
				at = column
			} else if j >= 0 && arg.IsVariable() {
				at = p.Steps[j].binds(arg)
			}
			if at >= 0 {
				b.Columns, b.At = append(b.Columns, column), append(b.At, at)
			}
		}
		if len(b.Columns) > 0 {
			all = append(all, b)
		}
	}
	return all
}

// part estimates which part of its relation's rows step k can be asked for: of keys that are spread evenly, those that
// the rows of each step before it have.
func (p *Plan) part(k int) float64 {
	s, part := &p.Steps[k], 1.0
	for _, b := range p.Binders(k) {
		if b.Step >= 0 && p.Steps[b.Step].Relation == s.Relation && slices.Equal(b.At, b.Columns) {
			continue // the keys of all rows are those of all rows
		}
		keys, among := 1.0, 1.0 // how many keys it has, of how many that there can be
		for i, column := range b.Columns {
			values := s.values(column)
			if b.Step >= 0 {
				theirs := p.Steps[b.Step].values(b.At[i])
				keys, values = keys*theirs, max(values, theirs)
			}
			among *= values
		}
		if b.Step >= 0 {
			keys = min(keys, p.Steps[b.Step].rowsIndexed())
		}
		part *= min(1, keys/among)
	}
	return part
}

// values returns how many values a column of a step's relation has.
func (s *Step) values(column int) float64 { return float64(max(1, s.Relation.DistinctCount(column))) }

// rowsIndexed estimates how many rows of its relation a step can come to.
func (s *Step) rowsIndexed() float64 {
	if s.Reduced {
		return s.Part * float64(s.Relation.Len())
	}
	return float64(s.Relation.Len())
}
