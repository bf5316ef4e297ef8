package training

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// comparison is that of the rules' weights that were learned with those written, which an expert may have chosen well:
// what a method minimises need not be what the weights are wanted for.
type comparison struct {
	referee
	fit      referee // by the labels learned from, which validation truth spares for the comparison
	lesson   lesson
	solver   solve.Solver
	written  contestant
	learned  contestant
	training *Training // of the weights that were learned
}

// learnWeights learns the weights of rules where no network is, by two methods, and keeps the better ones if they are
// better than those written. That may already be plain from the labels that were learned from, so many more or less of
// which are told right that fitting them does not account for it. Otherwise each of some folds of the labels is held
// out in turn.
func (g *learner) learnWeights(ctx context.Context, l lesson) (*Training, error) {
	written := slices.Clone(g.Theta)
	training, err := g.train(ctx, l)
	if err != nil || l.anew || training.Chosen == nil || !slices.Contains(g.learned(), true) {
		return training, err
	}
	c := &comparison{referee: referee{g: g}, lesson: l, written: contestant{theta: written}, training: training}
	if c.validated() && (g.Project.Learning.Refit || !g.Project.SharesAtoms(g.Phase, load.Validation)) {
		return training, nil // the weights written were among those that validation has chosen from
	}
	c.learned = contestant{theta: slices.Clone(g.Theta), settings: &g.Project.Learning.Learn}
	training.Compared, err = c.decide(ctx)
	copy(g.Theta, c.learned.theta)
	if err != nil {
		ended, cut := learn.CutShort(ctx, err)
		if cut {
			training.Ended, training.Chosen = ended, nil
		}
		return training, err
	}
	if training.Compared.Learned {
		training.written = written
	} else {
		copy(g.Theta, written)
		training.Kept, training.Chosen.Values = 0, c.written.y
	}
	return training, c.linear(ctx)
}

// mostCompared is the number of ground rules up to which learning is repeated without each part of the labels in turn,
// and mostAdmitted that up to which another method learns from all of them, and learning is repeated without one part.
const mostCompared, mostAdmitted = 100_000, 1_000_000

// decide compares the two.
func (c *comparison) decide(ctx context.Context) (*Comparison, error) {
	by, err := c.gather(c.lesson)
	if err == nil {
		err = c.gatherFit(by)
	}
	if err == nil {
		c.solver, err = c.g.SolverOf(c.g.Field, c.g.Project.Learning.WhileLearning())
	}
	if err != nil {
		return nil, err
	}
	for _, one := range []*contestant{&c.written, &c.learned} {
		if one.y, err = c.infer(ctx, one.theta); err != nil {
			return nil, err
		}
	}
	if err := c.admit(ctx); err != nil {
		return nil, err
	}
	fitted := c.learned
	if c.levels, err = c.learnsLevels(); err != nil {
		return nil, err
	}
	c.fit.levels = c.levels
	if err := c.seek(ctx); err != nil {
		return nil, err
	}
	overfitted, err := c.overfitted(by, &fitted)
	if err != nil {
		return nil, err
	}
	if c.levels = c.levels && c.learned.sought; !overfitted {
		r, err := c.choose(ctx, by)
		if err == nil && r.Learned && c.levels {
			return r, c.centre(ctx)
		}
		if err != nil || r.Learned || !c.levels {
			return r, err
		}
	}
	c.learned = fitted // what has not stood the test may have come of weights that do
	c.levels, c.fit.levels = false, false
	return c.choose(ctx, by)
}

// overfitted tells whether validation tells weights that were sought from those that they came of, and against them.
func (c *comparison) overfitted(by string, fitted *contestant) (bool, error) {
	if by != byValidation || !c.learned.sought {
		return false, nil
	}
	gain, err := c.judge(c.labels, &c.learned, fitted)
	return gain.wins(0), err
}

// gatherFit finds the labels that were learned from: those compared by, unless these are of validation.
func (c *comparison) gatherFit(by string) (err error) {
	if c.fit = c.referee; by != byValidation {
		return nil
	}
	c.fit.phase = load.Learn
	if c.fit.labels, err = c.g.taught(c.lesson, relation.Target); err == nil {
		c.fit.guides, err = c.g.Guides(load.Learn)
	}
	return err
}

// choose compares the weights that were learned with those written.
func (c *comparison) choose(ctx context.Context, by string) (*Comparison, error) {
	c.training.Chosen.Values = c.learned.y
	gain, err := c.judge(c.labels, &c.written, &c.learned)
	switch {
	case err != nil:
		return nil, err
	case by == byValidation:
		return c.result(by, gain.wins(0) || gain.any() && c.validated()), nil
	case !gain.any():
		return c.result(by, false), nil
	case gain.wins(c.charge()):
		return c.result(by, true), nil
	}
	divided := label.DivideForRules(c.labels, c.g.Project.Learning.Folds, c.g.Seed)
	if divided == nil || c.g.Model.Potentials() > mostAdmitted {
		r := c.result(by, false)
		if r.Reason = "there are too few labels to hold any out"; divided != nil {
			r.Reason = fmt.Sprintf("with %d ground rules, learning is not repeated to hold labels out", c.g.Model.Potentials())
		}
		return r, nil
	}
	gain, err = c.heldOut(ctx, divided)
	return c.result(byHeldOut, gain.wins(0)), err
}

