package program

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/syntax"
)

// repeats reports a rule that an earlier one makes superfluous or suspicious, and tells whether it is the former: the
// same rule but for the number before it, as Java PSL compares rules. A clause is a set of literals there, in whatever
// order and on whichever side of the arrow; a linear comparison is a list. What is written in another order, or hard
// where the other is weighted, counts.
func (c *compiler) repeats(rule *Rule) bool {
	literal := rule.literals(c.names)
	exact := rule.Clause(c.names)
	if first, ok := c.seen[exact]; ok {
		c.diags.Warnf("duplicate-rule", rule.Span, "remove one of the two; Java PSL keeps the first, too",
			"this rule is the same as the one at %s, which alone counts", first)
		return true
	}
	c.seen[exact] = rule.Span
	slices.Sort(literal)
	loose := rule.shell(false) + strings.Join(literal, "\n")
	if first, ok := c.alike[loose]; ok {
		c.diags.Warnf("duplicate-rule", rule.Span, "both count, as in Java PSL",
			"this rule says what the one at %s does", first)
		return false
	}
	c.alike[loose] = rule.Span
	return false
}

// Clause is the same for rules of which a program counts the first alone. The names are those of the predicates.
func (r *Rule) Clause(names []string) string {
	return r.shell(true) + strings.Join(r.literals(names), "\n")
}

// literals describes the atoms of a rule's template, with their coefficients, and its comparisons; a clause's in order.
func (r *Rule) literals(names []string) (all []string) {
	term := func(t Term) string {
		switch {
		case !t.IsVariable():
			return syntax.Quote(t.Constant)
		case r.Variables[t.Variable].Summation:
			return "+" + r.Variables[t.Variable].Name
		}
		return r.Variables[t.Variable].Name
	}
	for _, a := range r.Atoms {
		text := fmt.Sprint(a.Coef, " ", names[a.Predicate])
		for _, t := range a.Args {
			text += " " + term(t)
		}
		all = append(all, text)
	}
	for _, x := range r.Conditions {
		all = append(all, fmt.Sprint(x.Op, " ", term(x.Left), " ", term(x.Right)))
	}
	if r.Logical {
		slices.Sort(all)
		all = slices.Compact(all)
	}
	return all
}

// shell describes a rule without its literals and without the number before it; whether it is hard and how its
// comparison is written belong to it if it is exact.
func (r *Rule) shell(exact bool) string {
	zero := &syntax.Number{Text: "0"}
	shell := &syntax.Rule{
		Weight:     syntax.Weight{Atom: r.Written.Weight.Atom},
		Arithmetic: &syntax.Arithmetic{Op: syntax.AtMost, Left: zero, Right: zero},
		Exponent:   r.Exponent, Filters: r.Written.Filters,
	}
	if exact {
		shell.Weight.Hard = r.Weight.Hard
	}
	if exact && !r.Logical {
		shell.Arithmetic.Op = r.Written.Arithmetic.Op
	}
	return syntax.Print(shell) + fmt.Sprintln("", r.Logical, r.Comparator, r.Constant)
}
