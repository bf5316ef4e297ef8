package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
)

// lintTwins reports rules that are an earlier one with other names for the variables. Those that are written alike have
// been reported by the compiler.
func (m *Model) lintTwins(out *source.Diagnostics) {
	told := newTold(out)
	first := make(map[string]*program.Rule)
	for _, rule := range m.Program.Rules {
		shape := shapeOf(rule)
		before := first[shape]
		if before == nil {
			first[shape] = rule
			continue
		}
		if !told.about(rule, "duplicate-rule") {
			out.Warnf("duplicate-rule", rule.Span, "both count, each with its own weight",
				"this rule is the one at %s with other names for its variables", before.Span)
		}
	}
}

// shapeOf describes all of a rule but its weight's number, the names of its variables, which are numbered in the order
// in which they appear, and the order of a clause's literals.
func shapeOf(rule *program.Rule) string {
	var b strings.Builder
	fmt.Fprint(&b, rule.Logical, rule.Weight.Hard, rule.Comparator, rule.Form, rule.Exponent, rule.Constant)
	literals := slices.Clone(rule.Atoms)
	if rule.Logical {
		slices.SortStableFunc(literals, func(a, b program.Atom) int { return strings.Compare(alone(a), alone(b)) })
	}
	numbers := make(map[int]int)
	for _, a := range literals {
		fmt.Fprint(&b, "\n", a.Predicate, a.Coef, numbered(a.Args, numbers))
	}
	for _, a := range atoms(rule)[len(literals):] {
		fmt.Fprint(&b, "\n", a.Predicate, numbered(a.Args, numbers))
	}
	for _, c := range rule.Conditions {
		fmt.Fprint(&b, "\n", comparison(c, numbers))
	}
	for _, sum := range rule.Sums {
		fmt.Fprint(&b, "\nsum ", numbers[sum.Variable], sum.Atom)
		for _, conjunction := range sum.Filter {
			fmt.Fprint(&b, "\nor")
			for _, literal := range conjunction {
				fmt.Fprint(&b, " ", literal.Negated, literal.Atom != nil)
				if c := literal.Condition; c != nil {
					fmt.Fprint(&b, comparison(*c, numbers))
				}
			}
		}
	}
	return b.String()
}

// alone describes a literal as if there were no other one.
func alone(a program.Atom) string {
	return fmt.Sprint(a.Predicate, a.Coef, numbered(a.Args, make(map[int]int)))
}

// numbered describes terms by the numbers of their variables, to which it adds those that have none.
func numbered(terms []program.Term, numbers map[int]int) string {
	var b strings.Builder
	for _, t := range terms {
		if !t.IsVariable() {
			fmt.Fprintf(&b, " %q", t.Constant)
			continue
		}
		if _, ok := numbers[t.Variable]; !ok {
			numbers[t.Variable] = len(numbers)
		}
		fmt.Fprint(&b, " ", numbers[t.Variable])
	}
	return b.String()
}

// comparison describes a comparison of terms, and likewise one from right to left where that is the same.
func comparison(c program.Condition, numbers map[int]int) string {
	left, right := numbered([]program.Term{c.Left}, numbers), numbered([]program.Term{c.Right}, numbers)
	if (c.Op == program.Same || c.Op == program.Different) && right < left {
		left, right = right, left
	}
	return fmt.Sprint(c.Op, left, right)
}
