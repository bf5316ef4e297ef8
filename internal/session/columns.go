package session

import (
	"iter"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Columns iterates over the predicates that have Atoms, named ones or all, with these by columns and their values for
// truth. All arguments have the same constants, to which each predicate may add some.
func (g *Grounding) Columns(answer *Answer, predicates []string) iter.Seq2[string, load.Columns] {
	return func(yield func(string, load.Columns) bool) {
		var n numbering
		for name, atoms := range g.named(predicates) {
			if c := g.columns(answer, atoms, &n); len(c.Truth) > 0 && !yield(name, c) {
				return
			}
		}
	}
}

// numbering numbers constants in the order in which they come.
type numbering struct {
	numbers   []int32 // by ID, one more than the number; 0 for none
	constants []string
}

// of returns the numbers of the constants of some rows.
func (n *numbering) of(names *symbol.Table, column []symbol.ID, rows []int32) []int32 {
	out := make([]int32, len(rows))
	for i, row := range rows {
		id := column[row]
		if n.numbers[id] == 0 {
			n.constants = append(n.constants, names.Name(id))
			n.numbers[id] = int32(len(n.constants))
		}
		out[i] = n.numbers[id] - 1
	}
	return out
}

// columns are the open atoms of a relation.
func (g *Grounding) columns(answer *Answer, atoms *relation.Relation, n *numbering) (c load.Columns) {
	g.names.RLock()
	defer g.names.RUnlock()
	var rows []int32
	for k := range int32(atoms.FreeLen()) {
		if !answer.lacks(atoms, k) {
			rows = append(rows, int32(atoms.Observed)+k)
			c.Truth = append(c.Truth, answer.freeValue(atoms, k))
		}
	}
	names := g.Tables.Store.Symbols
	if more := names.Len() - len(n.numbers); more > 0 && len(rows) > 0 {
		n.numbers = append(n.numbers, make([]int32, more)...)
	}
	for _, column := range atoms.Columns {
		c.Rows = append(c.Rows, n.of(names, column, rows))
	}
	for range atoms.Columns {
		c.Constants = append(c.Constants, n.constants)
	}
	return c
}
