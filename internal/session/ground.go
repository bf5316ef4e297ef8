// Package session is a phase of a project that has been ground, and lives: its atoms and networks, the hinge-loss
// Markov random field over them with its weights and inputs, the MAP state of that with its proof, scores of it, and
// what changes in between. It knows neither of learning, which is package training's, nor of examples, which are
// package batch's: both work on its exported fields.
//
// Nothing here prints or exits: progress goes to the functions in project.Options.
package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/deeppsl/deeppsl/internal/derive"
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/neural"
)

// Grounding is the hinge-loss Markov random field of one phase of a project, with the atoms that its variables and
// inputs stand for. It is not safe for concurrent use.
type Grounding struct {
	Project *project.Project
	Phase   load.Phase
	// settings are the phase's, or, once learning is done, those of inference.
	Settings *project.Settings
	Program  *program.Program
	Tables   *load.Tables
	// derivations made atoms of the tables.
	Derivations *derive.Derivations
	// base has the atoms that all examples share, and all slots; raw are its relations before atoms were derived and
	// perceived. Without examples, base is the tables' store.
	Base *relation.Store
	Raw  []*relation.Relation
	// symbols counts the constants before those of examples.
	Symbols    int
	Model      *mrf.Model
	Index      *mrf.Occurrences // of the model, where one is there anyway; or nil
	Report     *ground.Report
	Networks   *perceive.Networks
	Perception *neural.Perception // nil without perceived atoms
	Lints      source.Diagnostics // of what networks see
	Field      *mrf.Field
	Theta      []float64         // the rules' weights
	Inputs     []float64         // x, of the last perception, and what is given
	thresholds map[int]float64   // from which on atoms of a predicate count as true, as far as that is learned
	Known      Known             // what inference knows; what learns makes it what it had better know
	given      []int32           // the numbers of the inputs that no network writes
	paging     *preflight.Paging // of a model beyond the memory given; nil for one in memory
	changes    bool              // it is to change, so that its ground rules have to be in memory
	prepared   *ground.Prepared  // what has been estimated and is not ground yet; or nil
	// warm is the solver of the last inference that began where an answer had ended, and warmOf its field.
	warm   solve.Solver
	warmOf *mrf.Field
	// unscored is what truth has been said to be about atoms that are no targets: once, and not at each evaluation.
	unscored map[truthOf]bool

	// seed is the project's, or that of the last Reset.
	Seed uint64
	// loaded says that the networks were read, and not drawn by the seed.
	Loaded bool
	// names guards the symbols, which truth that is read later adds to while answers are asked.
	names *sync.RWMutex
	lines *lines

	LoadTime, GroundTime time.Duration
}

// Ground grounds a phase over given networks: it reads the tables, derives and perceives atoms, lets finish, if it is
// not nil, change these, and grounds the rules. The error carries everything that is wrong, each with its place.
func Ground(ctx context.Context, p *project.Project, phase load.Phase, networks *perceive.Networks,
	finish func(context.Context, *Grounding) error) (*Grounding, error) {
	var warnings source.Diagnostics
	g, err := Prepare(ctx, p, phase, networks, &warnings)
	if err != nil {
		return nil, err
	}
	g.lintProgram(&warnings)
	p.Warn(warnings)
	if err := g.fit(ctx); err != nil {
		return nil, err
	}
	start := time.Now()
	if finish != nil {
		if err := finish(ctx, g); err != nil {
			return nil, err
		}
	}
	err = g.ground(ctx)
	g.GroundTime = time.Since(start)
	if err != nil {
		return nil, err
	}
	g.lintFiring(warnings)
	return g, nil
}

// truthOf names the truth of a phase about a predicate.
type truthOf struct {
	phase     load.Phase
	predicate int
}

// Prepare compiles a phase's rules and makes its atoms: all that grounding needs.
func Prepare(ctx context.Context, p *project.Project, phase load.Phase, networks *perceive.Networks,
	warnings *source.Diagnostics) (*Grounding, error) {
	g, err := Read(p, phase, networks, warnings)
	if err != nil {
		return nil, err
	}
	err = g.CompleteAtoms(ctx, nil)
	g.Symbols = g.Base.Symbols.Len()
	return g, err
}

// Read is Prepare without the atoms that follow from others, for who changes the tables first: see Remade.
func Read(p *project.Project, phase load.Phase, networks *perceive.Networks, warnings *source.Diagnostics) (
	*Grounding, error) {
	g := &Grounding{Project: p, Phase: phase, Settings: &p.Phases[phase], Networks: networks,
		unscored: make(map[truthOf]bool), names: new(sync.RWMutex), Seed: p.Seed,
		lines: &lines{all: make(map[int]*load.Lines)}}
	g.Program = p.Compile(phase, warnings)
	g.Derivations = derive.Compile(p.Config, phase, warnings)
	err := warnings.Err()
	if err != nil {
		return nil, err
	}
	if g.Tables, err = p.Config.Tables(phase); err != nil {
		return nil, err
	}
	*warnings = append(*warnings, g.Tables.Warnings...)
	warnings.Sort()
	g.Base, g.Raw = g.Tables.Store, slices.Clone(g.Tables.Store.Relations)
	return g, nil
}

