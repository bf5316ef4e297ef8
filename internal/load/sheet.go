package load

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"github.com/deeppsl/deeppsl/internal/source"
)

// Sheet is a table whose columns have names: examples, or facts about them.
type Sheet struct {
	File   *source.File
	Header []string
	Rows   [][]string
	spans  []source.Span // of the rows; the first is the header's
}

// Place returns that of row k, or of the header for -1.
func (s *Sheet) Place(k int) source.Span { return s.spans[k+1] }

// Cell returns the place of a field of row k, or of the header for -1: the row, if the field is empty. It reads the row
// once more, for messages.
func (s *Sheet) Cell(k, column int) source.Span {
	row := s.Place(k)
	text := newCSV(row.Text(), ',')
	fields, err := text.Read()
	if err != nil || column >= len(fields) || fields[column] == "" {
		return row
	}
	place := func(column int) int {
		line, at := text.FieldPos(column)
		return row.Start + lineStart(row.Text(), line) + at - 1
	}
	end := row.End
	if column+1 < len(fields) {
		end = place(column+1) - 1
	}
	return s.File.Span(place(column), end)
}

// maxExampleErrors is how many wrong rows are told.
const maxExampleErrors = 10

// ReadExamples reads the table of a phase's examples: comma-separated values below a header. It returns nil if there
// is none that can be read.
func (c *Config) ReadExamples(phase Phase, diags *source.Diagnostics) *Sheet {
	data, before := c.Examples[phase], diags.Errors()
	s := c.readSheet(data, diags)
	if s != nil && len(s.Rows) == 0 && diags.Errors() == before {
		diags.Errorf("examples-empty", data.Span, "a header and a line per example are wanted", "%s has no examples",
			data.Path)
	}
	return s
}

// ReadFacts reads a table of facts about examples. It returns nil if it cannot be read.
func (c *Config) ReadFacts(facts *FactTable, diags *source.Diagnostics) *Sheet {
	before := diags.Errors()
	s := c.readSheet(&facts.Data, diags)
	if s == nil || s.Header != nil {
		return s
	}
	if diags.Errors() == before {
		diags.Errorf("examples-empty", facts.Data.Span, "a header is wanted, such as example,from,to",
			"%s has no header", facts.Path)
	}
	return nil
}

func (c *Config) readSheet(data *Data, diags *source.Diagnostics) *Sheet {
	file, err := c.readData(data)
	if err != nil {
		c.Unreadable(diags, data.Span, data.Path, err)
		return nil
	}
	s := &Sheet{File: file}
	s.read(diags)
	return s
}

// read splits the text.
func (s *Sheet) read(diags *source.Diagnostics) {
	text := newCSV(s.File.Text, ',')
	for wrong := 0; wrong < maxExampleErrors; {
		at := afterBlankLines(s.File.Text, int(text.InputOffset()))
		record, err := text.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		span := s.File.Span(at, endOfLine(s.File.Text, at))
		if s.Header == nil {
			if form := otherForm(span.Text()); form != "" {
				diags.Errorf("examples-row", span, "its columns stand between commas, below a line of their names",
					"a table of examples or of facts about them is no table of %s", form)
				return
			}
		}
		switch {
		case err != nil && !errors.Is(err, csv.ErrFieldCount):
			diags.Errorf("examples-row", span, "", "%v", err)
			return
		case err != nil:
			diags.Errorf("examples-row", span, "", "the row has %d fields, the header has %d", len(record), len(s.Header))
			wrong++
		case s.Header == nil:
			for k, name := range record {
				record[k] = strings.TrimSpace(name)
			}
			s.Header, s.spans = record, append(s.spans, whole(span, text))
		default:
			s.Rows, s.spans = append(s.Rows, record), append(s.spans, whole(span, text))
		}
	}
}

// otherForm says what the first line of a table belongs to that is not one between commas.
func otherForm(line string) string {
	switch {
	case strings.HasPrefix(line, "{") || strings.HasPrefix(line, "["):
		return "JSON"
	case strings.Contains(line, ","):
		return ""
	case strings.Contains(line, "\t"):
		return "columns between tabs"
	case strings.Contains(line, ";"):
		return "columns between semicolons"
	}
	return ""
}

// whole returns the place of the row that was read last, which begins at span: a quote may hold line breaks.
func whole(span source.Span, text *csv.Reader) source.Span {
	row := span.File.Text[span.Start:text.InputOffset()]
	return span.File.Span(span.Start, span.Start+len(strings.TrimRight(row, "\r\n")))
}
