package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/deeppsl/deeppsl/internal/derive"
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/neural"
)

// Grounding is the hinge-loss Markov random field of one phase of a project, with the atoms that its variables and
// inputs stand for. It is not safe for concurrent use.
type Grounding struct {
	project *Project
	phase   Phase
	// settings are the phase's, or, once learning is done, those of inference.
	settings *settings
	program  *program.Program
	tables   *load.Tables
	// derivations made atoms of the tables.
	derivations *derive.Derivations
	// base has the atoms that all examples share, and all slots; raw are its relations before atoms were derived and
	// perceived. Without examples, base is the tables' store.
	base *relation.Store
	raw  []*relation.Relation
	// symbols counts the constants before those of examples.
	symbols    int
	model      *mrf.Model
	report     *ground.Report
	networks   *networks
	perception *neural.Perception // nil without perceived atoms
	field      *mrf.Field
	theta      []float64         // the rules' weights
	plan       plan              // how to learn, where held-out labels choose it
	inputs     []float64         // x, of the last perception, and what is given
	given      []int32           // the numbers of the inputs that no network writes
	paging     *preflight.Paging // of a model beyond the memory given; nil for one in memory
	// unscored is what truth has been said to be about atoms that are no targets: once, and not at each evaluation.
	unscored map[truthKey]bool
	// notices looks on while it learns; nil before.
	notices *notices

	// seed is the project's, or that of the last Reset.
	seed uint64
	// loaded says that the networks were read, and not drawn by the seed.
	loaded bool
	// names guards the symbols, which truth that is read later adds to while answers are asked.
	names *sync.RWMutex

	loading, grounding time.Duration
}

// Ground reads the tables of a phase, derives and perceives atoms, and grounds the rules. The networks are new: they
// have the parameters that the project's seed gives them. The error carries everything that is wrong, each with its
// place.
func (p *Project) Ground(ctx context.Context, phase Phase) (*Grounding, error) {
	start := time.Now()
	if err := phase.Check(); err != nil {
		return nil, err
	}
	networks, err := p.loadNetworks()
	if err != nil {
		return nil, err
	}
	g, err := p.groundWith(ctx, phase, networks)
	if err == nil {
		g.loading = time.Since(start) - g.grounding
	}
	return g, err
}

// groundWith is Ground with given networks.
func (p *Project) groundWith(ctx context.Context, phase Phase, networks *networks) (*Grounding, error) {
	var warnings source.Diagnostics
	g, err := p.prepare(ctx, phase, networks, &warnings)
	if err != nil {
		return nil, err
	}
	p.lintProgram(g, &warnings)
	p.warn(warnings)
	if err := g.fit(ctx); err != nil {
		return nil, err
	}
	if err := g.ground(ctx); err != nil {
		return nil, err
	}
	p.lintFiring(g, warnings)
	return g, nil
}

// prepare compiles a phase's rules and makes its atoms: all that grounding needs.
func (p *Project) prepare(ctx context.Context, phase Phase, networks *networks, warnings *source.Diagnostics) (
	*Grounding, error) {
	g := &Grounding{project: p, phase: phase, settings: &p.phases[phase], networks: networks,
		unscored: make(map[truthKey]bool), names: new(sync.RWMutex), seed: p.Seed}
	g.program = p.compile(phase, warnings)
	g.derivations = derive.Compile(p.config, phase, warnings)
	err := warnings.Err()
	if err != nil {
		return nil, err
	}
	if g.tables, err = p.config.Tables(phase); err != nil {
		return nil, err
	}
	*warnings = append(*warnings, g.tables.Warnings...)
	warnings.Sort()
	g.base, g.raw = g.tables.Store, slices.Clone(g.tables.Store.Relations)
	err = g.completeAtoms(ctx, nil)
	g.symbols = g.base.Symbols.Len()
	return g, err
}

// completeAtoms makes the atoms that no table has: derived and perceived ones, but for those of blank slots, in the
// order of the slots.
func (g *Grounding) completeAtoms(ctx context.Context, blanks []bool) error {
	store := g.tables.Store
	var diags source.Diagnostics
	for k, declared := range g.project.config.Predicates {
		if declared.Neural != nil && len(declared.Neural.Classes) > 0 {
			var absent []bool
			if n := len(declared.Neural.Slots); blanks != nil {
				absent, blanks = blanks[:n], blanks[n:]
			}
			store.Relations[k] = g.networks.perceivedClasses(declared, store.Relations[k], store.Symbols, absent, &diags)
		}
	}
	if err := diags.Err(); err != nil {
		return err
	}
	return g.derivations.Complete(ctx, g.program, store, derive.Options{Threads: g.project.Threads, Room: g.room})
}

