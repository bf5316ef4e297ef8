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
		if err == nil && !l.anew && g.meetsOpponents() {
			training.heldOut, err = c.heard(ctx)
		}
	}
	return training, err
}

// heard returns what is inferred of labels that were held out, with what the networks that have not learned from them
// see after the epochs that were chosen; nil where that is not known. Nothing but warnings goes by it: what inference
// had best do is found out by default alone.
func (c *crossFitting) heard(ctx context.Context) (*heldOut, error) {
	r := &rehearsal{referee: referee{g: c.g}, about: c.g.entities()}
	if err := r.schedule(c.folds); err != nil || r.folds == nil {
		return nil, err
	}
	if r.shifts = ends(c.folds); r.shifts == nil {
		return nil, nil
	}
	answer, err := r.answer(ctx, false, c.g.Theta)
	if err != nil {
		return nil, ctx.Err() // what has been learned counts all the same
	}
	return &heldOut{labels: r.labels, folds: r.folds, parts: len(r.shifts), y: answer.y}, nil
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
