package training

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// asked is a method of descent that is asked for, with nothing said about how it descends. Where no label is of what
// networks see, what follows from that is soon learned by heart. So held-out labels choose for how many epochs, by
// which weight decay and along which slopes, as by default, and the rest is the method's own.
func (g *learner) asked(ctx context.Context, l lesson) (*Training, error) {
	c := &crossFitting{g: g, lesson: l, plan: plan{epochs: l.epochs, asked: true}}
	if !l.anew {
		g.plan = plan{}
		chooses, err := c.choosesDescent(ctx)
		if err != nil {
			return nil, err
		}
		if !chooses {
			return g.train(ctx, l)
		}
		if err := c.chooseDescent(ctx); err != nil {
			ended, _ := learn.CutShort(ctx, err)
			return &Training{Ended: ended}, g.explainInfeasible(ctx, err)
		}
		g.plan = c.plan
		c.lesson.epochs = c.plan.epochs
	}
	c.lesson.plan = g.plan
	training, err := c.learn(ctx)
	if training != nil && c.chosen.Afresh {
		training.plan, training.CrossFit = g.plan, &c.chosen
	}
	return training, err
}

// choosesDescent tells whether held-out labels choose how a method descends that is asked for: where there are enough
// of them, none is of what networks see, and validation truth does not choose the epochs.
func (c *crossFitting) choosesDescent(ctx context.Context) (bool, error) {
	g := c.g
	if g.Perception == nil || g.large() {
		return false, nil
	}
	if own, err := g.fitLabels(c.lesson); err != nil || len(own.Variables) > 0 {
		return false, err
	}
	labels, err := g.taught(c.lesson, relation.Target)
	if err != nil || g.deal(labels) == nil {
		return false, err
	}
	err = c.divide(ctx)
	return err == nil && c.chosen.Folds > 0, err
}

// chooseDescent chooses how, unless nothing tells more than a network that knows nothing.
func (c *crossFitting) chooseDescent(ctx context.Context) error {
	c.standing = c.nothing()
	found, err := c.descend(ctx, afreshPatience, func(int, *lesson) error { return c.g.begin() })
	if err != nil {
		return err
	}
	if found.epochs > 0 && found.verdict.Beats(c.standing, 0) {
		c.adopt(found)
		c.chosen.Afresh = true
	}
	return nil
}
