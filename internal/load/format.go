package load

import (
	"fmt"
	"strings"

	"github.com/deeppsl/deeppsl/internal/format"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// addFile reads a table in the format that its name's extension says, whether that is followed by .gz or not:
// .csv, .jsonl or .ndjson, or one that a package registers; any other is a table between tabs, as PSL has it, whose
// columns have no names unless some are asked for.
func (t *table) addFile(file *source.File, data *Data, what string, role relation.Role) {
	read, known := formats[extension(file.Name)]
	binary := format.Registered(extension(file.Name))
	switch {
	case known:
	case binary:
		read, known = (*table).addRegistered, true
	case data.Choice != nil:
		read = (*table).addNamedTabs
	default:
		read = (*table).addTabs
	}
	t.begin(origin{file: file, data: data, what: what, tabs: !known, binary: binary}, role)
	if !binary {
		t.checkUTF8(file)
	}
	read(t, file)
	if t.errors == 0 && !t.origins[len(t.origins)-1].decided {
		t.diags.Warnf("data-empty", data.Span, "", "%s has no rows", file.Name)
	}
	t.end()
}

// formats are the readers of tables that are built in, other than those between tabs.
var formats = map[string]func(*table, *source.File){
	".csv":    (*table).addCSV,
	".jsonl":  (*table).addJSONLines,
	".ndjson": (*table).addJSONLines,
}

// addTabs reads a tab-separated table: blank lines are skipped, lines are trimmed, and nothing is quoted.
func (t *table) addTabs(file *source.File) {
	t.checkStart(file)
	if len(file.Text) >= least && t.addBulk(file.Text, pieceSize, parallel.Threads(t.threads)) {
		return
	}
	eachLine(file.Text, t.addLine)
}

// addBulk reads a text in pieces of a size, and returns false if it has to be read row by row.
func (t *table) addBulk(text string, size, threads int) bool {
	o := &t.origins[len(t.origins)-1]
	b := newBulk(text, t.predicate.Types, size)
	if o.decided || !b.read(threads) {
		return false
	}
	ids := t.symbols.InternAll(b.locals, func(p symbol.Place) {
		if name := text[p.At : p.At+int(p.Len)]; spaced(name) {
			k, row := b.column(p)
			t.checkSpaces(k, name, row)
		}
	})
	columns, truth, places := b.join(threads, ids, relation.Place(len(t.origins)-1)<<offsetBits)
	if len(places) == 0 || !t.addAll(columns, truth, places) {
		return false
	}
	o.decided, o.valued = true, b.width > len(columns)
	return true
}

// addAll gives many atoms to the builder at once; false if one of them may be there already.
func (t *table) addAll(columns [][]symbol.ID, truth relation.Values, places []relation.Place) bool {
	if !t.builder.AddAll(parallel.Threads(t.threads), columns, truth, t.role, places) {
		return false
	}
	for k, column := range columns {
		t.tuple[k] = column[len(places)-1]
		t.last[k] = t.symbols.Name(t.tuple[k])
	}
	return true
}

// addLine reads one row between tabs.
func (t *table) addLine(line string, offset int) {
	if len(line) >= maxColumns && strings.Count(line, "\t") >= maxColumns {
		t.errorf("data-columns", offset, "", "%v", errColumns)
		return
	}
	t.fields = split(t.fields[:0], line)
	t.add(t.fields, offset)
}

// addNamedTabs is addTabs for a table whose first line names its columns. Fields at a line's ends may be empty.
func (t *table) addNamedTabs(file *source.File) {
	var by *arrangement
	var fields []string
	failed := false
	for offset := 0; offset < len(file.Text) && !failed; {
		end := endOfLine(file.Text, offset)
		line := strings.TrimSuffix(file.Text[offset:end], "\r")
		switch {
		case strings.TrimSpace(line) == "":
		case strings.Count(line, "\t") >= maxColumns:
			t.errorf("data-columns", offset, "", "%v", errColumns)
		case by == nil:
			by = t.arrange(split(nil, line), offset)
			failed = by == nil
		default:
			fields = split(fields[:0], line)
			t.addArranged(fields, by, offset)
		}
		offset = end + 1
	}
}

// maxColumns bounds the columns of a row, so that no row takes many times the memory of its text.
const maxColumns = 1 << 14

var errColumns = fmt.Errorf("a row has more than %d columns", maxColumns)

// eachLine calls visit with each line that is not blank, trimmed, and its offset.
func eachLine(text string, visit func(line string, offset int)) {
	for offset := 0; offset < len(text); {
		end := endOfLine(text, offset)
		line := text[offset:end]
		if trimmed := strings.TrimSpace(line); trimmed != "" {
			visit(trimmed, offset+strings.Index(line, trimmed[:1]))
		}
		offset = end + 1
	}
}

// split appends the fields of a line between tabs.
func split(fields []string, line string) []string {
	for {
		tab := strings.IndexByte(line, '\t')
		if tab < 0 {
			return append(fields, line)
		}
		fields = append(fields, line[:tab])
		line = line[tab+1:]
	}
}
