// Package training learns the weights of a grounding's rules and its networks. What is learned from is a lesson:
// labels, or examples, and for how long; how is a method: descent along the gradients of package learn, a search for
// weights, or the stages of cross-fitting. Signs that nothing is learned are noticed on the way.
package training

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/search"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// Training is what learning did.
type Training struct {
	// Epochs is the learning curve; its last line is the final inference's, unless learning was cut short.
	Epochs []learn.Epoch
	// FitEpochs counts the epochs in which the networks were fitted alone, before.
	FitEpochs int
	// Steps counts the epochs whose gradient steps were taken, or the trials of a search.
	Steps int
	// Ended says why learning ended; Early tells whether that was the context.
	Ended learn.Ending
	// Kept is after how many epochs' steps the parameters were best, and kept; FitKept is that of fitting alone.
	Kept, FitKept int
	// Chosen has the Values and Perceived of these parameters, as validation saw them; nil for batches of examples and
	// after a search, and if learning was cut short. Networks fitted alone infer nothing: Values are 0.
	Chosen *session.Answer
	// CrossFit says what held-out labels chose; nil if they chose nothing.
	CrossFit *CrossFit
	// Anew is the learning curve of the option learn.refit, without validation.
	Anew []learn.Epoch
	// Starts are those of learning from examples; nil if there are none to choose from.
	Starts []Start
	// Trials is the table of a search for weights: what was tried, with its score. The best is kept.
	Trials  []search.Trial
	Elapsed time.Duration
	plan    plan // that held-out labels have chosen
}

// Ending says why learning ended.
type Ending = learn.Ending

// Train learns the weights of the rules and the networks so that the MAP state agrees with the truth of the learning
// phase. The grounding must be of that phase. With truth in the validation phase, the parameters of the best epoch are
// kept; with the option learn.refit, all is learned anew from that truth too, for as many epochs. Afterwards the
// grounding, and others with the same networks, have the learned parameters. If the context ends, they have the best
// until then, and its error comes with a Training whose Ended is Early.
func Train(ctx context.Context, g *session.Grounding) (*Training, error) {
	l := &learner{Grounding: g}
	return l.learnBy(ctx, l.method())
}

// Learn is Train with signs that nothing was learned; being cut short is no error.
func Learn(ctx context.Context, g *session.Grounding) (*Training, source.Diagnostics, error) {
	l := &learner{Grounding: g}
	training, err := l.learnBy(ctx, l.method())
	if _, cut := learn.CutShort(ctx, err); err != nil && (!cut || training == nil) {
		return nil, nil, err
	}
	if training.Ended.Early() {
		return training, l.notices.told, nil
	}
	err = l.notices.notice(ctx, training)
	return training, l.notices.told, err
}

// learner learns the parameters of a grounding.
type learner struct {
	*session.Grounding
	plan    plan     // how to learn, where held-out labels choose it
	notices *notices // look on while it learns; nil before
}

// method is what learns from a lesson.
func (g *learner) method() func(context.Context, lesson) (*Training, error) {
	switch s := &g.Project.Learning; {
	case s.Auto:
		return g.crossFit
	case g.Project.Config.Examples[load.Learn] != nil && s.Learn.Method == learn.Energy:
		return g.learnFromExamples
	}
	return g.train
}

func (g *learner) train(ctx context.Context, l lesson) (*Training, error) {
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
	switch {
	case outcome.Ended.Early():
		training.Chosen = nil
		return training, err
	case err != nil:
		if lessons, ok := trainer.Batches.(*batch.Lessons); ok {
			return nil, lessons.Explain(ctx, err)
		}
		return nil, g.explainInfeasible(ctx, err)
	}
	if trainer.Batches == nil {
		y, _, x := trainer.State()
		training.Chosen = &session.Answer{Values: slices.Clone(y), Perceived: slices.Clone(x)}
	}
	return training, nil
}

// explainInfeasible names the ground rules that contradict each other, if that is what ended learning.
func (g *learner) explainInfeasible(ctx context.Context, err error) error {
	infeasible := (*learn.InfeasibleError)(nil)
	if !errors.As(err, &infeasible) {
		return err
	}
	return fmt.Errorf("%w These cannot hold together:\n    %s", err,
		strings.Join(g.Conflict(ctx, infeasible.Conflict), "\n    "))
}

