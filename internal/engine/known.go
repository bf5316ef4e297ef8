package engine

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/training"
)

// inferWorld infers a world. With inference.known, what learning was told of it is known, unless hard rules contradict
// that.
func (r *Report) inferWorld(ctx context.Context, g *session.Grounding) (*session.Answer, error) {
	if r.Learned != g || g.Project.Phases[load.Infer].Skip {
		return g.Infer(ctx)
	}
	variables, values, err := training.Known(g)
	if err != nil {
		return nil, err
	}
	if !g.Project.Phases[load.Infer].Known {
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
