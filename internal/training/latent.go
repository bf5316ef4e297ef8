package training

import (
	"context"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/latent"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// latentKept is the share of labels that classes that are certain must agree with, or tell. Where fewer do, rules are
// about degrees: of things in an order, each better than the next, no two classes tell more than half. Unless labels
// are told so well that no more than latentLeft of the loss is left that they have if nothing is known: of a label that
// many classes bear on, such as all that a kind of thing has or lacks, hardly all are as they should be.
const latentKept, latentLeft = 0.75, 0.25

// latent returns what labels say of networks that have no labels of their own, through the ground rules that tie the
// two together and speak of no other network; nil if there is nothing.
func (g *learner) latent(l lesson, without []bool) (*latent.Likelihood, error) {
	labels, err := g.taught(l, relation.Target)
	if err != nil {
		return nil, err
	}
	return g.latentOf(labels, without), nil
}

// latentOf is latent for some labels.
func (g *learner) latentOf(labels *label.Labels, without []bool) *latent.Likelihood {
	if !g.Project.Learning.Auto || g.Perception == nil || len(labels.Variables) == 0 {
		return nil
	}
	g.Field.SetWeights(g.written())
	sight := latent.Sight{Things: g.Perception.Distributions(), Twins: g.ties.Twins(), Without: without}
	return latent.New(g.Field, labels, sight, latent.MostTried)
}

// fitOthers fits networks alone that these labels of inputs say nothing of, and tells whether it has. Those that
// compare pairs are not among them: what they begin with is presumed.
func (g *learner) fitOthers(ctx context.Context, l lesson, labels *label.Labels) (bool, error) {
	networks := g.labelled(labels)
	if !lacking(networks) {
		return false, nil
	}
	without := make([]bool, len(g.Inputs))
	for name, input := range g.perceived() {
		without[input] = networks[name]
	}
	latent, err := g.latent(l, without)
	if err != nil {
		return false, err
	}
	training, err := g.fitLatent(ctx, l, latent, nil, true)
	return err == nil && training.FitEpochs > 0, err
}

// lacking tells whether one of these networks has no labels and needs some.
func lacking(labelled map[string]bool) bool {
	return slices.Contains(slices.Collect(maps.Values(labelled)), false)
}

// labelled tells of each network whether labels are about what it sees, or it compares pairs and needs none.
func (g *learner) labelled(labels *label.Labels) map[string]bool {
	labelled := make([]bool, len(g.Inputs))
	for _, i := range labels.Variables {
		labelled[i] = true
	}
	networks := make(map[string]bool)
	for name, input := range g.perceived() {
		networks[name] = networks[name] || labelled[input]
	}
	for name := range networks {
		networks[name] = networks[name] || g.Networks.Compares(name)
	}
	return networks
}

// perceived visits the inputs with the names of the networks that compute them.
func (g *learner) perceived() iter.Seq2[string, int32] {
	return func(visit func(network string, input int32) bool) {
		for k, declared := range g.Project.Config.Predicates {
			if declared.Neural == nil {
				continue
			}
			atoms := g.Tables.Store.Relations[k]
			for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
				if !visit(declared.Neural.Network, atoms.Number(row)) {
					return
				}
			}
		}
	}
}

// fitLatent fits networks to these, and to labels of what they see, if there are any, from several beginnings, and
// keeps the best. Networks of which nothing is known stay as they are if the others are fitted apart.
func (g *learner) fitLatent(
	ctx context.Context, l lesson, latent *latent.Likelihood, own *label.Labels, apart bool,
) (*Training, error) {
	if latent == nil {
		return new(Training), nil
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
		fitter.Labels, fitter.Apart = own, apart
		if own != nil { // which class is which is for them to say
			if training, err := g.fitBy(ctx, fitter); err != nil {
				return training, err
			}
		}
		fitter.Latent = latent
		training, err := g.fitBy(ctx, fitter)
		if err != nil {
			return training, err
		}
		if loss := fitter.Value(training.Chosen.Perceived); kept == nil || loss < least {
			kept, best, least = training, g.parameters(), loss
		}
	}
	if x := kept.Chosen.Perceived; latent.Kept(x) < latentKept &&
		latent.Value(x, nil) > latentLeft*latent.Value(g.unknowing(), nil) {
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

// fitTogether fits networks to labels of what they see and to those that follow from it.
func (g *learner) fitTogether(ctx context.Context, l lesson) (*Training, error) {
	own, further, err := g.bothLabels(l)
	if err != nil || len(own.Variables) == 0 {
		return new(Training), err
	}
	g.giveLosses(own)
	return g.fitLatent(ctx, l, g.latentOf(further, g.pairs()), own, false)
}

// bothLabels returns the labels of a lesson of what networks see, and the others.
func (g *learner) bothLabels(l lesson) (own, further *label.Labels, err error) {
	if own, err = g.taught(l, relation.Perceived); err != nil {
		return nil, nil, err
	}
	targets, err := g.taught(l, relation.Target)
	if err != nil {
		return nil, nil, err
	}
	stands, further := g.ties.Apart(targets)
	return own.Join(stands), further, nil
}

// pairs marks the inputs of networks that compare pairs: what they begin with is presumed.
func (g *learner) pairs() []bool {
	without := make([]bool, len(g.Inputs))
	for name, input := range g.perceived() {
		without[input] = g.Networks.Compares(name)
	}
	return without
}
