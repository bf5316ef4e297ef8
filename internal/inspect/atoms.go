package inspect

import (
	"context"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// shownAtoms is how many atoms one page lists.
const shownAtoms = 100

// listed is an atom in a list.
type listed struct {
	Atom  string
	Value float64
	Role  string

	relation *relation.Relation
	row      int32
}

// listing is a page of a predicate's atoms.
type listing struct {
	Predicates []session.PredicateAnswer
	// Predicate is one of them, or "" for all. Text is what an argument has in it, Order how the atoms are sorted.
	Predicate, Text, Order string
	Orders                 []string
	Atoms                  []listed
	// Number is the page's, from 0, and First that of its first atom, from 1; Found counts the atoms on all of them,
	// Previous and Next are "" at the ends.
	Number, Found, First int
	Previous, Next       string
}

// The orders of a listing.
const byValue, byLeastSure, byData = "largest first", "nearest to ½ first", "as in the data"

// atoms is the page of the atoms that were inferred or perceived, with a part of their names if the query has one.
func (s *Site) atoms(ctx context.Context, query url.Values) (*page, error) {
	l := &listing{Predicates: s.predicates, Predicate: query.Get("predicate"), Text: query.Get("q"),
		Order: query.Get("order"), Orders: []string{byValue, byLeastSure, byData}}
	if !slices.Contains(l.Orders, l.Order) {
		l.Order = byValue
	}
	l.Number, _ = strconv.Atoi(query.Get("page")) // 0 where there is none
	if err := s.find(ctx, l); err != nil {
		return nil, err
	}
	if l.Number > 0 {
		l.Previous = strconv.Itoa(l.Number - 1)
	}
	if l.First+shownAtoms <= l.Found {
		l.Next = strconv.Itoa(l.Number + 1)
	}
	return &page{Name: "atoms", Title: "Atoms", Data: l}, nil
}

// find fills a listing's page with the atoms that it asks for.
func (s *Site) find(ctx context.Context, l *listing) error {
	type place struct {
		relation *relation.Relation
		row      int32
	}
	var found []place
	var keys []float64 // by which they are listed, the least first
	for _, atoms := range s.grounding.Tables.Store.Relations {
		if atoms.FreeLen() == 0 || l.Predicate != "" && !strings.EqualFold(l.Predicate, atoms.Name) {
			continue
		}
		fits := s.fits(atoms, l.Text)
		found, keys = slices.Grow(found, atoms.FreeLen()), slices.Grow(keys, atoms.FreeLen())
		for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
			if row%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if atoms.Has(row) && (l.Text == "" || fits(row)) {
				found = append(found, place{atoms, row})
				keys = append(keys, l.key(session.FreeValue(s.answer, atoms, row)))
			}
		}
	}
	l.Found = len(found)
	l.Number = min(max(l.Number, 0), max(len(found)-1, 0)/shownAtoms)
	from := l.Number * shownAtoms
	l.First = from + 1
	for _, at := range ranked(keys, from, min(len(found), from+shownAtoms)) {
		r, row := found[at].relation, found[at].row
		l.Atoms = append(l.Atoms, listed{Atom: s.grounding.Tables.Store.Atom(r, row), Role: r.Role(row).String(),
			Value: session.FreeValue(s.answer, r, row), relation: r, row: row})
	}
	return nil
}

// key is what an atom of a value is listed by, the least first.
func (l *listing) key(value float64) float64 {
	switch l.Order {
	case byValue:
		return -value
	case byLeastSure:
		return math.Abs(value - 0.5)
	}
	return 0
}

// fits returns what tells whether an argument of a row has a text in it, in whatever case.
func (s *Site) fits(atoms *relation.Relation, text string) func(row int32) bool {
	symbols, wanted := s.grounding.Tables.Store.Symbols, strings.ToLower(text)
	has := make(map[symbol.ID]bool)
	return func(row int32) bool {
		return slices.ContainsFunc(atoms.Columns, func(column []symbol.ID) bool {
			known, ok := has[column[row]]
			if !ok {
				known = strings.Contains(strings.ToLower(symbols.Name(column[row])), wanted)
				has[column[row]] = known
			}
			return known
		})
	}
}

// mistake is an atom whose value is not what is known of it.
type mistake struct {
	listed
	Truth float64
}

// scoredPredicate is what is known about a predicate's atoms, beside what was inferred.
type scoredPredicate struct {
	Predicate string
	Scored    int
	// True says from which value on atoms count as true, where that was learned; elsewhere it is nil, and ½ parts them.
	True *session.TrueAtoms
	// Wrong counts the atoms that are not on the side on which they are known to be.
	Wrong    int
	Mistakes []mistake // the furthest from the truth first
}

// holds tells whether an atom of a value counts as true.
func (p *scoredPredicate) holds(value float64) bool {
	if p.True != nil {
		return value >= p.True.From
	}
	return value > 0.5
}

// mistakes is the page of atoms that are not what they are known to be, those that the model is surest of first.
func (s *Site) mistakes(ctx context.Context, _ url.Values) (*page, error) {
	all, err := s.mistaken(ctx)
	return &page{Name: "errors", Title: "Errors", Data: struct {
		Evaluations []session.Evaluation
		Predicates  []scoredPredicate
	}{s.report.Evaluations, all}}, err
}

// mistaken compares all predicates whose truth is known with it.
func (s *Site) mistaken(ctx context.Context) (all []scoredPredicate, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.judged != nil {
		return s.judged, nil
	}
	for k, atoms := range s.grounding.Tables.Store.Relations {
		if atoms.FreeLen() == 0 {
			continue
		}
		truth, err := s.grounding.Truth(s.grounding.Phase, k)
		if err != nil {
			return nil, err
		}
		if truth != nil && truth.Len() > 0 {
			all = append(all, s.judge(atoms, truth))
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	s.judged = all
	return all, nil
}

// judge compares a predicate's atoms with their truth.
func (s *Site) judge(atoms, truth *relation.Relation) scoredPredicate {
	p := scoredPredicate{Predicate: atoms.Name}
	for _, summary := range s.predicates {
		if summary.Predicate == atoms.Name {
			p.True = summary.True
		}
	}
	type wrong struct {
		row          int32
		value, known float64
	}
	var all []wrong
	var off []float64 // how far they are from the truth, less than 0
	s.Known.each(atoms, truth, func(row int32, known float64) {
		value := session.FreeValue(s.answer, atoms, row)
		p.Scored++
		if p.holds(value) != (known > 0.5) {
			all = append(all, wrong{row, value, known})
			off = append(off, -math.Abs(value-known))
		}
	})
	p.Wrong = len(all)
	for _, at := range ranked(off, 0, min(len(off), shownAtoms)) {
		p.Mistakes = append(p.Mistakes, mistake{listed{Atom: s.grounding.Tables.Store.Atom(atoms, all[at].row),
			Value: all[at].value, relation: atoms, row: all[at].row}, all[at].known})
	}
	return p
}
