package ground

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// sum is an atom with summation variables, expanded anew in every grounding: its rows are those that hold the
// grounding's values in the other columns and that the filters let pass.
type sum struct {
	atom      int
	relation  *relation.Relation
	open      bool            // missing atoms are left out rather than 0
	own       *relation.Index // on the columns without summation variables
	key       []int32         // their slots
	tuple     []int32         // their slots
	variables []summand
	// sized says that |B| of one of the variables occurs in the rule.
	sized bool
}

// summand is one summation variable of a sum.
type summand struct {
	slot   int32
	column int
	filter []conjunction
	asked  []int32 // the slots that the filter asks for, but for the variable's own
	// readable says that every alternative has an atom to read values from: one without lets through values that stand
	// nowhere.
	readable bool
	domain   *domain // nil unless the sum is sized and its predicate closed
}

// domain is the set of values of a column over the whole predicate, constants of the atom respected.
type domain struct {
	values []symbol.ID
	index  *relation.Index
	key    []int32 // slots, the summation variable's among them
}

// addSum compiles one summation variable into its atom's sum.
func (r *routine) addSum(s *program.Sum) {
	a := &r.rule.Atoms[s.Atom]
	at := slices.IndexFunc(r.sums, func(x sum) bool { return x.atom == s.Atom })
	if at < 0 {
		at = len(r.sums)
		r.sums = append(r.sums, r.newSum(s.Atom, a))
	}
	v := summand{slot: int32(s.Variable), filter: r.filter(s)}
	v.column = slices.IndexFunc(a.Args, func(t program.Term) bool { return t.Variable == s.Variable })
	v.asked = v.asks()
	v.readable = len(v.filter) > 0 && !slices.ContainsFunc(v.filter, func(c conjunction) bool { return c.origin == nil })
	r.sums[at].variables = append(r.sums[at].variables, v)
	r.sums[at].sized = r.sums[at].sized || r.sized(s.Variable)
}

// addDomains finds the values that count in the sizes of closed sums, found or not.
func (r *routine) addDomains() {
	for k := range r.sums {
		s := &r.sums[k]
		for i := range s.variables {
			if v := &s.variables[i]; s.sized && !s.open {
				v.domain = r.domain(&r.rule.Atoms[s.atom], v.column)
			}
		}
	}
}

// newSum compiles atom k, without its summation variables.
func (r *routine) newSum(k int, a *program.Atom) sum {
	r.atoms[k].sum = len(r.sums)
	rel := r.scope.store.Relations[a.Predicate]
	var own []int
	for column, arg := range a.Args {
		if !arg.IsVariable() || !r.rule.Variables[arg.Variable].Summation {
			own = append(own, column)
		}
	}
	return sum{
		atom: k, relation: rel, open: rel.Open || rel.Free == relation.Perceived,
		own: rel.Index(own...), key: r.slotsOf(a, own), tuple: r.slotsOf(a, every(rel.Arity)),
	}
}

// sized tells whether |B| occurs in a coefficient or in the constant.
func (r *routine) sized(variable int) bool {
	if mentions(r.rule.Constant, variable) {
		return true
	}
	return slices.ContainsFunc(r.rule.Atoms, func(a program.Atom) bool { return mentions(a.Coef, variable) })
}

// mentions tells whether |variable| occurs in an expression.
func mentions(e program.Expr, variable int) bool {
	if e.Op == program.Cardinality {
		return e.Variable == variable
	}
	return slices.ContainsFunc(e.Args, func(arg program.Expr) bool { return mentions(arg, variable) })
}

// domain lists the values of a column of an atom's relation in rows that hold the atom's constants.
func (r *routine) domain(a *program.Atom, column int) *domain {
	var columns []int
	for c, arg := range a.Args {
		if c == column || !arg.IsVariable() {
			columns = append(columns, c)
		}
	}
	rel := r.scope.store.Relations[a.Predicate]
	d := &domain{index: rel.Index(columns...), key: r.slotsOf(a, columns)}
	key := make([]symbol.ID, len(columns))
	for _, value := range rel.Constants(column) {
		for k, slot := range d.key {
			key[k] = r.slots[slot]
			if columns[k] == column {
				key[k] = value
			}
		}
		if d.index.Find(key) >= 0 {
			d.values = append(d.values, value)
		}
	}
	return d
}

