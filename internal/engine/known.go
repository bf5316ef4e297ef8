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
	answer, err := g.Infer(ctx)
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
