package engine

import (
	"context"
	"time"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
)

// Ground reads the tables of a phase, derives and perceives atoms, and grounds the rules. The networks are new: they
// have the parameters that the project's seed gives them. The error carries everything that is wrong, each with its
// place.
func Ground(ctx context.Context, p *project.Project, phase load.Phase) (*session.Grounding, error) {
	return groundRevised(ctx, p, phase, nil)
}

// groundRevised is Ground with other rows of features.
func groundRevised(ctx context.Context, p *project.Project, phase load.Phase, revisions []perceive.Revision) (
	*session.Grounding, error) {
	start := time.Now()
	if err := phase.Check(); err != nil {
		return nil, err
	}
	networks, err := perceive.Load(p)
	if err == nil {
		err = networks.Take(revisions)
	}
	if err != nil {
		return nil, err
	}
	g, err := batch.Ground(ctx, p, phase, networks)
	if err == nil {
		g.LoadTime = time.Since(start) - g.GroundTime
	}
	return g, err
}

// For returns the grounding of another phase: this one, if the phases share their atoms, which is then of that phase.
// Another one shares networks that were loaded; others are new, and scale features by what that phase sees.
func For(ctx context.Context, g *session.Grounding, phase load.Phase) (*session.Grounding, error) {
	switch {
	case g.Serves(phase):
		return g, g.Turn(phase)
	case g.Loaded:
		return batch.Ground(ctx, g.Project, phase, g.Networks)
	}
	return groundRevised(ctx, g.Project, phase, g.Networks.Revisions())
}