// trainer sets learning by gradients up: Algorithm 1 or another method.
func (g *learner) trainer(ctx context.Context, l lesson) (*learn.Trainer, error) {
	task, err := g.task(ctx, l)
	if err != nil {
		return nil, err
	}
	settings := g.Project.Learning.Learn
	settings.Seed = g.Seed
	settings.Sharpen *= l.sharpening
	if g.Project.Learning.Freeze {
		settings.NetworkRate = 0
	}
	if l.held == nil && !l.anew {
		if task.Validate, err = g.validator(ctx); err != nil {
			return nil, err
		}
	}
	if l.afresh {
		settings.NetworkRate *= afreshRate
		settings.ImitationStart = max(settings.ImitationStart, afreshImitation)
	}
	if l.theta != nil {
		copy(g.Theta, l.theta)
		settings.RuleRate, settings.Deviation = 0, 0
	}
	trainer, err := learn.NewTrainer(task, settings)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.Project.Config.Name, err)
	}
	trainer.Last = l.epochs
	trainer.OnEpoch, trainer.OnBatch = g.Project.OnEpoch, g.Project.OnBatch
	if g.notices != nil {
		g.notices.watch(trainer, l.start)
	}
	trainer.Save = g.save(trainer, g.checkpoint(l))
	return trainer, nil
}

// task is what there is to learn from: this grounding with its labels, or examples.
func (g *learner) task(ctx context.Context, l lesson) (learn.Task, error) {
	if g.Project.Config.Examples[load.Learn] != nil {
		return g.exampleTask(ctx, l)
	}
	g.Field.SetInputs(g.Inputs)
	task := learn.Task{Field: g.Field, Theta: g.Theta, Learned: g.learned(),
		NewSolver: func(field *mrf.Field) (solve.Solver, error) {
			return g.SolverOf(field, g.Project.Learning.WhileLearning())
		}}
	if g.Perception != nil {
		task.Perception = g.Perception
	}
	var err error
	if task.Teacher, err = g.teacher(); err != nil {
		return task, err
	}
	if task.Labels, err = g.taught(l, relation.Target); err == nil {
		task.Solver, err = task.NewSolver(task.Field)
	}
	return task, err
}

// exampleTask makes a task of a lesson's examples, which begins with the first batch.
func (g *learner) exampleTask(ctx context.Context, l lesson) (learn.Task, error) {
	task := learn.Task{Theta: g.Theta, Learned: g.learned(), NewSolver: func(field *mrf.Field) (solve.Solver, error) {
		return g.Settings.BatchSolver(field, g.Project.Learning.WhileLearning(), g.Options())
	}}
	e, err := g.exampleTaught(l)
	if err != nil {
		return task, err
	}
	lessons := batch.NewLessons(g.Grounding, e, task.NewSolver, g.teacher)
	task.Batches = lessons
	scene, err := lessons.Show(ctx, 0)
	if err != nil {
		return task, err
	}
	task.Field, task.Solver, task.Perception = scene.Field, scene.Solver, scene.Perception
	task.Labels, task.Teacher = scene.Labels, scene.Teacher
	return task, nil
}

// teacher ties the classes that networks perceive to the inferred ones that they imitate; nil if none does.
func (g *learner) teacher() (*learn.Teacher, error) {
	t := new(learn.Teacher)
	for k, declared := range g.Project.Config.Predicates {
		teacher, err := g.teacherOf(k)
		if err != nil {
			return nil, err
		}
		if teacher < 0 {
			continue
		}
		groups := imitations(g.Base.Relations[k], g.Base.Relations[teacher], declared.Neural.Entity)
		t.Groups = append(t.Groups, groups...)
	}
	if len(t.Groups) == 0 {
		return nil, nil
	}
	return t, nil
}

// imitations pairs perceived atoms with targets of the same arguments, one group per entity, in the order of the atoms.
func imitations(perceived, inferred *relation.Relation, entity int) []learn.TeacherGroup {
	var groups []learn.TeacherGroup
	place := make(map[symbol.ID]int)
	for row, target := range inferredLike(perceived, inferred) {
		thing := perceived.Columns[entity][row]
		at, seen := place[thing]
		if !seen {
			at = len(groups)
			place[thing] = at
			groups = append(groups, learn.TeacherGroup{})
		}
		group := &groups[at]
		group.Inputs = append(group.Inputs, perceived.Number(row))
		group.Variables = append(group.Variables, inferred.Number(target))
	}
	return groups
}

// labels returns the known values of a phase for the atoms with the given role: variables or inputs with their truth.
func (g *learner) labels(phase load.Phase, role relation.Role) (*learn.Labels, error) {
	labels := new(learn.Labels)
	for k, atoms := range g.Tables.Store.Relations {
		if atoms.FreeLen() == 0 || atoms.Free != role || g.Project.Config.Predicates[k].Given {
			continue
		}
		truth, err := g.Truth(phase, k)
		if err != nil {
			return nil, err
		}
		if truth == nil {
			continue
		}
		entity := 0
		if declared := g.Project.Config.Predicates[k].Neural; declared != nil && len(declared.Classes) > 0 {
			entity = declared.Entity
		}
		first := len(labels.Truth)
		if strangers := addLabels(labels, atoms, truth, role, entity); strangers > 0 {
			g.Project.Log.Warn("truth about atoms that are no targets is not learned from", "predicate", atoms.Name,
				"phase", phase.String(), "rows", strangers)
		}
		if g.Project.Learning.Auto && entity == 0 {
			completeChoices(labels, first, atoms)
		}
	}
	return labels, nil
}

