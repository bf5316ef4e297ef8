package engine

import (
	"context"
	"errors"
	"math"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Summary is what Check finds out about a project before anything is ground: the inference phase's, or the learning
// phase's if only that one runs.
type Summary struct {
	Rules        []RuleEstimate `json:"rules"`
	Total        Cost           `json:"total"`
	Predicates   int            `json:"predicates"`
	Observations int            `json:"observations"`
	Targets      int            `json:"targets"`
	// Features are the tables whose texts and gaps became features.
	Features []FeatureTable `json:"features,omitempty"`
	// Coded are the columns of whole numbers that networks will see value by value, too, as they may be names.
	Coded []perceive.Coded `json:"coded,omitempty"`
	Lints []source.Plain   `json:"lints"`

	// Diagnostics are the lints in the form that can show the places.
	Diagnostics source.Diagnostics `json:"-"`
}

// Cost estimates what grounding makes and takes.
type Cost struct {
	GroundRules int64 `json:"ground_rules"`
	// Bytes is the memory that grounding and solving take: what a model is refused by.
	Bytes int64 `json:"bytes"`
	// Seconds tells a second from an hour, not more.
	Seconds float64 `json:"seconds"`
}

// RuleEstimate is one rule's cost.
type RuleEstimate struct {
	Rule string `json:"rule"`
	Cost
	// Exact says that the ground rules were counted and not estimated.
	Exact bool `json:"exact"`
}

// FeatureTable says what a network sees of a table with texts or gaps.
type FeatureTable struct {
	Network string   `json:"network"`
	Rows    int      `json:"rows"`
	Names   []string `json:"names"`
}

// Check compiles the rules of every phase, reads their tables, estimates what grounding would cost, and looks for what
// is suspicious. Warnings go into the summary, and not to OnWarning. The error carries everything that is wrong; if it
// is grounding that would fail, there is a summary too.
func Check(ctx context.Context, p *project.Project) (*Summary, error) {
	diags := append(source.Diagnostics(nil), p.Warnings...)
	main := mainPhase(p)
	p.CompileAll(&diags)
	learned, err := readOthers(p, main, &diags)
	if err != nil {
		return nil, err
	}
	networks, err := perceive.Load(p)
	if err != nil {
		return nil, collect(err, &diags)
	}
	g, err := session.Prepare(ctx, p, main, networks, &diags)
	if err != nil {
		return nil, collect(err, &diags)
	}
	if _, inputs := g.Tables.Store.Number(); networks != nil && inputs > 0 {
		code := g.Code
		if learned != nil {
			code = func() error { return networks.Code(learned.Truth, learned.Store.Symbols) }
		}
		if err := code(); err != nil {
			return nil, collect(err, &diags)
		}
		if _, err := networks.Bind(p, g.Tables.Store, inputs); err != nil {
			return nil, collect(err, &diags)
		}
		networks.Lint(p.Config, g.Tables, &diags)
	}
	if p.Config.HasExamples() {
		if err := checkExamplesOf(ctx, p, g, &diags); err != nil {
			return nil, collect(err, &diags)
		}
	}
	estimates, err := g.Estimate(ctx, checkRows)
	if err != nil {
		return nil, err
	}
	g.Preflight(estimates).Lint(&diags)
	g.LintFit(estimates, &diags)
	if err := checkTruth(ctx, g, &diags); err != nil {
		return nil, collect(err, &diags)
	}
	diags.Sort()
	summary := &Summary{Predicates: len(p.Config.Predicates), Lints: diags.Plain(), Diagnostics: diags}
	summary.count(g, estimates)
	summary.Coded = networks.Coded()
	if networks != nil {
		for _, spec := range networks.Specs {
			if f := networks.Features[spec.Name]; f.Names() != nil {
				summary.Features = append(summary.Features, FeatureTable{spec.Name, f.Len(), f.Names()})
			}
		}
	}
	return summary, diags.Err()
}

// checkExamplesOf reads the examples of all phases, and makes the atoms those of the first one: what else is looked at
// an example. What is wrong is added to diags or is the error.
func checkExamplesOf(ctx context.Context, p *project.Project, g *session.Grounding, diags *source.Diagnostics) error {
	for phase := range load.Phase(3) {
		own := g
		if p.Config.Examples[phase] == nil {
			continue
		}
		if !p.SharesAtoms(g.Phase, phase) {
			var err error
			if own, err = session.Prepare(ctx, p, phase, g.Networks, new(source.Diagnostics)); err != nil {
				return err
			}
		}
		batch.Check(own, phase, diags)
	}
	if err := diags.Err(); err != nil {
		*diags = nil
		return err
	}
	return batch.Exemplify(ctx, g)
}

// readOthers reads the tables of the phases that the check is not about, and returns those that learning has; nil if it
// is not among them. The error is none that diagnostics tell of.
func readOthers(p *project.Project, main load.Phase, diags *source.Diagnostics) (learned *load.Tables, err error) {
	for phase := range load.Phase(3) {
		if phase == main || !p.Config.Runs(phase) {
			continue
		}
		tables, err := p.Config.Tables(phase)
		if err := diagnosed(err, diags); err != nil {
			return nil, err
		}
		if tables != nil {
			*diags = append(*diags, tables.Warnings...)
		}
		if phase == load.Learn {
			learned = tables
		}
	}
	return learned, nil
}

// checkTruth tells of truth to learn from, or to choose by, that is about nothing that is asked for.
func checkTruth(ctx context.Context, g *session.Grounding, diags *source.Diagnostics) error {
	p := g.Project
	for phase := range load.Phase(3) {
		if phase == g.Phase || !p.Config.Runs(phase) || p.Config.HasExamples() {
			continue
		}
		own := g
		if !p.SharesAtoms(g.Phase, phase) {
			var err error
			if own, err = session.Prepare(ctx, p, phase, g.Networks, new(source.Diagnostics)); err != nil {
				return err
			}
		}
		for k, declared := range p.Config.Predicates {
			truth, err := own.Truth(phase, k)
			if err != nil {
				return err
			}
			if truth != nil {
				preflight.Unasked(declared, own.Tables.Store, own.Tables.Store.Relations[k], truth, diags)
			}
		}
	}
	return nil
}

// mainPhase returns the phase that a check is about.
func mainPhase(p *project.Project) load.Phase {
	if p.Config.Runs(load.Learn) && !p.Config.Runs(load.Infer) {
		return load.Learn
	}
	return load.Infer
}

// collect adds the diagnostics of an error to others, and returns the error of them all.
func collect(err error, diags *source.Diagnostics) error {
	if err := diagnosed(err, diags); err != nil {
		return err
	}
	diags.Sort()
	return diags.Err()
}

// diagnosed adds the diagnostics of an error to others, and returns an error that has none.
func diagnosed(err error, diags *source.Diagnostics) error {
	var failure *source.Failure
	if !errors.As(err, &failure) {
		return err
	}
	*diags = append(*diags, failure.Diagnostics...)
	return nil
}

// count sums up the atoms and the estimates.
func (s *Summary) count(g *session.Grounding, estimates []ground.Estimate) {
	for _, atoms := range g.Tables.Store.Relations {
		s.Observations += atoms.Observed
		if atoms.Free == relation.Target {
			s.Targets += atoms.FreeLen()
		}
	}
	threads := float64(parallel.Threads(g.Project.Threads))
	s.Rules = make([]RuleEstimate, len(estimates))
	for k := range estimates {
		e := &estimates[k]
		r := RuleEstimate{Rule: e.Plan.Rule.Text, Exact: e.Exact, Cost: Cost{
			GroundRules: whole(e.Potentials), Bytes: whole(preflight.Cost(e)),
			Seconds: e.Seconds() / threads,
		}}
		s.Rules[k] = r
		s.Total.GroundRules = min(countless, s.Total.GroundRules+r.GroundRules)
		s.Total.Bytes = min(countless, s.Total.Bytes+r.Bytes)
		s.Total.Seconds += r.Seconds
	}
}

// countless is what counts are at most: of two, the sum is a number still.
const countless = math.MaxInt64 / 2

// whole rounds an estimate, which may be beyond what can be counted.
func whole(x float64) int64 { return int64(min(countless, math.Round(x))) }

// checkRows bounds how many rows are touched per rule by Check, which takes a few milliseconds for each.
const checkRows = 1 << 16
