package load

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"

	"github.com/deeppsl/deeppsl/internal/source"
)

// examples reads which table has the examples of each phase.
func (d *decoder) examples(n node) {
	var fields []field
	for phase := range Phase(3) {
		fields = append(fields, field{phase.String(), func(v node) {
			if path := d.text(v, phase.String()); path != "" {
				d.config.Examples[phase] = &Data{Path: d.path(v), Span: v.span()}
			}
		}})
	}
	d.object(n, "examples", fields...)
}

// HasExamples tells whether any phase is about examples.
func (c *Config) HasExamples() bool {
	return slices.ContainsFunc(c.Examples[:], func(d *Data) bool { return d != nil })
}

// checkSlots checks that examples and the slots that they fill come together, and that all networks see examples.
func (c *Config) checkSlots(n *Neural, diags *source.Diagnostics) {
	switch {
	case len(n.Slots) > 0 && len(n.Classes) == 0:
		diags.Errorf("config-neural", n.Span, `write "class": 1, "classes": ["a", "b"] too`,
			"a slot is what a classifier sees")
	case len(n.Slots) > 0 && !c.HasExamples():
		diags.Errorf("config-neural", n.Span, `write "examples": {"learn": "examples.csv"} beside "predicates"`,
			"no examples say what the slots stand for")
	case len(n.Slots) == 0 && c.HasExamples():
		diags.Errorf("config-neural", n.Span, `write "slots": ["first", "second"]: names for what it sees in an example`,
			"with examples, each network sees slots")
	}
}

// Examples is a table of examples: a column for each slot, with the rows of the features that it stands for, and one
// for each label.
type Examples struct {
	File   *source.File
	Header []string
	Rows   [][]string
	spans  []source.Span // of the rows; the first is the header's
}

// Span returns the place of row k, or of the header for -1.
func (e *Examples) Span(k int) source.Span { return e.spans[k+1] }

// maxExampleErrors is how many wrong rows are told.
const maxExampleErrors = 10

// ReadExamples reads the table of a phase's examples: comma-separated values below a header.
func (c *Config) ReadExamples(phase Phase, diags *source.Diagnostics) *Examples {
	data := c.Examples[phase]
	file, err := c.readFile(data.Path)
	if err != nil {
		c.Unreadable(diags, data.Span, data.Path, err)
		return nil
	}
	e := &Examples{File: file}
	e.read(diags)
	if len(e.Rows) == 0 && diags.Errors() == 0 {
		diags.Errorf("examples-empty", data.Span, "a header and a line per example are wanted", "%s has no examples",
			data.Path)
	}
	return e
}

// read splits the text.
func (e *Examples) read(diags *source.Diagnostics) {
	text := newCSV(e.File.Text)
	for wrong := 0; wrong < maxExampleErrors; {
		at := int(text.InputOffset())
		record, err := text.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		span := e.File.Span(at, endOfLine(e.File.Text, at))
		switch {
		case err != nil && !errors.Is(err, csv.ErrFieldCount):
			diags.Errorf("examples-row", span, "", "%v", err)
			return
		case err != nil:
			diags.Errorf("examples-row", span, "", "the row has %d fields, the header has %d", len(record), len(e.Header))
			wrong++
		case e.Header == nil:
			e.Header, e.spans = record, append(e.spans, span)
		default:
			e.Rows, e.spans = append(e.Rows, record), append(e.spans, span)
		}
	}
}
