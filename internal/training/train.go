// Package training learns the weights of a grounding's rules and its networks. What is learned from is a lesson:
// labels, or examples, and for how long; how is a method: descent along the gradients of package learn, a search for
// weights, or the stages of cross-fitting. Signs that nothing is learned are noticed on the way.
package training

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/neural"
)

// Train learns the weights of the rules and the networks so that the MAP state agrees with the truth of the learning
// phase. The grounding must be of that phase. With truth in the validation phase, the parameters of the best epoch are
// kept; with the option learn.refit, all is learned anew from that truth too, for as many epochs. Afterwards the
// grounding, and others with the same networks, have the learned parameters. If the context ends, they have the best
// until then, and its error comes with a Training whose Ended is Early.
func Train(ctx context.Context, g *session.Grounding) (training *Training, err error) {
	l := newLearner(g)
	err = l.staged(func() error {
		training, err = l.learnBy(ctx, l.way())
		return err
	})
	return training, err
}

// Learn is Train with signs that nothing was learned; being cut short is no error. Inference knows then what had better
// be known of what was learned from.
func Learn(ctx context.Context, g *session.Grounding) (training *Training, told source.Diagnostics, err error) {
	l := newLearner(g)
	g.Known = session.Known{}
	g.Project.TakeMiddle(false)
	err = l.staged(func() error {
		training, told, err = l.learnAndNotice(ctx)
		return err
	})
	if err == nil && l.knows(training) {
		g.Known, err = Told(g)
	}
	return training, told, err
}

// staged tells networks that other programs compute when learning begins, and that it is over.
func (g *learner) staged(learns func() error) error {
	if g.Networks == nil {
		return learns()
	}
	if err := g.Networks.System.Stage(true); err != nil {
		return err
	}
	err := learns()
	return errors.Join(err, g.Networks.System.Stage(false))
}

func (g *learner) learnAndNotice(ctx context.Context) (*Training, source.Diagnostics, error) {
	training, err := g.learnBy(ctx, g.way())
	if _, cut := learn.CutShort(ctx, err); err != nil && (!cut || training == nil) {
		return nil, nil, err
	}
	if training.Ended.Early() {
		return training, g.notices.told, nil
	}
	if g.Project.Config.Examples[load.Learn] == nil {
		err = errors.Join(g.notices.opposite(), g.notices.untied(), g.notices.copied(),
			g.notices.outdone(ctx, training.heldOut))
	}
	if err == nil {
		err = g.notices.notice(ctx, training)
	}
	return training, g.notices.told, err
}

// way is a way to learn from a lesson, around a method of package learn.
type way func(*learner, context.Context, lesson) (*Training, error)

// ways are those that there are; the first that suits what is asked for is taken, and else train.
var ways = []struct {
	suits func(s *project.Settings, examples bool) bool
	learn way
}{
	{func(s *project.Settings, _ bool) bool { return s.Auto }, (*learner).crossFit},
	{func(s *project.Settings, _ bool) bool { return s.Compared }, (*learner).learnWeights},
	{func(s *project.Settings, examples bool) bool { return s.Asked && !examples }, (*learner).asked},
	{func(s *project.Settings, examples bool) bool { return examples && s.Learn.Method == learn.Energy },
		(*learner).learnFromExamples},
}

// way is what learns from a lesson, and then finds out how inference had best make use of that.
func (g *learner) way() way {
	learns := (*learner).train
	for _, row := range slices.Backward(ways) { // the first one counts
		if row.suits(&g.Project.Learning, g.Project.Config.Examples[load.Learn] != nil) {
			learns = row.learn
		}
	}
	return func(g *learner, ctx context.Context, l lesson) (*Training, error) {
		training, err := learns(g, ctx, l)
		if err != nil || l.anew {
			return training, err
		}
		if err := g.rehearse(ctx, training); err != nil && ctx.Err() == nil {
			return training, err
		}
		return training, nil // a rehearsal that is cut short is left out
	}
}

