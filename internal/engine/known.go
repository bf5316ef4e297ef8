package engine

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/training"
)

// inferWorld infers a world. What learning was told of it is known if inference.known says so, or else if held-out
// labels were told better by it, unless hard rules contradict that.
func (r *Report) inferWorld(ctx context.Context, g *session.Grounding) (*session.Answer, error) {
	if r.Learned != g || g.Project.Phases[load.Infer].Skip {
		return g.Infer(ctx)
	}
	variables, values, err := training.Known(g)
	if err != nil {
		return nil, err
	}
	if !r.knows(g) {
		if g.Model.Joins(variables) {
			r.Unknown = len(variables)
		}
		return g.Infer(ctx)
	}
	answer, err := g.InferKnowing(ctx, variables, values)
	if err == nil && (answer.Violated || answer.Status == solve.Infeasible.String()) {
		r.Contradicted = true
		return g.Infer(ctx)
	}
	r.Known = len(variables)
	return answer, err
}

// knows tells whether inference is to know the labels learned from.
func (r *Report) knows(g *session.Grounding) bool {
	if asked := g.Project.Phases[load.Infer].Known; asked != nil {
		return *asked
	}
	return r.Rehearsed != nil && r.Rehearsed.Known
}
