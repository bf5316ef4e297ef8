package engine

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

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// Training is what learning did.
type Training struct {
	// Epochs is the learning curve; its last line is the final inference's, unless learning was cut short.
	Epochs []Epoch
	// FitEpochs counts the epochs in which the networks were fitted alone, before.
	FitEpochs int
	// Steps counts the epochs whose gradient steps were taken, or the trials of a search.
	Steps int
	// Ended says why learning ended; Early tells whether that was the context.
	Ended Ending
	// Kept is after how many epochs' steps the parameters were best, and kept; FitKept is that of fitting alone.
	Kept, FitKept int
	// Chosen has the Values and Perceived of these parameters, as validation saw them; nil for batches of examples and
	// after a search, and if learning was cut short. Networks fitted alone infer nothing: Values are 0.
	Chosen *Answer
	// CrossFit says what held-out labels chose; nil if they chose nothing.
	CrossFit *CrossFit
	// Anew is the learning curve of the option learn.refit, without validation.
	Anew []Epoch
	// Starts are those of learning from examples; nil if there are none to choose from.
	Starts []Start
	// Trials is the table of a search for weights: what was tried, with its score. The best is kept.
	Trials  []Trial
	Elapsed time.Duration
}

// Ending says why learning ended.
type Ending = learn.Ending

// Train learns the weights of the rules and the networks so that the MAP state agrees with the truth of the learning
// phase. The grounding must be of that phase. With truth in the validation phase, the parameters of the best epoch are
// kept; with the option learn.refit, all is learned anew from that truth too, for as many epochs. Afterwards the
// grounding, and others with the same networks, have the learned parameters. If the context ends, they have the best
// until then, and its error comes with a Training whose Ended is Early.
func (g *Grounding) Train(ctx context.Context) (*Training, error) { return g.learnBy(ctx, g.method()) }

// method is what learns from a lesson.
func (g *Grounding) method() func(context.Context, lesson) (*Training, error) {
	switch s := &g.project.settings; {
	case s.auto:
		return g.crossFit
	case g.project.config.Examples[Learn] != nil && s.learn.Method == learn.Energy:
		return g.learnFromExamples
	}
	return g.train
}

func (g *Grounding) train(ctx context.Context, l lesson) (*Training, error) {
	training, err := g.fitNetworks(ctx, l)
	if err == nil && l.rounds > 0 {
		err = g.learnRounds(ctx, l)
		training.Ended, _ = learn.CutShort(ctx, err)
	}
	if err != nil {
		return training, err
	}
	if g.project.settings.learn.Method.Searches() {
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
		if lessons, ok := trainer.Batches.(*lessons); ok {
			return nil, lessons.explain(ctx, err)
		}
		return nil, g.explainInfeasible(ctx, err)
	}
	if trainer.Batches == nil {
		y, _, x := trainer.State()
		training.Chosen = &Answer{Values: slices.Clone(y), Perceived: slices.Clone(x)}
	}
	return training, nil
}

// explainInfeasible names the ground rules that contradict each other, if that is what ended learning.
func (g *Grounding) explainInfeasible(ctx context.Context, err error) error {
	infeasible := (*learn.InfeasibleError)(nil)
	if !errors.As(err, &infeasible) {
		return err
	}
	return fmt.Errorf("%w These cannot hold together:\n    %s", err,
		strings.Join(g.conflict(ctx, infeasible.Conflict), "\n    "))
}

// Reset gives the rules their weights as written and the networks new parameters, drawn by seed.
func (g *Grounding) Reset(seed uint64) error {
	g.seed = seed
	for r, rule := range g.program.Rules {
		g.theta[r] = rule.Weight.Value
	}
	if g.networks == nil {
		return nil
	}
	networks, err := g.networks.renewed(seed)
	if err != nil {
		return err
	}
	g.networks = networks
	return g.rebind()
}

// trainer sets learning by gradients up: Algorithm 1 or another method.
func (g *Grounding) trainer(ctx context.Context, l lesson) (*learn.Trainer, error) {
	task, err := g.task(ctx, l)
	if err != nil {
		return nil, err
	}
	settings := g.project.settings.learn
	settings.Seed = g.seed
	settings.Sharpen *= l.sharpening
	if g.project.settings.freeze {
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
		copy(g.theta, l.theta)
		settings.RuleRate, settings.Deviation = 0, 0
	}
	trainer, err := learn.NewTrainer(task, settings)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.project.config.Name, err)
	}
	trainer.Last = l.epochs
	trainer.OnEpoch, trainer.OnBatch = g.project.OnEpoch, g.project.OnBatch
	if g.notices != nil {
		g.notices.watch(trainer, l.start)
	}
	trainer.Save = g.save(trainer, g.checkpoint(l))
	return trainer, nil
}

