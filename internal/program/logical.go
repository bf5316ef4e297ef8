package program

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/deeppsl/deeppsl/internal/syntax"
)

// logical compiles Body -> Head into Σ_P x - Σ_N x + 1 - |P| ≤ 0, where the positive literals P are those of the body
// and the negated ones of the head, and N are the others. A literal that is written twice counts once, since a clause
// is a set of them; two atoms that become one in a grounding are two.
func (s *scope) logical(clause *syntax.Logical) {
	s.rule.Logical = true
	positives := 0
	for _, l := range clause.Body {
		positives += s.literal(l, !l.Negated)
	}
	for _, l := range clause.Head {
		positives += s.literal(l, l.Negated)
	}
	s.rule.Constant = constant(1 - float64(positives))
	if len(s.rule.Atoms) == 0 {
		s.errorf("no-atoms", s.rule.Span, "", "a rule needs at least one atom")
		return
	}
	if len(s.rule.Atoms) == 1 && s.rule.Exponent == 1 {
		s.rule.Form = Linear
	}
	s.conditions(clause)
	s.generate(positives == 0 && !s.derivation)
	if !s.partial {
		s.checkSafety()
	}
}

// literal adds an atom of P or N to the template, and returns how many positive ones it added. Comparisons wait until
// all variables are known.
func (s *scope) literal(l syntax.Literal, positive bool) int {
	if l.Atom == nil {
		return 0
	}
	atom := s.atom(l.Atom)
	atom.Coef = constant(-1)
	if positive {
		atom.Coef = constant(1)
	}
	twin := func(other Atom) bool { return atom.same(other) && isNumber(other.Coef, atom.Coef.Number) }
	if !s.failed && slices.ContainsFunc(s.rule.Atoms, twin) {
		s.c.diags.Warnf("repeated-literal", atom.Span, "it counts once, as in Java PSL; remove one",
			"this literal stands in the rule twice")
		return 0
	}
	s.rule.Atoms = append(s.rule.Atoms, atom)
	return int(max(0, atom.Coef.Number))
}

// conditions adds the clause's comparisons: those of the body as they are, and the opposite of those of the head, since
// a grounding in which one of the head holds is satisfied.
func (s *scope) conditions(clause *syntax.Logical) {
	for _, l := range clause.Body {
		s.bodyCondition(l)
	}
	for _, l := range clause.Head {
		l.Negated = !l.Negated
		s.bodyCondition(l)
	}
}

// bodyCondition adds one comparison.
func (s *scope) bodyCondition(l syntax.Literal) {
	if l.Comparison == nil {
		return
	}
	condition := s.condition(l.Comparison)
	if l.Negated {
		switch condition.Op {
		case Same:
			condition.Op = Different
		case Different:
			condition.Op = Same
		case Before:
			condition.Op = NotBefore
		}
	}
	s.rule.Conditions = append(s.rule.Conditions, condition)
}

// generate marks the atoms that the grounder enumerates: the positive ones that have rows; or, in a rule without
// positive ones, such as the prior 1.0: P(X), those of open predicates, because their atoms are listed and no other
// grounding can matter.
func (s *scope) generate(prior bool) {
	for k := range s.rule.Atoms {
		a := &s.rule.Atoms[k]
		switch {
		case a.Coef.Number > 0:
			a.Generates = a.Predicate >= 0 && !s.c.program.Predicates[a.Predicate].Functional
		case prior && a.Predicate >= 0:
			a.Generates = !s.c.program.Predicates[a.Predicate].Closed
		}
	}
}

// checkSafety insists that every variable occurs in an atom that generates. A variable elsewhere would range over all
// constants there are, which nobody means and no memory holds.
func (s *scope) checkSafety() {
	bound := make([]bool, len(s.rule.Variables))
	for _, a := range s.rule.Atoms {
		if !a.Generates {
			continue
		}
		for _, t := range a.Args {
			if t.IsVariable() {
				bound[t.Variable] = true
			}
		}
	}
	for v, ok := range bound {
		switch name := s.rule.Variables[v].Name; {
		case ok:
		case s.isArgument(v):
			s.errorf("functional-unbound", s.uses[v].span, "bind it in an atom that has rows, as in P("+name+") & ...",
				"a function only computes values, and nothing else in the rule gives values to %s", name)
		default:
			s.errorf("unsafe-variable", s.uses[v].span, "bind it in the body, as in P("+name+") -> ..."+s.otherwise(name),
				"no atom of the body that is not negated gives values to %s", name)
		}
	}
}

// otherwise adds to a hint about a variable what else may have been meant: another variable in other letters, or, of
// one that is written as constants are elsewhere, in lower case, a constant.
func (s *scope) otherwise(name string) string {
	for _, v := range s.rule.Variables {
		if v.Name != name && strings.EqualFold(v.Name, name) {
			return "; " + v.Name + " is another variable, as its letters are others"
		}
	}
	if first, _ := utf8.DecodeRuneInString(name); unicode.IsLower(first) {
		return "; if it is a constant, write '" + name + "'"
	}
	return ""
}

// isArgument tells whether a variable is an argument of a function.
func (s *scope) isArgument(v int) bool {
	return slices.ContainsFunc(s.rule.Atoms, func(a Atom) bool {
		holds := func(t Term) bool { return t.Variable == v }
		return s.c.program.Predicates[a.Predicate].Functional && slices.ContainsFunc(a.Args, holds)
	})
}