// addLabels adds the known values of a predicate's atoms with the role; it returns how many are of no atom at all.
// The argument entity says what a label is about. A label that relates two things is about the one whose number is
// less, so that nothing is held out whose converse is learned from.
func addLabels(labels *learn.Labels, atoms, truth *relation.Relation, role relation.Role, entity int) (
	strangers int) {
	tuple := make([]symbol.ID, 0, atoms.Arity)
	related := relates(truth)
	for row := range int32(truth.Len()) {
		tuple = truth.Tuple(tuple[:0], row)
		at, ok := atoms.Find(tuple...)
		if !ok {
			strangers++
		} else if atoms.Role(at) == role {
			labels.Variables = append(labels.Variables, atoms.Number(at))
			labels.Truth = append(labels.Truth, truth.Value(row))
			about, class := symbol.ID(0), learn.NoClass
			switch {
			case related:
				about = min(tuple[0], tuple[1])
			case len(tuple) > 0:
				about = tuple[entity]
			}
			if len(tuple) > 1 && !related {
				class = int32(tuple[len(tuple)-1])
			}
			labels.Entities, labels.Classes = append(labels.Entities, int32(about)), append(labels.Classes, class)
		}
	}
	return strangers
}

// relates tells whether rows of two arguments relate things to each other, and do not give them classes: something is
// named by both.
func relates(truth *relation.Relation) bool {
	if truth.Arity != 2 {
		return false
	}
	things := make(map[symbol.ID]bool, truth.Len())
	for _, thing := range truth.Columns[0] {
		things[thing] = true
	}
	return slices.ContainsFunc(truth.Columns[1], func(other symbol.ID) bool { return things[other] })
}

// validator returns the function that scores an epoch, or nil if the validation phase has no truth. If that phase has
// atoms of its own, it is ground too, over the same networks, and inferred anew at each epoch.
func (g *learner) validator(ctx context.Context) (func(ctx context.Context, y, x []float64) (float64, error), error) {
	if g.Project.Config.HasExamples() {
		return g.exampleValidator()
	}
	own := g.Grounding
	if !g.Project.SharesAtoms(g.Phase, load.Validation) {
		var err error
		if own, err = session.Ground(ctx, g.Project, load.Validation, g.Networks, nil); err != nil {
			return nil, err
		}
	}
	guides, err := own.Guides(load.Validation)
	if len(guides) == 0 || err != nil {
		return nil, err
	}
	return func(ctx context.Context, y, x []float64) (float64, error) {
		answer := &session.Answer{Values: y, Perceived: x}
		if own != g.Grounding {
			own.TakeWeights(g.Grounding)
			var err error
			if answer, err = own.InferBy(ctx, own.Settings); err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return 0, err
			}
		}
		return own.Guided(answer, load.Validation, guides)
	}, nil
}

// exampleValidator scores an epoch by the share of validation examples all of whose labels are right; nil without any.
func (g *learner) exampleValidator() (func(ctx context.Context, y, x []float64) (float64, error), error) {
	if g.Project.Config.Examples[load.Validation] == nil {
		return nil, nil
	}
	e, err := batch.Read(g.Grounding, load.Validation)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, _, _ []float64) (float64, error) { return g.rightExamples(ctx, e) }, nil
}

// rightExamples returns the share of examples all of whose labels are right.
func (g *learner) rightExamples(ctx context.Context, e *batch.Examples) (float64, error) {
	predictions, _, err := batch.InferAll(ctx, g.Grounding, e)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return 0, err
	}
	share, _ := predictions.Accuracy(-1)
	return share, nil
}

// Fit trains the networks alone, without any rule, on truth about their own predicates, for as many epochs as the
// option network.epochs says; Train begins with it. The result has no learning curve.
func Fit(ctx context.Context, g *session.Grounding) (*Training, error) {
	l := &learner{Grounding: g}
	return l.learnBy(ctx, l.fitNetworks)
}

func (g *learner) fitNetworks(ctx context.Context, l lesson) (*Training, error) {
	if l.fitEpochs == 0 || l.afresh || g.Perception == nil {
		return new(Training), nil
	}
	labels, err := g.fitLabels(l)
	if err != nil {
		return nil, err
	}
	if len(labels.Variables) == 0 {
		return new(Training), nil
	}
	return g.fitTo(ctx, l, labels)
}

