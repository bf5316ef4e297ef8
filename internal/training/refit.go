package training

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/session"
)

// learnBy learns in a way, and where the option learn.refit asks for it once more, from the beginning and from all
// truth, for as many epochs as turned out best: what was held out to choose them is too good to be left unused.
func (g *learner) learnBy(ctx context.Context, way way) (*Training, error) {
	start := time.Now()
	s := &g.Project.Learning
	if s.Refit {
		if err := g.refittable(); err != nil {
			return nil, fmt.Errorf("%s: learn.refit: %w", g.Project.Config.Name, err)
		}
	}
	g.notices = newNotices(g)
	if err := g.notices.begins(); err != nil {
		return nil, err
	}
	training, err := way(g, ctx, lesson{fitEpochs: s.Network.Epochs, epochs: s.Learn.Epochs})
	if err == nil && s.Refit {
		g.Project.Log.Info("learning anew, from the truth of validation too", "epochs", training.Kept,
			"epochs of networks alone", training.FitKept)
		err = g.learnOnceMore(ctx, way, training)
	}
	if training != nil {
		training.Elapsed = time.Since(start)
	}
	return training, err
}

// learnOnceMore learns anew for as many epochs as were kept. If that is cut short, what was learned before stays: it is
// whole, and validation has chosen it.
func (g *learner) learnOnceMore(ctx context.Context, way way, training *Training) error {
	networks, perception, theta := g.Networks, g.Perception, slices.Clone(g.Theta)
	again, err := g.learnAnew(ctx, way, training.FitKept, training.Kept)
	if early, cut := learn.CutShort(ctx, err); cut {
		g.Networks, g.Perception = networks, perception
		copy(g.Theta, theta)
		training.Ended = early
	}
	if err == nil {
		training.Anew = again.Epochs
	}
	return err
}

// learnAnew is the second half of learnBy.
func (g *learner) learnAnew(ctx context.Context, way way, fitEpochs, epochs int) (*Training, error) {
	start := time.Now()
	if err := g.Reset(g.Seed); err != nil {
		return nil, err
	}
	training, err := way(g, ctx, lesson{anew: true, fitEpochs: fitEpochs, epochs: epochs})
	if training != nil {
		training.Elapsed = time.Since(start)
	}
	return training, err
}

// Relearn begins once more after the last training, and learns from the truth of the learning and the validation phase,
// for given numbers of epochs, of the networks alone and of all: what the option learn.refit does, with epochs chosen
// otherwise, such as by several divisions of the truth.
func Relearn(ctx context.Context, g *session.Grounding, last *Training, fitEpochs, epochs int) (*Training, error) {
	l := newLearner(g)
	l.plan = last.plan
	if err := l.refittable(); err != nil {
		return nil, fmt.Errorf("%s: learning anew: %w", g.Project.Config.Name, err)
	}
	l.notices = newNotices(l)
	return l.learnAnew(ctx, l.way(), fitEpochs, epochs)
}

// refittable says why learning anew would have no meaning, if so.
func (g *learner) refittable() error {
	p := g.Project
	switch {
	case p.Learning.Learn.Method.Searches():
		return fmt.Errorf("%v tries weights, it has no epochs to repeat", p.Learning.Learn.Method)
	case p.Config.HasExamples():
		if p.Config.Examples[load.Validation] == nil {
			return fmt.Errorf("there are no examples of validation to learn from too")
		}
		return nil
	case !p.SharesAtoms(g.Phase, load.Validation):
		return fmt.Errorf("validation has rules or atoms of its own, and learning sees only those of its phase")
	}
	for k := range g.Tables.Store.Relations {
		if truth, err := g.Truth(load.Validation, k); err != nil || truth != nil {
			return err
		}
	}
	return fmt.Errorf("there is no truth of validation to learn from too")
}