// CompleteAtoms makes the atoms that no table has: derived and perceived ones, but for those of blank slots, in the
// order of the slots.
func (g *Grounding) CompleteAtoms(ctx context.Context, blanks []bool) error {
	store := g.Tables.Store
	var diags source.Diagnostics
	for k, declared := range g.Project.Config.Predicates {
		if declared.Neural.Makes() {
			var absent []bool
			if n := len(declared.Neural.Slots); blanks != nil {
				absent, blanks = blanks[:n], blanks[n:]
			}
			store.Relations[k] = g.Networks.Atoms(declared, store.Relations[k], store.Symbols, absent, &diags)
		}
	}
	if err := diags.Err(); err != nil {
		return err
	}
	return g.Derivations.Complete(ctx, g.Program, store, derive.Options{Threads: g.Project.Threads, Room: g.room})
}

// ground numbers the atoms, grounds the rules, and connects the networks.
func (g *Grounding) ground(ctx context.Context) error {
	err := g.groundRules(ctx)
	if err != nil {
		return errors.Join(err, g.closeFile())
	}
	err = g.Guard(func() error {
		g.Field = mrf.NewFieldOn(g.Model, g.Project.Threads)
		return nil
	})
	if err != nil {
		return errors.Join(err, g.closeFile())
	}
	if g.paging != nil {
		g.Field.Room = g.paging.Room
	}
	g.Theta = make([]float64, len(g.Program.Rules))
	for r, rule := range g.Program.Rules {
		g.Theta[r] = rule.Weight.Value
	}
	g.Inputs = make([]float64, g.Model.Inputs)
	g.takeGiven()
	if g.Networks != nil && g.Model.Inputs > 0 {
		if err = g.Code(); err != nil {
			return err
		}
		if g.Perception, err = g.Networks.Bind(g.Project, g.Tables.Store, g.Model.Inputs); err != nil {
			return err
		}
		g.Networks.Lint(g.Project.Config, g.Tables, &g.Lints)
		g.Project.Warn(g.Lints)
	}
	return nil
}

// Code has networks see numbers value by value that may be names by what is to be learned from.
func (g *Grounding) Code() error {
	if g.Phase != load.Learn && !g.Project.SharesAtoms(g.Phase, load.Learn) || !g.Networks.CanCode() {
		return nil
	}
	truth := make([]*relation.Relation, len(g.Project.Config.Predicates))
	for k := range truth {
		var err error
		if truth[k], err = g.Truth(load.Learn, k); err != nil {
			return nil // for learning to tell
		}
	}
	return g.Networks.Code(truth, g.Tables.Store.Symbols)
}

// Variables returns the number of target atoms.
func (g *Grounding) Variables() int { return g.Model.Variables }

// Potentials returns the number of ground rules in the model: weighted potentials and hard constraints.
func (g *Grounding) Potentials() int { return g.Model.Potentials() }

// RuleCount says what became of one rule's groundings.
type RuleCount struct {
	Rule string `json:"rule"`
	Hard bool   `json:"hard"`
	// Kept counts the ground rules in the model.
	Kept int64 `json:"kept"`
	// Trivial counts those that hold for all values of their atoms, Constant those without a target; both are left
	// out.
	Trivial  int64 `json:"trivial"`
	Constant int64 `json:"constant"`
	// Discarded counts those about atoms that no table has, and hard ones that nothing satisfies, where options have
	// these left out.
	Discarded int64 `json:"discarded"`
}

// Counts returns the number of ground rules by rule.
func (g *Grounding) Counts() []RuleCount {
	counts := make([]RuleCount, len(g.Program.Rules))
	for k, rule := range g.Program.Rules {
		r := &g.Report.Rules[k]
		counts[k] = RuleCount{Rule: rule.Text, Hard: rule.Weight.Hard, Kept: r.Potentials, Trivial: r.Trivial,
			Constant: r.Constant, Discarded: r.Missing + r.Violated}
	}
	return counts
}

// Rule is a rule as it is now.
type Rule struct {
	Text     string // in canonical form
	Weight   float64
	Hard     bool // and so without a weight
	Ground   int  // how many ground rules the model has of it
	Inactive bool
}

// Rules returns the rules, in the order of the program.
func (g *Grounding) Rules() []Rule {
	rules := make([]Rule, len(g.Program.Rules))
	for k, rule := range g.Program.Rules {
		rules[k] = Rule{Text: rule.Text, Weight: g.Theta[k], Hard: rule.Weight.Hard,
			Ground: int(g.Report.Rules[k].Potentials), Inactive: rule.Inactive}
	}
	return rules
}

