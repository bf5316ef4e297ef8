package ground

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Constants returns what the variables of a rule stand for in potential j of one of its blocks, by their names, as far
// as the potential's free atoms tell: observed ones have become part of its constant. whole says that there are none,
// so that the potential and the rule have the same atoms. It returns nil if the atoms do not fit the rule's.
func Constants(
	rule *program.Rule, store *relation.Store, b *mrf.Block, j int,
) (constants map[string]string, whole bool) {
	m := &matcher{rule: rule, store: store, tries: maxTries}
	for _, s := range sides(b, j) {
		from, to := s.row(j)
		for k := from; k < to; k++ {
			r, row := store.Locate(s.role, s.index[k])
			m.atoms = append(m.atoms, groundAtom{r, row})
		}
	}
	values := m.match(slices.Repeat([]symbol.ID{unbound}, len(rule.Variables)), 0)
	if values == nil {
		return nil, false
	}
	constants = make(map[string]string)
	for v, id := range values {
		if id != unbound {
			constants[rule.Variables[v].Name] = store.Symbols.Name(id)
		}
	}
	return constants, m.whole(values)
}

// unbound stands for the constant of a variable that has none.
const unbound symbol.ID = -1

// maxTries bounds how often a rule's atom is compared with a ground atom.
const maxTries = 100_000

// matcher looks for constants that make a rule's atoms those of a ground rule.
type matcher struct {
	rule  *program.Rule
	store *relation.Store
	atoms []groundAtom
	tries int
}

type groundAtom struct {
	relation *relation.Relation
	row      int32
}

// match extends the variables' values so that the rule's atoms from the k-th on are ground atoms, in their order if
// that is possible, or else observed. It returns nil if some ground atom is then none of the rule's.
func (m *matcher) match(values []symbol.ID, k int) []symbol.ID {
	if k == len(m.rule.Atoms) {
		return m.covering(values)
	}
	for _, atom := range m.atoms {
		if more := m.unify(values, &m.rule.Atoms[k], atom); more != nil {
			if found := m.match(more, k+1); found != nil {
				return found
			}
		}
	}
	if m.tries < 0 {
		return nil
	}
	return m.match(values, k+1)
}

// unify returns the values with which a rule's atom is a ground atom, or nil if there are none. A summation variable
// takes any value.
func (m *matcher) unify(values []symbol.ID, a *program.Atom, ground groundAtom) []symbol.ID {
	if m.tries--; m.tries < 0 || m.store.Relations[a.Predicate] != ground.relation {
		return nil
	}
	values = slices.Clone(values)
	for column, arg := range a.Args {
		id := ground.relation.Columns[column][ground.row]
		switch {
		case !arg.IsVariable():
			if m.store.Symbols.Name(id) != arg.Constant {
				return nil
			}
		case m.rule.Variables[arg.Variable].Summation:
		case values[arg.Variable] == unbound:
			values[arg.Variable] = id
		case values[arg.Variable] != id:
			return nil
		}
	}
	return values
}

// covering returns the values if each ground atom is one of the rule's, or else nil.
func (m *matcher) covering(values []symbol.ID) []symbol.ID {
	for _, atom := range m.atoms {
		isAtom := func(a program.Atom) bool { return m.unify(values, &a, atom) != nil }
		if !slices.ContainsFunc(m.rule.Atoms, isAtom) {
			return nil
		}
	}
	return values
}

// whole tells whether each of the rule's atoms is a ground atom.
func (m *matcher) whole(values []symbol.ID) bool {
	for k := range m.rule.Atoms {
		isGround := func(atom groundAtom) bool { return m.unify(values, &m.rule.Atoms[k], atom) != nil }
		if !slices.ContainsFunc(m.atoms, isGround) {
			return false
		}
	}
	return true
}
