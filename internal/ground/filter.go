package ground

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// conjunction is one alternative of a filter. If one of its literals is a positive atom with the summation variable,
// such as Cite(A, B) for B, the values that can pass are few and stand in that atom's index: reading them there,
// instead of trying every value of the column for every grounding, turns groundings × values into the size of the
// answer.
type conjunction struct {
	literals []literal
	origin   *origin
	rest     []literal // those that reading a value from the origin does not settle
}

// literal is a condition, or a closed atom whose value is or is not above 0. Atoms are looked up in the index of
// whole tuples, which is built when the first one is: most values come from an origin, and need none.
type literal struct {
	negated   bool
	condition *comparison // nil if this is an atom
	atom      *program.Atom
	closed    *atom
	relation  *relation.Relation
	tuple     []int32 // slots of the atom's arguments
}

// origin yields the values of a summation variable in one atom, given the values of its other arguments.
type origin struct {
	closed *atom
	index  *relation.Index
	key    []int32
	column []symbol.ID
	// repeated says that the variable stands in other columns too: whether they agree is still to be seen.
	repeated bool
}

// filter compiles the disjunctive normal form of a summation variable's filter.
func (r *routine) filter(s *program.Sum) (out []conjunction) {
	for _, literals := range s.Filter {
		var c conjunction
		for k := range literals {
			l := r.literal(&literals[k])
			c.literals = append(c.literals, l)
			if c.origin == nil && l.closed != nil && l.closed.function == nil && !l.negated {
				c.origin = r.origin(literals[k].Atom, l.closed, s.Variable)
			}
			if c.origin == nil || c.origin.closed != l.closed || c.origin.repeated {
				c.rest = append(c.rest, l)
			}
		}
		out = append(out, c)
	}
	return out
}

// literal compiles one conjunct; atoms are looked up by the index on all columns.
func (r *routine) literal(l *program.Literal) literal {
	if l.Condition != nil {
		c := r.comparison(l.Condition)
		return literal{negated: l.Negated, condition: &c}
	}
	a := r.atom(l.Atom)
	rel := r.scope.store.Relations[l.Atom.Predicate]
	return literal{
		negated: l.Negated, atom: l.Atom, closed: &a, relation: rel, tuple: r.slotsOf(l.Atom, every(rel.Arity)),
	}
}

// origin returns the way to read a variable's values from an atom, nil if the atom does not have the variable.
func (r *routine) origin(a *program.Atom, closed *atom, variable int) *origin {
	rel := r.scope.store.Relations[a.Predicate]
	out := &origin{closed: closed}
	var others []int
	for column, arg := range a.Args {
		if arg.Variable == variable {
			out.repeated = out.column != nil
			out.column = rel.Columns[column]
		} else {
			others = append(others, column)
		}
	}
	if out.column == nil {
		return nil
	}
	out.index, out.key = rel.Index(others...), r.slotsOf(a, others)
	return out
}

// asks lists the slots that a filter asks for, the variable's own left out.
func (v *summand) asks() (slots []int32) {
	ask := func(more ...int32) {
		for _, slot := range more {
			if slot != v.slot && !slices.Contains(slots, slot) {
				slots = append(slots, slot)
			}
		}
	}
	for _, c := range v.filter {
		for _, l := range c.literals {
			if l.condition != nil {
				ask(l.condition.left, l.condition.right)
			}
			ask(l.tuple...)
		}
	}
	return slots
}

// passes tells whether the value in the variable's slot satisfies its filter.
func (m *machine) passes(v *summand) bool {
	if len(v.filter) == 0 {
		return true
	}
	for k := range v.filter {
		if m.satisfies(v.filter[k].literals) {
			return true
		}
	}
	return false
}

// satisfies tells whether all literals hold for the values in the slots.
func (m *machine) satisfies(literals []literal) bool {
	for k := range literals {
		if l := &literals[k]; m.truth(l) == l.negated {
			return false
		}
	}
	return true
}

// truth evaluates a literal without its negation. An atom is true if its value is above 0, however little.
func (m *machine) truth(l *literal) bool {
	if l.condition != nil {
		return l.condition.holds(m.slots)
	}
	key := m.filterKey[:0]
	for _, slot := range l.tuple {
		key = append(key, m.slots[slot])
	}
	m.filterKey = key
	if f := l.closed.function; f != nil {
		return l.closed.positive(m.evaluate(f, key, l.atom))
	}
	return l.closed.positive(l.relation.Tuples().Find(key))
}

// fewer tells whether reading values from the filter's own atoms means trying fewer than so many. Every alternative
// must have an atom to read from: one without lets through values that stand nowhere.
func (m *machine) fewer(v *summand, than int) bool {
	if len(v.filter) == 0 {
		return false
	}
	for k := range v.filter {
		c := v.filter[k].origin
		if c == nil {
			return false
		}
		lo, hi := c.index.Range(m.originKey(c))
		if than -= int(hi - lo); than <= 0 {
			return false
		}
	}
	return true
}

// originKey gathers the values of an origin's other arguments.
func (m *machine) originKey(c *origin) []symbol.ID {
	key := m.filterKey[:0]
	for _, slot := range c.key {
		key = append(key, m.slots[slot])
	}
	m.filterKey = key
	return key
}

// candidates reads the values that pass v's filter from its origins into x, each once: by the first alternative that
// lets it pass. What passed the last time is there still if nothing has changed that the filter asks for.
func (m *machine) candidates(v *summand, x *expansion) {
	if x.of == v && m.hold(v.asked, x.at) {
		return
	}
	x.of, x.at, x.passed = v, x.at[:0], x.passed[:0]
	for _, slot := range v.asked {
		x.at = append(x.at, m.slots[slot])
	}
	for k := range v.filter {
		c := v.filter[k].origin
		lo, hi := c.index.Range(m.originKey(c))
		for _, row := range c.index.At(&x.own, lo, hi) {
			m.slots[v.slot] = c.column[row]
			if c.closed.positive(row) && m.satisfies(v.filter[k].rest) && !m.passedBefore(v, k) {
				x.passed = append(x.passed, c.column[row])
			}
		}
	}
}

// hold tells whether the slots hold the values.
func (m *machine) hold(slots []int32, values []symbol.ID) bool {
	for k, slot := range slots {
		if m.slots[slot] != values[k] {
			return false
		}
	}
	return true
}

// passedBefore tells whether an alternative before the k-th lets the value pass, so that it has been read already.
func (m *machine) passedBefore(v *summand, k int) bool {
	for i := range k {
		if m.satisfies(v.filter[i].literals) {
			return true
		}
	}
	return false
}
