package training

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/session"
)

// validator returns the function that scores an epoch, or nil if the validation phase has no truth. If that phase has
// atoms of its own, it is ground too, over the same networks, and inferred anew at each epoch.
func (g *learner) validator(ctx context.Context, l lesson) (
	func(ctx context.Context, y, x []float64) (float64, error), error) {
	if g.Project.Config.HasExamples() {
		return g.exampleValidator()
	}
	own := g.Grounding
	if !g.Project.SharesAtoms(g.Phase, load.Validation) {
		var err error
		if own, err = session.Ground(ctx, g.Project, load.Validation, g.Networks, nil); err != nil {
			return nil, err
		}
	}
	guides, err := own.Guides(load.Validation)
	if len(guides) == 0 || err != nil {
		return nil, err
	}
	infer, err := g.inferring(l)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, y, x []float64) (float64, error) {
		answer, err := &session.Answer{Values: y, Perceived: x}, error(nil)
		if own == g.Grounding {
			answer.Values, err = infer(ctx, y, x)
		} else {
			own.TakeWeights(g.Grounding)
			if answer, err = own.InferBy(ctx, own.Settings); err == nil {
				err = ctx.Err()
			}
		}
		if err != nil {
			return 0, err
		}
		return own.Guided(answer, load.Validation, guides)
	}, nil
}

// exampleValidator scores an epoch by the share of validation examples all of whose labels are right; nil without any.
func (g *learner) exampleValidator() (func(ctx context.Context, y, x []float64) (float64, error), error) {
	if g.Project.Config.Examples[load.Validation] == nil {
		return nil, nil
	}
	e, err := batch.Read(g.Grounding, load.Validation)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, _, _ []float64) (float64, error) { return g.rightExamples(ctx, e) }, nil
}

// rightExamples returns the share of examples all of whose labels are right.
func (g *learner) rightExamples(ctx context.Context, e *batch.Examples) (float64, error) {
	predictions, _, err := batch.InferAll(ctx, g.Grounding, e)
	return rightOf(ctx, predictions, err)
}

// rightOf returns the share of the predictions that are right, unless they could not be made.
func rightOf(ctx context.Context, predictions *batch.Predictions, err error) (float64, error) {
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return 0, err
	}
	share, _ := predictions.Accuracy(-1)
	return share, nil
}
