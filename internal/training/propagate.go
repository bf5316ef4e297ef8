package training

import (
	"context"
	"math"
	"slices"
)

// propagatedGain is by how many standard errors over the entities networks that propagate have to be better.
const propagatedGain = 1

// mostPropagating is the number of rows of features up to which that is tried: all are computed in each epoch, and not
// those with labels alone.
const mostPropagating = 20_000

// propagate finds out of each network whether its logits had better be propagated along a relation. Things that are
// tied to each other are often alike, and where they are, that tells more than rules over finished answers: what is
// averaged is still what the network has seen (Gasteiger, Bojchevski and Günnemann, ICLR 2019). Where they are not, it
// blurs what was seen, so that it has to be better than all else by more than chance.
func (c *crossFitting) propagate(ctx context.Context) error {
	g := c.g
	s := &g.Project.Learning
	if len(c.folds) == 0 || !c.fitsAny || !s.Propagate || s.Freeze || s.Learn.NetworkRate == 0 {
		return nil
	}
	if c.plan.afresh && c.folds[0].ends == nil {
		return nil // what the networks to compare with see was too much to keep
	}
	for _, spec := range g.Networks.Specs {
		rival, err := c.propagating(ctx, spec.Name)
		if err != nil {
			return err
		}
		if rival == nil {
			continue
		}
		if better, err := rival.beats(ctx, c); err != nil {
			return err
		} else if better {
			*c = *rival
		}
	}
	return g.seeWith(c.folds[0].networks)
}

// beats tells whether this is better than another, also once inference knows the labels that are not held out.
func (c *crossFitting) beats(ctx context.Context, other *crossFitting) (bool, error) {
	if !c.standing.Beats(other.standing, propagatedGain) {
		return false, nil
	}
	if c.g.satisfied(c.standing) {
		return true, nil
	}
	theirs, err := other.knowing(ctx)
	if err != nil || theirs == nil {
		return true, err
	}
	ours, err := c.knowing(ctx)
	if err != nil || ours == nil {
		return c.standing.Loss() < theirs.Loss(), err
	}
	return min(c.standing.Loss(), ours.Loss()) < theirs.Loss(), nil
}

// propagating fits networks alone, of which one propagates, and finds the weights of rules over them: along the way by
// which what it has learned without tells held-out labels best. It is nil if there is no way, or if that of the first
// fold does not look like better.
func (c *crossFitting) propagating(ctx context.Context, network string) (*crossFitting, error) {
	along, err := c.nearest(ctx, network)
	if along == "" || err != nil {
		return nil, err
	}
	rival := &crossFitting{g: c.g, lesson: c.lesson, fitsAny: true, plan: plan{decayFactor: c.plan.decayFactor},
		chosen: CrossFit{Folds: c.chosen.Folds, DecayFactor: c.chosen.DecayFactor, Doubted: c.chosen.Doubted}}
	if c.g.large() {
		rival.found = c.plan.theta
	}
	if c.chosen.Folds == 0 {
		rival.plan.epochs = c.lesson.epochs // of which validation chooses
	}
	for _, f := range c.folds {
		rival.folds = append(rival.folds, fold{division: f.division, held: f.held})
	}
	if err := c.g.seeWith(c.folds[0].networks.Propagating(network, along)); err != nil {
		return nil, err
	}
	if promises, err := rival.fitPropagating(ctx, c); err != nil || !promises {
		return nil, err
	}
	if err := rival.weigh(ctx); err != nil {
		return nil, err
	}
	courses, err := rival.courses(ctx)
	if err != nil {
		return nil, err
	}
	rival.take(*courses[0])
	rival.chosen.Propagated = append(c.chosen.Propagated,
		Propagated{network, along, rival.standing.Loss(), c.standing.Loss()})
	return rival, nil
}

// nearest names the predicate along which what a network has learned without it had best be propagated; "" if there is
// none. That takes no learning.
func (c *crossFitting) nearest(ctx context.Context, network string) (along string, err error) {
	g := c.g
	if g.Networks.Of(network).Len() > mostPropagating {
		return "", nil
	}
	ways := g.Networks.Ways(g.Project.Config, network, g.Tables.Store)
	if len(ways) == 1 {
		return ways[0], nil
	}
	best := math.Inf(1)
	for _, way := range ways {
		folds := slices.Clone(c.folds)
		for k := range folds {
			f := &folds[k]
			if err := g.seeWith(f.networks.Propagating(network, way)); err != nil {
				return "", err
			}
			if err := g.Perceive(); err != nil {
				return "", err
			}
			f.inputs = slices.Clone(g.Inputs)
		}
		verdict, err := c.judge(ctx, c.weights(), folds)
		if err != nil {
			return "", err
		}
		if verdict.Loss() < best {
			along, best = way, verdict.Loss()
		}
	}
	return along, nil
}

// fitPropagating fits the networks of all folds, unless those of the first tell what it holds out no better than what
// stands does.
func (c *crossFitting) fitPropagating(ctx context.Context, standing *crossFitting) (promises bool, err error) {
	factor, rest := c.plan.decayFactor, c.folds[1:]
	c.folds = c.folds[:1:1]
	if c.folds, _, err = c.fitted(ctx, factor); err != nil {
		return false, err
	}
	before, err := standing.judge(ctx, standing.weights(), standing.folds[:1])
	if err != nil {
		return false, err
	}
	for _, theta := range [][]float64{c.g.written(), standing.weights()} {
		after, err := c.judge(ctx, theta, c.folds)
		if err != nil {
			return false, err
		}
		promises = promises || after.Loss() < before.Loss()
	}
	if !promises {
		return false, nil
	}
	first := c.folds
	c.folds = rest
	rest, _, err = c.fitted(ctx, factor)
	c.folds = append(first, rest...)
	return true, err
}

// weights are those of the plan.
func (c *crossFitting) weights() []float64 {
	if c.plan.theta != nil {
		return c.plan.theta
	}
	return c.g.written()
}
