package engine

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/training"
)

// inferWorld infers a world, and says whether what learning was told of it is known.
func (r *Report) inferWorld(ctx context.Context, g *session.Grounding) (*session.Answer, error) {
	known := len(g.Known.Variables)
	answer, err := r.inferFromLearning(ctx, g)
	if err != nil || r.Learned != g || g.Project.Phases[load.Infer].Skip {
		return answer, err
	}
	r.Known = len(g.Known.Variables)
	r.Contradicted = r.Known < known
	told, err := training.Told(g)
	if known == 0 && err == nil && g.Model.Joins(told.Variables) {
		r.Unknown = len(told.Variables)
	}
	return answer, err
}

// inferFromLearning infers; with what learning left that was cut short, from the MAP state that this had come to: of
// many ground rules, little else may be had in the time of grace. Where that loses a class, it steps back.
func (r *Report) inferFromLearning(ctx context.Context, g *session.Grounding) (*session.Answer, error) {
	infer := g.Infer
	if r.Learned == g && r.Training.Last != nil {
		infer = func(ctx context.Context) (*session.Answer, error) { return g.InferAgain(ctx, r.Training.Last) }
	}
	answer, err := infer(ctx)
	if err != nil {
		return nil, err
	}
	return r.stepBack(ctx, g, answer)
}
