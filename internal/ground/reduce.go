package ground

import (
	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// reduce returns the rows that step k can be asked for by the steps before it, ascending, and few others; asked has
// those of each of these, nil where they are all.
func reduce(p *plan.Plan, k int, asked [][]int32, id func(constant string) symbol.ID) (rows []int32) {
	s := &p.Steps[k]
	for _, b := range p.Binders(k) {
		var f *relation.Filter
		if b.Step < 0 {
			constants := make([][]symbol.ID, len(b.Columns))
			for i, column := range b.Columns {
				constants[i] = []symbol.ID{id(s.Atom.Args[column].Constant)}
			}
			f = relation.NewFilter(constants, nil)
		} else {
			f = relation.NewFilter(columnsOf(p.Steps[b.Step].Relation, b.At), asked[b.Step])
		}
		rows = f.Select(columnsOf(s.Relation, b.Columns), rows)
	}
	return rows
}

// columnsOf returns some of a relation's columns.
func columnsOf(rel *relation.Relation, which []int) (columns [][]symbol.ID) {
	for _, column := range which {
		columns = append(columns, rel.Columns[column])
	}
	return columns
}
