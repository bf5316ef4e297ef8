package engine

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/relation"
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
	Lints        []Lint         `json:"lints"`

	// Diagnostics are the lints in the form that can show the places.
	Diagnostics Warnings `json:"-"`
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

// Lint is one thing that is suspicious, or an error. Line and column count from 1, and are 0 if there is no place.
type Lint struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
}

// Lints returns what diagnostics say, place by place.
func Lints(diagnostics Warnings) []Lint {
	lints := make([]Lint, len(diagnostics))
	for k, d := range diagnostics {
		lints[k] = Lint{ID: d.ID, Severity: d.Severity.String(), Message: d.Message, Hint: d.Hint}
		if d.Span.File != nil {
			lints[k].File = d.Span.File.Name
		}
		if d.Span.HasText() {
			lints[k].Line, lints[k].Column = d.Span.File.Position(d.Span.Start)
		}
	}
	return lints
}

// checkRows and guardRows bound how many rows are touched per rule: by Check, which takes a few milliseconds for each,
// and by the guard of memory, which every grounding waits for and for which a rough estimate will do.
const (
	checkRows = 1 << 16
	guardRows = 1 << 12
)

// Check compiles the rules of every phase, reads their tables, estimates what grounding would cost, and looks for what
// is suspicious. Warnings go into the summary, and not to OnWarning. The error carries everything that is wrong; if it
// is grounding that would fail, there is a summary too.
func (p *Project) Check(ctx context.Context) (*Summary, error) {
	diags := append(source.Diagnostics(nil), p.warnings...)
	main := p.mainPhase()
	p.compileAll(&diags)
	if err := p.checkOthers(main, &diags); err != nil {
		return nil, err
	}
	networks, err := p.loadNetworks()
	if err != nil {
		return nil, collect(err, &diags)
	}
	g, err := p.prepare(ctx, main, networks, &diags)
	if err != nil {
		return nil, collect(err, &diags)
	}
	if _, inputs := g.tables.Store.Number(); networks != nil && inputs > 0 {
		if _, err := networks.bind(p, g.tables.Store, inputs); err != nil {
			return nil, collect(err, &diags)
		}
		networks.lintScales(p.config, &diags)
	}
	if p.config.HasExamples() {
		if err := p.checkExamples(ctx, g, &diags); err != nil {
			return nil, collect(err, &diags)
		}
	}
	estimates, err := g.estimate(ctx, checkRows)
	if err != nil {
		return nil, err
	}
	p.model(g, estimates).Lint(&diags)
	diags.Sort()
	summary := &Summary{Predicates: len(p.config.Predicates), Lints: Lints(diags), Diagnostics: diags}
	summary.count(g, estimates)
	return summary, diags.Err()
}

// checkExamples reads the examples of all phases, and makes the atoms those of the first one: what else is looked at is
// an example. What is wrong is added to diags or is the error.
func (p *Project) checkExamples(ctx context.Context, g *Grounding, diags *source.Diagnostics) error {
	for phase := range Phase(3) {
		own := g
		if p.config.Examples[phase] == nil {
			continue
		}
		if !p.sharesAtoms(g.phase, phase) {
			var err error
			if own, err = p.prepare(ctx, phase, g.networks, new(source.Diagnostics)); err != nil {
				return err
			}
		}
		own.checkExamples(phase, diags)
	}
	if err := diags.Err(); err != nil {
		*diags = nil
		return err
	}
	return g.exemplify(ctx)
}

// checkOthers reads the tables of the phases that the check is not about. The error is none that diagnostics tell of.
func (p *Project) checkOthers(main Phase, diags *source.Diagnostics) error {
	for phase := range Phase(3) {
		if phase == main || !p.config.Runs(phase) {
			continue
		}
		_, err := p.config.Tables(phase)
		var failure *source.Failure
		if errors.As(err, &failure) {
			*diags = append(*diags, failure.Diagnostics...)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// mainPhase returns the phase that a check is about.
func (p *Project) mainPhase() Phase {
	if p.config.Runs(Learn) && !p.config.Runs(Infer) {
		return Learn
	}
	return Infer
}

// collect adds the diagnostics of an error to others, and returns the error of them all.
func collect(err error, diags *source.Diagnostics) error {
	var failure *source.Failure
	if !errors.As(err, &failure) {
		return err
	}
	*diags = append(*diags, failure.Diagnostics...)
	diags.Sort()
	return diags.Err()
}

// model is what the lints look at.
func (p *Project) model(g *Grounding, estimates []ground.Estimate) *preflight.Model {
	return &preflight.Model{
		Config: p.config, Program: g.program, Derivations: g.derivations.Rules(), Tables: g.tables, Estimates: estimates,
		Learns: p.config.Runs(Learn), Grounding: p.phases[Infer].model.grounding(),
	}
}

// lintProgram adds what is suspicious about a phase before it is ground. What validation has is also learning's, or is
// only scored.
func (p *Project) lintProgram(g *Grounding, warnings *source.Diagnostics) {
	if g.phase != Validation {
		p.model(g, nil).LintProgram(warnings)
		warnings.Sort()
	}
}

// lintFiring warns of rules that a ground model has nothing of, unless that has been told in other words. The first of
// many examples does not say it of all.
func (p *Project) lintFiring(g *Grounding, told source.Diagnostics) {
	if g.phase == Validation || p.config.HasExamples() {
		return
	}
	all := slices.Clone(told)
	p.model(g, preflight.Counted(g.report)).LintFiring(&all)
	p.warn(all[len(told):])
}

// estimate samples what grounding would make.
func (g *Grounding) estimate(ctx context.Context, rows int) ([]ground.Estimate, error) {
	return ground.Sample(ctx, g.program, g.tables.Store, ground.SampleOptions{Threads: g.project.Threads, Rows: rows})
}

// count sums up the atoms and the estimates.
func (s *Summary) count(g *Grounding, estimates []ground.Estimate) {
	for _, atoms := range g.tables.Store.Relations {
		s.Observations += atoms.Observed
		if atoms.Free == relation.Target {
			s.Targets += atoms.FreeLen()
		}
	}
	threads := float64(parallel.Threads(g.project.Threads))
	s.Rules = make([]RuleEstimate, len(estimates))
	for k := range estimates {
		e := &estimates[k]
		r := RuleEstimate{Rule: e.Plan.Rule.Text, Exact: e.Exact, Cost: Cost{
			GroundRules: int64(math.Round(e.Potentials)), Bytes: int64(math.Round(preflight.Cost(e))),
			Seconds: e.Seconds() / threads,
		}}
		s.Rules[k] = r
		s.Total.GroundRules += r.GroundRules
		s.Total.Bytes += r.Bytes
		s.Total.Seconds += r.Seconds
	}
}
