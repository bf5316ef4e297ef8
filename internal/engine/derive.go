package engine

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
	role      relation.Role // Observed, or Perceived for the atoms of a network over pairs
}

// compileDerivations compiles the derived predicates, each after the ones it is derived from.
func (p *Project) compileDerivations(diags *source.Diagnostics) []derivation {
	o := orderer{project: p, diags: diags, state: make([]visit, len(p.config.Predicates))}
	for k := range p.config.Predicates {
		o.visit(k)
	}
	return o.ordered
}

// orderer sorts derivations topologically, depth first.
type orderer struct {
	project *Project
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
	declared := o.project.config.Predicates[predicate]
	d := derivation{predicate: predicate}
	var rules []*syntax.Rule
	switch {
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
		if compiled := o.compile(predicate, rule); compiled != nil {
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
		o.visit(o.project.config.Find(declared.Similarity.Over.Predicate))
	}
	if declared.Corpus != nil {
		o.visit(o.project.config.Find(declared.Corpus.Predicate))
	}
}

// compile compiles one derivation and visits the predicates of its body. It returns nil if the rule is wrong.
func (o *orderer) compile(predicate int, rule *syntax.Rule) *program.Rule {
	declarations := o.project.config.Declarations()
	compiled := program.CompileDerivation(declarations, rule, o.diags)
	if compiled == nil {
		return nil
	}
	head := compiled.Atoms[len(compiled.Atoms)-1]
	if head.Predicate != predicate {
		o.diags.Errorf("derivation-head", head.Span, "", "these rules derive %s, not %s",
			declarations[predicate].Name, declarations[head.Predicate].Name)
		return nil
	}
	for _, atom := range compiled.Atoms[:len(compiled.Atoms)-1] {
		o.visit(atom.Predicate)
	}
	return compiled
}

// derive computes the atoms of a derived predicate: the union over its rules, in the order of first appearance.
func (g *Grounding) derive(ctx context.Context, d derivation) error {
	store, declared := g.tables.Store, g.project.config.Predicates[d.predicate]
	opts := ground.Options{Threads: g.project.Threads, Most: g.room() / preflight.Copies}
	union := newUnion(declared.Arity())
	for _, rule := range d.rules {
		columns, counts, err := ground.Derive(ctx, store, rule, opts)
		if err != nil {
			return g.tooLarge(err, "the atoms of "+declared.Name)
		}
		union.add(columns, counts)
	}
	if d.role == relation.Perceived {
		store.Relations[d.predicate] = withPerceived(store.Relations[d.predicate], union.columns)
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