func (g *learner) train(ctx context.Context, l lesson) (*Training, error) {
	if l.manner == bySight {
		return g.fitSeen(ctx, l)
	}
	training, err := g.fitNetworks(ctx, l)
	if err == nil && l.rounds > 0 {
		err = g.learnRounds(ctx, l)
		training.Ended, _ = learn.CutShort(ctx, err)
	}
	if err != nil {
		return training, err
	}
	if g.Project.Learning.Learn.Method.Searches() {
		return training, g.search(ctx, training)
	}
	trainer, err := g.trainer(ctx, l)
	if early, cut := learn.CutShort(ctx, err); cut {
		training.Ended = early
		return training, err
	}
	if err != nil {
		return nil, err
	}
	if err := g.resume(trainer, g.checkpoint(l)); err != nil {
		return nil, err
	}
	outcome, err := trainer.Run(ctx)
	training.Epochs, training.Steps, training.Kept, training.Ended = outcome.Epochs, outcome.Steps, outcome.Kept,
		outcome.Ended
	training.decay, training.penalty = outcome.Decay, outcome.Penalty
	switch {
	case outcome.Ended.Early():
		if training.Chosen = nil; trainer.Batches == nil && !l.smooth {
			training.Last = reached(trainer.Reached())
		}
		return training, err
	case err != nil:
		if lessons, ok := trainer.Batches.(*batch.Lessons); ok {
			return nil, lessons.Explain(ctx, err)
		}
		return nil, g.explainInfeasible(ctx, err)
	}
	if trainer.Batches == nil {
		training.Chosen, err = g.chosen(ctx, trainer, l)
	}
	if early, cut := learn.CutShort(ctx, err); cut {
		training.Ended, training.Chosen = early, nil
	}
	return training, err
}

// reached is a MAP state that learning came to, as an answer to go on from; nil without multipliers, which say how good
// it is.
func reached(y, multipliers []float64) *session.Answer {
	if multipliers == nil {
		return nil
	}
	return &session.Answer{Values: y, Multipliers: multipliers}
}

// chosen is the MAP state of a trainer's parameters, with what networks see in it.
func (g *learner) chosen(ctx context.Context, trainer *learn.Trainer, l lesson) (*session.Answer, error) {
	y, _, x := trainer.State()
	infer, err := g.inferring(l)
	if err == nil {
		y, err = infer(ctx, y, x)
	}
	return &session.Answer{Values: slices.Clone(y), Perceived: slices.Clone(x)}, err
}

// sideExponent makes what networks learn from labels that are by themselves like what these are judged by: a comparison
// of two things, for one, is half their difference, which gets near 1 only where one is 1 and the other 0.
const sideExponent = 4

// convolvingRate is the rate of learning from examples of networks with convolutions, relative to that of others: what
// moves a filter moves what it says of all places of an image, and nodes that no image reaches any more stay dead.
const convolvingRate = 0.2

// convolves tells whether a network that learns has convolutions.
func (g *learner) convolves() bool {
	return g.Networks != nil && slices.ContainsFunc(g.Networks.Specs, neural.Spec.Convolves)
}

// Learning afresh has so many times learn.rate.networks, and imitates from an epoch on: before, there is nothing worth
// it.
const afreshRate, afreshImitation = 4, 15

