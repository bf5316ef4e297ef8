// Package derive makes the atoms that no table has: those that follow from other atoms by rules, as similar pairs of
// strings, or by a function.
package derive

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// derivation is a predicate whose atoms follow from those of other predicates: by rules, or as similar pairs of
// strings, or by a function.
type derivation struct {
	predicate int
	rules     []*program.Rule
	value     load.DerivedValue
	role      relation.Role // Observed, Target, or Perceived for the atoms of a network over pairs
}

// Derivations are the derived predicates of a program, each after the ones that it is derived from.
type Derivations struct {
	config  *load.Config
	ordered []derivation
}

// Compile compiles what is derived in a phase of a configuration, and reports what is wrong with it.
func Compile(config *load.Config, phase load.Phase, diags *source.Diagnostics) *Derivations {
	o := orderer{config: config, phase: phase, diags: diags, state: make([]visit, len(config.Predicates))}
	for k := range config.Predicates {
		o.visit(k)
	}
	return &Derivations{config, o.ordered}
}

// Rules returns the compiled rules of all derivations.
func (d *Derivations) Rules() (rules []*program.Rule) {
	for _, one := range d.ordered {
		rules = append(rules, one.rules...)
	}
	return rules
}

// Options say how atoms are made.
type Options struct {
	// Threads bounds the goroutines at work; 0 means one per core.
	Threads int
	// Room returns how many bytes there are, as long as they last, for the atoms and what making them takes; 0 means no
	// bound.
	Room func() int64
}

// Uses tells whether atoms are derived from those of a predicate, by rules or as similar pairs of its strings.
func (d *Derivations) Uses(predicate int) bool {
	for _, one := range d.ordered {
		if s := d.config.Predicates[one.predicate].Similarity; s != nil && d.config.Find(s.Over.Predicate) == predicate {
			return true
		}
	}
	return slices.ContainsFunc(d.Rules(), func(rule *program.Rule) bool {
		return slices.ContainsFunc(rule.Atoms, func(a program.Atom) bool { return a.Predicate == predicate })
	})
}

// Makes tells whether atoms of a predicate are derived, and as what.
func (d *Derivations) Makes(predicate int) (role relation.Role, makes bool) {
	for _, one := range d.ordered {
		if one.predicate == predicate {
			return one.role, true
		}
	}
	return relation.Observed, false
}

