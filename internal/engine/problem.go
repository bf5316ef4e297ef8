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
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/solve/conflict"
)

// ExportFormat is a file format for ground problems.
type ExportFormat = export.Format

// The formats that Export writes: a quadratic program for other solvers, in two forms, and a dump for ReadProblem.
const (
	LPFormat   = export.LP
	QPSFormat  = export.QPS
	DumpFormat = export.JSON
)

// ExportFormatOf returns the format that a path's extension names: .lp, .qps or .mps, or .json.
func ExportFormatOf(path string) (ExportFormat, error) { return export.FormatOf(path) }

// Export perceives with the current networks and writes the problem that Infer solves. The variables of the quadratic
// program are the target atoms in their order, its optimum is Infer's objective. No names of atoms are written; the
// rules' texts are, in dumps.
func (g *Grounding) Export(w io.Writer, format ExportFormat) error {
	if err := g.perceive(); err != nil {
		return err
	}
	g.field.SetWeights(g.theta)
	g.field.SetInputs(g.inputs)
	rules := make([]string, len(g.program.Rules))
	for k, rule := range g.program.Rules {
		rules[k] = rule.Text
	}
	return g.guard(func() error { return export.Write(w, format, g.field, rules) })
}

// Problem is a ground problem without the program and the data that it comes from. It is not safe for concurrent use.
type Problem struct {
	Options
	settings settings
	field    *mrf.Field
	rules    []string
	loading  time.Duration
}

// ReadProblem reads a dump that Export wrote. Of the options, those of inference count. The error says what is wrong
// with the dump or the options.
func ReadProblem(r io.Reader, options Options) (*Problem, error) {
	start := time.Now()
	p := &Problem{Options: options}
	settings, diags := readSettings(&load.Config{}, Infer, options.Set)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	p.settings = settings
	if settings.seeded {
		p.Seed = settings.seed
	}
	if p.Threads == 0 {
		p.Threads = settings.threads
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
	solver, err := p.settings.inference(p.field, &p.Options)
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
	answer := p.settings.answer(p.field, result, start)
	answer.Conflict = p.conflict(ctx, result.Conflict)
	return p.report(answer), nil
}

// conflict names hard ground rules as exports name their rows.
func (p *Problem) conflict(ctx context.Context, places []int) []string {
	if len(places) == 0 {
		return nil
	}
	places = conflict.Minimal(ctx, p.field, places, p.settings.solve)
	var lines []string
	for k, rule := range hardRules(p.field.Model, places) {
		lines = append(lines, fmt.Sprintf("r%d  [of the rule %s]", places[k], p.rules[rule.block.Rule]))
	}
	return lines
}

func (p *Problem) report(answer *Answer) *Report {
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
func (p *Problem) counts() []RuleCount {
	counts := make([]RuleCount, len(p.rules))
	for k, text := range p.rules {
		counts[k].Rule = text
	}
	for _, b := range p.field.Model.Blocks {
		counts[b.Rule].Kept += int64(b.Len)
		counts[b.Rule].Hard = b.Kind.Hard()
	}
	return counts
}