// trainer sets learning by gradients up: Algorithm 1 or another method.
func (g *learner) trainer(ctx context.Context, l lesson) (*learn.Trainer, error) {
	task, err := g.task(ctx, l)
	if err != nil {
		return nil, err
	}
	settings := g.Project.Learning.Learn
	if l.settings != nil {
		settings = *l.settings
	}
	settings.Seed = g.Seed
	l.mannered(&settings, g.Project.Learning.DecaySet)
	if g.Project.Learning.Freeze {
		settings.NetworkRate = 0
	}
	if l.held == nil && !l.anew {
		if task.Validate, err = g.validator(ctx, l); err != nil {
			return nil, err
		}
	}
	switch {
	case l.calibrated:
		calibrate(&settings, l.asked)
	case l.afresh:
		settings.NetworkRate *= afreshRate
	}
	if l.afresh {
		settings.ImitationStart = max(settings.ImitationStart, afreshImitation)
	}
	if !g.Project.Learning.RateSet && task.Batches != nil && g.convolves() {
		settings.NetworkRate *= convolvingRate
	}
	if l.theta != nil {
		copy(g.Theta, l.theta)
		settings.RuleRate, settings.Deviation = 0, 0
	}
	if !g.Project.Learning.LossSet && settings.Loss.Kind == label.CrossEntropy && !task.Labels.Coupled() {
		settings.Loss.Kind = label.BinaryCrossEntropy // else all would be true
	}
	if p := &g.Project.Learning; (p.Auto || l.asked) && task.Batches == nil {
		if !p.LossSet && task.Labels.OfSides() {
			settings.Loss.Exponent = sideExponent
		}
		if p.Auto && g.bypassed(task.Labels) {
			settings.Method = learn.Implicit
		}
	}
	trainer, err := learn.NewTrainer(task, settings)
	if errors.Is(err, learn.ErrUnlabelled) {
		return nil, g.unlabelled("no target has a label")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.Project.Config.Name, err)
	}
	trainer.Last = l.epochs
	trainer.Near(l.near)
	trainer.OnEpoch, trainer.OnBatch = g.told(trainer.Method, 0), g.Project.OnBatch
	if g.notices != nil {
		g.notices.watch(trainer)
	}
	trainer.Save = g.save(trainer, g.checkpoint(l))
	return trainer, nil
}

// told tells the project of the epochs of a method, maybe without a fold.
func (g *learner) told(method learn.Method, fold int) func(learn.Epoch) {
	return func(line learn.Epoch) {
		if line.Fold = fold; g.Project.Learning.Compared {
			line.Method = method.String()
		}
		if g.Project.OnEpoch != nil {
			g.Project.OnEpoch(line)
		}
	}
}

// task is what there is to learn from: this grounding with its labels, or examples.
func (g *learner) task(ctx context.Context, l lesson) (learn.Task, error) {
	if g.Project.Config.Examples[load.Learn] != nil {
		return g.exampleTask(ctx, l)
	}
	field := g.Field
	if l.smooth {
		squared, _ := g.Model.Squared()
		field = mrf.NewFieldOn(squared, g.Field.Threads)
	}
	field.SetInputs(g.Inputs)
	task := learn.Task{Field: field, Theta: g.Theta, Learned: g.learned(),
		NewSolver: func(field *mrf.Field) (solve.Solver, error) {
			return g.whileLearning(field)
		}}
	if g.Perception != nil {
		task.Perception = g.Perception
	}
	var err error
	if task.Teacher, err = g.ties.Teacher(); err != nil {
		return task, err
	}
	if task.Labels, err = g.taught(l, relation.Target); err == nil {
		task.Solver, err = task.NewSolver(task.Field)
	}
	return task, err
}

// exampleTask makes a task of a lesson's examples.
func (g *learner) exampleTask(ctx context.Context, l lesson) (learn.Task, error) {
	e, err := g.exampleTaught(l)
	if err != nil {
		return learn.Task{}, err
	}
	return g.examplesTask(ctx, e, l.members)
}

// examplesTask makes a task of some examples, nil for all, which begins with the first batch.
func (g *learner) examplesTask(ctx context.Context, e *batch.Examples, members []int32) (learn.Task, error) {
	task := learn.Task{Theta: g.Theta, Learned: g.learned(), NewSolver: func(field *mrf.Field) (solve.Solver, error) {
		return g.Settings.BatchSolver(field, g.Project.Learning.WhileLearning(), g.Options())
	}}
	lessons := batch.NewLessons(g.Grounding, e, members, task.NewSolver, g.ties.Teacher, g.ties.Counterparts)
	task.Batches = lessons
	scene, err := lessons.Show(ctx, 0)
	if err != nil {
		return task, err
	}
	task.Field, task.Solver, task.Perception = scene.Field, scene.Solver, scene.Perception
	task.Labels, task.Teacher = scene.Labels, scene.Teacher
	return task, nil
}
