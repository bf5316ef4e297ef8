package features

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/idx"
	"github.com/deeppsl/deeppsl/internal/source"
)

// maxWidth bounds the columns that a table may have, so that one wrong number in a file does not ask for all memory.
const maxWidth = 1 << 24

// maxLine bounds the length of a line in bytes.
const maxLine = 1 << 26

// maxErrors is how many wrong rows are reported: a wrong width usually concerns all rows.
const maxErrors = 10

// Read reads a feature table. The error tells each wrong row with its place. The width of a sparse table is given by
// width, or by its largest column if width is 0; for the other formats, a positive width is checked.
func Read(format Format, name string, r io.Reader, width int) (*Table, error) {
	if width < 0 || width > maxWidth {
		return nil, fmt.Errorf("%s: width %d is not between 0 and %d", name, width, maxWidth)
	}
	t := newTableReader(Form{Width: width})
	if err := t.readFrom(format, name, r); err != nil {
		return nil, err
	}
	return t.finish(format)
}

// tableReader collects the rows of files.
type tableReader struct {
	name  string
	line  int
	text  string   // of the line
	cells []string // of a table whose cells are texts
	width int
	gaps  bool // nothing stands between two tabs of the first row, or of one that is not as wide
	form  Form
	code  coding
	// widest is the largest column of a sparse table, and one more.
	widest int
	seen   map[string]int // id to the line that has it
	diags  source.Diagnostics
	key    error // about the form, which shows at a row

	ids     []string
	start   []int
	columns []int32
	values  []float32
}

// A mistake is what is wrong with a row, and with which field after the id; -1 if with none of them.
type mistake struct {
	field int
	text  string
	hint  string
}

func (m *mistake) Error() string { return m.text }

// wrong returns a mistake of the row.
func wrong(field int, format string, args ...any) error {
	return &mistake{field: field, text: fmt.Sprintf(format, args...)}
}

// report adds an error at the current line and tells whether there have been enough. The diagnostic's file has empty
// lines in place of those before, which need not be in memory.
func (t *tableReader) report(err error) (enough bool) {
	if errors.As(err, new(*KeyError)) {
		t.key = err
		return true
	}
	margin, text, hint := strings.Repeat("\n", t.line-1), t.text, ""
	if t.cells != nil {
		text = t.cells[0] + "\t" + strings.Join(t.cells[1:], " ")
	} else if !strings.Contains(text, "\t") {
		if hint = "a tab ends the row's id"; strings.Contains(text, ",") {
			hint += `; what stands between commas is read from a .csv, or with "format": "csv"`
		}
	}
	file := &source.File{Name: t.name, Text: margin + text}
	start, end := 0, len(text)
	if m := (*mistake)(nil); errors.As(err, &m) {
		if hint = cmp.Or(m.hint, hint); m.field >= 0 && t.cells != nil {
			start = len(strings.Join(t.cells[:m.field+1], " ")) + 1
			end = start + len(t.cells[m.field+1])
		} else if m.field >= 0 {
			start, end = fieldAt(text, m.field)
		}
	}
	t.diags.Errorf("feature-row", file.Span(len(margin)+start, len(margin)+end), hint, "%v", err)
	return len(t.diags) >= maxErrors
}

// err is what is wrong: with a key, or else with rows.
func (t *tableReader) err() error { return cmp.Or(t.key, t.diags.Err()) }

// fieldAt returns where a field after the id begins and ends, fields being separated by blanks.
func fieldAt(line string, field int) (start, end int) {
	at := strings.IndexByte(line, '\t') + 1
	for k, text := range strings.Fields(line[at:]) {
		at += strings.Index(line[at:], text)
		if k == field {
			return at, at + len(text)
		}
		at += len(text)
	}
	return 0, len(line)
}

// newTableReader is for a table of a form.
func newTableReader(form Form) *tableReader {
	return &tableReader{width: form.Width, form: form, seen: map[string]int{}}
}

// readFrom adds the rows of a file.
func (t *tableReader) readFrom(format Format, name string, r io.Reader) error {
	t.name, t.line = name, 0
	if format != CSV && format != DenseText && format != Parquet && len(t.form.Columns)+len(t.form.Categories) > 0 {
		return wrongKey("columns", "columns and categories are of tables of the formats csv, dense and parquet, not of %s",
			format)
	}
	switch format {
	case SparseText:
		return t.readSparse(unmarked(r))
	case DenseText:
		text := unmarked(r)
		if t.tabbed(text) {
			return t.readTable(t.tabSeparated(text))
		}
		return t.eachLine(text, isHeader, t.addValues)
	case CSV:
		return t.readTable(t.commaSeparated(unmarked(r)))
	case IDX:
		return t.readIDX(r)
	case NPY:
		return t.readNPY(r)
	case Parquet:
		return t.readParquet(r)
	}
	return wrongKey("format", "%w", source.Unknown("format", format, Formats))
}

