package ground

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

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
		s.ranks[t] = rankBy(names, parseInt, equally)
	case program.Float:
		s.ranks[t] = rankBy(names, parseFloat, equally)
	default:
		s.ranks[t] = rankNames(names)
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

// ranked is a constant with a key that sorts it, among those of its type, but for ties.
type ranked[K cmp.Ordered] struct {
	key K
	id  int32
}

// rankBy sorts the names by key, and those with the same by tie, and gives each its dense rank.
func rankBy[K cmp.Ordered](names []string, key func(string) K, tie func(a, b string) int) []int32 {
	order := make([]ranked[K], len(names))
	for id, name := range names {
		order[id] = ranked[K]{key(name), int32(id)}
	}
	compare := func(a, b ranked[K]) int {
		if c := cmp.Compare(a.key, b.key); c != 0 {
			return c
		}
		return tie(names[a.id], names[b.id])
	}
	slices.SortFunc(order, compare)
	ranks := make([]int32, len(names))
	rank := int32(0)
	for k, r := range order {
		if k > 0 && compare(order[k-1], r) != 0 {
			rank++
		}
		ranks[r.id] = rank
	}
	return ranks
}

// equally is the tie of keys that say everything.
func equally(string, string) int { return 0 }

// rankNames ranks by the names themselves: by eight bytes behind what all of them begin with, which mostly tell, since
// names lie anywhere in memory and may be long.
func rankNames(names []string) []int32 {
	common := ""
	if len(names) > 0 {
		common = names[0]
	}
	for _, name := range names {
		n := 0
		for n < min(len(common), len(name)) && common[n] == name[n] {
			n++
		}
		common = common[:n]
	}
	head := func(name string) (key uint64) {
		var bytes [8]byte
		copy(bytes[:], name[len(common):])
		return binary.BigEndian.Uint64(bytes[:])
	}
	return rankBy(names, head, strings.Compare)
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
