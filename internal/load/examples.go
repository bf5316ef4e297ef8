package load

import (
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/source"
)

// examples reads which tables have the examples of each phase: the name of one, or an object with the tables of facts
// beside it.
func (d *decoder) examples(n node) {
	var fields []field
	for phase := range Phase(3) {
		fields = append(fields, field{phase.String(), func(v node) { d.examplesOf(v, phase) }})
	}
	d.object(n, ExamplesLevel, "examples", fields...)
}

func (d *decoder) examplesOf(n node, phase Phase) {
	table := func(v node) {
		if path := d.text(v, "table"); path != "" {
			d.config.Examples[phase] = &Data{Path: d.path(v), Span: v.span()}
		}
	}
	if n.kind() != object {
		table(n)
		return
	}
	d.object(n, FactsLevel, phase.String(), field{"table", table}, field{"facts", func(v node) {
		d.each(v, "facts", func(key, value node) {
			if path := d.text(value, "facts"); path != "" {
				name, _, _ := strings.Cut(key.scalar(), "/")
				d.config.Facts[phase] = append(d.config.Facts[phase],
					FactTable{Data: Data{Path: d.path(value), Span: value.span()}, Name: name, Span: key.span()})
			}
		})
	}})
	if d.config.Examples[phase] == nil {
		d.diags.Errorf("config-examples", n.span(), `write "table": "examples.csv" beside "facts"`,
			"nothing names the table of the examples")
	}
}

// FactTable is a table of atoms that are observed in some examples.
type FactTable struct {
	Data
	Name string      // of the predicate
	Span source.Span // of the name
}

// checkFacts checks that the tables of facts are about predicates that there are.
func (c *Config) checkFacts(diags *source.Diagnostics) {
	names := make([]string, len(c.Predicates))
	for k, p := range c.Predicates {
		names[k] = p.Name
	}
	for phase := range c.Facts {
		for _, facts := range c.Facts[phase] {
			if c.Find(facts.Name) < 0 {
				diags.Errorf("config-examples", facts.Span, source.Suggest(facts.Name, names),
					"there is no predicate %s", facts.Name)
			}
		}
	}
}

// HasExamples tells whether any phase is about examples.
func (c *Config) HasExamples() bool {
	return slices.ContainsFunc(c.Examples[:], func(d *Data) bool { return d != nil })
}

// checkSlots checks that examples and the slots that they fill come together, and that all networks see examples.
func (c *Config) checkSlots(p *Predicate, diags *source.Diagnostics) {
	n := p.Neural
	switch {
	case len(n.Slots) > 0 && len(n.Classes) == 0 && p.Arity() > 1:
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
