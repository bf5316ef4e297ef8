package ground

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// scope numbers the constants of rules and orders them. A constant that the data does not have gets a number behind the
// symbol table's, so that it equals nothing but itself; the table itself stays as it is.
type scope struct {
	store  *relation.Store
	extra  map[string]symbol.ID
	names  []string // of the extra constants
	ranks  map[program.Type][]int32
	frozen bool // no constants may be added once there are ranks
	// functions holds those of functional predicates, with the values that they have been asked for.
	functions map[*relation.Relation]*function
}

// newScope makes a scope that knows the data's constants only.
func newScope(store *relation.Store) *scope {
	return &scope{
		store: store, extra: make(map[string]symbol.ID), ranks: make(map[program.Type][]int32),
		functions: make(map[*relation.Relation]*function),
	}
}

// declare makes every constant of a rule known.
func (s *scope) declare(rule *program.Rule) {
	for _, t := range allTerms(rule) {
		if !t.IsVariable() {
			s.id(t.Constant)
		}
	}
}

// id returns the number of a constant.
func (s *scope) id(constant string) symbol.ID {
	if id, ok := s.store.Symbols.Lookup(constant); ok {
		return id
	}
	if id, ok := s.extra[constant]; ok {
		return id
	}
	if s.frozen {
		panic("ground: a constant appears after ordering")
	}
	id := symbol.ID(s.store.Symbols.Len() + len(s.names))
	s.extra[constant] = id
	s.names = append(s.names, constant)
	return id
}

// name is the inverse of id.
func (s *scope) name(id symbol.ID) string {
	if known := s.store.Symbols.Len(); int(id) >= known {
		return s.names[int(id)-known]
	}
	return s.store.Symbols.Name(id)
}

// rank returns the place of each constant in the order of a type; equal numbers share a place. It is what the operator
// % compares (compatibility facts, section 1.4).
func (s *scope) rank(t program.Type) []int32 {
	if ranks, ok := s.ranks[t]; ok {
		return ranks
	}
	s.frozen = true
	names := make([]string, s.store.Symbols.Len()+len(s.names))
	for id := range names {
		names[id] = s.name(symbol.ID(id))
	}
	switch t {
	case program.Int:
		s.ranks[t] = rankBy(names, parseInt)
	case program.Float:
		s.ranks[t] = rankBy(names, parseFloat)
	default:
		s.ranks[t] = rankBy(names, func(name string) string { return name })
	}
	return s.ranks[t]
}

// parseInt reads a canonical integer. Constants of other types are in the table too; they rank anywhere, because
// nothing compares them.
func parseInt(name string) int64 {
	value, _ := strconv.ParseInt(name, 10, 64)
	return value
}

// parseFloat reads a canonical number, as parseInt does.
func parseFloat(name string) float64 {
	value, _ := strconv.ParseFloat(name, 64)
	return value
}

// rankBy sorts the names by key and gives each its dense rank.
func rankBy[K cmp.Ordered](names []string, key func(string) K) []int32 {
	keys := make([]K, len(names))
	order := make([]int32, len(names))
	for id, name := range names {
		keys[id], order[id] = key(name), int32(id)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
	ranks := make([]int32, len(names))
	rank := int32(0)
	for k, id := range order {
		if k > 0 && keys[id] != keys[order[k-1]] {
			rank++
		}
		ranks[id] = rank
	}
	return ranks
}

// allTerms returns every term of a rule.
func allTerms(rule *program.Rule) (all []program.Term) {
	for _, atom := range rule.Atoms {
		all = append(all, atom.Args...)
	}
	if rule.Weight.Atom != nil {
		all = append(all, rule.Weight.Atom.Args...)
	}
	for _, c := range rule.Conditions {
		all = append(all, c.Left, c.Right)
	}
	for _, sum := range rule.Sums {
		for _, conjunction := range sum.Filter {
			for _, literal := range conjunction {
				if literal.Atom != nil {
					all = append(all, literal.Atom.Args...)
				} else {
					all = append(all, literal.Condition.Left, literal.Condition.Right)
				}
			}
		}
	}
	return all
}
