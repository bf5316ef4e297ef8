package load

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/format"
	"github.com/deeppsl/deeppsl/internal/source"
)

// This file is about tables whose columns have names: CSV, JSON Lines and what is registered. The columns are a
// predicate's arguments in their order; if there is one more, the one called truth or value, or else the last one, is
// the truth value. A configuration may choose some of them by their names, and name those between tabs so.

// arrangement says where the fields of a predicate's atoms are among named columns.
type arrangement struct {
	width int
	order []int // by argument, and perhaps then the truth value: the column
	// chosen says that only some columns count, so that rows may be the same in them, or have none of them.
	chosen bool
}

// arrange finds the columns of the arguments, and of the truth value, among the named ones. It returns nil after
// reporting that there are too many or too few.
func (t *table) arrange(names []string, offset int) *arrangement {
	if choice := t.origins[len(t.origins)-1].data.Choice; choice != nil {
		return t.choose(choice.Columns, names)
	}
	arity := t.predicate.Arity()
	if len(names) != arity && len(names) != arity+1 {
		hint := source.SuggestColumn("", names)
		if len(names) > arity+1 {
			hint = "choose some of them: " + choiceHint(t.origins[len(t.origins)-1].file.Name, names[:arity])
		}
		t.errorf("data-columns", offset, hint, "%s has %s, or %d with a truth value, and not %d: %s",
			t.predicate.Name, source.Count(arity, "column"), arity+1, len(names), strings.Join(names, ", "))
		return nil
	}
	order := make([]int, len(names))
	for k := range order {
		order[k] = k
	}
	switch at := slices.IndexFunc(names, isTruthName); {
	case len(names) == arity:
	case at >= 0:
		order = append(slices.Delete(order, at, at+1), at)
	default:
		o := &t.origins[len(t.origins)-1]
		o.instead = fmt.Sprintf("; the last column, %s, is taken for it: without it, write %s",
			strings.TrimSpace(names[arity]), choiceHint(o.file.Name, names[:arity]))
	}
	return &arrangement{width: len(names), order: order}
}

// choiceHint shows how columns are chosen.
func choiceHint(path string, names []string) string {
	return fmt.Sprintf(`{"file": %q, "columns": ["%s"]}`, filepath.Base(path), strings.Join(names, `", "`))
}

// choose is arrange for columns that the configuration names.
func (t *table) choose(columns []NamedColumn, names []string) *arrangement {
	o := &t.origins[len(t.origins)-1]
	arity := t.predicate.Arity()
	if len(columns) != arity && len(columns) != arity+1 {
		t.errors++
		t.told++
		t.diags.Errorf("data-columns", o.data.Span, "", "%s has %s, or %d with a truth value, and not %d",
			t.predicate.Name, source.Count(arity, "column"), arity+1, len(columns))
		return nil
	}
	chosen := &arrangement{width: len(names), chosen: true}
	for _, column := range columns {
		isIt := func(name string) bool { return strings.TrimSpace(name) == column.Name }
		at := slices.IndexFunc(names, isIt)
		switch {
		case at < 0:
			t.diags.Errorf("data-no-column", column.Span, source.SuggestColumn(column.Name, names),
				"%s has no column %q; its columns are %s", o.file.Name, column.Name, strings.Join(names, ", "))
		case slices.ContainsFunc(names[at+1:], isIt):
			t.diags.Errorf("data-repeated-column", column.Span, "give one of them another name",
				"%s has more than one column %q", o.file.Name, column.Name)
		default:
			chosen.order = append(chosen.order, at)
			continue
		}
		t.errors++
		t.told++
	}
	if len(chosen.order) < len(columns) {
		return nil
	}
	return chosen
}

// isTruthName recognises the names of a column of truth values.
func isTruthName(name string) bool {
	name = strings.TrimSpace(name)
	return strings.EqualFold(name, "truth") || strings.EqualFold(name, "value")
}

// addArranged adds a row whose fields are in the order of the named columns.
func (t *table) addArranged(fields []string, by *arrangement, offset int) {
	if len(fields) != by.width {
		if t.seenWidth(len(fields)) {
			return
		}
		t.errorf("data-columns", offset, "", "this row has %s, but %d have names",
			source.Count(len(fields), "column"), by.width)
		return
	}
	t.fields = t.fields[:0]
	for _, column := range by.order {
		t.fields = append(t.fields, fields[column])
	}
	if by.chosen && slices.Contains(t.fields, "") {
		o := &t.origins[len(t.origins)-1]
		o.decided, o.valued = true, len(by.order) > t.predicate.Arity()
		return
	}
	t.add(t.fields, offset)
}

// addRegistered reads a file in a format that a package registers; a row's place is its number.
func (t *table) addRegistered(file *source.File) {
	var by *arrangement
	row := 0
	registered, err := format.Of(extension(file.Name))
	if err == nil {
		err = registered.Read(strings.NewReader(file.Text), int64(len(file.Text)),
			func(names []string) format.Rows {
				switch by = t.arrange(names, 0); {
				case by == nil:
					return format.None
				case by.chosen:
					return format.Gapped
				}
				return format.Whole
			},
			func(fields []string) bool {
				t.addArranged(fields, by, row)
				row++
				return true
			})
	}
	if err == nil {
		return
	}
	o := &t.origins[len(t.origins)-1]
	t.errors++
	t.told++
	if missing := (*format.Missing)(nil); errors.As(err, &missing) {
		t.diags.Errorf("data-format", o.data.Span, missing.Hint(), "cannot read %s: %s", file.Name, missing.What())
		return
	}
	t.diags.Errorf("data-syntax", o.data.Span, "", "cannot read %s: %v", file.Name, err)
}
