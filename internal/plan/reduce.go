package plan

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/relation"
)

// Reducing. An index costs time and memory with all rows of its relation, of which the steps before may ask for few:
// those of a constant, or of the keys that few rows lead to; or the steps behind may refuse most of them. Then the
// rows that can be asked for, and are not in vain, are found by going through the relation once for each of these
// steps, with what is known of the key in bits (a semi-join), and they alone are indexed: as a hash join does that is
// built on the smaller side. Such an index is for one rule; one that is made of all rows can serve others.

const (
	// fewRows is how many rows a relation has at least for its index to be worth anything.
	fewRows = 1 << 12
	// dearIndex is how many times as long as going through rows it takes to index them.
	dearIndex = 2
	// passes is how many times rows are gone through with bits of single values in the time of an index of them all.
	passes = 16
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
		for k := range slices.Backward(p.Steps) {
			if p.Steps[k].Relation.Len() >= fewRows && p.Reducible(k) {
				p.Steps[k].Part = p.behind(k)
			}
		}
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
		p.meetRefused()
	}
}

// meetRefused lets steps meet those that refuse most of their rows where these are not left out.
func (p *Plan) meetRefused() {
	again := false
	for k := range p.Steps {
		if s := &p.Steps[k]; s.refused > 0 && !s.Reduced {
			s.Meets, again = s.refused, true
		}
	}
	if !again {
		return
	}
	p.lookAhead()
	for k := range p.Steps {
		p.Steps[k].Reduced = p.Steps[k].Reduced && p.Meeting(k) < 0
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
		s.Part = max(s.Part*p.part(k), 1/float64(s.Relation.Len()))
		s.Reduced = (s.Part+1./passes)*dearIndex*float64(max(1, users)) <= 1
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

// Binder is which columns of a step have values from another one, in its columns At, or are constants, of the step -1.
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
		if b.Step < 0 || !p.Steps[b.Step].Reduced && p.Steps[b.Step].Relation == s.Relation &&
			slices.Equal(b.At, b.Columns) {
			continue // the keys of all rows are those of all rows
		}
		keys, among := 1.0, 1.0 // how many keys it has, of how many that there can be
		for i, column := range b.Columns {
			theirs := p.Steps[b.Step].values(b.At[i])
			keys, among = keys*theirs, among*max(s.values(column), theirs)
		}
		if s.Part < 1 {
			among = min(among, s.asked()) // the step before has no other keys, if it requires them
		}
		part *= min(1, min(keys, p.Steps[b.Step].rowsIndexed())/among)
	}
	return part
}

// Repeats lists the pairs of columns in which rows must have the same: each column with the first one of its variable.
func (s *Step) Repeats() (pairs [][2]int) {
	for _, column := range s.Columns {
		arg := s.Atom.Args[column]
		if first := slices.Index(s.Atom.Args, arg); first < column && arg.IsVariable() {
			pairs = append(pairs, [2]int{first, column})
		}
	}
	return pairs
}

// behind estimates which part of its relation's rows step k can have by its constants and repetitions, and by the steps
// behind it that take it into account.
func (p *Plan) behind(k int) float64 {
	s, part := &p.Steps[k], 1.0
	for _, column := range s.Key {
		if !s.Atom.Args[column].IsVariable() {
			part /= s.values(column)
		}
	}
	for _, pair := range s.Repeats() {
		part /= s.values(pair[1])
	}
	if s.Op == Lookup {
		return part
	}
	for _, b := range p.Requirers(k) {
		if its := p.Steps[b.Step].asked(); p.WorthRequiring(k, b, its, part*float64(s.Relation.Len())) {
			part *= p.passing(k, b, its)
		}
	}
	return part
}

// WorthRequiring tells whether it takes less to find which of so many rows of step k a step behind it lets pass, by so
// many of its own, than to index them all.
func (p *Plan) WorthRequiring(k int, b Binder, its, rows float64) bool {
	return its*dearIndex <= rows && p.passing(k, b, its)+1./passes < 1
}

// passing estimates which part of the rows of step k another one, which requires something of them alone, lets pass by
// so many of its own.
func (p *Plan) passing(k int, b Binder, its float64) float64 {
	among := 1.0
	for i, column := range b.Columns {
		among *= max(p.Steps[k].values(column), p.Steps[b.Step].values(b.At[i]))
	}
	return min(1, its/among)
}

// Requirers lists the steps that go through rows behind step k only if those have what it binds, constants aside: their
// columns At are what the step's Columns must be. The rows that they refuse need not be indexed.
func (p *Plan) Requirers(k int) (all []Binder) {
	s := &p.Steps[k]
	for j := k + 1; j < len(p.Steps); j++ {
		next, b, others := &p.Steps[j], Binder{Step: j}, false
		for _, at := range next.Key {
			if arg := next.Atom.Args[at]; s.binds(arg) >= 0 {
				b.Columns, b.At = append(b.Columns, s.binds(arg)), append(b.At, at)
			} else if arg.IsVariable() {
				others = true
			}
		}
		if (next.Op == Match || next.Op == Probe) && !others && len(b.At) > 0 && !next.Projected() && !next.Relation.Lives() {
			all = append(all, b)
		}
	}
	return all
}

// values returns how many values a column of a step's relation has.
func (s *Step) values(column int) float64 { return float64(max(1, s.Relation.DistinctCount(column))) }

// asked estimates how many rows of its relation a step can come to, if it is reduced.
func (s *Step) asked() float64 {
	if s.Part > 0 {
		return s.Part * float64(s.Relation.Len())
	}
	return float64(s.Relation.Len())
}

// rowsIndexed estimates how many rows of its relation a step can come to.
func (s *Step) rowsIndexed() float64 {
	if s.Reduced {
		return s.Part * float64(s.Relation.Len())
	}
	return float64(s.Relation.Len())
}
