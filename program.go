package deeppsl

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

// Program is rules and what their predicates are. It is read-only: any number of sessions may share it.
type Program struct {
	config   *load.Config           // without data
	implied  map[string]bool        // names of predicates, in lower case, that only rules mention
	networks map[string]neural.Spec // those declared in code, by name
}

// Type is the type of a predicate's argument: it says how constants are compared.
type Type uint8

// The types: text, and numbers of which "1" and "01" are the same.
const (
	String Type = iota
	Int
	Float
)

// Types are numbered as those of compiled programs are.
var _, _ = [1]struct{}{}[Type(program.String)-String], [1]struct{}{}[Type(program.Float)-Float]

// Predicate declares what Parse cannot see in the rules. At most one of Function, Measure, Similar, Derive and Network
// is set: they say where the atoms and their values come from, if not from data.
type Predicate struct {
	Name string
	// Types are those of the arguments; by default they are strings, as many as the rules give it.
	Types []Type
	// Function computes the value in [0, 1] of each atom from its arguments. It must give the same value for the same
	// arguments, and any number of goroutines may call it at once. Rules look its atoms up: others bind the variables.
	Function func(arguments ...string) float64
	// Measure names a similarity of two strings that is such a function, such as "JaroWinkler"; see docs/similarity.md.
	Measure string
	// Similar makes atoms of all pairs of strings that are alike.
	Similar *Similar
	// Derive are rules that make the atoms from those of other predicates: "Pair(A, B) <- In(A, C) & In(B, C)".
	Derive []string
	// Network gives the values.
	Network *Network
	// Evaluators score the answers, the first one also while learning: "discrete", "continuous", "auc", "categorical".
	Evaluators []string
}

// Similar are the pairs of a column's strings that a measure finds at least as similar as the threshold, in (0, 1].
type Similar struct {
	Measure string
	// Column is an argument of a predicate, numbered from 0: "Name:1".
	Column    string
	Threshold float64
}

// Network gives the values of a predicate's atoms: of the rows of its features with each class, of derived pairs, or
// of the atoms that data give as targets.
type Network struct {
	// Spec is what the network is. By default its name is that of the predicate; Data.Features has its features.
	Spec neural.Spec
	// Classes are the constants of the second argument, of a network that classifies the first one; nil if it says
	// whether something holds of one thing, or of a pair.
	Classes []string
	// Atoms are rules that derive the atoms, as those of Derive do.
	Atoms []string
	// Teacher names the predicate whose inferred values the network imitates while it learns; "" if none does.
	Teacher string
}

// Parse reads rules. Predicates are what the rules mention and data, or declarations, say something about.
func Parse(rules string, predicates ...Predicate) (*Program, error) {
	var diags source.Diagnostics
	p := newProgram(&load.Config{Name: "rules"})
	p.config.Common.Rules = syntax.Parse(&source.File{Name: "rules", Text: rules}, &diags)
	p.declare(predicates, &diags)
	p.imply(p.config.Common.Rules)
	if err := diags.Err(); err != nil {
		return nil, explained(err)
	}
	return p, nil
}

func newProgram(config *load.Config) *Program {
	return &Program{config: config, implied: make(map[string]bool), networks: make(map[string]neural.Spec)}
}

// String returns the rules in canonical form, one per line.
func (p *Program) String() string {
	var text strings.Builder
	for _, rule := range p.config.Common.Rules {
		fmt.Fprintln(&text, syntax.Print(rule))
	}
	return text.String()
}

// find returns the predicate of a name, whatever its case, or nil.
func (p *Program) find(name string) *load.Predicate {
	at := slices.IndexFunc(p.config.Predicates, func(k *load.Predicate) bool { return strings.EqualFold(k.Name, name) })
	if at < 0 {
		return nil
	}
	return p.config.Predicates[at]
}

// imply declares the predicates that rules mention and nothing has declared.
func (p *Program) imply(rules []*syntax.Rule) {
	for _, rule := range rules {
		for _, atom := range syntax.Atoms(rule) {
			if p.find(atom.Name) == nil {
				p.implied[strings.ToLower(atom.Name)] = true
				p.config.Predicates = append(p.config.Predicates, &load.Predicate{Span: atom.NameSpan(),
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
	if d.made = d.program.find(d.given.Name); d.made == nil {
		d.made = &load.Predicate{Predicate: program.Predicate{Name: d.given.Name, Types: d.types()}}
		d.program.config.Predicates = append(d.program.config.Predicates, d.made)
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
	types := make([]program.Type, len(d.given.Types))
	for k, t := range d.given.Types {
		types[k] = program.Type(min(t, Float))
	}
	if d.given.Types != nil {
		return types
	}
	for _, rule := range slices.Concat(d.program.config.Common.Rules, d.derive, d.atoms) {
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
		if measure == nil || !(s.Threshold > 0 && s.Threshold <= 1) {
			d.errorf("config-similarity", source.Suggest(s.Measure, similarity.Names()),
				"similar pairs of %s need a measure, one of %s, and a threshold in (0, 1]", d.given.Name,
				strings.Join(similarity.Names(), ", "))
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
	if _, known := d.program.networks[spec.Name]; !known {
		d.program.networks[spec.Name] = spec
		d.program.config.Networks = append(d.program.config.Networks, &load.Network{Name: spec.Name})
	}
}

func (d *declaration) errorf(id, hint, format string, args ...any) {
	d.diags.Errorf(id, source.Span{}, hint, format, args...)
}
