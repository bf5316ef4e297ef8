package preflight

import (
	"fmt"
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

// shapeOf describes all of a rule but its weight's number and the names of its variables, which are numbered in the
// order in which they appear.
func shapeOf(rule *program.Rule) string {
	var b strings.Builder
	fmt.Fprint(&b, rule.Logical, rule.Weight.Hard, rule.Comparator, rule.Form, rule.Exponent, rule.Constant)
	for k := range rule.Atoms {
		fmt.Fprint(&b, "\n", rule.Atoms[k].Coef)
	}
	for _, a := range atoms(rule) {
		fmt.Fprint(&b, "\n", a.Predicate, a.Args)
	}
	for _, c := range rule.Conditions {
		fmt.Fprint(&b, "\n", c.Op, c.Left, c.Right)
	}
	for _, sum := range rule.Sums {
		fmt.Fprint(&b, "\nsum ", sum.Variable, sum.Atom)
		for _, conjunction := range sum.Filter {
			fmt.Fprint(&b, "\nor")
			for _, literal := range conjunction {
				fmt.Fprint(&b, " ", literal.Negated, literal.Atom != nil)
				if c := literal.Condition; c != nil {
					fmt.Fprint(&b, c.Op, c.Left, c.Right)
				}
			}
		}
	}
	return b.String()
}
