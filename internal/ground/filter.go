package ground

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/reuse"
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
	same   [][]symbol.ID // columns in which the variable stands, too
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
			if c.origin == nil || c.origin.closed != l.closed {
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
		switch {
		case arg.Variable == variable && out.column == nil:
			out.column = rel.Columns[column]
		case arg.Variable == variable:
			out.same = append(out.same, rel.Columns[column])
		default:
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

// fewer tells whether reading values from the filter's own atoms means trying fewer than so many.
func (m *machine) fewer(v *summand, x *expansion, than int) bool {
	if !v.readable {
		return false
	}
	m.findOrigins(v, x)
	return x.tried < than
}

// findOrigins finds where the origins of v's filter have their values. As long as nothing changes that the filter asks
// for, that stays the same, and so does what passes.
func (m *machine) findOrigins(v *summand, x *expansion) {
	if x.of == v && m.hold(v.asked, x.at) {
		return
	}
	x.of, x.at, x.ranges, x.tried, x.read = v, x.at[:0], x.ranges[:0], 0, false
	for _, slot := range v.asked {
		x.at = append(x.at, m.slots[slot])
	}
	for k := range v.filter {
		c := v.filter[k].origin
		lo, hi := c.index.Range(m.originKey(c))
		x.ranges, x.tried = append(x.ranges, [2]int32{lo, hi}), x.tried+int(hi-lo)
	}
}

// peekSums touches what sums read for the rows at the places [lo, hi) of op k: the first value of each origin, for all
// rows at once, as peek does.
func (m *machine) peekSums(k int, lo, hi int32) {
	o, firsts := &m.ops[k], m.firsts[:hi-lo]
	for _, c := range m.peeked {
		if len(c.column) == 0 {
			continue
		}
		for i := range firsts {
			m.bind(o, o.row(lo, i))
			firsts[i] = c.index.Peek(m.originKey(c))
		}
		if grouped := c.index.Grouped(); len(grouped) > 0 {
			for i, first := range firsts {
				firsts[i] = within(grouped, first)
			}
		}
		for _, row := range firsts {
			m.seen += int32(within(c.column, row))
		}
	}
}

// within reads what is at a place, or near it where the place is none.
func within[T any](values []T, place int32) T { return values[min(max(0, int(place)), len(values)-1)] }

// originKey gathers the values of an origin's other arguments.
func (m *machine) originKey(c *origin) []symbol.ID {
	key := m.filterKey[:0]
	for _, slot := range c.key {
		key = append(key, m.slots[slot])
	}
	m.filterKey = key
	return key
}

// candidates reads the values that pass v's filter from its origins, which have been found, into x, each once: by the
// first alternative that lets it pass.
func (m *machine) candidates(v *summand, x *expansion) {
	if x.read {
		return
	}
	x.read, x.passed = true, x.passed[:0]
	for k := range v.filter {
		c, before := v.filter[k].origin, len(x.passed)
		for _, row := range c.index.At(&x.own, x.ranges[k][0], x.ranges[k][1]) {
			if c.closed.positive(row) && c.agrees(row) {
				x.passed = append(x.passed, c.column[row])
			}
		}
		left := x.passed[before:]
		for i := range v.filter[k].rest {
			left = m.satisfying(v, x, &v.filter[k].rest[i], left)
		}
		x.passed = x.passed[:before+len(m.fresh(v, k, x.passed[:before], left))]
	}
}

// agrees tells whether a row has one value in all columns in which the variable stands.
func (c *origin) agrees(row int32) bool {
	return !slices.ContainsFunc(c.same, func(column []symbol.ID) bool { return column[row] != c.column[row] })
}

// fewValues is how many values are looked up one by one, and fewPassed among how many a value is sought one by one.
const fewValues, fewPassed = 4, 32

// satisfying keeps the values of v for which a literal holds.
func (m *machine) satisfying(v *summand, x *expansion, l *literal, values []symbol.ID) []symbol.ID {
	if len(values) > fewValues && l.condition == nil && l.closed.function == nil {
		return m.satisfyingEach(v, x, l, values)
	}
	n := 0
	for _, value := range values {
		m.slots[v.slot] = value
		if values[n] = value; m.truth(l) != l.negated {
			n++
		}
	}
	return values[:n]
}

// satisfyingEach looks all atoms of the values up side by side.
func (m *machine) satisfyingEach(v *summand, x *expansion, l *literal, values []symbol.ID) []symbol.ID {
	m.columns = m.columns[:0]
	x.space = reuse.More(x.space[:0], len(values)*len(l.tuple))
	for k, slot := range l.tuple {
		column := values
		if slot != v.slot {
			column = x.space[k*len(values) : (k+1)*len(values)]
			fill(column, m.slots[slot])
		}
		m.columns = append(m.columns, column)
	}
	x.found, x.cells = reuse.More(x.found[:0], len(values)), reuse.More(x.cells[:0], len(values))
	l.relation.Tuples().FindEach(x.found, m.columns, nil, x.cells)
	n := 0
	for k, row := range x.found {
		if values[n] = values[k]; l.closed.positive(row) != l.negated {
			n++
		}
	}
	return values[:n]
}

// fresh keeps the values that none of the alternatives before the k-th, by which others have passed, lets pass.
func (m *machine) fresh(v *summand, k int, passed, values []symbol.ID) []symbol.ID {
	n := 0
	for _, value := range values {
		m.slots[v.slot] = value
		values[n] = value
		if len(passed) <= fewPassed && !slices.Contains(passed, value) || len(passed) > fewPassed && !m.passedBefore(v, k) {
			n++
		}
	}
	return values[:n]
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
