package preflight

import (
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// spelledRows is up to how many rows a column is looked through for constants that another one spells otherwise.
const spelledRows = 200_000

// lintSpelling reports a variable whose values two atoms spell differently, as tables from two sources do: 007 and 7,
// 12 and 12.0, Rome and rome. Such rows do not join, and where others do nothing else would say so.
func (m *Model) lintSpelling(out *source.Diagnostics) {
	told := make(map[[4]int]bool)
	for _, rule := range m.Program.Rules {
		for v, list := range usesOf(rule) {
			for k, second := range list {
				for _, first := range list[:k] {
					if pair := pairOf(first, second); !told[pair] {
						told[pair] = true
						m.spelledApart(rule.Variables[v].Name, first, second, out)
					}
				}
			}
		}
	}
}

// spelledApart reports the values that only one of two columns has, where only the other one has them spelt otherwise.
func (m *Model) spelledApart(variable string, first, second use, out *source.Diagnostics) {
	a, b := m.relation(first.atom), m.relation(second.atom)
	if max(a.Len(), b.Len()) > spelledRows {
		return
	}
	here, there := m.without(a, first.column, b, second.column), m.without(b, second.column, a, first.column)
	spelt := make(map[string]string)
	for _, name := range there {
		spelt[plainly(name)] = name
	}
	count, example := 0, ""
	for _, name := range here {
		if _, ok := spelt[plainly(name)]; ok {
			if count++; count == 1 {
				example = name
			}
		}
	}
	if count == 0 {
		return
	}
	out.Warnf("spelt-otherwise", second.atom.Span,
		"write them alike in both tables; what is spelt otherwise is something else",
		"%s of %s in %s as argument %d, spelt otherwise in %s as argument %d, such as '%s' and '%s'",
		source.Count(count, "value"), variable, a.Name, first.column+1, b.Name, second.column+1, example,
		spelt[plainly(example)])
}

// without returns the constants of a column that another one does not have, each once.
func (m *Model) without(r *relation.Relation, column int, other *relation.Relation, otherColumn int) []string {
	marks := relation.NewMarks(m.Tables.Store.Symbols.Len())
	marks.Add(other.Columns[otherColumn])
	shared, seen := marks.Select(nil, r.Columns[column]), make(map[symbol.ID]bool)
	var names []string
	for row, id := range r.Columns[column] {
		if len(shared) > 0 && int(shared[0]) == row {
			shared = shared[1:]
		} else if !seen[id] {
			seen[id] = true
			names = append(names, m.Tables.Store.Symbols.Name(id))
		}
	}
	return names
}

// plainly is how different spellings of one constant are all written: in lower case, without spaces around it, and a
// whole number without zeros before it or after a point.
func plainly(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	whole := strings.TrimRight(name, "0")
	if whole = strings.TrimSuffix(whole, "."); !strings.Contains(name, ".") {
		whole = name
	}
	digit := func(r rune) bool { return '0' <= r && r <= '9' }
	if whole == "" || strings.TrimFunc(whole, digit) != "" {
		return name
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		return "0"
	}
	return whole
}

// usesOf returns the columns that give each variable its values. Atoms that use the same column of one relation for it
// do not differ, so that of each only the first is looked at: a rule may have very many atoms.
func usesOf(rule *program.Rule) [][]use {
	lists := make([][]use, len(rule.Variables))
	for k := range rule.Atoms {
		a := &rule.Atoms[k]
		for column, arg := range a.Args {
			if a.Generates && arg.IsVariable() && !rule.Variables[arg.Variable].Summation {
				lists[arg.Variable] = addUse(lists[arg.Variable], use{a, column})
			}
		}
	}
	return lists
}

// use is a column of a generating atom.
type use struct {
	atom   *program.Atom
	column int
}

// addUse adds a use of a column unless there is one already.
func addUse(list []use, u use) []use {
	same := func(other use) bool { return other.column == u.column && other.atom.Predicate == u.atom.Predicate }
	if slices.ContainsFunc(list, same) {
		return list
	}
	return append(list, u)
}

// pairOf is what two uses compare: columns of relations.
func pairOf(first, second use) [4]int {
	return [4]int{first.atom.Predicate, first.column, second.atom.Predicate, second.column}
}
