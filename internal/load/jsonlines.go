package load

import (
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/source"
)

// rowHint says what a row in JSON looks like.
const rowHint = `write ["a", "b", 0.5], or the same with names`

// addJSONLines reads one row per line: a list of constants, or an object of them by the names of the columns, whose
// order is that of the first object.
func (t *table) addJSONLines(file *source.File) {
	r := jsonReader{doc: &document{file: file}, most: 2 * maxColumns}
	var keys, fields, names []string
	var by *arrangement
	failed := false
	eachLine(file.Text, func(line string, offset int) {
		if failed {
			return
		}
		var err *jsonError
		keys, fields, err = r.row(file.Text[:offset+len(line)], offset, keys[:0], fields[:0])
		switch {
		case err != nil:
			t.errorf("data-syntax", err.start, rowHint, "%s", err.message)
		case r.root().kind() == list && t.origins[len(t.origins)-1].data.Choice != nil:
			t.errorf("data-mixed", offset, "write rows as {\"name\": value, …}", "this row has no names of columns")
		case r.root().kind() == list:
			t.add(fields, offset)
		case names == nil:
			names = slices.Clone(keys)
			by = t.arrange(names, offset)
			if failed = by == nil; !failed {
				t.addArranged(fields, by, offset)
			}
		default:
			inOrder, err := reorder(names, keys, fields)
			if err != nil {
				t.errorf("data-mixed", offset, "every row has the names of the first one", "%v", err)
				return
			}
			t.addArranged(inOrder, by, offset)
		}
	})
}

// row reads a list or an object of strings, numbers and booleans, which begins at offset and ends with the text. It
// appends its fields, and the names of an object's.
func (r *jsonReader) row(text string, offset int, keys, fields []string) (_, _ []string, err *jsonError) {
	r.doc.clear()
	r.text, r.at, r.open = text, offset, r.open[:0]
	if err := r.read(); err != nil {
		if err.ended {
			err.message = "the row is not finished on its line"
		}
		return keys, fields, err
	}
	row := r.root()
	if row.isScalar() || row.kind() == null {
		return keys, fields, &jsonError{start: offset, message: "a row is a list or an object"}
	}
	named := false // the node is a key's value
	for item := range row.all {
		switch {
		case row.kind() == object && !named:
			keys = append(keys, item.scalar())
		case item.isScalar():
			fields = append(fields, item.scalar())
		default:
			return keys, fields, &jsonError{start: item.span().Start, message: "a row holds strings and numbers"}
		}
		named = !named
	}
	return keys, fields, nil
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
