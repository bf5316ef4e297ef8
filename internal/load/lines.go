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
}

// Lines reads where the observed atoms of a predicate, so many, stand in a phase. There are none of rows in memory, of
// tables that cannot be read once more, and of those that have changed since they were.
func (c *Config) Lines(phase Phase, predicate, observed int) *Lines {
	p := c.Predicates[predicate]
	data := p.Observations.of(phase)
	for k := range data {
		if data[k].Rows != nil || data[k].Values != nil {
			return &Lines{}
		}
	}
	var diags source.Diagnostics
	t := newTable(p, symbol.NewTable(), &diags)
	c.read(t, data, "observations", relation.Observed)
	places := t.builder.Places()
	if diags.HasErrors() || len(places) != observed {
		return &Lines{}
	}
	return &Lines{t.origins, places}
}

// At returns where an observed row stands, by lines that count from 1, or the row's number in a file that has no lines;
// "" and 0 if that is not known.
func (l *Lines) At(row int32) (file string, line int) {
	if int(row) >= len(l.places) {
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