// task is what there is to learn from: this grounding with its labels, or examples.
func (g *Grounding) task(ctx context.Context, l lesson) (learn.Task, error) {
	if g.project.config.Examples[Learn] != nil {
		return g.exampleTask(ctx, l)
	}
	g.field.SetInputs(g.inputs)
	task := learn.Task{Field: g.field, Theta: g.theta, Learned: g.learned(),
		NewSolver: func(field *mrf.Field) (solve.Solver, error) {
			return g.solverOf(field, g.project.settings.whileLearning())
		}}
	if g.perception != nil {
		task.Perception = g.perception
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
func (g *Grounding) exampleTask(ctx context.Context, l lesson) (learn.Task, error) {
	task := learn.Task{Theta: g.theta, Learned: g.learned(), NewSolver: func(field *mrf.Field) (solve.Solver, error) {
		return g.settings.batchSolver(field, g.project.settings.whileLearning(), g.options())
	}}
	e, err := g.exampleTaught(l)
	if err != nil {
		return task, err
	}
	lessons := g.newLessons(e, task.NewSolver)
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
func (g *Grounding) teacher() (*learn.Teacher, error) {
	t := new(learn.Teacher)
	for k, declared := range g.project.config.Predicates {
		teacher, err := g.teacherOf(k)
		if err != nil {
			return nil, err
		}
		if teacher < 0 {
			continue
		}
		groups := imitations(g.base.Relations[k], g.base.Relations[teacher], declared.Neural.Entity)
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
func (g *Grounding) labels(phase Phase, role relation.Role) (*learn.Labels, error) {
	labels := new(learn.Labels)
	for k, atoms := range g.tables.Store.Relations {
		if atoms.FreeLen() == 0 || atoms.Free != role || g.project.config.Predicates[k].Given {
			continue
		}
		truth, err := g.truth(phase, k)
		if err != nil {
			return nil, err
		}
		if truth == nil {
			continue
		}
		entity := 0
		if declared := g.project.config.Predicates[k].Neural; declared != nil && len(declared.Classes) > 0 {
			entity = declared.Entity
		}
		first := len(labels.Truth)
		if strangers := addLabels(labels, atoms, truth, role, entity); strangers > 0 {
			g.project.Log.Warn("truth about atoms that are no targets is not learned from", "predicate", atoms.Name,
				"phase", phase.String(), "rows", strangers)
		}
		if g.project.settings.auto && entity == 0 {
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
func (g *Grounding) validator(ctx context.Context) (func(ctx context.Context, y, x []float64) (float64, error), error) {
	if g.project.config.HasExamples() {
		return g.exampleValidator()
	}
	own := g
	if !g.project.sharesAtoms(g.phase, Validation) {
		var err error
		if own, err = g.project.groundWith(ctx, Validation, g.networks); err != nil {
			return nil, err
		}
	}
	guides, err := own.guides(Validation)
	if len(guides) == 0 || err != nil {
		return nil, err
	}
	return func(ctx context.Context, y, x []float64) (float64, error) {
		answer := &Answer{Values: y, Perceived: x}
		if own != g {
			own.adopt(g)
			var err error
			if answer, err = own.inferBy(ctx, own.settings); err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return 0, err
			}
		}
		return own.guided(answer, Validation, guides)
	}, nil
}

// exampleValidator scores an epoch by the share of validation examples all of whose labels are right; nil without any.
func (g *Grounding) exampleValidator() (func(ctx context.Context, y, x []float64) (float64, error), error) {
	if g.project.config.Examples[Validation] == nil {
		return nil, nil
	}
	e, err := g.readExamples(Validation)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, _, _ []float64) (float64, error) { return g.rightExamples(ctx, e) }, nil
}

// rightExamples returns the share of examples all of whose labels are right.
func (g *Grounding) rightExamples(ctx context.Context, e *examples) (float64, error) {
	predictions, _, err := g.inferExamples(ctx, e)
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
func (g *Grounding) Fit(ctx context.Context) (*Training, error) { return g.learnBy(ctx, g.fitNetworks) }

func (g *Grounding) fitNetworks(ctx context.Context, l lesson) (*Training, error) {
	if l.fitEpochs == 0 || l.afresh || g.perception == nil {
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
func (g *Grounding) fitLabels(l lesson) (*learn.Labels, error) {
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
func (g *Grounding) fitTo(ctx context.Context, l lesson, labels *learn.Labels) (*Training, error) {
	s := g.project.settings.network
	fitter := learn.Fitter{
		Perception: g.perception, Labels: labels, Loss: g.fitLoss(), Inputs: len(g.inputs),
		Optimiser: learn.Adam, Rate: s.rate, Decay: s.decay, Epochs: l.fitEpochs, Patience: s.patience, Seed: g.seed,
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
	g.keepGiven(fit.X)
	copy(g.inputs, fit.X)
	return &Training{FitEpochs: fit.Epochs, FitKept: fit.Kept, Ended: fit.Ended,
		Chosen: &Answer{Values: make([]float64, g.model.Variables), Perceived: fit.X}}, err
}

// onFit hears of every epoch of fitting.
func (g *Grounding) onFit(line FitEpoch) {
	if g.project.OnFit != nil {
		g.project.OnFit(line)
	}
	if g.notices != nil {
		g.notices.fit(line)
	}
}

// fitLoss is the loss that networks are fitted by: by default, that of classes if all of them give distributions.
func (g *Grounding) fitLoss() learn.LossKind {
	if g.project.settings.lossSet {
		return g.project.settings.learn.Loss.Kind
	}
	for _, spec := range g.networks.specs {
		if !spec.Exclusive() {
			return learn.BinaryCrossEntropy
		}
	}
	return learn.CrossEntropy
}

// fitHeld returns the labels that score networks alone, or nil if there are none.
func (g *Grounding) fitHeld(l lesson) (*learn.Labels, error) {
	if l.anew {
		return nil, nil
	}
	labels, err := g.labels(Validation, relation.Perceived)
	if err != nil || len(labels.Variables) == 0 {
		return nil, err
	}
	return labels, nil
}

// save returns the function that writes the checkpoint, if there is to be one.
func (g *Grounding) save(trainer *learn.Trainer, path string) func() {
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
			g.project.Log.Error("no checkpoint written", "path", path, "error", err)
		}
	}
}

// subject is a digest of what is learned, and from what, beside the settings of training: a run does not go on from the
// checkpoint of another one.
func (g *Grounding) subject(trainer *learn.Trainer) string {
	digest := sha256.New()
	for _, rule := range g.project.rules(g.phase) {
		fmt.Fprintln(digest, syntax.Print(rule))
	}
	for _, network := range g.project.config.Networks {
		fmt.Fprintf(digest, "%s %s\n", network.Name, network.JSON)
	}
	fmt.Fprintln(digest, g.project.settings.batch, g.project.settings.network)
	limits := g.project.settings.whileLearning().WithDefaults(0)
	fmt.Fprintln(digest, g.project.settings.method, limits.Gap, limits.Feasibility, limits.MaxIterations,
		g.project.settings.sgd)
	if lessons, ok := trainer.Batches.(*lessons); ok {
		lessons.examples.write(digest)
	} else {
		fmt.Fprintln(digest, trainer.Labels.Variables, trainer.Labels.Truth)
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// resume continues from the checkpoint file, if there is one.
func (g *Grounding) resume(trainer *learn.Trainer, path string) error {
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
	g.project.Log.Info("resuming", "checkpoint", path)
	return nil
}

// sharesAtoms tells whether two phases have the same rules and atoms, so that one ground model serves both.
func (p *Project) sharesAtoms(a, b Phase) bool {
	if a == b {
		return true
	}
	if p.phases[a].model != p.phases[b].model {
		return false
	}
	if len(p.config.Phases[a].Rules) > 0 || len(p.config.Phases[b].Rules) > 0 {
		return false
	}
	for _, declared := range p.config.Predicates {
		for _, data := range [...]*load.Partition{&declared.Observations, &declared.Targets, &declared.Inputs} {
			if !slices.EqualFunc(data.Phases[a], data.Phases[b], same) {
				return false
			}
		}
	}
	return true
}

// same tells whether two tables are known to be the same.
func same(a, b load.Data) bool { return a.Same(&b) }

// Adopt takes over the networks of another grounding of the same project, and its weights of the rules that both have:
// after Train, the learned ones.
func (g *Grounding) Adopt(learned *Grounding) error {
	g.adopt(learned)
	if g.perception == nil {
		return nil
	}
	g.networks = learned.networks
	return g.rebind()
}

// Interval returns the mean of repeated measurements and half the width of its 95 % confidence interval (Student's t).
func Interval(values []float64) (mean, ci95 float64) { return eval.Interval(values) }
