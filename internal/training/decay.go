package training

import (
	"context"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// likelyGain is that of networks that see what nobody has labelled: by what follows from it, labels say less of them.
// With half as much, classes that trees of columns tell lose.
const likelyGain = 2

// degreesGain is by how many standard errors less decay has to be better, of degrees of truth: each says more than a
// label that is true or false, so that what suits these is often too much. Of such labels less decay wins nothing.
const degreesGain = 1

// Less than half a standard error is enough where the labels gain as much by more decay as so many of them differ by;
// and where they gain so many standard errors, it is no matter that values as they are tell less, which more decay
// makes less sure than labels bear out, of many classes most of all: temperatures, and the weights of rules, mend that.
const manyGain, plainlyGain = 4, 1.5

// fit fits the networks of each fold alone, and chooses how much their weights decay.
func (c *crossFitting) fit(ctx context.Context) error {
	if len(c.folds) == 0 {
		return nil
	}
	standing, err := c.decayed(ctx, decayFactors[:], decayGain, label.Verdict{})
	if err == nil && c.degrees && c.chosen.DecayFactor == decayFactors[0] {
		standing, err = c.decayed(ctx, lessDecay[:], degreesGain, standing)
	}
	if err == nil {
		err = c.evened(ctx, standing)
	}
	if err != nil {
		return err
	}
	return c.together(ctx)
}

// decayed fits by one decay after the other, as long as each is better than the one before by some standard errors.
// Without a verdict to stand against, the first is.
func (c *crossFitting) decayed(
	ctx context.Context, factors []float64, gain float64, standing label.Verdict,
) (label.Verdict, error) {
	for _, factor := range factors {
		first := c.chosen.DecayFactor == 0
		if !first && !c.choosesDecay(standing) {
			break
		}
		folds, verdict, err := c.fitted(ctx, factor)
		if err != nil {
			return standing, err
		}
		if !first && !c.decaysBetter(verdict, standing, gain) {
			break
		}
		c.folds, c.plan.decayFactor, c.chosen.DecayFactor, standing = folds, factor, factor, verdict
	}
	return standing, nil
}

// decaysBetter compares what two decays make of the networks. Where labels only follow from what these see, it is no
// matter how likely they are as values are: which of two things is the better one is told by the order of the values.
func (c *crossFitting) decaysBetter(verdict, standing label.Verdict, gain float64) bool {
	switch {
	case verdict.Entities() != standing.Entities():
		return false // by some decay, nothing could be fitted
	case c.likely:
		return verdict.Beats(standing, likelyGain)
	case c.degrees:
		return verdict.Better(standing, gain)
	}
	return suitsMore(verdict, standing)
}

// suitsMore tells whether more decay suits labels that are true or false better than what stands.
func suitsMore(verdict, standing label.Verdict) bool {
	gain := min(decayGain, manyGain/math.Sqrt(float64(standing.Entities())))
	return verdict.Better(standing, gain) || verdict.Beats(standing, plainlyGain)
}

// choosesDecay tells whether held-out labels can choose the decay: whether it is left to us, and some are about what
// networks see, or, where nobody has labelled that, follow from it.
func (c *crossFitting) choosesDecay(fitted label.Verdict) bool {
	return fitted.Entities() > 0 && c.g.Project.Learning.Network.Decay < 0
}

// fitted returns the folds with networks that are fitted alone by a decay, and what held-out labels say of these.
func (c *crossFitting) fitted(ctx context.Context, factor float64) ([]fold, label.Verdict, error) {
	g, folds := c.g, slices.Clone(c.folds)
	verdicts := make([]label.Verdict, len(folds))
	for k := range folds {
		f := &folds[k]
		if err := g.begin(); err != nil {
			return nil, label.Verdict{}, err
		}
		l := c.without(f)
		l.decayFactor = factor
		training, err := g.fitNetworks(ctx, l)
		if err == nil {
			err = g.Perceive()
		}
		if err != nil {
			return nil, label.Verdict{}, err
		}
		f.networks, f.inputs = g.Networks, slices.Clone(g.Inputs)
		if training.FitEpochs == 0 {
			continue
		}
		c.fitsAny = true
		if c.plan.together {
			if verdicts[k], err = c.judgeBoth(f); err != nil {
				return nil, label.Verdict{}, err
			}
			continue
		}
		held, err := c.unseen(f)
		if err != nil {
			return nil, label.Verdict{}, err
		}
		c.degrees = c.degrees || held.Degrees()
		if verdicts[k] = held.Judge(f.inputs); len(held.Variables) > 0 {
			continue
		}
		if latent := g.latentOf(f.held, nil); latent != nil {
			c.likely, verdicts[k] = true, latent.Judge(f.inputs)
		}
	}
	return folds, label.Together(verdicts...), nil
}

// unseen returns what a fold holds out about what networks see, or counterparts of that.
func (c *crossFitting) unseen(f *fold) (*label.Labels, error) {
	labels, err := c.unseenOf(f)
	if err != nil {
		return nil, err
	}
	return labels.Join(c.g.ties.Carried(f.held)), nil
}

// unseenOf returns what a fold holds out about what networks see.
func (c *crossFitting) unseenOf(f *fold) (*label.Labels, error) {
	phase := load.Learn
	if f.division == nil {
		phase = load.Validation
	}
	labels, err := c.g.labels(phase, relation.Perceived)
	if err == nil && f.division != nil {
		labels = labels.Where(f.division.holds)
	}
	return labels, err
}

// Networks may have labels of their own, or of counterparts, while others follow from what several of them see: of a
// few customers it is known whether they are rich, and of many who buys where. Fitted to the former alone, networks do
// not learn from the latter. So they are fitted to both at once, each label of theirs counting as much as what is known
// of a scope of the likelihood, and that is taken if held-out labels of both kinds are told better.

// togetherGain is by how many standard errors they have to be.
const togetherGain = 1

// together fits networks to both, if there are both, and keeps that if it is better.
func (c *crossFitting) together(ctx context.Context) error {
	g := c.g
	if g.large() || !c.fitsAny || c.lesson.fitEpochs == 0 {
		return nil
	}
	own, further, err := g.bothLabels(c.lesson)
	if err != nil || len(own.Variables) == 0 || g.latentOf(further, g.pairs()) == nil {
		return err
	}
	verdicts := make([]label.Verdict, len(c.folds))
	for k := range c.folds {
		if verdicts[k], err = c.judgeBoth(&c.folds[k]); err != nil {
			return err
		}
	}
	apart, before := label.Together(verdicts...), *c
	c.plan.together, c.likely, c.chosen.DecayFactor = true, true, 0
	verdict, err := c.decayed(ctx, decayFactors[:], likelyGain, label.Verdict{})
	if err != nil {
		return err
	}
	if verdict.Entities() != apart.Entities() || !verdict.Beats(apart, togetherGain) {
		*c = before
	}
	c.chosen.Together = c.plan.together
	return nil
}

// judgeBoth returns what the labels of a fold say of what networks see, those of it and those that follow from it.
func (c *crossFitting) judgeBoth(f *fold) (label.Verdict, error) {
	own, err := c.unseenOf(f)
	if err != nil {
		return label.Verdict{}, err
	}
	stands, further := c.g.ties.Apart(f.held)
	verdict := own.Join(stands).Judge(f.inputs)
	if latent := c.g.latentOf(further, c.g.pairs()); latent != nil {
		verdict = label.Together(verdict, latent.Judge(f.inputs))
	}
	return verdict, nil
}

// lacks tells whether networks, but for those that compare pairs, have no labels of theirs beside others that have
// some: where nothing can be held out, they learn from what follows from several, or not at all.
func (c *crossFitting) lacks() (bool, error) {
	own, _, err := c.g.bothLabels(c.lesson)
	if err != nil {
		return false, err
	}
	return lacking(c.g.labelled(own)), nil
}

// evenGain is by how many standard errors shares have to be better; without the luckiest label it must be no trifle.
const evenGain = 1

// evened has networks that see more columns than there are labels see classes as often as they are likely to be common,
// if held-out labels are told better by it. Such networks can learn each label by heart, by what it alone has, and a
// bias that the more frequent classes have in common: of other things it says more than what labels have taught.
func (c *crossFitting) evened(ctx context.Context, standing label.Verdict) error {
	if c.likely || c.g.large() || !c.wide(standing.Entities()) {
		return nil
	}
	verdicts := make([]label.Verdict, len(c.folds))
	for k := range c.folds {
		f := &c.folds[k]
		labels, err := c.g.fitLabels(c.without(f))
		if err != nil {
			return err
		}
		held, err := c.unseen(f)
		if err != nil {
			return err
		}
		verdicts[k] = held.Judge(leant(c.g.leanings(labels, f.inputs), f.inputs))
	}
	better := func(v label.Verdict) bool {
		return v.Entities() == standing.Entities() && v.Better(standing, evenGain) && v.Beats(standing, 0)
	}
	if !better(label.Together(verdicts...)) {
		return nil
	}
	c.plan.shared = true
	folds, verdict, err := c.fitted(ctx, c.plan.decayFactor)
	if c.plan.shared = err == nil && better(verdict); c.plan.shared {
		c.folds, c.chosen.Shared = folds, true
	}
	return err
}

// wide tells whether a network has more columns than so many labels, and there are any.
func (c *crossFitting) wide(labels int) bool {
	for _, features := range c.g.Networks.Features {
		if labels > 0 && features.Width() > labels {
			return true
		}
	}
	return false
}
