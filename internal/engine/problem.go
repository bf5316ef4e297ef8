package engine

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/deeppsl/deeppsl/internal/export"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve/conflict"
)

// Problem is a ground problem without the program and the data that it comes from. It is not safe for concurrent use.
type Problem struct {
	project.Options
	settings project.Settings
	field    *mrf.Field
	rules    []string
	loading  time.Duration
}

// ReadProblem reads a dump that Export wrote. Of the options, those of inference count. The error says what is wrong
// with the dump or the options.
func ReadProblem(r io.Reader, options project.Options) (*Problem, error) {
	start := time.Now()
	p := &Problem{Options: options}
	settings, diags := project.ReadSettings(&load.Config{}, load.Infer, options.Set)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	p.settings = settings
	if settings.Seeded {
		p.Seed = settings.Seed
	}
	if p.Threads == 0 {
		p.Threads = settings.Threads
	}
	var err error
	if p.field, p.rules, err = export.Read(r); err != nil {
		return nil, err
	}
	if p.Threads > 0 {
		p.field.Threads = p.Threads
	}
	p.loading = time.Since(start)
	return p, nil
}

// Solve finds the MAP state, as Infer does: with the same options the answer has the same bits. The report has no
// evaluations, since nothing is known about atoms; its Answer holds the values by variable number. The end of the
// context means what it does for Infer.
func (p *Problem) Solve(ctx context.Context) (*Report, error) {
	start := time.Now()
	solver, err := p.settings.Inference(p.field, &p.Options)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	result, err := solver.Solve(ctx)
	if err != nil {
		return nil, err
	}
	answer := session.NewAnswer(&p.settings, p.field, result, start)
	answer.Conflict = p.conflict(ctx, result.Conflict)
	return p.report(answer), nil
}

// conflict names hard ground rules as exports name their rows.
func (p *Problem) conflict(ctx context.Context, places []int) []string {
	if len(places) == 0 {
		return nil
	}
	places = conflict.Minimal(ctx, p.field, places, p.settings.Solve)
	var lines []string
	for k, rule := range session.HardRules(p.field.Model, places) {
		lines = append(lines, fmt.Sprintf("r%d  [of the rule %s]", places[k], p.rules[rule.Block.Rule]))
	}
	return lines
}

func (p *Problem) report(answer *session.Answer) *Report {
	r := &Report{
		Seed: p.Seed, Threads: parallel.Threads(p.Threads), Variables: p.field.Model.Variables,
		GroundRules: p.field.Model.Potentials(), GroundRulesByRule: p.counts(),
		RuleWeights: append([]float64(nil), p.field.Weights()...), PeakRSS: report.PeakRSS(),
	}
	r.adopt(answer)
	r.Seconds.Load = p.loading.Seconds()
	r.Seconds.Total = r.Seconds.Load + r.Seconds.Solve
	return r
}

// counts returns the number of ground rules by rule; those that grounding left out are not in a dump.
func (p *Problem) counts() []session.RuleCount {
	counts := make([]session.RuleCount, len(p.rules))
	for k, text := range p.rules {
		counts[k].Rule = text
	}
	for _, b := range p.field.Model.Blocks {
		counts[b.Rule].Kept += int64(b.Len)
		counts[b.Rule].Hard = b.Kind.Hard()
	}
	return counts
}
