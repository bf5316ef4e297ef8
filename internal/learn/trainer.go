// Package learn trains rule weights and neural predicates through MAP inference: the paper's Algorithm 1, and the
// gradients that replace its approximation by the exact derivative of the optimum. For rules alone it has the losses of
// weight learning in PSL: differences of optimal energies (see value), and the pseudo-likelihood. Of the packages under
// it, label, latent and perception are what it knows of labels and networks, and fit and search learn without it.
package learn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/learn/latent"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// Trainer runs the outer loop of Algorithm 1. Its methods are not safe for concurrent use.
type Trainer struct {
	Task
	Settings
	// Last is the number of epochs after which to stop, at first Settings.Epochs, which schedules are made for.
	Last int
	// OnEpoch, if set, is called with every line of the learning curve, OnBatch after every batch.
	OnEpoch func(Epoch)
	OnBatch func(Batch)
	// Save, if set, is called after every epoch whose gradient steps are done: Checkpoint is for those moments.
	Save func()

	feed      Feed      // what is learned from
	objective Objective // what is descended on
	step      Step      // how rule weights follow its gradient
	rules     *perception.Parameter
	networks  []*perception.Parameter
	ruleOpt   perception.Optimiser
	netOpt    perception.Optimiser
	simplex   *simplex
	x, y      []float64
	drawn     []float64 // x, drawn: see draw
	// multipliers are those of y, to start the next inference from.
	multipliers     []float64
	inputs, weights []float64 // the objective's gradient in x and in θ

	next    int // the next epoch's number
	history []Epoch
	forward time.Duration              // that the networks last took
	seen    bool                       // x is what the next step's networks see
	latents map[int]*latent.Likelihood // by batch
	answers Answers
	scene   *Scene // that is shown; nil without batches
	best    snapshot
	// activity and gauge look on.
	activity activity
	gauge    perception.Gauge
}

// snapshot is a copy of all parameters with the validation score they had.
type snapshot struct {
	Epoch int
	Score float64
	// Loss breaks ties of the score, and Risen is the epoch when the score has last become better.
	Loss   float64
	Risen  int
	Values *perception.Values
}

// ErrUnlabelled says that there is nothing to learn from.
var ErrUnlabelled = errors.New("nothing to learn from: no target has a label")

// NewTrainer prepares training. It draws the initial rule weights around the given ones.
func NewTrainer(task Task, settings Settings) (*Trainer, error) {
	t := &Trainer{Task: task, Settings: settings, Last: settings.Epochs, best: snapshot{Score: math.Inf(-1), Epoch: -1}}
	if len(task.Labels.Variables) == 0 && task.Batches == nil {
		return nil, ErrUnlabelled
	}
	model := task.Field.Model
	t.x = slices.Clone(task.Field.Inputs()) // those that no network gives stay as they are
	t.y = make([]float64, model.Variables)
	t.inputs, t.weights = make([]float64, model.Inputs), make([]float64, model.Rules)
	t.rules = &perception.Parameter{Name: "rule weights", Shape: []int{model.Rules}, Value: t.drawWeights(),
		Gradient: make([]float32, model.Rules)}
	if task.Perception != nil {
		t.networks = task.Perception.Parameters()
	}
	threads := task.Field.Threads
	t.ruleOpt = perception.Optimiser{Kind: settings.Optimiser, Threads: threads}
	t.netOpt = perception.Optimiser{Kind: settings.Optimiser, Decay: t.decay(), Threads: threads}
	t.simplex = newSimplex(settings.Update, task.Theta, task.Learned)
	t.step = updates[settings.Update].step(t.simplex, optimised{&t.ruleOpt, t.rules, task.Learned})
	if t.feed = (whole{t}); task.Batches != nil {
		t.feed = batches{t}
	}
	var err error
	t.objective, err = settings.Method.objective(t.Task, settings)
	return t, err
}

// Near has the first MAP state be searched for from another one; the zero one is nowhere.
func (t *Trainer) Near(last Solution) {
	copy(t.y, last.Y)
	t.multipliers = slices.Clone(last.Multipliers)
}

// decay is the weight decay of networks. All labels count, those of other batches too; to a likelihood, all labels of
// an example are one.
func (t *Trainer) decay() float64 {
	if t.Decay >= 0 {
		return t.Decay
	}
	labels := t.Loss.Mass(t.Labels)
	if t.Settings.Latent {
		labels = float64(t.Batches.Size())
	}
	if t.Batches != nil {
		labels *= float64(t.Batches.Len())
	}
	return -t.Decay * perception.DecayMass / labels
}

// drawWeights samples each learned weight from a normal distribution around its given value: N(1, 0.1) in the paper.
func (t *Trainer) drawWeights() []float32 {
	random := rand.New(rand.NewPCG(t.Seed, 0x7468657461))
	weights := make([]float32, len(t.Theta))
	for r, given := range t.Theta {
		weights[r] = float32(given)
		if draw := random.NormFloat64(); t.Learned[r] {
			weights[r] = float32(math.Max(smallestWeight, given+t.Deviation*draw))
		}
	}
	return weights
}

