package preflight

import (
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// lintUnseen reports targets about things that a network has no row of, where a rule joins them with the atoms that are
// made of its rows: it has no ground rules for those, and nothing else would say so. Where most things have none, that
// is meant.
func (m *Model) lintUnseen(out *source.Diagnostics) {
	told := make(map[[4]int]bool)
	for _, rule := range m.Program.Rules {
		for k := range rule.Atoms {
			seen := &rule.Atoms[k]
			neural := m.Config.Predicates[seen.Predicate].Neural
			if !neural.Makes() || !seen.Args[neural.Entity].IsVariable() {
				continue
			}
			for j := range rule.Atoms {
				asked := &rule.Atoms[j]
				column := argument(asked, seen.Args[neural.Entity].Variable)
				pair := pairOf(use{seen, neural.Entity}, use{asked, column})
				if r := m.relation(asked); column >= 0 && r.Free == relation.Target && !told[pair] {
					told[pair] = true
					m.unseen(pair, asked, out)
				}
			}
		}
	}
}

// argument returns the first argument of an atom that is a variable; -1 if none is.
func argument(a *program.Atom, variable int) int {
	for k, arg := range a.Args {
		if arg.IsVariable() && arg.Variable == variable {
			return k
		}
	}
	return -1
}

// unseen compares the columns of a pair: of the second one only the targets.
func (m *Model) unseen(pair [4]int, asked *program.Atom, out *source.Diagnostics) {
	network, targets := m.Tables.Store.Relations[pair[0]], m.Tables.Store.Relations[pair[2]]
	known := make([]bool, m.Tables.Store.Symbols.Len())
	for _, id := range network.Columns[pair[1]] {
		known[id] = true
	}
	met, things, missed, example := make([]bool, len(known)), 0, 0, symbol.ID(0)
	for _, id := range targets.Columns[pair[3]][targets.Observed:] {
		if met[id] {
			continue
		}
		met[id] = true
		if things++; known[id] {
			continue
		}
		if missed++; missed == 1 {
			example = id
		}
	}
	if missed == 0 || 2*missed > things {
		return
	}
	out.Warnf("features-partial", asked.Span, "give each a row of features; rules that join them leave the others out",
		"%d of the %d values of argument %d in the targets of %s have no row in the network of %s, such as '%s'",
		missed, things, pair[3]+1, targets.Name, network.Name, m.Tables.Store.Symbols.Name(example))
}
