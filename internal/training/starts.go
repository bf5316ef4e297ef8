package training

import (
	"context"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/neural"
)

// enough is the share of right examples from which on nothing is begun anew.
const enough = 0.9

// sharpening is how sharp outputs are made in each start, relative to learn.sharpen. The first does it a little: where
// labels tell what is seen apart, that is enough to get there sooner, and not enough to settle before the labels do.
var sharpening = [...]float64{0.2, 1, 0.5, 2, 0}

// little is the share of the first loss that still falls in the last quarter of the epochs if learning goes on.
const little = 0.05

// stuck tells whether learning has come to rest, as far as the curve shows.
func stuck(curve []learn.Epoch) bool {
	last := len(curve) - 1
	before := last - max(1, len(curve)/4)
	return before >= 0 && curve[before].Loss-curve[last].Loss < little*math.Abs(curve[0].Loss)
}

// learnFromExamples learns from examples, and where that comes to rest with many of them wrong, begins once more with
// other networks, up to learn.starts times, and pushes what they see towards sharp outputs: of what is latent and
// symmetric, networks learn nothing without, and some initial ones learn what is right for some labels only. What has
// not come to rest wants more epochs, and not another start. The start with most examples right is kept, the first of
// equal ones.
func (g *learner) learnFromExamples(ctx context.Context, l lesson) (*Training, error) {
	seed, starts := g.Seed, max(1, g.Project.Learning.Starts)
	defer func() { g.Seed = seed }()
	var kept *Training
	var best parameters
	var all []Start
	most := math.Inf(-1)
	for k := range starts {
		if k > 0 {
			if err := g.Reset(seed + uint64(k)*startStride); err != nil {
				return nil, err
			}
		}
		l.start, l.sharpening = k, sharpening[k%len(sharpening)]
		training, err := g.train(ctx, l)
		right := 0.0
		if err == nil && starts > 1 && g.Perception != nil {
			right, err = g.rightAtEnd(ctx)
		}
		early, cut := learn.CutShort(ctx, err)
		if err != nil && !cut {
			return nil, err
		}
		all = append(all, Start{Seed: g.Seed, Right: right})
		if kept == nil || right > most {
			kept, most = training, right
			best = g.parameters()
		}
		if cut {
			kept.Ended = early
			g.takeBack(best)
			return kept, err
		}
		if starts == 1 || g.Perception == nil || right >= enough {
			break
		}
		if !stuck(training.Epochs) {
			g.notices.unfinished(training, right)
			break
		}
		g.Project.Log.Info("many examples are wrong: beginning with other networks", "right", right, "start", k+1)
	}
	g.takeBack(best)
	kept.Starts = all
	return kept, nil
}

// startStride is between the seeds of starts, far from what users count.
const startStride = 1_000_003

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

// judged is how many examples tell what share of them is right, to within 0.7 percentage points near enough.
const judged = 2000

// rightAtEnd returns the share of examples that are right: of validation, or without it of those learned from, of which
// there may be many times as many as are needed to tell.
func (g *learner) rightAtEnd(ctx context.Context) (float64, error) {
	phase := load.Validation
	if g.Project.Config.Examples[load.Validation] == nil {
		phase = load.Learn
	}
	e, err := batch.Read(g.Grounding, phase)
	if err != nil {
		return 0, err
	}
	predictions, _, err := batch.InferSample(ctx, g.Grounding, e, judged)
	return rightOf(ctx, predictions, err)
}