// Run trains to the last epoch, until patience or progress is over, or until the context ends; then it restores the
// best epoch's parameters and infers with them. A context that ends leaves the best parameters until then, or without a
// score the last ones, and is the error beside an Outcome that says so; other errors leave the parameters as they are.
func (t *Trainer) Run(ctx context.Context) (Outcome, error) {
	ended, err := t.learn(ctx)
	if early, ok := CutShort(ctx, err); ok {
		ended = early
		t.keepBest()
	}
	return Outcome{Epochs: t.history, Steps: t.next, Kept: t.Kept(), Decay: t.netOpt.Decay,
		Penalty: t.netOpt.Penalty(t.networks), Ended: ended}, err
}

// learn is the loop over the epochs.
func (t *Trainer) learn(ctx context.Context) (Ending, error) {
	ended := t.feed.over()
	for ended == Completed && t.next < t.Last {
		line, early, err := t.feed.epoch(ctx)
		if err != nil {
			return Completed, err
		}
		if ended = early; ended != Completed {
			break
		}
		t.record(line)
		if t.Save != nil {
			t.Save()
		}
		t.next++
		ended = t.feed.over()
	}
	return ended, t.feed.finish(ctx)
}

// score validates the current parameters and takes a snapshot if none were better. Of those with the same score, such
// as a share of few labels, that with the smallest loss is kept: an epoch is not better for having come first.
func (t *Trainer) score(ctx context.Context, line *Epoch) error {
	score := -line.Loss
	switch {
	case t.Validate != nil:
		var err error
		if score, err = t.Validate(ctx, t.y, t.x); err != nil {
			return err
		}
		line.Validation = score
	case t.energies() == nil, t.Batches != nil && (t.Sharpen > 0 || t.Drawn):
		return nil // of what is symmetric, knowing nothing has the smallest energy; and draws are noise
	}
	better := score > t.best.Score
	if better || score == t.best.Score && line.Loss < t.best.Loss {
		risen := t.best.Risen
		if better {
			risen = line.Number
		}
		t.best = snapshot{Epoch: line.Number, Score: score, Loss: line.Loss, Risen: risen, Values: t.values()}
	}
	return nil
}

// stale says that the score has last risen longer ago than the patience allows.
func (t *Trainer) stale(line Epoch) bool {
	return t.Patience > 0 && t.best.Epoch >= 0 && line.Number-t.best.Risen >= t.Patience
}

// settled says that the last step hardly moved the rule weights, and nothing else is learned.
func (t *Trainer) settled() bool {
	return t.energies() != nil && t.Update.KeepsSum() && t.networks == nil &&
		t.simplex.Moved >= 0 && t.simplex.Moved < t.Movement
}

func (t *Trainer) record(line Epoch) {
	if networks, ok := t.Perception.(perception.Observable); ok {
		line.Networks = networks.States()
	}
	t.history = append(t.history, line)
	if t.OnEpoch != nil {
		t.OnEpoch(line)
	}
}

// restore puts the best epoch's parameters back and infers with them once more, so that State is theirs.
func (t *Trainer) restore(ctx context.Context) error {
	if t.best.Values == nil {
		return nil
	}
	t.setValues(t.best.Values)
	_, err := t.infer(ctx)
	return err
}

// keepBest puts the best epoch's parameters back, if there is one, without inference.
func (t *Trainer) keepBest() {
	if t.best.Values != nil {
		t.setValues(t.best.Values)
	}
	t.shareWeights()
}

// Kept returns after how many epochs' steps Run kept the parameters.
func (t *Trainer) Kept() int {
	switch {
	case t.best.Values == nil:
		return t.next
	case t.Batches != nil:
		return t.best.Epoch + 1 // an epoch is scored after its steps
	}
	return t.best.Epoch
}

// Curve returns the learning curve until now. The Trainer owns it.
func (t *Trainer) Curve() []Epoch { return t.history }

// State returns the last MAP state, the rule weights and the inputs it belongs to. The Trainer owns the slices.
func (t *Trainer) State() (y, theta, x []float64) { return t.y, t.Theta, t.x }

// Reached returns the last MAP state, from which another search for one may go on; nil before there is one.
func (t *Trainer) Reached() (y, multipliers []float64) { return t.y, t.multipliers }

// parameters are all of them: rule weights first, then the networks'.
func (t *Trainer) parameters() []*perception.Parameter {
	return append([]*perception.Parameter{t.rules}, t.networks...)
}

func (t *Trainer) values() *perception.Values { return perception.ValuesOf(t.parameters()) }

func (t *Trainer) setValues(v *perception.Values) { v.Paste(t.parameters()) }
