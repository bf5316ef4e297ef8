package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A project is a stranger's folder: a configuration with its rules, and tables by their names.
type setting struct {
	config config
	rules  string
	tables map[string]*bytes.Buffer
}

// config is the configuration file.
type config struct {
	Rules      string                `json:"rules,omitempty"`
	Networks   map[string]*network   `json:"networks,omitempty"`
	Predicates map[string]*predicate `json:"predicates"`
	Examples   map[string]any        `json:"examples,omitempty"`
	Options    map[string]string     `json:"options,omitempty"`
}

type network struct {
	Kind     string `json:"kind,omitempty"`
	Preset   string `json:"preset,omitempty"`
	Features string `json:"features,omitempty"`
	Format   string `json:"format,omitempty"`
	Width    int    `json:"width,omitempty"`
	Hidden   []int  `json:"hidden,omitempty"`
	Encoder  string `json:"encoder,omitempty"`
	Output   string `json:"output,omitempty"`
}

type predicate struct {
	Observations any               `json:"observations,omitempty"` // names of tables, maybe by phase
	Targets      any               `json:"targets,omitempty"`
	Derive       string            `json:"derive,omitempty"`
	Neural       *neural           `json:"neural,omitempty"`
	Truth        map[string]string `json:"truth,omitempty"`
	Evaluations  []any             `json:"evaluations,omitempty"`
}

type neural struct {
	Network string   `json:"network"`
	Entity  *int     `json:"entity,omitempty"`
	Class   *int     `json:"class,omitempty"`
	Classes []string `json:"classes,omitempty"`
	Slots   []string `json:"slots,omitempty"`
	Atoms   string   `json:"atoms,omitempty"`
}

func newProject(rules string) *setting {
	p := &setting{rules: strings.TrimLeft(rules, "\n"), tables: make(map[string]*bytes.Buffer)}
	p.config.Predicates = make(map[string]*predicate)
	p.config.Networks = make(map[string]*network)
	return p
}

// declare adds a predicate, such as "Label/2".
func (p *setting) declare(name string, d predicate) { p.config.Predicates[name] = &d }

// row adds a row to a table, with tabs between its cells.
func (p *setting) row(table string, cells ...any) {
	b := p.table(table)
	for k, cell := range cells {
		if k > 0 {
			b.WriteByte('\t')
		}
		switch cell := cell.(type) {
		case float64:
			b.WriteString(number(cell))
		default:
			fmt.Fprint(b, cell)
		}
	}
	b.WriteByte('\n')
}

// table returns the text of a table, which it begins.
func (p *setting) table(name string) *bytes.Buffer {
	if p.tables[name] == nil {
		p.tables[name] = new(bytes.Buffer)
	}
	return p.tables[name]
}

// number writes a measurement with six digits, as instruments do.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// set changes an option.
func (p *setting) set(name, value string) {
	if p.config.Options == nil {
		p.config.Options = make(map[string]string)
	}
	p.config.Options[name] = value
}

// fork returns a project that shares the tables, and whose configuration can be changed at the first two levels.
func (p *setting) fork() *setting {
	forked := *p
	forked.config.Options = maps.Clone(p.config.Options)
	forked.config.Networks = maps.Clone(p.config.Networks)
	forked.config.Predicates = make(map[string]*predicate)
	for name, d := range p.config.Predicates {
		d := *d
		d.Truth = maps.Clone(d.Truth)
		forked.config.Predicates[name] = &d
	}
	return &forked
}

// names of the files of every project.
const (
	configFile = "model.json"
	rulesFile  = "model.psl"
)

// write writes the project into a folder that exists, and returns the configuration's path.
func (p *setting) write(dir string) (string, error) {
	c := p.config
	files := make(map[string][]byte)
	if p.rules != "" {
		c.Rules, files[rulesFile] = rulesFile, []byte(p.rules)
	}
	text, err := json.MarshalIndent(&c, "", "  ")
	if err != nil {
		return "", err
	}
	files[configFile] = append(text, '\n')
	for name, b := range p.tables {
		files[name] = b.Bytes()
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), files[name], 0o666); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, configFile), nil
}

// names returns n names with a prefix: c0, c1, …
func names(prefix string, n int) []string {
	list := make([]string, n)
	for k := range list {
		list[k] = prefix + strconv.Itoa(k)
	}
	return list
}