// Complete makes the derived atoms of a store, beside which the rules p are about. What does not fit is an error.
func (d *Derivations) Complete(ctx context.Context, p *program.Program, store *relation.Store, o Options) error {
	m := maker{Derivations: d, program: p, store: store, Options: o}
	for _, one := range d.ordered {
		if err := m.complete(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// maker makes the atoms of one store.
type maker struct {
	*Derivations
	Options
	program *program.Program
	store   *relation.Store
}

// most is how many bytes the atoms themselves may take.
func (m *maker) most() int64 { return m.Room() / preflight.Copies }

// complete makes the atoms of one predicate that follow from those of others, or gives it its function.
func (m *maker) complete(ctx context.Context, d derivation) error {
	switch declared := m.config.Predicates[d.predicate]; {
	case declared.Function != "":
		m.bindFunction(d.predicate)
		return nil
	case declared.Similarity != nil:
		return m.addSimilar(ctx, d.predicate)
	}
	return m.derive(ctx, d)
}

// orderer sorts derivations topologically, depth first.
type orderer struct {
	config  *load.Config
	phase   load.Phase
	diags   *source.Diagnostics
	state   []visit
	ordered []derivation
}

type visit uint8

const (
	unseen visit = iota
	open
	done
)

func (o *orderer) visit(predicate int) {
	declared := o.config.Predicates[predicate]
	d := derivation{predicate: predicate}
	rules := declared.TargetRules(o.phase)
	switch {
	case len(rules) > 0:
		d.role = relation.Target
	case declared.Derive != nil:
		rules, d.value = declared.Derive.Rules, declared.Derive.Value
	case declared.Neural != nil && len(declared.Neural.Atoms) > 0:
		rules, d.role = declared.Neural.Atoms, relation.Perceived
	case declared.Function != "" || declared.Similarity != nil:
	default:
		return
	}
	if o.state[predicate] == done {
		return
	}
	if o.state[predicate] == open {
		o.diags.Errorf("derivation-cycle", declared.Span, "a derived predicate can only use atoms that do not need it",
			"%s is derived from itself", declared.Name)
		return
	}
	o.state[predicate] = open
	o.visitColumns(declared)
	for _, rule := range rules {
		if compiled := o.compile(&d, rule); compiled != nil {
			d.rules = append(d.rules, compiled)
		}
	}
	o.state[predicate] = done
	o.ordered = append(o.ordered, d)
}

// visitColumns visits the predicates that a function or the similar pairs of strings take constants from.
func (o *orderer) visitColumns(declared *load.Predicate) {
	if declared.Function != "" {
		checkFunction(declared, o.diags)
	}
	if declared.Similarity != nil {
		o.visit(o.config.Find(declared.Similarity.Over.Predicate))
	}
	if declared.Corpus != nil {
		o.visit(o.config.Find(declared.Corpus.Predicate))
	}
}

// compile compiles one derivation and visits the predicates of its body. It returns nil if the rule is wrong.
func (o *orderer) compile(d *derivation, rule *syntax.Rule) *program.Rule {
	declarations := o.config.Declarations()
	compiled := program.CompileDerivation(declarations, rule, d.role == relation.Target, o.diags)
	if compiled == nil {
		return nil
	}
	head := compiled.Atoms[len(compiled.Atoms)-1]
	if head.Predicate != d.predicate {
		o.diags.Errorf("derivation-head", head.Span, "", "these rules derive %s, not %s",
			declarations[d.predicate].Name, declarations[head.Predicate].Name)
		return nil
	}
	for _, atom := range compiled.Atoms[:len(compiled.Atoms)-1] {
		o.visit(atom.Predicate)
	}
	return compiled
}

// derive computes the atoms of a derived predicate: the union over its rules, in the order of first appearance.
func (m *maker) derive(ctx context.Context, d derivation) error {
	store, declared := m.store, m.config.Predicates[d.predicate]
	opts := ground.Options{Threads: m.Threads, Most: m.most()}
	union := newUnion(declared.Arity())
	for _, rule := range d.rules {
		columns, counts, err := ground.Derive(ctx, store, rule, opts)
		if err != nil {
			return preflight.Explain(err, "the atoms of "+declared.Name)
		}
		union.add(columns, counts)
	}
	switch known := store.Relations[d.predicate]; d.role {
	case relation.Perceived:
		store.Relations[d.predicate] = relation.WithPerceived(known, union.columns)
		return nil
	case relation.Target:
		store.Relations[d.predicate] = relation.WithTargets(known, union.columns)
		return nil
	}
	made := &relation.Relation{Name: declared.Name, Arity: declared.Arity(), Columns: union.columns,
		Observed: len(union.counts), Open: !declared.Closed}
	if d.value == load.InverseCount {
		for _, count := range union.counts {
			made.Truth.Append(1 / float64(count))
		}
	}
	store.Relations[d.predicate] = made
	return nil
}

// union collects distinct tuples, by columns, and in how many ways each was derived.
type union struct {
	columns [][]symbol.ID
	counts  []int32
}

func newUnion(arity int) *union { return &union{columns: make([][]symbol.ID, arity)} }

// add takes in the distinct tuples that one rule derived.
func (u *union) add(columns [][]symbol.ID, counts []int32) {
	if len(u.counts) == 0 {
		u.columns, u.counts = columns, counts
		return
	}
	before := &relation.Relation{Arity: len(u.columns), Columns: slices.Clone(u.columns), Observed: len(u.counts)}
	tuple := make([]symbol.ID, len(columns))
	for row, count := range counts {
		for k, column := range columns {
			tuple[k] = column[row]
		}
		if at, ok := before.Find(tuple...); ok {
			u.counts[at] += count
			continue
		}
		for k, id := range tuple {
			u.columns[k] = append(u.columns[k], id)
		}
		u.counts = append(u.counts, count)
	}
}
