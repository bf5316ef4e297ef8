package ground

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/plan"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// reduce returns, for each step that is reduced, the rows that are worth indexing, ascending; nil stands for all. From
// the last step to the first, those go that a step behind refuses, then from the first to the last those that no row
// before leads to.
func reduce(threads int, p *plan.Plan, id func(constant string) symbol.ID) (rows [][]int32) {
	rows = make([][]int32, len(p.Steps))
	for k := range slices.Backward(p.Steps) {
		if p.Steps[k].Reduced {
			rows[k] = required(threads, p, k, rows, id)
		}
	}
	for k := range p.Steps {
		if p.Steps[k].Reduced {
			rows[k] = reachable(threads, p, k, rows)
		}
	}
	return rows
}

// required returns the rows of step k that have its constants and repetitions and that the steps behind it let pass,
// and few others.
func required(
	threads int, p *plan.Plan, k int, left [][]int32, id func(constant string) symbol.ID,
) (rows []int32) {
	s := &p.Steps[k]
	for _, column := range s.Key {
		if arg := s.Atom.Args[column]; !arg.IsVariable() {
			f := relation.NewFilter([][]symbol.ID{{id(arg.Constant)}}, nil)
			rows = f.SelectBy(threads, columnsOf(s.Relation, []int{column}), rows)
		}
	}
	for _, pair := range s.Repeats() {
		rows = relation.SelectSame(s.Relation.Columns[pair[0]], s.Relation.Columns[pair[1]], rows)
	}
	if s.Op == plan.Lookup {
		return rows
	}
	for _, b := range p.Requirers(k) {
		its := p.Steps[b.Step].Relation
		if p.WorthRequiring(k, b, howMany(its, left[b.Step]), howMany(s.Relation, rows)) {
			f := relation.NewFilter(columnsOf(its, b.At), left[b.Step])
			rows = f.SelectBy(threads, columnsOf(s.Relation, b.Columns), rows)
		}
	}
	return rows
}

// reachable returns those rows of step k that the steps before it can ask for, and few others.
func reachable(threads int, p *plan.Plan, k int, left [][]int32) []int32 {
	s, rows := &p.Steps[k], left[k]
	for _, b := range p.Binders(k) {
		if b.Step >= 0 {
			f := relation.NewFilter(columnsOf(p.Steps[b.Step].Relation, b.At), left[b.Step])
			rows = f.SelectBy(threads, columnsOf(s.Relation, b.Columns), rows)
		}
	}
	return rows
}

// howMany returns how many rows there are, where nil stands for all of a relation's.
func howMany(of *relation.Relation, rows []int32) float64 {
	if rows == nil {
		return float64(len(of.Columns[0]))
	}
	return float64(len(rows))
}

// columnsOf returns some of a relation's columns.
func columnsOf(rel *relation.Relation, which []int) (columns [][]symbol.ID) {
	for _, column := range which {
		columns = append(columns, rel.Columns[column])
	}
	return columns
}
