package training

import (
	"context"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// latentKept is the share of labels that classes that are certain must agree with, or tell. Where fewer do, rules are
// about degrees: of things in an order, each better than the next, no two classes tell more than half. Unless labels
// are told so well that no more than latentLeft of the loss is left that they have if nothing is known: of a label that
// many classes bear on, such as all that a kind of thing has or lacks, hardly all are as they should be.
const latentKept, latentLeft = 0.75, 0.25

// latent returns what labels say of networks that have no labels of their own, through the ground rules that tie the
// two together; nil if there is nothing.
func (g *learner) latent(l lesson) (*learn.Latent, error) {
	if !g.Project.Learning.Auto || g.Perception == nil {
		return nil, nil
	}
	labels, err := g.taught(l, relation.Target)
	if err != nil || len(labels.Variables) == 0 {
		return nil, err
	}
	g.Field.SetWeights(g.written())
	return learn.NewLatent(g.Field, labels, g.Perception.Distributions(), g.twins(), learn.MostTried), nil
}

// twins returns the input of each target that a rule says is as a network sees it.
func (g *learner) twins() map[int32]int32 {
	inputs := make(map[int32]int32)
	for k, perceived := range g.Tables.Store.Relations {
		if g.Project.Config.Predicates[k].Neural == nil {
			continue
		}
		inferred := g.counterpart(k)
		if inferred < 0 {
			continue
		}
		for row, variable := range g.matched(k, perceived, g.Tables.Store.Relations[inferred]) {
			inputs[variable] = perceived.Number(row)
		}
	}
	return inputs
}

// fitLatent fits networks to these, from several beginnings, and keeps the best.
func (g *learner) fitLatent(ctx context.Context, l lesson) (*Training, error) {
	latent, err := g.latent(l)
	if latent == nil || err != nil {
		return new(Training), err
	}
	seed, least := g.Seed, math.Inf(1)
	defer func() { g.Seed = seed }()
	var kept *Training
	var best parameters
	for start := range uint64(latentStarts) {
		if start > 0 {
			g.Seed = seed + start*startStride
			if err := g.begin(); err != nil {
				return nil, err
			}
		}
		fitter := g.fitter(l)
		fitter.Latent = latent
		training, err := g.fitBy(ctx, fitter)
		if err != nil {
			return training, err
		}
		if loss := latent.Value(training.Chosen.Perceived, nil); kept == nil || loss < least {
			kept, best, least = training, g.parameters(), loss
		}
	}
	if latent.Kept(kept.Chosen.Perceived) < latentKept && least > latentLeft*latent.Value(g.unknowing(), nil) {
		g.Seed = seed
		return new(Training), g.begin()
	}
	g.takeBack(best)
	copy(g.Inputs, kept.Chosen.Perceived)
	return kept, nil
}

// unknowing returns inputs that tell nothing: all classes are as likely.
func (g *learner) unknowing() []float64 {
	x := slices.Repeat([]float64{0.5}, len(g.Inputs))
	for _, thing := range g.Perception.Distributions() {
		for _, i := range thing {
			x[i] = 1 / float64(len(thing))
		}
	}
	return x
}