// unmarked returns what follows the byte order mark that some editors begin files with: it is no part of the first id.
func unmarked(r io.Reader) *bufio.Reader {
	const mark = "\uFEFF"
	text := bufio.NewReaderSize(r, lookAhead)
	if begin, _ := text.Peek(len(mark)); string(begin) == mark {
		text.Discard(len(mark)) // cannot fail: it is in the buffer
	}
	return text
}

// lookAhead is how much of a file is looked at to find out how it is written.
const lookAhead = 1 << 16

// firstLines returns the first two lines that are not blank, as far as they are near the beginning.
func firstLines(text *bufio.Reader) (first, second string) {
	begin, _ := text.Peek(lookAhead)
	lines := strings.FieldsFunc(string(begin), func(r rune) bool { return r == '\n' || r == '\r' })
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
	return append(lines, "")[0], append(lines, "", "")[1]
}

// tabbed tells whether the columns of a dense table have names and all stand between tabs, so that texts may be among
// them, and gaps: as columns are asked for by names, or as the first line has names and the next as many fields.
func (t *tableReader) tabbed(text *bufio.Reader) bool {
	if len(t.form.Columns)+len(t.form.Categories) > 0 {
		return true
	}
	first, second := firstLines(text)
	names, fields := strings.Split(first, "\t"), strings.Split(second, "\t")
	if len(names) != len(fields) || len(names) < 2 || !isHeader(names[0], names[1:]) ||
		!isHeader(names[0], strings.Fields(strings.Join(names[1:], " "))) {
		return false
	}
	return len(names) > 2 || len(strings.Fields(fields[1])) <= 1
}