// fitLabels returns what networks can be fitted to alone: labels of what they see, or else of its counterparts.
func (g *learner) fitLabels(l lesson) (*learn.Labels, error) {
	labels, err := g.taught(l, relation.Perceived)
	if err != nil || len(labels.Variables) > 0 {
		return labels, err
	}
	targets, err := g.taught(l, relation.Target)
	if err != nil {
		return nil, err
	}
	return g.carried(targets), nil
}

// fitTo fits the networks alone to labels of what they see.
func (g *learner) fitTo(ctx context.Context, l lesson, labels *learn.Labels) (*Training, error) {
	s := g.Project.Learning.Network
	fitter := learn.Fitter{
		Perception: g.Perception, Labels: labels, Loss: g.fitLoss(), Inputs: len(g.Inputs),
		Optimiser: learn.Adam, Rate: s.Rate, Decay: s.Decay, Epochs: l.fitEpochs, Patience: s.Patience, Seed: g.Seed,
		Threads: g.Project.Threads,
		OnEpoch: g.onFit,
	}
	var err error
	if fitter.Held, err = g.fitHeld(l); err != nil {
		return nil, err
	}
	fit, err := fitter.Run(ctx)
	if fit == nil {
		return nil, err
	}
	g.KeepGiven(fit.X)
	copy(g.Inputs, fit.X)
	return &Training{FitEpochs: fit.Epochs, FitKept: fit.Kept, Ended: fit.Ended,
		Chosen: &session.Answer{Values: make([]float64, g.Model.Variables), Perceived: fit.X}}, err
}

// onFit hears of every epoch of fitting.
func (g *learner) onFit(line learn.FitEpoch) {
	if g.Project.OnFit != nil {
		g.Project.OnFit(line)
	}
	if g.notices != nil {
		g.notices.fit(line)
	}
}

// fitLoss is the loss that networks are fitted by: by default, that of classes if all of them give distributions.
func (g *learner) fitLoss() learn.LossKind {
	if g.Project.Learning.LossSet {
		return g.Project.Learning.Learn.Loss.Kind
	}
	for _, spec := range g.Networks.Specs {
		if !spec.Exclusive() {
			return learn.BinaryCrossEntropy
		}
	}
	return learn.CrossEntropy
}

// fitHeld returns the labels that score networks alone, or nil if there are none.
func (g *learner) fitHeld(l lesson) (*learn.Labels, error) {
	if l.anew {
		return nil, nil
	}
	labels, err := g.labels(load.Validation, relation.Perceived)
	if err != nil || len(labels.Variables) == 0 {
		return nil, err
	}
	return labels, nil
}

// save returns the function that writes the checkpoint, if there is to be one.
func (g *learner) save(trainer *learn.Trainer, path string) func() {
	if path == "" {
		return nil
	}
	subject := g.subject(trainer)
	return func() {
		data, err := trainer.Checkpoint(subject)
		if err == nil {
			err = report.WriteFile(path, data)
		}
		if err != nil {
			// Training goes on: losing the chance to resume is better than losing the run.
			g.Project.Log.Error("no checkpoint written", "path", path, "error", err)
		}
	}
}

// subject is a digest of what is learned, and from what, beside the settings of training: a run does not go on from the
// checkpoint of another one.
func (g *learner) subject(trainer *learn.Trainer) string {
	digest := sha256.New()
	for _, rule := range g.Project.Rules(g.Phase) {
		fmt.Fprintln(digest, syntax.Print(rule))
	}
	for _, network := range g.Project.Config.Networks {
		fmt.Fprintf(digest, "%s %s\n", network.Name, network.JSON)
	}
	fmt.Fprintln(digest, g.Project.Learning.Batch, g.Project.Learning.Network)
	limits := g.Project.Learning.WhileLearning().WithDefaults(0)
	fmt.Fprintln(digest, g.Project.Learning.Method, limits.Gap, limits.Feasibility, limits.MaxIterations,
		g.Project.Learning.SGD)
	if lessons, ok := trainer.Batches.(*batch.Lessons); ok {
		lessons.Examples.Write(digest)
	} else {
		fmt.Fprintln(digest, trainer.Labels.Variables, trainer.Labels.Truth)
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// resume continues from the checkpoint file, if there is one.
func (g *learner) resume(trainer *learn.Trainer, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("resuming from %s: it is no regular file", path)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = trainer.Resume(data, g.subject(trainer))
	}
	if err != nil {
		return fmt.Errorf("resuming from %s: %w", path, err)
	}
	g.Project.Log.Info("resuming", "checkpoint", path)
	return nil
}
