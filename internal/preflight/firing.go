package preflight

import (
	"cmp"
	"slices"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
)

// neverHint goes with every reason why a rule has no ground rules.
const neverHint = "the rule has no effect; check the data, and whether constants are spelt alike in all tables"

// LintFiring is the part of Lint about rules without ground rules, or with fewer than they might have. After grounding,
// Estimates that are Counted let every run do it.
func (m *Model) LintFiring(out *source.Diagnostics) {
	told := newTold(out)
	for k, rule := range m.Program.Rules {
		if !told.about(rule, "vacuous-rule", anyError) {
			m.lintFiring(rule, &m.Estimates[k], out)
		}
	}
	m.lintSpelling(out)
}

// Counted puts what was counted while a program was ground in the place of estimates.
func Counted(report *ground.Report) []ground.Estimate {
	counted := make([]ground.Estimate, len(report.Rules))
	for k := range report.Rules {
		r := &report.Rules[k]
		counted[k] = ground.Estimate{Plan: r.Plan, Exact: true,
			Potentials: float64(r.Potentials), Groundings: float64(r.Groundings),
			Constant: float64(r.Constant), Missing: float64(r.Missing), Violated: float64(r.Violated)}
	}
	return counted
}

// lintFiring reports a rule that no data lead to a ground rule, with the simplest reason that there is.
func (m *Model) lintFiring(rule *program.Rule, e *ground.Estimate, out *source.Diagnostics) {
	if e.Potentials > 0 || e.Missing > 0 || e.Violated > 0 {
		return
	}
	if m.emptyAtom(rule, out) || m.disjointAtoms(rule, out) || !e.Exact || rule.Weight.Hard && e.Groundings > 0 {
		return // a hard rule may well hold already
	}
	if e.Constant > 0 {
		out.Warnf("never-fires", rule.Span, neverHint, "all atoms in the %s groundings of this rule are observed",
			ground.Amount(e.Constant, true))
		return
	}
	out.Warnf("never-fires", rule.Span, neverHint, "%s",
		"this rule has no ground rules: its atoms have no rows in common, or what is observed makes it hold")
}

// emptyAtom reports an atom that must have rows and has none, or none with one of its constants.
func (m *Model) emptyAtom(rule *program.Rule, out *source.Diagnostics) bool {
	for _, a := range required(rule) {
		r := m.relation(a)
		if r.Len() == 0 {
			out.Warnf("never-fires", a.Span, neverHint, "%s has no atoms, so this rule has no ground rules", r.Name)
			return true
		}
		for column, arg := range a.Args {
			if !arg.IsVariable() && !m.holds(r, column, arg.Constant) {
				out.Warnf("never-fires", a.Span, cmp.Or(m.suggest(r, column, arg.Constant), neverHint),
					"no atom of %s has '%s' as argument %d", r.Name, arg.Constant, column+1)
				return true
			}
		}
	}
	return false
}

// suggest asks whether one of a column's constants was meant, unless there are many.
func (m *Model) suggest(r *relation.Relation, column int, constant string) string {
	if r.Len() > suggestRows {
		return ""
	}
	var names []string
	for id := range setOf(r.Columns[column]) {
		names = append(names, m.Tables.Store.Symbols.Name(id))
	}
	slices.Sort(names)
	return source.Suggest(constant, names)
}

// suggestRows is up to how many rows a column is looked through for what a constant should be.
const suggestRows = 10_000

// required returns the atoms without whose rows a rule has no ground rules: the generating ones, and the weight's.
func required(rule *program.Rule) (all []*program.Atom) {
	for k := range rule.Atoms {
		if a := &rule.Atoms[k]; a.Generates {
			all = append(all, a)
		}
	}
	if rule.Weight.Atom != nil {
		all = append(all, rule.Weight.Atom)
	}
	return all
}

// holds tells whether a column has a constant.
func (m *Model) holds(r *relation.Relation, column int, constant string) bool {
	id, known := m.Tables.Store.Symbols.Lookup(constant)
	return known && len(r.Index(column).Rows(id)) > 0
}

// disjointAtoms reports a variable for which two atoms have no value in common.
func (m *Model) disjointAtoms(rule *program.Rule, out *source.Diagnostics) bool {
	known := make(map[[4]int]bool)
	for v, list := range usesOf(rule) {
		for k, second := range list {
			for _, first := range list[:k] {
				if m.disjoint(known, first, second) {
					out.Warnf("never-fires", second.atom.Span, neverHint,
						"no value of %s is in %s as argument %d and in %s as argument %d, so this rule has no ground rules",
						rule.Variables[v].Name, m.relation(first.atom).Name, first.column+1, m.relation(second.atom).Name,
						second.column+1)
					return true
				}
			}
		}
	}
	return false
}

// disjoint tells whether two columns have no value in common. What was found is known from then on.
func (m *Model) disjoint(known map[[4]int]bool, first, second use) bool {
	pair := pairOf(first, second)
	answer, ok := known[pair]
	if !ok {
		a, b := m.relation(first.atom).Columns[first.column], m.relation(second.atom).Columns[second.column]
		marks := relation.NewMarks(m.Tables.Store.Symbols.Len())
		marks.Add(a)
		answer = len(marks.Select(nil, b)) == 0
		known[pair] = answer
	}
	return answer
}
