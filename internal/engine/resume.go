package engine

import (
	"context"
	"time"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Resume is Run for a project of which a part of the way has been gone before: restore makes the grounding to infer
// with of one that is only read, with its own tables, rules and weights, so that nothing is ground or inferred
// twice. Of learning, networks alone are left to do.
func Resume(ctx context.Context, p *project.Project,
	restore func(context.Context, *session.Grounding) (*session.Grounding, error)) (*Report, error) {
	start := time.Now()
	r := &Report{Seed: p.Seed, Threads: parallel.Threads(p.Threads), Seconds: Seconds{Load: p.Loading.Seconds()}}
	networks, err := r.relearned(ctx, p)
	if err != nil {
		return nil, err
	}
	var warnings source.Diagnostics
	tables, err := session.Read(p, load.Infer, networks, &warnings)
	if err != nil {
		return nil, err
	}
	p.Warn(warnings)
	grounding := time.Now()
	g, err := restore(ctx, tables)
	if err != nil {
		return nil, err
	}
	r.Seconds.Ground += time.Since(grounding).Seconds()
	if err := r.infer(ctx, g); err != nil {
		return nil, err
	}
	r.Seconds.Total = p.Loading.Seconds() + time.Since(start).Seconds()
	r.PeakRSS = report.PeakRSS()
	return r, nil
}

// relearned returns the networks of a project, learned if it learns.
func (r *Report) relearned(ctx context.Context, p *project.Project) (*perceive.Networks, error) {
	if len(p.Config.Networks) == 0 || !p.Learns() {
		return perceive.Load(p)
	}
	learned, err := Run(ctx, p, Stages{Learn: true})
	if err != nil {
		return nil, err
	}
	*r = *learned
	return learned.Learned.Networks, nil
}