// validated tells whether validation truth has chosen among epochs, as the one judge there is: it needs no proof.
func (c *comparison) validated() bool { return !math.IsNaN(c.training.Epochs[0].Validation) }

// admit lets weights that another method has learned take the place of those learned first, if they are better by the
// labels: both were fitted to them. Where that method has nothing to say, there are none.
func (c *comparison) admit(ctx context.Context) error {
	g := c.g
	if g.Model.Potentials() > mostAdmitted {
		return nil
	}
	l := c.lesson
	l.settings = &g.Project.Learning.Rival
	l.epochs = l.settings.Epochs
	outcome, y, err := c.learn(ctx, l, 0)
	if err != nil {
		if _, cut := learn.CutShort(ctx, err); cut {
			return err
		}
		return nil
	}
	rival := contestant{theta: slices.Clone(g.Theta), y: y, settings: l.settings}
	gain, err := c.judge(c.labels, &c.learned, &rival)
	if err != nil || !gain.wins(0) {
		return err
	}
	c.learned = rival
	c.training.Epochs, c.training.Steps, c.training.Kept, c.training.Ended = outcome.Epochs, outcome.Steps, outcome.Kept,
		outcome.Ended
	return nil
}

// inferFrom finds a state near another one, as learning does. The solver's own answer changes with the next.
func (c *comparison) inferFrom(ctx context.Context, theta, y []float64) ([]float64, error) {
	c.solver.SetWeights(theta)
	c.solver.SetInputs(c.g.Inputs)
	y, err := learn.SolveFrom(ctx, c.solver, y)
	return slices.Clone(y), err
}

// plainly is the number of standard errors from which on no further fold is held out.
const plainly = 4

// heldOut learns without each part of the labels in turn, and compares by these, until that is plain. Of many ground
// rules one part is all.
func (c *comparison) heldOut(ctx context.Context, divided map[int32]int) (gain gain, err error) {
	c.learned.y = slices.Clone(c.written.y)
	about := c.g.entities()
	for k := range c.g.Project.Learning.Folds {
		d := &division{divided, k}
		held := c.labels.Where(d.holds)
		y, err := c.without(ctx, d, held, k+1)
		if err != nil {
			return gain, err
		}
		for i, entity := range about { // scores also look at atoms without a label
			if fold, divides := divided[entity]; divides && fold == k {
				c.learned.y[i] = y[i]
			}
		}
		some := c.labels.Where(func(entity int32) bool { return divided[entity] <= k })
		gain, err = c.judge(some, &c.written, &c.learned)
		plain := gain.loss > plainly*gain.lossError && gain.score >= 0
		if err != nil || plain || c.g.Model.Potentials() > mostCompared {
			return gain, err
		}
	}
	return gain, nil
}

// without learns without a fold as the weights that are compared were learned, and returns the state in the end.
func (c *comparison) without(ctx context.Context, d *division, held *label.Labels, fold int) (y []float64, err error) {
	copy(c.g.Theta, c.written.theta)
	if !c.learned.afresh {
		_, y, err = c.learn(ctx, lesson{epochs: c.learned.settings.Epochs, division: d, held: held,
			settings: c.learned.settings}, fold)
	}
	if err == nil && c.learned.sought {
		_, y, err = c.improve(ctx, c.g.Theta, d)
	}
	return y, err
}

// learn learns from the weights written, maybe without a fold, and returns the state in the end.
func (c *comparison) learn(ctx context.Context, l lesson, fold int) (learn.Outcome, []float64, error) {
	g := c.g
	copy(g.Theta, c.written.theta)
	trainer, err := g.trainer(ctx, l)
	if err != nil {
		return learn.Outcome{}, nil, err
	}
	trainer.Save, trainer.OnEpoch = nil, g.told(trainer.Method, fold)
	outcome, err := trainer.Run(ctx)
	if err == nil && !c.seeks() {
		err = c.finish(ctx, trainer)
	}
	if err != nil {
		return outcome, nil, err
	}
	y, err := c.infer(ctx, g.Theta)
	return outcome, y, err
}

// perWeight is how many labels each weight needs for the end of a likelihood to be worth more than what comes before.
const perWeight = 20

// finish brings a likelihood to its end where no weights are sought one after another, as they are too many, or ground
// rules.
func (c *comparison) finish(ctx context.Context, trainer *learn.Trainer) error {
	labels := trainer.Labels
	if len(labels.Variables) < perWeight*c.weights() {
		return nil
	}
	divided := label.DivideForRules(labels, c.g.Project.Learning.Folds, c.g.Seed)
	if divided == nil {
		return nil
	}
	d := &division{divided, 0}
	rest := labels.Where(func(entity int32) bool { return !d.holds(entity) })
	return trainer.Finish(ctx, c.written.theta, rest, labels.Where(d.holds))
}

// result says what came of it.
func (c *comparison) result(by string, learned bool) *Comparison {
	reason := "are not told better by more than chance"
	if learned {
		reason = "are told better"
	}
	method := c.learned.settings.Method
	if c.learned.sought {
		method = learn.Climb
	}
	labels := by
	if by == byValidation {
		labels = "of validation"
	}
	return &Comparison{Labels: by, Learned: learned, Method: method.String(),
		Reason:      "labels " + labels + " " + reason,
		WrittenLoss: c.written.verdict.Loss(), LearnedLoss: c.learned.verdict.Loss(),
		WrittenScore: c.written.score, LearnedScore: c.learned.score}
}
