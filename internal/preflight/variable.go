package preflight

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
)

// lintVariables reports variables that a rule of several atoms uses once: often a slip of the pen for another one.
// Summation variables are used once by nature, and so are those of a prior and of arithmetic rules: T(X, Y) <= Rain(Y)
// is about all X. A name that begins with _ says that any value will do.
func lintVariables(rule *program.Rule, out *source.Diagnostics) {
	if len(rule.Atoms) < 2 {
		return
	}
	uses := make([]int, len(rule.Variables))
	for _, args := range termLists(rule) {
		for _, arg := range args {
			if arg.IsVariable() {
				uses[arg.Variable]++
			}
		}
	}
	for v, variable := range rule.Variables {
		if uses[v] == 1 && !variable.Summation && !strings.HasPrefix(variable.Name, "_") && !forAll(rule, v) {
			out.Warnf("variable-used-once", variableSpan(rule, v),
				"if any value will do, begin its name with _; check its spelling"+orConstant(variable.Name),
				"the rule uses %s only here", variable.Name)
		}
	}
}

// lintBlank reports _ in several places of a rule: other languages take it for another variable in each.
func lintBlank(rule *program.Rule, out *source.Diagnostics) {
	v := slices.IndexFunc(rule.Variables, func(v program.Variable) bool { return v.Name == "_" })
	uses := 0
	for _, args := range termLists(rule) {
		for _, arg := range args {
			if v >= 0 && arg.IsVariable() && arg.Variable == v {
				uses++
			}
		}
	}
	if uses > 1 {
		out.Warnf("repeated-blank", variableSpan(rule, v), "if any values will do, call them _1, _2 and so on",
			"_ is one variable, which has the same value in all %d places of the rule", uses)
	}
}

// forAll tells whether a variable that is used once is one of an arithmetic rule, which is about all values of each.
// One in lower case may be a constant without quotes.
func forAll(rule *program.Rule, v int) bool {
	first, _ := utf8.DecodeRuneInString(rule.Variables[v].Name)
	return !rule.Logical && !unicode.IsLower(first)
}

// orConstant adds to the hint about a variable that is written as constants are elsewhere, in lower case.
func orConstant(name string) string {
	if first, _ := utf8.DecodeRuneInString(name); unicode.IsLower(first) {
		return "; a constant is in quotes: '" + name + "'"
	}
	return ""
}

// termLists returns the terms of a rule: of each atom, of each condition, of the weight and the filters.
func termLists(rule *program.Rule) (all [][]program.Term) {
	for _, atom := range atoms(rule) {
		all = append(all, atom.Args)
	}
	conditions := slices.Clone(rule.Conditions)
	for _, literal := range filterLiterals(rule) {
		if literal.Condition != nil {
			conditions = append(conditions, *literal.Condition)
		}
	}
	for _, c := range conditions {
		all = append(all, []program.Term{c.Left, c.Right})
	}
	return all
}

// atoms returns every atom of a rule, those of its weight and its filters included.
func atoms(rule *program.Rule) (all []*program.Atom) {
	for k := range rule.Atoms {
		all = append(all, &rule.Atoms[k])
	}
	if rule.Weight.Atom != nil {
		all = append(all, rule.Weight.Atom)
	}
	for _, literal := range filterLiterals(rule) {
		if literal.Atom != nil {
			all = append(all, literal.Atom)
		}
	}
	return all
}

// filterLiterals returns the literals of all filters of a rule.
func filterLiterals(rule *program.Rule) (all []program.Literal) {
	for _, sum := range rule.Sums {
		for _, conjunction := range sum.Filter {
			all = append(all, conjunction...)
		}
	}
	return all
}

// variableSpan returns where an atom of the rule first has a variable.
func variableSpan(rule *program.Rule, v int) source.Span {
	has := func(t program.Term) bool { return t.Variable == v }
	for _, atom := range atoms(rule) {
		if slices.ContainsFunc(atom.Args, has) {
			return wordSpan(atom.Span, rule.Variables[v].Name)
		}
	}
	return rule.Span
}

// wordSpan returns the first place of a word within a span, or the span if it is not written there.
func wordSpan(in source.Span, word string) source.Span {
	at := regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`).FindStringIndex(in.Text())
	if at == nil || !in.HasText() {
		return in
	}
	return in.File.Span(in.Start+at[0], in.Start+at[1])
}
