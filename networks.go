package deeppsl

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/neural"
)

// networks are a project's neural networks, shared by the ground models of all phases: what one learns, all see.
type networks struct {
	system   *neural.System
	specs    []neural.Spec
	tables   map[string]*neural.Features // by path
	features map[string]*neural.Features // by the network's name; an encoder's also under those that share it
}

// loadNetworks reads the feature tables and builds the networks with fresh parameters.
func (p *Project) loadNetworks() (*networks, error) {
	if len(p.config.Networks) == 0 {
		return nil, nil
	}
	var diags source.Diagnostics
	n := &networks{features: make(map[string]*neural.Features), tables: make(map[string]*neural.Features)}
	for _, network := range p.config.Networks {
		spec := neural.Spec{Name: network.Name, Outputs: p.outputs(network.Name)}
		if err := json.Unmarshal(network.JSON, &spec); err != nil {
			diags.Errorf("config-network", network.Span, "", "network %q: %v", network.Name, err)
			continue
		}
		if spec.Encoder == "" {
			if err := p.loadFeatures(&spec, n.tables); err != nil {
				diags.Errorf("config-network", network.At("features"), "", "network %q: %v", network.Name, err)
			}
			n.features[spec.Name] = n.tables[spec.Features]
		}
		n.specs = append(n.specs, spec)
	}
	for _, spec := range n.specs {
		if spec.Encoder != "" {
			n.features[spec.Name] = n.features[spec.Encoder]
		}
	}
	if err := diags.Err(); err != nil {
		return nil, err
	}
	n, err := n.renewed(p.Seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.config.Name, err)
	}
	return n, nil
}

// renewed returns the same networks with new parameters, drawn by seed.
func (n *networks) renewed(seed uint64) (*networks, error) {
	fresh := *n
	var err error
	fresh.system, err = neural.New(n.specs, n.tables, seed)
	return &fresh, err
}

// outputs returns the number of classes of the predicate whose truth the network gives; 0 if there are no classes.
func (p *Project) outputs(network string) int {
	for _, predicate := range p.config.Predicates {
		if predicate.Neural != nil && predicate.Neural.Network == network {
			return len(predicate.Neural.Classes)
		}
	}
	return 0
}

// loadFeatures reads the table that a network names, unless another network has, and names it by its path.
func (p *Project) loadFeatures(spec *neural.Spec, tables map[string]*neural.Features) error {
	if !filepath.IsAbs(spec.Features) {
		spec.Features = filepath.Join(filepath.Dir(p.config.Name), spec.Features)
	}
	if tables[spec.Features] != nil {
		return nil
	}
	features, err := neural.ReadFile(spec.Format, spec.Features, spec.Width)
	if err != nil {
		return err
	}
	tables[spec.Features] = features
	return nil
}

// perceivedClasses makes the atoms of a classifier's predicate: one per row of the features and class.
func (n *networks) perceivedClasses(declared *load.Predicate, known *relation.Relation, symbols *symbol.Table) (
	*relation.Relation, error) {
	if declared.Arity() != 2 {
		return nil, fmt.Errorf("%s has %d arguments; the atoms of a classifier have 2, the entity and the class",
			declared.Name, declared.Arity())
	}
	features := n.features[declared.Neural.Network]
	columns := make([][]symbol.ID, 2)
	for row := range int32(features.Len()) {
		for _, class := range declared.Neural.Classes {
			columns[declared.Neural.Entity] = append(columns[declared.Neural.Entity], symbols.Intern(features.ID(row)))
			columns[declared.Neural.Class] = append(columns[declared.Neural.Class], symbols.Intern(class))
		}
	}
	return withPerceived(known, columns), nil
}

// withPerceived adds perceived atoms to the ones that are known; a known one stays what it is.
func withPerceived(known *relation.Relation, columns [][]symbol.ID) *relation.Relation {
	builder := relation.NewBuilder(known.Name, known.Arity)
	tuple := make([]symbol.ID, known.Arity)
	for row := range int32(known.Len()) {
		tuple = known.Tuple(tuple[:0], row)
		truth := float32(1)
		if known.Role(row) == relation.Observed {
			truth = float32(known.Value(row))
		}
		mustAdd(builder, tuple, truth, known.Role(row))
	}
	for row := range columns[0] {
		for k, column := range columns {
			tuple[k] = column[row]
		}
		if known.Len() > 0 {
			if _, exists := known.Find(tuple...); exists {
				continue
			}
		}
		mustAdd(builder, tuple, 1, relation.Perceived)
	}
	return builder.Relation(false)
}

// mustAdd adds a row that cannot be there already.
func mustAdd(builder *relation.Builder, tuple []symbol.ID, truth float32, role relation.Role) {
	if err := builder.Add(tuple, truth, role, 0); err != nil {
		panic(err)
	}
}

// bind connects the networks to the perceived atoms of a phase.
func (n *networks) bind(config *load.Config, store *relation.Store, inputs int) (*neural.Perception, error) {
	var bindings []neural.Binding
	for k, declared := range config.Predicates {
		if declared.Neural == nil || store.Relations[k].FreeLen() == 0 {
			continue
		}
		binding, err := n.binding(declared, store.Relations[k], store.Symbols)
		if err != nil {
			return nil, fmt.Errorf("%s: predicate %s: %w", config.Name, declared.Name, err)
		}
		bindings = append(bindings, binding)
	}
	return n.system.Bind(inputs, bindings...)
}

// binding finds the features' rows, and the class, of each perceived atom of one predicate.
func (n *networks) binding(declared *load.Predicate, atoms *relation.Relation, symbols *symbol.Table) (
	b neural.Binding, err error) {
	features := n.features[declared.Neural.Network]
	b.Network = declared.Neural.Network
	row := func(argument int, r int32) int32 {
		name := symbols.Name(atoms.Columns[argument][r])
		at, ok := features.Row(name)
		if !ok && err == nil {
			err = fmt.Errorf("%q has no row in the features", name)
		}
		return at
	}
	for r := int32(atoms.Observed); int(r) < atoms.Len(); r++ {
		b.Inputs = append(b.Inputs, atoms.Number(r))
		if len(declared.Neural.Classes) == 0 {
			b.Rows = append(b.Rows, row(0, r))
			b.Others = append(b.Others, row(1, r))
			continue
		}
		class := symbols.Name(atoms.Columns[declared.Neural.Class][r])
		number := slices.Index(declared.Neural.Classes, class)
		if number < 0 && err == nil {
			err = fmt.Errorf("%q is none of its classes", class)
		}
		b.Rows = append(b.Rows, row(declared.Neural.Entity, r))
		b.Classes = append(b.Classes, int32(number))
	}
	return b, err
}