// finish makes a table of all rows.
func (t *tableReader) finish(format Format) (f *Table, err error) {
	if !t.code.plain() {
		return t.finishCoded()
	}
	if format == SparseText {
		f, err = NewSparse(t.ids, max(t.width, t.widest), append(t.start, len(t.columns)), t.columns, t.values)
	} else {
		f, err = NewDense(t.ids, t.width, t.values)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	f.header = t.code.heading()
	return f, nil
}

// readSparse also finds the largest column.
func (t *tableReader) readSparse(r io.Reader) error {
	return t.eachLine(r, nil, func(fields []string) error {
		t.start = append(t.start, len(t.columns))
		if err := t.addNonzeros(fields); err != nil {
			return err
		}
		if n := len(t.columns); n > t.start[len(t.start)-1] {
			t.widest = max(t.widest, int(t.columns[n-1])+1)
		}
		return nil
	})
}

// finishCoded makes a table of rows some of which have texts or gaps.
func (t *tableReader) finishCoded() (*Table, error) {
	t.code.measure(t.values)
	t.code.settle(t.values, len(t.form.Columns) > 0)
	if err := t.code.check(t); err != nil {
		return nil, err
	}
	names, values := t.code.coded(t.values)
	if t.form.Width > 0 && t.form.Width != len(names) {
		return nil, wrongKey("width", "the width is %d, and the %d columns of %s are %d features", t.form.Width,
			len(t.code.columns), t.name, len(names))
	}
	f, err := NewDense(t.ids, len(names), values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	f.names, f.header, f.readings = names, headings(names, t.code.heading()), t.code.readings()
	return f, nil
}

// records returns the fields of one row after the other, and its line, until io.EOF.
type records func() (fields []string, line int, err error)

// commaSeparated takes the line from the CSV reader, because quoted ids may go over several.
func (t *tableReader) commaSeparated(text *bufio.Reader) records {
	first, _ := firstLines(text)
	reader := csv.NewReader(text)
	reader.FieldsPerRecord, reader.Comma = -1, source.Separator(first)
	t.code.commas = reader.Comma != ','
	return func() ([]string, int, error) {
		record, err := reader.Read()
		if err != nil {
			return nil, 0, err
		}
		line, _ := reader.FieldPos(0)
		return record, line, nil
	}
}

// tabSeparated reads fields between tabs, where a quote is a sign like others.
func (t *tableReader) tabSeparated(text *bufio.Reader) records {
	t.code.commas = true
	lines, line := newLines(text), 0
	return func() ([]string, int, error) {
		for lines.Scan() {
			line++
			if text := strings.TrimSuffix(lines.Text(), "\r"); strings.TrimSpace(text) != "" {
				return strings.Split(text, "\t"), line, nil
			}
		}
		return nil, line + 1, cmp.Or(lines.Err(), io.EOF)
	}
}

// headings returns the names of features that are columns, and "" of those that columns are coded by.
func headings(names, columns []string) []string {
	are := make(map[string]bool, len(columns))
	for _, name := range columns {
		are[name] = true
	}
	of := make([]string, len(names))
	for k, name := range names {
		if are[name] {
			of[k] = name
		}
	}
	return of
}

// newLines reads lines of up to maxLine.
func newLines(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return lines
}

// readTable reads rows of cells, perhaps below the names of the columns.
func (t *tableReader) readTable(next records) error {
	var chosen picked
	var names []string
	for first := true; ; first = false {
		record, line, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		t.line = line
		if first && (len(t.form.Columns)+len(t.form.Categories) > 0 || isHeader(record[0], record[1:])) {
			names = record
			continue
		}
		if names != nil && chosen.columns == nil {
			if len(record) == len(names)+1 { // the ids' column has no name, as R writes it
				names = slices.Insert(names, 0, "")
			}
			if chosen, err = t.head(names, 0); err != nil {
				return err
			}
		}
		if names != nil && len(record) != len(names) {
			t.cells, err = record, &mistake{field: -1, hint: "a field with a comma in it stands in quotes",
				text: fmt.Sprintf("the row has %d columns, but %d have names", len(record), len(names))}
		} else {
			err = t.addCells(chosen.of(record))
		}
		if err != nil && t.report(err) {
			break
		}
	}
	return t.err()
}

// picked are the columns that are read, that of the ids first; all in their order if nil.
type picked struct{ columns []int }

// of returns the cells of a row in these columns.
func (p picked) of(row []string) []string {
	if p.columns == nil {
		return row
	}
	cells := make([]string, 0, len(p.columns))
	for _, k := range p.columns {
		cells = append(cells, row[k])
	}
	return cells
}

// head takes the names of a table's columns, of which one has the ids, and returns those that are read.
func (t *tableReader) head(names []string, id int) (picked, error) {
	for k := range names {
		names[k] = strings.TrimSpace(names[k])
	}
	var columns []int
	for _, name := range t.form.Columns {
		k := slices.Index(names, name)
		if k < 0 {
			return picked{}, noColumn("columns", name, names)
		}
		columns = append(columns, k)
	}
	if columns == nil {
		columns = append(columns, id)
		for k := range names {
			if k != id {
				columns = append(columns, k)
			}
		}
	}
	chosen := make([]string, 0, len(columns))
	for _, k := range columns[1:] {
		chosen = append(chosen, names[k])
	}
	if t.code.header && !slices.Equal(chosen, t.code.names) {
		return picked{}, wrongKey("more", "%s has the columns %s, the files before have %s", t.name,
			strings.Join(chosen, ", "), strings.Join(t.code.names, ", "))
	}
	t.code.header, t.code.names = true, chosen
	return picked{columns}, nil
}

// addCells adds a row of an id and values, which may be texts.
func (t *tableReader) addCells(cells []string) error {
	t.cells = cells
	if err := t.addID(cells[0]); err != nil {
		return err
	}
	if err := t.fits(len(cells) - 1); err != nil {
		return err
	}
	if err := t.code.begin(t.width, t.form.Categories); err != nil {
		return err
	}
	row := int32(len(t.ids) - 1)
	for k := range t.code.columns {
		v, err := t.code.add(row, k, cells, t.name, t.line)
		if err != nil {
			return err
		}
		t.values = append(t.values, v)
	}
	return nil
}

// readIDX is for pictures. Those of a further file are numbered on.
func (t *tableReader) readIDX(r io.Reader) error {
	array, err := idx.Read(r)
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	n := array.Shape[0]
	if len(array.Data) == 0 || t.width > 0 && t.width != len(array.Data)/n {
		return fmt.Errorf("%s: an array of %v is not of rows of %d values", t.name, array.Shape, max(1, t.width))
	}
	t.width = len(array.Data) / n
	for range n {
		t.ids = append(t.ids, strconv.Itoa(len(t.ids)))
	}
	t.values = slices.Grow(t.values, len(array.Data))
	for _, b := range array.Data {
		t.values = append(t.values, float32(b)/255)
	}
	return nil
}

// readParquet reads rows as those of CSV; the number of a row stands for its line.
func (t *tableReader) readParquet(r io.Reader) error {
	err := eachRow(r, t.head, func(cells []string) bool {
		t.line++
		err := t.addCells(cells)
		return err == nil || !t.report(err)
	})
	if known := (*KeyError)(nil); errors.As(err, &known) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	return t.err()
}

// add reads one row.
func (t *tableReader) add(id string, fields []string, add func(fields []string) error) error {
	if err := t.addID(id); err != nil {
		return err
	}
	return add(fields)
}

// eachLine calls add with the fields after the id of each line that is not blank, but for a first one that is a header.
func (t *tableReader) eachLine(r io.Reader, header func(id string, fields []string) bool,
	add func(fields []string) error) error {
	lines := newLines(r)
	for first := true; lines.Scan(); {
		t.line++
		t.text = strings.TrimSuffix(lines.Text(), "\r")
		if strings.TrimSpace(t.text) == "" {
			continue
		}
		id, rest, _ := strings.Cut(t.text, "\t")
		begins := first
		if first = false; begins && header != nil && header(id, strings.Fields(rest)) {
			continue
		}
		if err := t.add(id, strings.Fields(rest), add); err != nil && t.report(err) {
			break
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: line %d: %w", t.name, t.line+1, err)
	}
	return t.diags.Err()
}

// addID begins a row.
func (t *tableReader) addID(id string) error {
	if id == "" {
		return wrong(-1, "the row has no id")
	}
	if line, exists := t.seen[id]; exists {
		again := &mistake{field: -1, text: fmt.Sprintf("entity %q has a row already, on line %d", id, line)}
		if t.cells != nil {
			again.hint = "leave one row of each entity; " +
				`the ids are in the first column, unless "columns" names another one first`
		}
		return again
	}
	t.seen[id] = t.line
	t.ids = append(t.ids, id)
	return nil
}

// addValues adds a row of all values. The first row decides the width, unless it is given.
func (t *tableReader) addValues(fields []string) error {
	if err := t.fits(len(fields)); err != nil {
		return err
	}
	for k, field := range fields {
		v, err := number(k, field)
		if m := (*mistake)(nil); errors.As(err, &m) {
			m.hint = whereGapsAre
			if _, err := parse(field, 32); err != nil && likeNumber(field) {
				m.hint = "numbers have a point before decimals, and no other sign"
			}
			return m
		}
		t.values = append(t.values, v)
	}
	return nil
}

// whereGapsAre is the hint to rows with text or gaps where numbers alone are read.
const whereGapsAre = "text and gaps are read below names between tabs, and from .csv and .parquet files"

// fits checks how many values a row has.
func (t *tableReader) fits(values int) error {
	first := t.width == 0
	if first {
		t.width = values
	}
	if t.cells == nil && (first || values != t.width) {
		t.gaps = t.gaps || strings.Contains(t.text+"\t", "\t\t")
	}
	if values == 0 || values != t.width {
		few := &mistake{field: -1, text: fmt.Sprintf("the row has %d values, %d are wanted", values, max(1, t.width))}
		if values == 0 && len(t.cells) == 1 && strings.ContainsAny(t.cells[0], ";\t") {
			few.hint = "commas separate the columns, or in all lines semicolons or tabs, and a point is before decimals"
		} else if t.gaps {
			few.hint = whereGapsAre
		}
		return few
	}
	return nil
}

// addNonzeros adds a row of columns, or of columns with values, and sorts it.
func (t *tableReader) addNonzeros(fields []string) error {
	type nonzero struct {
		column int32
		value  float32
	}
	row := make([]nonzero, len(fields))
	for k, field := range fields {
		column, value, valued := strings.Cut(field, ":")
		row[k].value = 1
		c, err := strconv.ParseInt(column, 10, 32)
		if err != nil || c < 0 || c >= int64(t.columnLimit()) {
			return wrong(k, "%q: a column is a number from 0 to %d", field, t.columnLimit()-1)
		}
		row[k].column = int32(c)
		if valued {
			if row[k].value, err = number(k, value); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(row, func(a, b nonzero) int { return cmp.Compare(a.column, b.column) })
	for k, x := range row {
		if k > 0 && row[k-1].column == x.column {
			return wrong(-1, "column %d is given twice", x.column)
		}
		t.columns, t.values = append(t.columns, x.column), append(t.values, x.value)
	}
	return nil
}

// columnLimit returns the bound that columns must stay below.
func (t *tableReader) columnLimit() int {
	if t.width > 0 {
		return t.width
	}
	return maxWidth
}

// number reads a finite value, that of a field; float32 keeps about seven digits of it.
func number(field int, text string) (float32, error) {
	v, err := parse(text, 32)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, wrong(field, "%q is not a finite number", text)
	}
	return float32(v), nil
}
