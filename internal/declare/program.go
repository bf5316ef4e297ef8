// Package declare makes of programs in Go what configurations are read to: rules with predicates that are declared in
// code, and data that lie in memory, or in files that are named one by one.
package declare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/similarity"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
	"github.com/deeppsl/deeppsl/neural"
)

// Program is rules and what their predicates are.
type Program struct {
	Config   *load.Config           // without data
	Networks map[string]neural.Spec // those declared in code, by name
	implied  map[string]bool        // names of predicates, in lower case, that only rules mention
}

// Predicate declares what rules do not say.
type Predicate struct {
	Name       string
	Types      []program.Type // nil if rules say how many there are
	Function   func(arguments ...string) float64
	Measure    string
	Similar    *Similar
	Derive     []string
	Network    *Network
	Evaluators []string
}

// Similar are the pairs of a column's strings that are alike.
type Similar struct {
	Measure   string
	Column    string
	Threshold float64
}

// Network gives the values of a predicate's atoms.
type Network struct {
	Spec    neural.Spec
	Classes []string
	Atoms   []string
	Teacher string
}

// Parse reads rules, of a text that is called "rules".
func Parse(rules string, predicates []Predicate) (*Program, error) {
	var diags source.Diagnostics
	p := newProgram(&load.Config{Name: "rules"})
	p.Config.Common.Rules = syntax.Parse(&source.File{Name: "rules", Text: rules}, &diags)
	p.declare(predicates, &diags)
	p.imply(p.Config.Common.Rules)
	return p, diags.Err()
}

// Open takes a configuration apart into a program and its data.
func Open(config *load.Config, predicates []Predicate) (*Program, *Data, error) {
	var diags source.Diagnostics
	p := newProgram(config)
	p.declare(predicates, &diags)
	return p, p.takeData(), diags.Err()
}

func newProgram(config *load.Config) *Program {
	return &Program{Config: config, implied: make(map[string]bool), Networks: make(map[string]neural.Spec)}
}

// String returns the rules in canonical form, one per line.
func (p *Program) String() string {
	var text strings.Builder
	for _, rule := range p.Config.Common.Rules {
		fmt.Fprintln(&text, syntax.Print(rule))
	}
	return text.String()
}

// Find returns the predicate of a name, whatever its case, or nil.
func (p *Program) Find(name string) *load.Predicate {
	at := slices.IndexFunc(p.Config.Predicates, func(k *load.Predicate) bool { return strings.EqualFold(k.Name, name) })
	if at < 0 {
		return nil
	}
	return p.Config.Predicates[at]
}

// imply declares the predicates that rules mention and nothing has declared.
func (p *Program) imply(rules []*syntax.Rule) {
	for _, rule := range rules {
		for _, atom := range syntax.Atoms(rule) {
			if p.Find(atom.Name) == nil {
				p.implied[strings.ToLower(atom.Name)] = true
				p.Config.Predicates = append(p.Config.Predicates, &load.Predicate{Span: atom.NameSpan(),
					Predicate: program.Predicate{Name: atom.Name, Types: make([]program.Type, len(atom.Args))}})
			}
		}
	}
}

// declare adds predicates, and then those that only their derivations mention.
func (p *Program) declare(predicates []Predicate, diags *source.Diagnostics) {
	var derivations []*syntax.Rule
	for k := range predicates {
		d := declaration{program: p, given: &predicates[k], diags: diags}
		if slices.ContainsFunc(predicates[:k], func(p Predicate) bool { return strings.EqualFold(p.Name, d.given.Name) }) {
			d.errorf("config-repeated-predicate", "names are the same whatever their case",
				"predicate %s is declared already", d.given.Name)
			continue
		}
		d.derive = d.rules(d.given.Derive)
		if d.given.Network != nil {
			d.atoms = d.rules(d.given.Network.Atoms)
		}
		derivations = slices.Concat(derivations, d.derive, d.atoms)
		d.declare()
	}
	p.imply(derivations)
}

