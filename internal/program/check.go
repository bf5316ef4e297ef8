package program

import (
	"math"
	"slices"
)

// rounding is how far beyond its bound a sum may be by rounding alone, relative to the sizes that it adds up; tolerance
// is by how much all values have to violate a hard rule.
const rounding, tolerance = 1e-14, 1e-9

// checkMeaning reports rules that cannot do what they were written for: those that always hold, and hard ones that
// never do, whatever values in [0, 1] the atoms have.
func (s *scope) checkMeaning() {
	r := s.rule
	free := func(a Atom) bool { return !s.c.program.Predicates[a.Predicate].Closed }
	if !r.Weight.Hard && !slices.ContainsFunc(r.Atoms, free) {
		s.c.diags.Warnf("vacuous-rule", r.Span, "it has no effect", "all atoms of this rule are observed")
		return
	}
	low, high, size, ok := r.bounds()
	if !ok {
		return
	}
	always := high <= rounding*size && (r.Comparator == LessEqual || low >= -rounding*size)
	never := low > tolerance || r.Comparator == Equal && high < -tolerance
	switch {
	case always:
		s.c.diags.Warnf("vacuous-rule", r.Span, "it has no effect", "this rule holds for all values of its atoms")
	case low == high && !r.Weight.Hard:
		s.c.diags.Warnf("vacuous-rule", r.Span, "it has no effect",
			"the atoms of this rule cancel each other, so that it costs the same whatever their values")
	case never && r.Weight.Hard:
		s.c.diags.Warnf("infeasible-rule", r.Span, "values are between 0 and 1; it is an error if it has any ground rule",
			"no values of its atoms satisfy this hard rule")
	}
}

// bounds returns the smallest and the largest value of the template over the box [0, 1], and the sum of all sizes in
// it; ok is false if they depend on the grounding. Atoms that are written alike are merged first, as T(X) -> T(X)
// shows; Java PSL looks at the signs of the coefficients only and so loses rules such as 2 * T(X) <= 1.
func (r *Rule) bounds() (low, high, size float64, ok bool) {
	if r.Constant.Op != Number || len(r.Sums) > 0 {
		return 0, 0, 0, false
	}
	low, high, size = r.Constant.Number, r.Constant.Number, math.Abs(r.Constant.Number)
	merged := make([]float64, len(r.Atoms))
	for _, a := range r.Atoms {
		if a.Coef.Op != Number {
			return 0, 0, 0, false
		}
		size += math.Abs(a.Coef.Number)
		first := slices.IndexFunc(r.Atoms, a.same)
		merged[first] += a.Coef.Number
	}
	for _, coef := range merged {
		low += min(0, coef)
		high += max(0, coef)
	}
	return low, high, size, true
}

// same reports whether two atoms are written alike, and thus are one atom in every grounding.
func (a Atom) same(b Atom) bool { return a.Predicate == b.Predicate && slices.Equal(a.Args, b.Args) }
