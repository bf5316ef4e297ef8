package load

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/similarity"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Similarity makes observed atoms of all pairs of a column's different constants that are similar enough: in both
// directions, and of each constant with itself.
type Similarity struct {
	Measure   *similarity.Measure
	Over      Column
	Threshold float64 // in (0, 1]
	Span      source.Span
}

// Column is an argument of a predicate, written "Name:1" for the second one of Name.
type Column struct {
	Predicate string
	Argument  int
	Span      source.Span
}

// similarity reads what makes a predicate the similar pairs of a column.
func (d *decoder) similarity(n node, p *Predicate) {
	s := &Similarity{Span: n.span()}
	p.Similarity = s
	d.object(n, SimilarityLevel, "similarity",
		field{"measure", func(v node) { s.Measure = d.measure(v) }},
		field{"over", func(v node) { s.Over = d.column(d.text(v, "over"), v.span()) }},
		field{"threshold", func(v node) { s.Threshold = d.threshold(v) }},
		field{"corpus", func(v node) {
			corpus := d.column(d.text(v, "corpus"), v.span())
			p.Corpus = &corpus
		}},
	)
	for _, key := range [...]string{"measure", "over", "threshold"} {
		if n.kind() == object && !n.has(key) {
			d.diags.Errorf("config-similarity", n.span(),
				`as in {"measure": "JaroWinkler", "over": "Name:1", "threshold": 0.5}`, "similarity has no key %q", key)
		}
	}
}

// measure reads the name of a similarity.
func (d *decoder) measure(n node) *similarity.Measure {
	name := d.text(n, "measure")
	m := similarity.Find(name)
	if m == nil && n.kind() == text {
		d.diags.Errorf("config-similarity", n.span(), suggestion(name, similarity.Names()),
			"no similarity %q; there are %s", name, strings.Join(similarity.Names(), ", "))
	}
	return m
}

// threshold reads a number in (0, 1]: with 0, all pairs would be similar.
func (d *decoder) threshold(n node) float64 {
	if !d.expect(n, number, "threshold") {
		return 1
	}
	value, err := strconv.ParseFloat(n.scalar(), 64)
	if err != nil || !(value > 0 && value <= 1) {
		d.diags.Errorf("config-number", n.span(), "", "threshold must be above 0 and at most 1")
		return 1
	}
	return value
}

// column reads "Name:1".
func (d *decoder) column(name string, span source.Span) Column {
	column, err := ParseColumn(name)
	if err != nil {
		d.diags.Errorf("config-column", span, "write Name:1 for the second argument of Name; they are numbered from 0",
			"%v", err)
	}
	column.Span = span
	return column
}

// ParseColumn reads "Name:1".
func ParseColumn(text string) (Column, error) {
	predicate, number, _ := strings.Cut(text, ":")
	argument, err := strconv.Atoi(number)
	if err != nil || argument < 0 {
		err = fmt.Errorf("%q is not an argument of a predicate", text)
	}
	return Column{Predicate: predicate, Argument: argument}, err
}

// corpusOption takes the option "corpus" of a function.
func (d *decoder) corpusOption(p *Predicate) {
	for _, option := range p.Options {
		if option.Name == "corpus" && p.Function != "" {
			corpus := d.column(option.Value, option.Span)
			p.Corpus = &corpus
		}
	}
}

// checkColumns checks the columns that a predicate's strings come from.
func (c *Config) checkColumns(p *Predicate, diags *source.Diagnostics) {
	if p.Similarity != nil {
		if p.Arity() != 2 {
			diags.Errorf("config-similarity", p.Span, "", "predicate %s has pairs of strings as atoms, and so two arguments",
				p.Name)
		}
		c.checkColumn(&p.Similarity.Over, diags)
	}
	if p.Corpus != nil {
		c.checkColumn(p.Corpus, diags)
	}
}

// checkColumn checks that a column is there and has constants.
func (c *Config) checkColumn(column *Column, diags *source.Diagnostics) {
	at := c.Find(column.Predicate)
	switch {
	case at < 0:
		diags.Errorf("config-column", column.Span, suggestion(column.Predicate, c.names()), "there is no predicate %s",
			column.Predicate)
	case column.Argument >= c.Predicates[at].Arity():
		diags.Errorf("config-column", column.Span, "arguments are numbered from 0", "predicate %s/%d has no argument %d",
			c.Predicates[at].Name, c.Predicates[at].Arity(), column.Argument)
	case c.Predicates[at].Function != "":
		diags.Errorf("config-column", column.Span, "name a predicate with data", "%s is a function and has no rows",
			c.Predicates[at].Name)
	}
}

// Find returns the number of the predicate with the given name, whatever its case, or -1. It needs Resolve.
func (c *Config) Find(name string) int {
	if k, ok := c.numbers[strings.ToLower(name)]; ok {
		return k
	}
	return -1
}

// pairTypes gives similar pairs the type of the column that they are of, unless they have types.
func (c *Config) pairTypes() {
	for _, p := range c.Predicates {
		if p.Similarity == nil || !p.untyped || p.Arity() != 2 {
			continue
		}
		over := &p.Similarity.Over
		if at := c.Find(over.Predicate); at >= 0 && over.Argument < c.Predicates[at].Arity() {
			t := c.Predicates[at].Types[over.Argument]
			p.Types = []program.Type{t, t}
		}
	}
}

// String writes the column as configurations do.
func (c Column) String() string { return fmt.Sprintf("%s:%d", c.Predicate, c.Argument) }
