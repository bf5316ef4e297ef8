package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/forest"
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
)

// lintJoin reports a rule whose atoms fall into groups without a common variable, so that each row of one group meets
// each row of the other. Groups of a single row cost nothing.
func (m *Model) lintJoin(rule *program.Rule, e *ground.Estimate, out *source.Diagnostics) {
	groups := slices.DeleteFunc(joined(rule), func(group []*program.Atom) bool {
		return slices.ContainsFunc(group, func(a *program.Atom) bool { return m.relation(a).Len() <= 1 })
	})
	if len(groups) < 2 {
		return
	}
	parts := make([]string, len(groups))
	for k, group := range groups {
		parts[k] = group[0].Span.Text()
	}
	out.Warnf("cross-product", rule.Span, "add an atom or == that links them, such as a block that both are in",
		"nothing links %s: every combination of their rows is tried, %s groundings", strings.Join(parts, " and "),
		ground.Amount(e.Groundings, e.Exact))
}

// What a join may take before it is worth a word: seconds of one thread, and rows for each ground rule.
const (
	SlowSeconds = 10
	vainRows    = 100
)

// lintSlow reports a rule whose join goes for long through rows that lead to few ground rules. A rule that makes many
// has the time that they need.
func lintSlow(rule *program.Rule, e *ground.Estimate, out *source.Diagnostics) {
	if e.Seconds() < SlowSeconds || e.Rows < vainRows*(1+e.Potentials) {
		return
	}
	out.Warnf("slow-join", rule.Span, "link the atoms by one that few rows match, or derive a relation of the pairs that "+
		"matter and use that; deeppsl ground --show=plan has the order of the atoms, --time-limit ends what takes too long",
		"finding %s ground rules goes through %s rows, for about %s on one thread",
		ground.Amount(e.Potentials, e.Exact), ground.Amount(e.Rows, false), Duration(e.Seconds()))
}

// Duration prints a time roughly.
func Duration(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.0f seconds", seconds)
	case seconds < 7200:
		return fmt.Sprintf("%.0f minutes", seconds/60)
	}
	const hour, year = 3600, 365.25 * 24 * 3600
	if seconds < 2*year {
		return fmt.Sprintf("%.0f hours", seconds/hour)
	}
	return strings.TrimPrefix(ground.Amount(seconds/year, false), "about ") + " years"
}

func (m *Model) relation(a *program.Atom) *relation.Relation {
	return m.Tables.Store.Relations[a.Predicate]
}

// joined returns the generating atoms with variables, grouped by the variables that link them.
func joined(rule *program.Rule) (groups [][]*program.Atom) {
	links := forest.New(len(rule.Variables))
	for k := range rule.Atoms {
		variables := own(rule, &rule.Atoms[k])
		for _, v := range variables {
			links.Join(int32(v), int32(variables[0]))
		}
	}
	at := make(map[int32]int)
	for k := range rule.Atoms {
		a := &rule.Atoms[k]
		variables := own(rule, a)
		if len(variables) == 0 {
			continue
		}
		root := links.Root(int32(variables[0]))
		group, seen := at[root]
		if !seen {
			group = len(groups)
			groups, at[root] = append(groups, nil), group
		}
		groups[group] = append(groups[group], a)
	}
	return groups
}

// own lists the variables that a generating atom binds; none if it does not generate.
func own(rule *program.Rule, a *program.Atom) (variables []int) {
	for _, arg := range a.Args {
		if a.Generates && arg.IsVariable() && !rule.Variables[arg.Variable].Summation {
			variables = append(variables, arg.Variable)
		}
	}
	return variables
}