// RuleProfile tells how one rule was ground: wall time, and what each step of its plan did.
type RuleProfile struct {
	Rule        string  `json:"rule"`
	GroundRules int64   `json:"ground_rules"`
	Bytes       int64   `json:"bytes"` // of the ground rules
	Seconds     float64 `json:"seconds"`
	// Making is about how many seconds threads spent making ground rules.
	Making float64 `json:"making_seconds"`
	Steps  []Step  `json:"steps"`
}

// Step is one step of a rule's plan.
type Step struct {
	Step string `json:"step"`
	// Rows are those that it handed to the next step, Estimated those that the plan expected.
	Rows      int64   `json:"rows"`
	Estimated float64 `json:"estimated_rows"`
	// Wrong says that these are ten times apart, and many.
	Wrong bool `json:"wrong"`
	// Seconds is about the time that threads spent in it, and Bytes the size of the index that it goes by.
	Seconds float64 `json:"seconds"`
	Bytes   int64   `json:"index_bytes"`
}

// An estimate is wrong if it and the rows are so many times apart, and one of them is at least so many.
const (
	wrongTimes = 10
	wrongRows  = 1000
)

// Profile returns how the rules were ground; seconds of steps are 0 unless the project's Options.Profile is set.
func (g *Grounding) Profile() []RuleProfile {
	all := make([]RuleProfile, len(g.Report.Rules))
	for k := range all {
		r := &g.Report.Rules[k]
		all[k] = RuleProfile{Rule: r.Plan.Rule.Text, GroundRules: r.Potentials, Bytes: r.Bytes, Seconds: r.Seconds,
			Making: r.Making, Steps: make([]Step, len(r.Steps))}
		for j, s := range r.Steps {
			expected, rows := r.Plan.Steps[j].Rows, float64(s.Rows)
			all[k].Steps[j] = Step{
				Step: r.Plan.Describe(j), Rows: s.Rows, Estimated: expected, Seconds: s.Seconds, Bytes: s.Bytes,
				Wrong: !s.Tabled && max(rows, expected) >= wrongRows && max(rows, expected) >= wrongTimes*min(rows, expected),
			}
		}
	}
	return all
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
		return g.Program.Print(w)
	case PlanView:
		return g.writePlans(w)
	case GroundView:
		return g.Guard(func() error { return ground.Write(w, g.Theta, g.Tables.Store, g.Model, limit) })
	case PSLView:
		return g.Guard(func() error { return ground.WritePSL(w, g.Program, g.Tables.Store, g.Model, g.Theta) })
	case FieldView:
		return ground.WriteBlocks(w, g.Model)
	}
	return fmt.Errorf("no view %q: want program, plan, ground or mrf", view)
}

// Truth returns the known values of a predicate in the grounding's phase, or in another one that has the same atoms.
func (g *Grounding) Truth(phase load.Phase, predicate int) (*relation.Relation, error) {
	g.names.Lock()
	defer g.names.Unlock()
	rows, set := g.Project.TruthSet(phase, predicate)
	if !set {
		return g.ownTruth(phase, predicate)
	}
	declared := g.Project.Config.Predicates[predicate]
	builder := relation.NewBuilder(declared.Name, declared.Arity())
	tuple := make([]symbol.ID, declared.Arity())
	for _, row := range rows {
		truth, err := readRow(row, tuple, g.Tables.Store.Symbols)
		if err == nil {
			err = builder.Add(tuple, truth, relation.Observed, 0)
		}
		if err != nil {
			return nil, fmt.Errorf("truth of %s: %w", declared.Name, err)
		}
	}
	return builder.Relation(false), nil
}

func (g *Grounding) ownTruth(phase load.Phase, predicate int) (*relation.Relation, error) {
	if phase == g.Phase {
		return g.Tables.Truth[predicate], nil
	}
	return g.Project.Config.TruthOf(phase, predicate, g.Tables.Store.Symbols)
}

// writePlans prints how each rule is joined.
func (g *Grounding) writePlans(w io.Writer) error {
	for k := range g.Report.Rules {
		if err := g.Report.Rules[k].Plan.Write(w); err != nil {
			return err
		}
	}
	return nil
}

// readRow splits a row of constants, with or without a value behind them, into symbols and the value.
func readRow(row []string, tuple []symbol.ID, symbols *symbol.Table) (value float64, err error) {
	if len(row) != len(tuple) && len(row) != len(tuple)+1 {
		return 0, fmt.Errorf("the row %q has %d fields: want %d, or one more for the value", row, len(row), len(tuple))
	}
	for k := range tuple {
		tuple[k] = symbols.Intern(row[k])
	}
	if len(row) == len(tuple) {
		return 1, nil
	}
	number, err := strconv.ParseFloat(row[len(tuple)], 64)
	if err != nil || !(number >= 0 && number <= 1) {
		return 0, fmt.Errorf("the row %q has the value %q: want a number in [0, 1]", row, row[len(tuple)])
	}
	return number, nil
}
