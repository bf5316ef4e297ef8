package inspect

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// shownEntities is how many of a network's entities are shown.
const shownEntities = 60

// perceivedPredicate is what a network says of one predicate's atoms.
type perceivedPredicate struct {
	Predicate string
	Atoms     int
	// Entities are all arguments but the last, with the class that the network is surest of; the least sure first.
	Entities []entity
	Found    int
	// Classes counts the entities by that class.
	Classes []classCount
}

// entity is what a network says about one.
type entity struct {
	Name  string
	Class string
	Atom  string
	Value float64
}

// classCount is how many entities a network takes for a class.
type classCount struct {
	Class string
	Count int
}

// networks is the page of what networks say.
func (s *Site) networks(context.Context, url.Values) (*page, error) {
	var all []perceivedPredicate
	for _, atoms := range s.grounding.Tables.Store.Relations {
		if atoms.FreeLen() > 0 && atoms.Free == relation.Perceived && atoms.Arity > 0 {
			all = append(all, s.perceived(atoms))
		}
	}
	return &page{Name: "networks", Title: "Networks", Data: all}, nil
}

// perceived sums up what a network says of a predicate's atoms.
func (s *Site) perceived(atoms *relation.Relation) perceivedPredicate {
	p := perceivedPredicate{Predicate: atoms.Name, Atoms: atoms.FreeLen()}
	store := s.grounding.Tables.Store
	best := make(map[string]int) // by entity
	counts := make(map[string]int)
	var tuple []symbol.ID
	for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
		tuple = atoms.Tuple(tuple[:0], row)
		names := make([]string, len(tuple))
		for k, id := range tuple {
			names[k] = store.Symbols.Name(id)
		}
		last := max(len(names)-1, 1) // of an atom with one argument, that is the entity
		e := entity{Name: strings.Join(names[:last], ", "), Class: strings.Join(names[last:], ""),
			Value: session.FreeValue(s.answer, atoms, row), Atom: store.Atom(atoms, row)}
		at, known := best[e.Name]
		if !known {
			best[e.Name] = len(p.Entities)
			p.Entities = append(p.Entities, e)
		} else if e.Value > p.Entities[at].Value {
			p.Entities[at] = e
		}
	}
	for _, e := range p.Entities {
		counts[e.Class]++
	}
	for class, n := range counts {
		p.Classes = append(p.Classes, classCount{class, n})
	}
	slices.SortFunc(p.Classes, func(a, b classCount) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Class, b.Class))
	})
	p.Classes = p.Classes[:min(len(p.Classes), shownEntities)]
	slices.SortStableFunc(p.Entities, func(a, b entity) int { return cmp.Compare(a.Value, b.Value) })
	p.Found = len(p.Entities)
	p.Entities = p.Entities[:min(len(p.Entities), shownEntities)]
	return p
}