// declaration makes a predicate of what a program says of it.
type declaration struct {
	program *Program
	given   *Predicate
	made    *load.Predicate
	diags   *source.Diagnostics

	derive, atoms []*syntax.Rule // of the predicate itself, and of its network
}

func (d *declaration) declare() {
	if !syntax.IsName(d.given.Name) {
		d.errorf("config-name", "use letters, digits and _, and no digit first", "%q is not a name", d.given.Name)
		return
	}
	if d.made = d.program.Find(d.given.Name); d.made == nil {
		d.made = &load.Predicate{Predicate: program.Predicate{Name: d.given.Name, Types: d.types()}}
		d.program.Config.Predicates = append(d.program.Config.Predicates, d.made)
	}
	d.origin()
	if d.given.Network != nil {
		d.network()
	}
	for k, name := range d.given.Evaluators {
		short, err := load.ParseEvaluator(name)
		if err != nil {
			d.errorf("config-evaluator", "", "%v", err)
		}
		d.made.Evaluations = append(d.made.Evaluations, load.Evaluation{Evaluator: short, Primary: k == 0})
	}
}

// types are those that are given, or as many strings as the rules say.
func (d *declaration) types() []program.Type {
	if d.given.Types != nil {
		return d.given.Types
	}
	for _, rule := range slices.Concat(d.program.Config.Common.Rules, d.derive, d.atoms) {
		for _, atom := range syntax.Atoms(rule) {
			if strings.EqualFold(atom.Name, d.given.Name) {
				return make([]program.Type, len(atom.Args))
			}
		}
	}
	d.errorf("config-arity", "give its types", "no rule says how many arguments %s has", d.given.Name)
	return nil
}

// origin says where atoms come from that neither data nor a network give.
func (d *declaration) origin() {
	if d.given.Function != nil {
		d.made.Function, d.made.Call = d.given.Name, d.given.Function
	} else if d.given.Measure != "" {
		d.made.Function = d.given.Measure
	}
	if s := d.given.Similar; s != nil {
		var over load.Column
		var err error
		if over, err = load.ParseColumn(s.Column); err != nil {
			d.errorf("config-column", "write Name:1 for the second argument of Name", "%v", err)
		}
		measure := similarity.Find(s.Measure)
		if measure == nil {
			d.errorf("config-similarity", source.Suggest(s.Measure, similarity.Names()),
				"similar pairs of %s need a measure, one of %s", d.given.Name, strings.Join(similarity.Names(), ", "))
		}
		if !(s.Threshold > 0 && s.Threshold <= 1) {
			d.errorf("config-similarity", "", "similar pairs of %s need a threshold in (0, 1], and not %v", d.given.Name,
				s.Threshold)
		}
		d.made.Similarity = &load.Similarity{Measure: measure, Over: over, Threshold: s.Threshold}
	}
	if d.given.Derive != nil {
		d.made.Derive = &load.Derivation{Rules: d.derive}
	}
}

// rules parses derivations.
func (d *declaration) rules(texts []string) []*syntax.Rule {
	var rules []*syntax.Rule
	for _, text := range texts {
		file := &source.File{Name: "predicate " + d.given.Name, Text: text}
		if rule := syntax.ParseDerivation(file, d.diags); rule != nil {
			rules = append(rules, rule)
		}
	}
	return rules
}

// network ties the predicate to its network.
func (d *declaration) network() {
	n := d.given.Network
	spec := n.Spec
	if spec.Name == "" {
		spec.Name = d.given.Name
	}
	if spec.Encoder == "" {
		spec.Features = spec.Name
	}
	d.made.Neural = &load.Neural{Network: spec.Name, Class: -1, Classes: n.Classes, Atoms: d.atoms,
		Teacher: n.Teacher}
	if len(n.Classes) > 0 {
		d.made.Neural.Class = 1
	}
	if _, known := d.program.Networks[spec.Name]; !known {
		d.program.Networks[spec.Name] = spec
		d.program.Config.Networks = append(d.program.Config.Networks, &load.Network{Name: spec.Name})
	}
}

func (d *declaration) errorf(id, hint, format string, args ...any) {
	d.diags.Errorf(id, source.Span{}, hint, format, args...)
}
