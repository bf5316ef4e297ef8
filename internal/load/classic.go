package load

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// ReadClassic reads a program as PSL up to 2.3 has it: a rule file, and a .data file in YAML that declares predicates
// and names tables, relative to its own folder. open may be nil for os.Open. The error is a *source.Failure with
// everything that is wrong.
func ReadClassic(rules, data string, open func(path string) (io.ReadCloser, error)) (*Config, error) {
	c := &Config{Name: data, Open: open}
	var diags source.Diagnostics
	d := decoder{config: c, dir: filepath.Dir(data), diags: &diags}
	if file := c.classicFile(rules, &diags); file != nil {
		c.Common.Rules = syntax.Parse(file, &diags)
	}
	if file := c.classicFile(data, &diags); file != nil {
		if n, ok := parseYAML(file, &diags); ok {
			d.classicRoot(n)
		}
	}
	return d.finish()
}

// classicFile reads a file that the user names, not a configuration; nil after reporting an error.
func (c *Config) classicFile(path string, diags *source.Diagnostics) *source.File {
	file, err := c.readFile(path)
	if err != nil {
		c.Unreadable(diags, source.Span{}, path, err)
		return nil
	}
	return file
}

// classicRoot reads a .data file: predicates first, wherever they stand, because the other keys name them.
func (d *decoder) classicRoot(n node) {
	if predicates, ok := n.get("predicates"); ok {
		d.each(predicates, "predicates", func(key, value node) {
			d.config.Predicates = append(d.config.Predicates, d.classicPredicate(key, value))
		})
	}
	d.config.number(d.diags)
	d.object(n, DataLevel, "the data file",
		field{"predicates", func(node) {}},
		field{"observations", d.classicPartition("observations", func(p *Predicate) *Partition { return &p.Observations })},
		field{"targets", d.classicPartition("targets", func(p *Predicate) *Partition { return &p.Targets })},
		field{"truth", d.classicPartition("truth", func(p *Predicate) *Partition { return &p.Truth })},
	)
}

// classicPredicate reads "Name/2: open", or a list of open, closed, block and settings.
func (d *decoder) classicPredicate(key, value node) *Predicate {
	decl := d.declare(key)
	for item := range d.elements(value) {
		if item.kind() == object {
			d.classicSettings(item, decl)
			continue
		}
		if d.choice(item, "predicate "+decl.predicate.Name, "closed", "open", "block") == 1 {
			decl.predicate.ForceOpen = true
		}
	}
	d.arity(decl)
	return decl.predicate
}

// classicSettings reads the settings within a predicate's list.
func (d *decoder) classicSettings(n node, decl *declaration) {
	p := decl.predicate
	deep := func(v node) {
		d.diags.Errorf("config-deep-predicate", v.span(), `use a configuration in JSON, with "networks" and "neural"`,
			"predicate %s has a model, which a .data file cannot describe here", p.Name)
	}
	d.object(n, DataPredicate, "predicate "+p.Name,
		field{"types", func(v node) { p.Types = d.types(v) }},
		field{"implementation", func(v node) { p.Function = d.text(v, "implementation") }},
		field{"modeltype", deep},
		field{"config", deep},
	)
}

// classicPartition returns a reader of the tables of one kind by predicate.
func (d *decoder) classicPartition(what string, of func(*Predicate) *Partition) func(node) {
	return func(n node) {
		d.each(n, what, func(key, value node) {
			p := d.config.predicate(key.scalar())
			if p == nil {
				d.diags.Errorf("config-unknown-predicate", key.span(), suggestion(key.scalar(), d.config.names()),
					"predicate %s is not declared", key.scalar())
				return
			}
			of(p).All = d.data(value, what)
		})
	}
}

// predicate returns the predicate of a name, whatever its case and with or without the arity; nil if there is none.
func (c *Config) predicate(name string) *Predicate {
	name, _, _ = strings.Cut(name, "/")
	if at := c.Find(name); at >= 0 {
		return c.Predicates[at]
	}
	return nil
}

// names lists the predicates' names.
func (c *Config) names() []string {
	names := make([]string, len(c.Predicates))
	for k, p := range c.Predicates {
		names[k] = p.Name
	}
	return names
}