// expansion is where a machine keeps what it found for one sum.
type expansion struct {
	rows []int32 // the rows that count in the grounding at hand
	own  []int32 // space for those that may
	key  []symbol.ID
	// Whose origins have been found, nil if nobody's, and for what the filter asks for.
	of     *summand
	at     []symbol.ID
	ranges [][2]int32  // per origin, the places of its rows
	tried  int         // how many these are
	read   bool        // they have been read
	passed []symbol.ID // the values that the filter let pass
	// Scratch of look-ups.
	found []int32
	cells []uint32
	space []symbol.ID
}

// expand finds the rows of sum k and the sizes |B| of its variables. What the sum adds up are always rows that exist;
// of the two ways to find those that pass the filter, it takes the one with less to try.
func (m *machine) expand(k int) {
	s, x := &m.routine.sums[k], &m.sums[k]
	x.rows = x.rows[:0]
	lo, hi := s.own.Range(m.gather(x, s.key))
	if v := &s.variables[0]; len(s.variables) == 1 && m.fewer(v, x, int(hi-lo)) {
		m.candidates(v, x)
		m.pick(s, x)
	} else {
		m.sift(s, x, s.own.At(&x.own, lo, hi))
	}
	if s.sized {
		size := m.size(s, x)
		for i := range s.variables {
			m.sizes[s.variables[i].slot] = size
		}
	}
}

// gather collects the values in slots into x's key.
func (m *machine) gather(x *expansion, slots []int32) []symbol.ID {
	x.key = x.key[:0]
	for _, slot := range slots {
		x.key = append(x.key, m.slots[slot])
	}
	return x.key
}

// pick finds the atoms of the values that passed.
func (m *machine) pick(s *sum, x *expansion) {
	x.rows = s.relation.Tuples().FindAlong(x.rows, m.gather(x, s.tuple), s.variables[0].column, x.passed)
}

// sift keeps those of the sum's own rows whose values pass every filter.
func (m *machine) sift(s *sum, x *expansion, rows []int32) {
	if !slices.ContainsFunc(s.variables, func(v summand) bool { return len(v.filter) > 0 }) {
		x.rows = append(x.rows, rows...)
		return
	}
	for _, row := range rows {
		pass := true
		for i := range s.variables {
			v := &s.variables[i]
			m.slots[v.slot] = s.relation.Columns[v.column][row]
			pass = pass && m.passes(v)
		}
		if pass {
			x.rows = append(x.rows, row)
		}
	}
}

// size returns |B|, which is how many atoms the sum has, whichever of its variables B is: of an open or perceived
// predicate, those that exist and pass; of a closed one, whose missing atoms are 0 and count, the combinations of the
// columns' values that pass (compatibility facts, section 1.3).
func (m *machine) size(s *sum, x *expansion) int {
	if s.open {
		return len(x.rows)
	}
	size := 1
	for i := range s.variables {
		size *= m.values(&s.variables[i], x)
	}
	return size
}

// values counts the values of a closed predicate's column that pass the filter.
func (m *machine) values(v *summand, x *expansion) int {
	switch {
	case len(v.filter) == 0:
		return len(v.domain.values)
	case m.fewer(v, x, len(v.domain.values)):
		return m.known(v, x)
	}
	count := 0
	for _, value := range v.domain.values {
		m.slots[v.slot] = value
		if m.passes(v) {
			count++
		}
	}
	return count
}

// known counts the values that pass a filter and are in the column.
func (m *machine) known(v *summand, x *expansion) (count int) {
	m.candidates(v, x)
	for _, value := range x.passed {
		m.slots[v.slot] = value
		if v.domain.index.Find(m.gather(x, v.domain.key)) >= 0 {
			count++
		}
	}
	return count
}
