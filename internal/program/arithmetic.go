package program

import (
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// arithmetic compiles Left op Right into Left - Right, or Right - Left for >=, compared with 0.
func (s *scope) arithmetic(x *syntax.Arithmetic) {
	s.declareSums(x.Left)
	s.declareSums(x.Right)
	left, right := constant(1), constant(-1)
	if x.Op == syntax.AtLeast {
		left, right = right, left
	}
	s.linear(x.Left, left)
	s.linear(x.Right, right)
	s.pending(x.Left)
	s.pending(x.Right)
	if x.Op == syntax.Equal {
		s.rule.Comparator, s.rule.Form = Equal, Absolute
	}
	if len(s.rule.Atoms) == 0 && !s.failed {
		s.errorf("no-atoms", s.rule.Span, "", "a rule needs at least one atom")
	}
	if !s.failed {
		s.checkSafety()
	}
}

// declareSums declares all summation variables before anything else, so that |B| may precede the atom with +B.
func (s *scope) declareSums(e syntax.Expr) {
	for _, a := range atomsOf(e) {
		for _, t := range a.Args {
			if !t.Sum {
				continue
			}
			if _, known := s.numbers[t.Text]; known {
				s.errorf("bad-summation", t.Span, "give each sum a variable of its own", "%s is summed over twice", t.Text)
				continue
			}
			v := s.declare(t, true)
			s.rule.Sums = append(s.rule.Sums, Sum{Variable: v, Atom: -1})
		}
	}
}

// linear adds scale · e to the template. It distributes coefficients over groups on its way down, so that the template
// is a sum of atoms however the rule was written.
func (s *scope) linear(e syntax.Expr, scale Expr) {
	switch e := e.(type) {
	case *syntax.Atom:
		s.term(e, scale)
	case *syntax.Comparison: // a condition, and no part of the sum
	case *syntax.Unary:
		s.linear(e.X, negate(scale))
	case *syntax.Binary:
		s.operation(e, scale)
	default:
		s.rule.Constant = add(s.rule.Constant, multiply(scale, s.coefficient(e)))
	}
}

// operation adds scale · (X op Y) to the template. One factor of a product and the divisor of a quotient have to be
// free of atoms: otherwise the penalty would not be convex.
func (s *scope) operation(e *syntax.Binary, scale Expr) {
	switch {
	case !hasAtoms(e):
		s.rule.Constant = add(s.rule.Constant, multiply(scale, s.coefficient(e)))
	case e.Op == syntax.Add:
		s.linear(e.X, scale)
		s.linear(e.Y, scale)
	case e.Op == syntax.Subtract:
		s.linear(e.X, scale)
		s.linear(e.Y, negate(scale))
	case e.Op == syntax.Multiply && !hasAtoms(e.X):
		s.linear(e.Y, multiply(scale, s.coefficient(e.X)))
	case e.Op == syntax.Multiply && !hasAtoms(e.Y):
		s.linear(e.X, multiply(scale, s.coefficient(e.Y)))
	case e.Op == syntax.Divide && !hasAtoms(e.Y):
		s.linear(e.X, divide(scale, s.divisor(e.Y)))
	default:
		s.errorf("not-linear", e.Span, "atoms may be added, and multiplied or divided by numbers",
			"this expression is not linear in its atoms")
	}
}

// term adds coef · a to the template. An atom that occurs twice is added twice; the grounder merges equal atoms, which
// it has to do anyway for those that become equal in a grounding.
func (s *scope) term(a *syntax.Atom, coef Expr) {
	atom := s.atom(a)
	atom.Coef, atom.Generates = coef, atom.Predicate < 0 || !s.c.program.Predicates[atom.Predicate].Functional
	for k := range s.rule.Sums {
		for _, t := range a.Args {
			if sum := &s.rule.Sums[k]; t.Sum && s.numbers[t.Text] == sum.Variable {
				sum.Atom = len(s.rule.Atoms)
			}
		}
	}
	s.rule.Atoms = append(s.rule.Atoms, atom)
}

// coefficient compiles an expression without atoms, folding what is constant: most rules are left with plain numbers,
// which the grounder need not evaluate for each ground rule.
func (s *scope) coefficient(e syntax.Expr) Expr {
	switch e := e.(type) {
	case *syntax.Number:
		return constant(e.Value)
	case *syntax.Cardinality:
		return s.cardinality(e)
	case *syntax.Unary:
		return negate(s.coefficient(e.X))
	case *syntax.Binary:
		x := s.coefficient(e.X)
		switch e.Op {
		case syntax.Add:
			return add(x, s.coefficient(e.Y))
		case syntax.Subtract:
			return binary(Subtract, x, s.coefficient(e.Y))
		case syntax.Multiply:
			return multiply(x, s.coefficient(e.Y))
		case syntax.Divide:
			return divide(x, s.divisor(e.Y))
		case syntax.Min:
			return binary(Min, x, s.coefficient(e.Y))
		case syntax.Max:
			return binary(Max, x, s.coefficient(e.Y))
		}
	}
	s.errorf("not-linear", e.Place(), "", "a coefficient is made of numbers and sizes |B|")
	return constant(1)
}

// divisor compiles the right side of a division. A divisor with |B| may still be 0 in some grounding, which only the
// grounder can see.
func (s *scope) divisor(e syntax.Expr) Expr {
	x := s.coefficient(e)
	if value, ok := x.Constant(); ok && value == 0 {
		s.errorf("division-by-zero", e.Place(), "", "division by zero")
		return constant(1)
	}
	return x
}

// cardinality compiles |B|. Java PSL checks B only where |B| is the whole coefficient, and crashes elsewhere.
func (s *scope) cardinality(e *syntax.Cardinality) Expr {
	v, known := s.numbers[e.Variable.Text]
	if !known || !s.rule.Variables[v].Summation {
		s.errorf("bad-cardinality", e.Span, "sum over it with +"+e.Variable.Text+" in an atom",
			"|%s| is the size of a sum, and nothing is summed over %[1]s", e.Variable.Text)
		return constant(1)
	}
	return Expr{Op: Cardinality, Variable: v}
}

// pending adds the comparisons of terms among the operands, now that all variables are known.
func (s *scope) pending(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Unary:
		s.pending(e.X)
	case *syntax.Binary:
		s.pending(e.X)
		s.pending(e.Y)
	case *syntax.Comparison:
		s.rule.Conditions = append(s.rule.Conditions, s.condition(e))
	}
}

// atomsOf returns the atoms of an expression in the order they were written.
func atomsOf(e syntax.Expr) []*syntax.Atom {
	switch e := e.(type) {
	case *syntax.Atom:
		return []*syntax.Atom{e}
	case *syntax.Unary:
		return atomsOf(e.X)
	case *syntax.Binary:
		return append(atomsOf(e.X), atomsOf(e.Y)...)
	}
	return nil
}

// hasAtoms reports whether e is more than a coefficient. Comparisons count as atoms: they cannot be multiplied with one
// another or divided by either.
func hasAtoms(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Atom, *syntax.Comparison:
		return true
	case *syntax.Unary:
		return hasAtoms(e.X)
	case *syntax.Binary:
		return hasAtoms(e.X) || hasAtoms(e.Y)
	}
	return false
}
