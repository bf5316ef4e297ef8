package ties

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
)

// Equates tells whether a rule equates what some network sees with what is inferred, or passes that on to what is
// labelled.
func (t *Ties) Equates(rule int) bool {
	if t.chained().rules[rule] {
		return true
	}
	for k, declared := range t.g.Project.Config.Predicates {
		if declared.Neural == nil {
			continue
		}
		if equated(t.g.Program, t.g.Program.Rules[rule], k) >= 0 || slices.Contains(t.linked(k).rules, rule) {
			return true
		}
	}
	return false
}

// PassesOn tells whether a rule equates what some network sees with what is inferred, or is the other half of that:
// where what is seen of a thing is what it is, !N(A) -> !L(A) says nothing of other things either.
func (t *Ties) PassesOn(rule int) bool {
	if t.passing == nil {
		t.passing = make([]bool, len(t.g.Program.Rules))
		for r := range t.passing {
			t.passing[r] = t.Equates(r) || t.reverses(t.g.Program.Rules[r])
		}
	}
	return t.passing[rule]
}

// reverses tells whether a rule says L -> N of the very atoms of which others say that N -> L.
func (t *Ties) reverses(rule *program.Rule) bool {
	for neural, declared := range t.g.Project.Config.Predicates {
		if declared.Neural == nil {
			continue
		}
		seen, inferred := tied(t.g.Program, rule, neural)
		switch {
		case seen == nil:
		case slices.Equal(seen.Args, inferred.Args):
			if slices.ContainsFunc(t.g.Program.Rules, func(other *program.Rule) bool {
				return equated(t.g.Program, other, neural) == inferred.Predicate
			}) {
				return true
			}
		case t.linked(neural).follows(t.g.Model, rule.Index):
			return true
		}
	}
	return false
}

// Relates tells whether a rule may say of one thing what follows from others. Rules that pass on what networks see do
// not, nor do those of one atom that sum over the classes of a thing at most.
func (t *Ties) Relates(rule *program.Rule) bool {
	return !t.PassesOn(rule.Index) && (len(rule.Atoms) != 1 || t.sumsThings(rule))
}

// sumsThings tells whether a rule of one atom sums over more than the classes of a thing.
func (t *Ties) sumsThings(rule *program.Rule) bool {
	atom, class := &rule.Atoms[0], -1
	for k, declared := range t.g.Project.Config.Predicates {
		if declared.Neural != nil && (k == atom.Predicate || t.Counterpart(k) == atom.Predicate) {
			class = declared.Neural.Class
		}
	}
	for at, term := range atom.Args {
		if at != class && term.IsVariable() && rule.Variables[term.Variable].Summation {
			return true
		}
	}
	return false
}
