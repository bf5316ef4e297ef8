package declare

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
	"github.com/deeppsl/deeppsl/neural/features"
)

// Data are the atoms of a program, and what is known about them. What is wrong is noted, and said by Configure.
type Data struct {
	Program  *Program
	Features map[string]*features.Table // by network
	tabled   map[*load.Predicate]*load.Tabled
	examples [3]*load.Data
	facts    [3][]load.FactTable
	errors   []error
}

// NewData returns data of a program without any atoms.
func NewData(p *Program) *Data {
	return &Data{Program: p, tabled: make(map[*load.Predicate]*load.Tabled), Features: make(map[string]*features.Table)}
}

// Derived is a rule that makes targets, as a table.
func Derived(rule string) (load.Data, error) {
	var diags source.Diagnostics
	parsed := syntax.ParseDerivation(&source.File{Name: "targets", Text: rule}, &diags)
	return load.Data{Rule: parsed}, diags.Err()
}

// Fail notes an error.
func (d *Data) Fail(err error) { d.errors = append(d.errors, err) }

// Describe gives a network the feature vectors of what its predicate is about.
func (d *Data) Describe(network string, table *features.Table) {
	if d.Program.Networks[network].Features == "" {
		d.Fail(fmt.Errorf("there is no network %s that has features of its own%s", network, d.Program.networkMeant(network)))
	}
	d.Features[network] = table
}

// Add notes a table in a partition of a predicate, for a phase or for all; read is nil where there is none.
func (d *Data) Add(predicate string, phase *load.Phase, of func(*load.Tabled) *load.Partition,
	read func() (load.Data, error)) {
	declared := d.Program.Find(predicate)
	if declared == nil {
		d.Fail(fmt.Errorf("there is no predicate %s%s", predicate, d.Program.didYouMean(predicate)))
		return
	}
	if read == nil {
		d.Fail(fmt.Errorf("no rows are given for %s; none at all are deeppsl.Rows{}", declared.Name))
		return
	}
	table, err := read()
	if err != nil {
		d.Fail(fmt.Errorf("reading rows of %s: %w", declared.Name, err))
		return
	}
	if d.tabled[declared] == nil {
		d.tabled[declared] = new(load.Tabled)
	}
	partition := of(d.tabled[declared])
	if table.Rule != nil && partition != &d.tabled[declared].Targets {
		d.Fail(fmt.Errorf("the rule %s makes targets; those that make what is known stand in the predicate's declaration",
			syntax.Print(table.Rule)))
		return
	}
	if phase == nil {
		partition.All = append(partition.All, table)
	} else {
		partition.Phases[*phase] = append(partition.Phases[*phase], table)
	}
}

// didYouMean names the predicate whose name is most like one that there is not.
func (p *Program) didYouMean(name string) string {
	var names []string
	for _, k := range p.Config.Predicates {
		names = append(names, k.Name)
	}
	return meant(name, names)
}

// networkMeant names the network whose name is most like one that there is not.
func (p *Program) networkMeant(name string) string {
	return meant(name, slices.Sorted(maps.Keys(p.Networks)))
}

func meant(name string, names []string) string {
	if hint := source.Suggest(name, names); hint != "" {
		return "; " + hint
	}
	return ""
}

// takeData moves the data of a configuration out of its program.
func (p *Program) takeData() *Data {
	d := NewData(p)
	for _, k := range p.Config.Predicates {
		tabled := k.Tabled
		d.tabled[k], k.Tabled = &tabled, load.Tabled{}
	}
	d.examples, d.facts = p.Config.Examples, p.Config.Facts
	p.Config.Examples, p.Config.Facts = [3]*load.Data{}, [3][]load.FactTable{}
	return d
}

// Configure puts program and data together.
func (d *Data) Configure() (*load.Config, error) {
	if err := errors.Join(d.errors...); err != nil {
		return nil, err
	}
	var diags source.Diagnostics
	for _, network := range d.Program.Config.Networks {
		if spec, own := d.Program.Networks[network.Name]; own && spec.Features != "" && d.Features[network.Name] == nil {
			diags.Errorf("config-network", source.Span{}, "give it some: Data.Features in Go, Model.features in Python",
				"network %s has no features", network.Name)
		}
	}
	if err := diags.Err(); err != nil {
		return nil, err
	}
	config := *d.Program.Config
	config.Predicates = nil
	for _, k := range d.Program.Config.Predicates {
		tabled := d.tabled[k]
		if tabled == nil && d.Program.implied[strings.ToLower(k.Name)] {
			continue // nothing says anything about it but rules, which compiling will refuse
		}
		declared := *k
		declared.Types = slices.Clone(k.Types)
		declared.Evaluations = slices.Clone(k.Evaluations)
		if tabled != nil {
			declared.Tabled = *tabled
		}
		config.Predicates = append(config.Predicates, &declared)
	}
	config.Examples, config.Facts = d.examples, d.facts
	return &config, config.Resolve()
}
