package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load/parquet"
	"github.com/deeppsl/deeppsl/internal/source"
)

// This file reads tables whose columns have names: CSV, JSON Lines and Parquet. The columns are a predicate's arguments
// in their order; if there is one more, the one called truth or value, or else the last one, is the truth value.

// arrange returns, for each argument and then for the truth value, its column among the named ones. It returns nil
// after reporting that there are too many or too few.
func (t *table) arrange(names []string, offset int) []int {
	arity := t.predicate.Arity()
	if len(names) != arity && len(names) != arity+1 {
		t.errorf("data-columns", offset, "", "%s has %s, or %d with a truth value, but %d are named here: %s",
			t.predicate.Name, columns(arity), arity+1, len(names), strings.Join(names, ", "))
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
		t.errorf("data-columns", offset, "", "this row has %s, but %d have names", columns(len(fields)), len(order))
		return
	}
	t.fields = t.fields[:0]
	for _, column := range order {
		t.fields = append(t.fields, fields[column])
	}
	t.add(t.fields, offset)
}

// addJSONLines reads one row per line: a list of constants, or an object of them by the names of the columns, whose
// order is that of the first object.
func (t *table) addJSONLines(file *source.File) {
	var names []string
	var order []int
	failed := false
	eachLine(file.Text, func(line string, offset int) {
		if failed {
			return
		}
		keys, fields, at, err := jsonRow(line)
		switch {
		case err != nil:
			t.errorf("data-syntax", offset+at, `write ["a", "b", 0.5], or the same with names`, "%v", err)
		case keys == nil:
			t.add(fields, offset)
		case names == nil:
			names, order = keys, t.arrange(keys, offset)
			failed = order == nil
			if !failed {
				t.addArranged(fields, order, offset)
			}
		default:
			if fields, err = reorder(names, keys, fields); err != nil {
				t.errorf("data-mixed", offset, "every row has the names of the first one", "%v", err)
				return
			}
			t.addArranged(fields, order, offset)
		}
	})
}

// reorder brings fields into the order of the first row's names.
func reorder(names, keys, fields []string) ([]string, error) {
	if slices.Equal(names, keys) {
		return fields, nil
	}
	out := make([]string, len(names))
	for k, name := range names {
		at := slices.Index(keys, name)
		if at < 0 {
			return nil, fmt.Errorf("this row has no %q", name)
		}
		out[k] = fields[at]
	}
	if len(keys) > len(names) {
		return nil, fmt.Errorf("this row has %d names, the first one %d", len(keys), len(names))
	}
	return out, nil
}

// jsonRow reads a list or an object of strings, numbers and booleans; keys is nil for a list. After an error, at is how
// far it came.
func jsonRow(line string) (keys, fields []string, at int, err error) {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	open, err := d.Token()
	if err != nil || open != json.Delim('[') && open != json.Delim('{') {
		return nil, nil, 0, errors.Join(err, errIf(err == nil, "a row is a list or an object"))
	}
	for d.More() {
		at = int(d.InputOffset())
		token, err := d.Token()
		if open == json.Delim('{') && err == nil {
			keys = append(keys, token.(string)) // the decoder lets nothing else be a key
			token, err = d.Token()
		}
		field, ok := scalar(token)
		if err = errors.Join(err, errIf(err == nil && !ok, "a row holds strings and numbers")); err != nil {
			return nil, nil, at, unfinished(err)
		}
		fields = append(fields, field)
	}
	at = int(d.InputOffset())
	if _, err = d.Token(); err == nil {
		if _, after := d.Token(); !errors.Is(after, io.EOF) {
			err = errors.New("a line holds one row")
		}
	}
	if open == json.Delim('{') && keys == nil {
		keys = []string{}
	}
	return keys, fields, at, unfinished(err)
}

// unfinished says in the user's words that a row ends too early.
func unfinished(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the row is not finished on its line")
	}
	return err
}

// errIf returns an error with the message if the condition holds.
func errIf(condition bool, message string) error {
	if condition {
		return errors.New(message)
	}
	return nil
}

// scalar writes a JSON value as a table of text would have it; numbers stay as they are written.
func scalar(token json.Token) (field string, ok bool) {
	switch v := token.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
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
		t.diags.Errorf("data-syntax", o.data.Span, "", "cannot read %s: %v", file.Name, err)
	}
}
