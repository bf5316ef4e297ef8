package load

import (
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Lines says where the observed atoms of a predicate stand. Tables does not remember that: whoever asks reads the
// predicate's tables again.
type Lines struct {
	origins []origin
	places  []relation.Place // of each row
	rows    *relation.Relation
	symbols *symbol.Table
}

// Lines reads where the observed atoms of a predicate stand in a phase. There are none of rows in memory, and of tables
// that cannot be read once more.
func (c *Config) Lines(phase Phase, predicate int) *Lines {
	p := c.Predicates[predicate]
	data := p.Observations.of(phase)
	for k := range data {
		if data[k].Rows != nil || data[k].Values != nil || data[k].Columns != nil {
			return &Lines{}
		}
	}
	var diags source.Diagnostics
	t := newTable(p, symbol.NewTable(), &diags)
	c.read(t, data, "observations", relation.Observed)
	places := t.builder.Places()
	if diags.HasErrors() {
		return &Lines{}
	}
	return &Lines{t.origins, places, t.builder.Relation(false), t.symbols}
}

// At returns where an observed atom stands, by lines that count from 1, or the row's number in a file that has none;
// "" and 0 if it is in no table.
func (l *Lines) At(arguments []string) (file string, line int) {
	if l.rows == nil {
		return "", 0
	}
	tuple := make([]symbol.ID, len(arguments))
	for k, argument := range arguments {
		id, known := l.symbols.Lookup(argument)
		if !known {
			return "", 0
		}
		tuple[k] = id
	}
	row, known := l.rows.Find(tuple...)
	if !known {
		return "", 0
	}
	place := l.places[row]
	o, offset := &l.origins[place>>offsetBits], int(place&(1<<offsetBits-1))
	if span := o.span(offset).Written(); span.HasText() {
		line, _ = span.File.Position(span.Start)
		return span.File.Name, line
	}
	return o.name(), offset + 1
}
