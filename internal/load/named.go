package load

import (
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load/parquet"
	"github.com/deeppsl/deeppsl/internal/source"
)

// This file is about tables whose columns have names: CSV, JSON Lines and Parquet. The columns are a predicate's
// arguments in their order; if there is one more, the one called truth or value, or else the last one, is the truth
// value.

// arrange returns, for each argument and then for the truth value, its column among the named ones. It returns nil
// after reporting that there are too many or too few.
func (t *table) arrange(names []string, offset int) []int {
	arity := t.predicate.Arity()
	if len(names) != arity && len(names) != arity+1 {
		t.errorf("data-columns", offset, "", "%s has %s, or %d with a truth value, but %d are named here: %s",
			t.predicate.Name, plural(arity, "column"), arity+1, len(names), strings.Join(names, ", "))
		return nil
	}
	order := make([]int, len(names))
	for k := range order {
		order[k] = k
	}
	if at := slices.IndexFunc(names, isTruthName); at >= 0 && len(names) > arity {
		order = append(slices.Delete(order, at, at+1), at)
	}
	return order
}

// isTruthName recognises the names of a column of truth values.
func isTruthName(name string) bool {
	name = strings.TrimSpace(name)
	return strings.EqualFold(name, "truth") || strings.EqualFold(name, "value")
}

// addArranged adds a row whose fields are in the order of the named columns.
func (t *table) addArranged(fields []string, order []int, offset int) {
	if len(fields) != len(order) {
		if t.seenWidth(len(fields)) {
			return
		}
		t.errorf("data-columns", offset, "", "this row has %s, but %d have names", plural(len(fields), "column"), len(order))
		return
	}
	t.fields = t.fields[:0]
	for _, column := range order {
		t.fields = append(t.fields, fields[column])
	}
	t.add(t.fields, offset)
}

// addParquet reads a flat Parquet file; a row's place is its number.
func (t *table) addParquet(file *source.File) {
	var order []int
	row := 0
	err := parquet.Read(strings.NewReader(file.Text), int64(len(file.Text)),
		func(names []string) bool {
			order = t.arrange(names, 0)
			return order != nil
		},
		func(fields []string) bool {
			t.addArranged(fields, order, row)
			row++
			return true
		})
	if err != nil {
		o := &t.origins[len(t.origins)-1]
		t.errors++
		t.told++
		t.diags.Errorf("data-syntax", o.data.Span, "", "cannot read %s: %v", file.Name, err)
	}
}
