package load

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// addCSV reads comma-separated values as in RFC 4180, the first line of which names the columns. Where it has no comma,
// semicolons or tabs may stand in their place.
func (t *table) addCSV(file *source.File) {
	first, _, _ := strings.Cut(strings.TrimLeft(file.Text, "\r\n"), "\n")
	r := newCSV(file.Text, source.Separator(first))
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	var by *arrangement
	var h header
	defer func() { h.check(t) }()
	for {
		before := int(r.InputOffset())
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.csvError(file, before, err)
			return
		}
		offset := afterBlankLines(file.Text, before)
		if by != nil {
			h.rows.keep(fields)
			t.addArranged(fields, by, offset)
			continue
		}
		h = header{names: slices.Clone(fields), offset: offset}
		h.rows.keep(h.names)
		if by = t.arrange(h.names, offset); by == nil {
			return
		}
	}
}

// afterBlankLines returns the offset of the first line from offset on that is not empty.
func afterBlankLines(text string, offset int) int {
	for {
		rest := strings.TrimPrefix(text[offset:], "\r")
		if !strings.HasPrefix(rest, "\n") {
			return offset
		}
		offset = len(text) - len(rest) + 1
	}
}

// csvError reports what is wrong with the quotes, or else with the row at offset. Reading only ends behind a row's line
// if a quote has taken in the lines that follow: the mistake is then in that line, and not where reading ended.
func (t *table) csvError(file *source.File, offset int, err error) {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		t.errorf("data-columns", offset, "", "%v", err)
		return
	}
	row, at := lineStart(file.Text, parse.StartLine), lineStart(file.Text, parse.Line)+parse.Column-1
	if _, end := file.Line(row); at >= end {
		t.errorf("data-syntax", row, `a quote within quotes is written ""`, "a quote is not closed in this row")
		return
	}
	t.errorf("data-syntax", at, "", "%v", parse.Err)
}

// header is the first line of a table whose columns have names.
type header struct {
	names  []string
	offset int
	rows   start
}

// check warns of a first line that is likely to be a row: one with a number in it, or with a name that is there twice,
// or looks like all that is below it, or that the rows of any table have for a constant, unless it is unlike the rows
// that follow. Names that were asked for are none, and no row ends in the name of a truth value.
func (h *header) check(t *table) {
	o := &t.origins[len(t.origins)-1]
	if last := len(h.names) - 1; o.data.Choice != nil || last == len(t.tuple) && isTruthName(h.names[last]) {
		return
	}
	for k, name := range h.names {
		if source.IsNumber(name) || slices.Contains(h.names[:k], name) || h.rows.areAlike(k) {
			warnHeader(t.diags, o.span(h.offset), name)
			return
		}
	}
	if len(h.rows) > 0 && !t.beginsWithNames(h.rows) {
		t.named = append(t.named, namedColumns{o.span(h.offset), h.names})
	}
}

// namedColumns are the names that the first line of a table has, until all constants are known.
type namedColumns struct {
	span  source.Span
	names []string
}

// check warns if one of them is a constant.
func (n *namedColumns) check(symbols *symbol.Table, diags *source.Diagnostics) {
	for _, name := range n.names {
		if _, isConstant := symbols.Lookup(name); isConstant {
			warnHeader(diags, n.span, name)
			return
		}
	}
}

func warnHeader(diags *source.Diagnostics, span source.Span, name string) {
	diags.Warnf("data-header", span, "add a line of names before the first row, or call the file .tsv and use tabs",
		"the first line of a CSV file names its columns and is no row, but %q looks like a value", name)
}

// newCSV returns a reader of values between commas, or what stands in their place, which refuses rows of more than
// maxColumns fields.
func newCSV(text string, comma rune) *csv.Reader {
	r := csv.NewReader(&fewColumns{text: strings.NewReader(text), comma: byte(comma)})
	r.Comma = comma
	return r
}

// fewColumns reads a text of comma-separated values until a row has too many of them: package csv would make several
// words of each. Since a quote within quotes is doubled, every quote begins or ends what is quoted.
type fewColumns struct {
	text   *strings.Reader
	comma  byte
	quoted bool
	commas int // in the row
}

// Read is that of io.Reader.
func (f *fewColumns) Read(p []byte) (int, error) {
	n, err := f.text.Read(p)
	for k, c := range p[:n] {
		switch {
		case c == '"':
			f.quoted = !f.quoted
		case f.quoted:
		case c == '\n':
			f.commas = 0
		case c == f.comma:
			f.commas++
		}
		if f.commas >= maxColumns {
			return k, errColumns
		}
	}
	return n, err
}
