package program

import (
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// maxConjunctions bounds the disjunctive normal form of a filter, which can be exponentially longer than the filter.
const maxConjunctions = 256

// filters compiles the filters of an arithmetic rule, at most one for each summation variable. Java PSL makes one rule
// of each alternative of a filter; here the sum takes the union of the values, as the notation says.
func (s *scope) filters(filters []syntax.Filter) {
	for _, f := range filters {
		sum := s.sumOf(f)
		if sum == nil {
			continue
		}
		s.sum = sum.Variable
		sum.Filter = s.normal(f.Where, false)
		s.sum = -1
		if len(sum.Filter) > maxConjunctions {
			s.errorf("bad-filter", f.Span, "", "this filter has more than %d alternatives", maxConjunctions)
		}
	}
}

// sumOf returns the sum that a filter restricts, or nil after an error.
func (s *scope) sumOf(f syntax.Filter) *Sum {
	v, known := s.numbers[f.Variable.Text]
	for k := range s.rule.Sums {
		sum := &s.rule.Sums[k]
		if !known || sum.Variable != v {
			continue
		}
		if sum.Filter != nil {
			s.errorf("bad-filter", f.Span, "join the two with &", "a second filter for %s", f.Variable.Text)
			return nil
		}
		return sum
	}
	hint := "sum over it with +" + f.Variable.Text + " in an atom"
	if known {
		hint += "; what the rule is about is restricted by an observed atom beside the others, times 0: 0 * P(" +
			f.Variable.Text + ")"
	}
	s.errorf("bad-filter", f.Variable.Span, hint,
		"a filter restricts a sum, and nothing is summed over %s", f.Variable.Text)
	return nil
}

// rejectFilters reports filters in a logical rule.
func (s *scope) rejectFilters(filters []syntax.Filter) {
	for _, f := range filters {
		s.errorf("bad-filter", f.Span, "write its condition into the body of the rule",
			"a filter restricts a sum, and logical rules have none")
	}
}

// normal returns the disjunctive normal form of a filter, or of its negation: negations move inwards (De Morgan)
// on the way down, and conjunctions are multiplied out on the way up.
func (s *scope) normal(e syntax.Expr, negated bool) [][]Literal {
	switch e := e.(type) {
	case *syntax.Unary:
		return s.normal(e.X, !negated)
	case *syntax.Binary:
		x, y := s.normal(e.X, negated), s.normal(e.Y, negated)
		if (e.Op == syntax.And) == negated {
			return append(x, y...)
		}
		return product(x, y)
	case *syntax.Atom:
		atom := s.lookup(e, "a filter")
		return [][]Literal{{{Negated: negated, Atom: &atom}}}
	case *syntax.Comparison:
		condition := s.condition(e)
		return [][]Literal{{{Negated: negated, Condition: &condition}}}
	}
	panic("program: an expression that is no filter")
}

// product returns the conjunctions of one from x and one from y, at most so many that one sees that there are too many.
func product(x, y [][]Literal) [][]Literal {
	var all [][]Literal
	for _, a := range x {
		for _, b := range y {
			if len(all) <= maxConjunctions {
				all = append(all, append(append([]Literal(nil), a...), b...))
			}
		}
	}
	return all
}