// ground numbers the atoms, grounds the rules, and connects the networks.
func (g *Grounding) ground(ctx context.Context) error {
	start := time.Now()
	if g.project.config.HasExamples() {
		if err := g.exemplify(ctx); err != nil {
			return err
		}
	}
	err := g.groundRules(ctx)
	if err != nil {
		return errors.Join(err, g.closeFile())
	}
	g.grounding = time.Since(start)
	err = g.guard(func() error {
		g.field = mrf.NewField(g.model)
		return nil
	})
	if err != nil {
		return errors.Join(err, g.closeFile())
	}
	if g.project.Threads > 0 {
		g.field.Threads = g.project.Threads
	}
	if g.paging != nil {
		g.field.Room = g.paging.Room
	}
	g.theta = make([]float64, len(g.program.Rules))
	for r, rule := range g.program.Rules {
		g.theta[r] = rule.Weight.Value
	}
	g.inputs = make([]float64, g.model.Inputs)
	g.takeGiven()
	if g.networks != nil && g.model.Inputs > 0 {
		if g.perception, err = g.networks.bind(g.project, g.tables.Store, g.model.Inputs); err != nil {
			return err
		}
		var warnings source.Diagnostics
		g.networks.lintScales(g.project.config, &warnings)
		g.project.warn(warnings)
	}
	return nil
}

// Variables returns the number of target atoms.
func (g *Grounding) Variables() int { return g.model.Variables }

// Potentials returns the number of ground rules in the model: weighted potentials and hard constraints.
func (g *Grounding) Potentials() int { return g.model.Potentials() }

// RuleCount says what became of one rule's groundings.
type RuleCount struct {
	Rule string `json:"rule"`
	Hard bool   `json:"hard"`
	// Kept counts the ground rules in the model.
	Kept int64 `json:"kept"`
	// Trivial counts those that hold for all values of their atoms, Constant those without a target; both are left out.
	Trivial  int64 `json:"trivial"`
	Constant int64 `json:"constant"`
	// Discarded counts those about atoms that no table has.
	Discarded int64 `json:"discarded"`
}

// Counts returns the number of ground rules by rule.
func (g *Grounding) Counts() []RuleCount {
	counts := make([]RuleCount, len(g.program.Rules))
	for k, rule := range g.program.Rules {
		r := &g.report.Rules[k]
		counts[k] = RuleCount{Rule: rule.Text, Hard: rule.Weight.Hard, Kept: r.Potentials, Trivial: r.Trivial,
			Constant: r.Constant, Discarded: r.Missing}
	}
	return counts
}

// View is a stage of grounding that can be printed.
type View string

// The views of a grounding: the rules as compiled, how they will be joined, the ground rules, the arenas they lie in.
const (
	ProgramView View = "program"
	PlanView    View = "plan"
	GroundView  View = "ground"
	FieldView   View = "mrf"
	// PSLView is the ground rules as Java PSL's file of them has them, with the current weights.
	PSLView View = "psl"
)

// Write prints a stage of the grounding; limit bounds the ground rules, 0 means all.
func (g *Grounding) Write(w io.Writer, view View, limit int) error {
	switch view {
	case ProgramView:
		return g.program.Print(w)
	case PlanView:
		return g.writePlans(w)
	case GroundView:
		return g.guard(func() error { return ground.Write(w, g.program, g.tables.Store, g.model, limit) })
	case PSLView:
		return g.guard(func() error { return ground.WritePSL(w, g.program, g.tables.Store, g.model, g.theta) })
	case FieldView:
		return ground.WriteBlocks(w, g.model)
	}
	return fmt.Errorf("no view %q: want program, plan, ground or mrf", view)
}

// truth returns the known values of a predicate in the grounding's phase, or in another one that has the same atoms.
func (g *Grounding) truth(phase Phase, predicate int) (*relation.Relation, error) {
	g.names.Lock()
	defer g.names.Unlock()
	rows, set := g.project.truth[truthKey{phase, predicate}]
	if !set {
		return g.ownTruth(phase, predicate)
	}
	declared := g.project.config.Predicates[predicate]
	builder := relation.NewBuilder(declared.Name, declared.Arity())
	tuple := make([]symbol.ID, declared.Arity())
	for _, row := range rows {
		truth, err := readRow(row, tuple, g.tables.Store.Symbols)
		if err == nil {
			err = builder.Add(tuple, truth, relation.Observed, 0)
		}
		if err != nil {
			return nil, fmt.Errorf("truth of %s: %w", declared.Name, err)
		}
	}
	return builder.Relation(false), nil
}

func (g *Grounding) ownTruth(phase Phase, predicate int) (*relation.Relation, error) {
	if phase == g.phase {
		return g.tables.Truth[predicate], nil
	}
	return g.project.config.TruthOf(phase, predicate, g.tables.Store.Symbols)
}

// writePlans prints how each rule is joined.
func (g *Grounding) writePlans(w io.Writer) error {
	for k := range g.report.Rules {
		if err := g.report.Rules[k].Plan.Write(w); err != nil {
			return err
		}
	}
	return nil
}
