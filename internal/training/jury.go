package training

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/neural"
)

// judged is how many examples tell what share of them is right, to within 0.7 percentage points near enough.
const judged = 2000

// heldShare is one in how many examples is held out.
const heldShare = 5

// jury is some examples.
type jury struct {
	examples *batch.Examples
	members  []int32
}

// right returns the share of the examples that are right, or of a sample of them, as inference predicts: MAP states may
// lie between answers that what these cost tells apart.
func (j jury) right(ctx context.Context, g *learner) (float64, error) {
	members, _ := batch.Draw(j.members, judged)
	predictions, _, err := batch.InferSome(ctx, g.Grounding, j.examples, slices.Clone(members), true)
	return rightOf(ctx, predictions, err)
}

// rightLabels counts the labels that inference predicts.
func (j jury) rightLabels(ctx context.Context, g *learner) (count int, err error) {
	predictions, _, err := batch.InferSome(ctx, g.Grounding, j.examples, slices.Clone(j.members), true)
	if err != nil {
		return 0, err
	}
	for at, known := range predictions.Known {
		if known != "" && predictions.Matches(at) {
			count++
		}
	}
	return count, ctx.Err()
}

// part is some examples with networks that have not learned from them.
type part struct {
	parameters
	jury
}

// parameters are what is kept of a start.
type parameters struct {
	networks   *perceive.Networks
	perception *neural.Perception
	theta      []float64
}

// parameters returns the present networks and weights, to come back to: a new start writes its weights over these.
func (g *learner) parameters() parameters {
	return parameters{g.Networks, g.Perception, slices.Clone(g.Theta)}
}

// takeBack makes the networks and weights of a start the present ones.
func (g *learner) takeBack(best parameters) {
	g.Networks, g.Perception = best.networks, best.perception
	copy(g.Theta, best.theta)
}
