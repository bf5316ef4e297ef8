package preflight

import (
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// spelledRows is up to how many rows a column is looked through for constants that another one spells otherwise.
const spelledRows = 200_000

// lintSpelling reports a variable whose values two atoms spell differently, as tables from two sources do: 007 and 7,
// 12 and 12.0, Rome and rome. Such rows do not join, and where others do nothing else would say so.
func (m *Model) lintSpelling(out *source.Diagnostics) {
	s := spellings{Model: m, columns: make(map[[2]int][]symbol.ID)}
	if s.pair(); len(s.pairs) == 0 {
		return
	}
	s.findTwins()
	for k := 0; k < len(s.pairs) && len(s.plain) > 0; k++ {
		s.apart(&s.pairs[k], out)
	}
}

// spellings are the columns that give a variable its values, and what they spell in several ways.
type spellings struct {
	*Model
	pairs   []spelled
	plain   map[symbol.ID]string   // of the constants that others spell otherwise
	columns map[[2]int][]symbol.ID // those of these that a column has, each once, by predicate and column
}

// spelled is a variable that two atoms give values.
type spelled struct {
	variable      string
	first, second use
}

// pair lists each two columns that are not too long once.
func (s *spellings) pair() {
	seen := make(map[[4]int]bool)
	for _, rule := range s.Program.Rules {
		for v, list := range usesOf(rule) {
			for k, second := range list {
				for _, first := range list[:k] {
					pair := pairOf(first, second)
					if !seen[pair] && max(s.relation(first.atom).Len(), s.relation(second.atom).Len()) <= spelledRows {
						s.pairs = append(s.pairs, spelled{rule.Variables[v].Name, first, second})
					}
					seen[pair] = true
				}
			}
		}
	}
}

// findTwins finds the constants of all columns that others of them spell otherwise: mostly there are none, and of two
// that are alike one at least is not spelt plainly.
func (s *spellings) findTwins() {
	names := s.Tables.Store.Symbols
	s.plain = make(map[symbol.ID]string)
	met, odd := make([]bool, names.Len()), make(map[string]symbol.ID)
	for k := range s.pairs {
		for _, u := range []use{s.pairs[k].first, s.pairs[k].second} {
			if key := keyOf(u); s.columns[key] == nil {
				s.columns[key] = []symbol.ID{}
				for _, id := range s.relation(u.atom).Columns[u.column] {
					met[id] = true
				}
			}
		}
	}
	for id := range symbol.ID(len(met)) {
		name := names.Name(id)
		plain := ""
		if met[id] {
			plain = plainly(name)
		}
		if !met[id] || plain == name {
			continue
		}
		if other, known := names.Lookup(plain); known && met[other] {
			s.plain[id], s.plain[other] = plain, plain
		}
		if other, known := odd[plain]; known {
			s.plain[id], s.plain[other] = plain, plain
		} else {
			odd[plain] = id
		}
	}
	for key := range s.columns {
		s.columns[key] = s.twins(s.Tables.Store.Relations[key[0]].Columns[key[1]])
	}
}

// twins are the constants of a column that others spell otherwise, each once.
func (s *spellings) twins(column []symbol.ID) (found []symbol.ID) {
	if len(s.plain) == 0 {
		return nil
	}
	seen := make(map[symbol.ID]bool)
	for _, id := range column {
		if _, twin := s.plain[id]; twin && !seen[id] {
			seen[id] = true
			found = append(found, id)
		}
	}
	return found
}

// apart reports the values that only one of two columns has, where only the other one has them spelt otherwise.
func (s *spellings) apart(p *spelled, out *source.Diagnostics) {
	here, there := s.columns[keyOf(p.first)], s.columns[keyOf(p.second)]
	isHere, isThere, spelt := setOf(here), setOf(there), make(map[string]symbol.ID)
	for _, id := range there {
		if !isHere[id] {
			spelt[s.plain[id]] = id
		}
	}
	count := 0
	var example, other symbol.ID
	for _, id := range here {
		if twin, ok := spelt[s.plain[id]]; ok && !isThere[id] {
			if count++; count == 1 {
				example, other = id, twin
			}
		}
	}
	if count == 0 {
		return
	}
	names := s.Tables.Store.Symbols
	out.Warnf("spelt-otherwise", p.second.atom.Span,
		"write them alike in both tables; what is spelt otherwise is something else",
		"%s of %s in %s as argument %d, spelt otherwise in %s as argument %d, such as '%s' and '%s'",
		source.Count(count, "value"), p.variable, s.relation(p.first.atom).Name, p.first.column+1,
		s.relation(p.second.atom).Name, p.second.column+1, names.Name(example), names.Name(other))
}

func setOf(ids []symbol.ID) map[symbol.ID]bool {
	set := make(map[symbol.ID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// keyOf names a column.
func keyOf(u use) [2]int { return [2]int{u.atom.Predicate, u.column} }

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
