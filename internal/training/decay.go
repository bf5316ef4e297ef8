package training

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// likelyGain is that of networks that see what nobody has labelled: by what follows from it, labels say less of them.
// With half as much, classes that trees of columns tell lose.
const likelyGain = 2

// fit fits the networks of each fold alone, and chooses how much their weights decay.
func (c *crossFitting) fit(ctx context.Context) error {
	if len(c.folds) == 0 {
		return nil
	}
	var standing learn.Verdict
	for k, factor := range decayFactors {
		if k > 0 && !c.choosesDecay(standing) {
			break
		}
		folds, verdict, err := c.fitted(ctx, factor)
		if err != nil {
			return err
		}
		if k > 0 && !c.decaysBetter(verdict, standing) {
			break
		}
		c.folds, c.plan.decayFactor, c.chosen.DecayFactor, standing = folds, factor, factor, verdict
	}
	return nil
}

// decaysBetter compares what two decays make of the networks. Where labels only follow from what these see, it is no
// matter how likely they are as values are: which of two things is the better one is told by the order of the values.
func (c *crossFitting) decaysBetter(verdict, standing learn.Verdict) bool {
	switch {
	case verdict.Entities() != standing.Entities():
		return false // by some decay, nothing could be fitted
	case c.likely:
		return verdict.Beats(standing, likelyGain)
	}
	return verdict.Better(standing, decayGain)
}

// choosesDecay tells whether held-out labels can choose the decay: whether it is left to us, and some are about what
// networks see, or, where nobody has labelled that, follow from it.
func (c *crossFitting) choosesDecay(fitted learn.Verdict) bool {
	return fitted.Entities() > 0 && c.g.Project.Learning.Network.Decay < 0
}

// fitted returns the folds with networks that are fitted alone by a decay, and what held-out labels say of these.
func (c *crossFitting) fitted(ctx context.Context, factor float64) ([]fold, learn.Verdict, error) {
	g, folds := c.g, slices.Clone(c.folds)
	verdicts := make([]learn.Verdict, len(folds))
	for k := range folds {
		f := &folds[k]
		if err := g.begin(); err != nil {
			return nil, learn.Verdict{}, err
		}
		l := c.without(f)
		l.decayFactor = factor
		training, err := g.fitNetworks(ctx, l)
		if err == nil {
			err = g.Perceive()
		}
		if err != nil {
			return nil, learn.Verdict{}, err
		}
		f.networks, f.inputs = g.Networks, slices.Clone(g.Inputs)
		if training.FitEpochs == 0 {
			continue
		}
		c.fitsAny = true
		held, err := c.unseen(f)
		if err != nil {
			return nil, learn.Verdict{}, err
		}
		if verdicts[k] = held.Judge(f.inputs); len(held.Variables) > 0 {
			continue
		}
		if latent := g.latentOf(f.held, nil); latent != nil {
			c.likely, verdicts[k] = true, latent.Judge(f.inputs)
		}
	}
	return folds, learn.Together(verdicts...), nil
}

// unseen returns what a fold holds out about what networks see.
func (c *crossFitting) unseen(f *fold) (*learn.Labels, error) {
	phase := load.Learn
	if f.division == nil {
		phase = load.Validation
	}
	labels, err := c.g.labels(phase, relation.Perceived)
	if err == nil && f.division != nil {
		labels = labels.Where(f.division.holds)
	}
	if err != nil {
		return nil, err
	}
	return labels.Join(c.g.carried(f.held)), nil
}
