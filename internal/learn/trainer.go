package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Task is what is to be learned: a ground model whose parameters are rule weights θ and, through the perceived inputs,
// network weights ω, and the labels that its MAP state should agree with.
type Task struct {
	Field      *mrf.Field
	Solver     solve.Solver // of this very Field: what is set through one holds for the other
	Perception Perception   // nil if the program has no neural predicate
	Theta      []float64    // the rules' initial weights, one per rule
	Learned    []bool       // which of them learning may change
	Labels     *Labels
	// NewSolver makes a solver for another field. Perceptron, Energy and Likelihood need one: with the labels clamped.
	NewSolver func(*mrf.Field) (solve.Solver, error)
	// Teacher, if there is one, ties perceived inputs to the variables whose MAP values they should imitate.
	Teacher *Teacher
	// Batches, if there are any, take the place of Field, Solver, Perception, Labels and Teacher by those of a scene. At
	// first the Task has those of any one.
	Batches Batches
	// Validate scores a MAP state, and the inputs it rests on, with the current parameters; higher is better. The
	// parameters of the best epoch are kept. With batches there are no y and x: it infers for itself. If nil, the last
	// ones are, or for Perceptron, Energy and Likelihood those of the smallest loss.
	Validate func(ctx context.Context, y, x []float64) (float64, error)
}

// Settings are Algorithm 1's and its siblings' knobs, named as in the paper's table of hyper-parameters.
type Settings struct {
	Method      Method
	Alpha       float64 // α, the step along -∇L at which the convex difference is taken
	Mu          float64 // μ, the weight of the dying-hinge regulariser Ω
	Epochs      int     // T, outer iterations: one MAP inference each
	Steps       int     // N, gradient steps between two inferences
	Loss        Loss
	Optimiser   OptimiserKind
	RuleRate    float64 // η for rule weights
	NetworkRate float64 // η for network weights
	Decay       float64 // weight decay, of network weights only; a negative one is that which suits the number of labels
	Schedule    Schedule
	Ridge       float64 // ν of the implicit method's (H + νI)v = ∇L
	Deviation   float64 // standard deviation of the initial rule weights around the given ones; the paper's 0.1
	Imitation   float64 // λ, the weight of imitating the MAP state; see Teacher
	// ImitationStart is the first epoch that imitates: before, there is nothing worth it.
	ImitationStart int
	Patience       int     // epochs without a better validation score before stopping; 0 means never
	Update         Update  // how rule weights follow their gradient
	L2             float64 // regularisers of rule weights: see regularise
	Barrier        float64
	Entropy        float64
	Movement       float64 // change of relative weights in an epoch below which Perceptron and Energy stop
	// Sharpen is the weight of the entropy of what networks see of examples, at first: see sharpen.
	Sharpen float64
	Seed    uint64
}

// smallestWeight keeps rule weights positive, as a hinge-loss energy must have them to be convex.
const smallestWeight = 1e-3

// Epoch is one line of the learning curve: the state before its gradient steps.
type Epoch struct {
	Number     int       `json:"epoch"`
	Fold       int       `json:"fold,omitempty"` // of the labels that are held out, from 1; 0 if none are
	Loss       float64   `json:"loss"`
	Validation float64   `json:"validation"`
	Gap        float64   `json:"gap"`
	Iterations int       `json:"iterations"` // of the solver
	Inference  float64   `json:"inference_seconds"`
	Forward    float64   `json:"forward_seconds"` // the networks' part of the inference
	Gradient   float64   `json:"gradient_seconds"`
	Theta      []float64 `json:"rule_weights"`
	// Active is the share of each rule's ground rules that are active at the MAP state, NaN without any; of examples with
	// the method Energy, at the best state with their labels.
	Active []float64 `json:"active"`
	// Gradients has the largest of each layer's in the first steps; nil where no network learned.
	Gradients []LayerGradient `json:"gradients,omitempty"`
	// Networks describes them as the last Forward left them; of examples, by the last batch.
	Networks []NetworkState `json:"networks,omitempty"`
}

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

	rules    *Parameter
	networks []*Parameter
	ruleOpt  Optimiser
	netOpt   Optimiser
	x, y, g  []float64
	// multipliers are those of y, to start the next inference from.
	multipliers []float64
	// local is the field that gradient steps need: Field, or the part of it that touches a label.
	local *mrf.Field
	surrogate
	value   *value   // nil unless the method compares energies at the labels' true values
	simplex *simplex // how rule weights move, unless by an optimiser
	next    int      // the next epoch's number
	history []Epoch
	forward time.Duration // that the networks last took
	seen    bool          // x is what the next step's networks see
	best    snapshot
	scene   *Scene // of the batch that is shown; nil without batches
	// activity and gauge look on; see signs.go.
	activity activity
	gauge    gauge
}

// snapshot is a copy of all parameters with the validation score they had.
type snapshot struct {
	Epoch int
	Score float64
	// Loss breaks ties of the score, and Risen is the epoch when the score has last become better.
	Loss   float64
	Risen  int
	Values [][]float32
}

// NewTrainer prepares training. It draws the initial rule weights around the given ones.
func NewTrainer(task Task, settings Settings) (*Trainer, error) {
	t := &Trainer{Task: task, Settings: settings, Last: settings.Epochs, best: snapshot{Score: math.Inf(-1), Epoch: -1}}
	if len(task.Labels.Variables) == 0 && task.Batches == nil {
		return nil, fmt.Errorf("nothing to learn from: no target has a label")
	}
	model := task.Field.Model
	t.x = slices.Clone(task.Field.Inputs()) // those that no network gives stay as they are
	t.g = make([]float64, model.Variables)
	t.y = make([]float64, model.Variables)
	t.local = localField(&t.Task, settings.Method)
	t.surrogate = newSurrogate(model, settings)
	t.rules = &Parameter{Name: "rule weights", Shape: []int{model.Rules}, Value: t.drawWeights(),
		Gradient: make([]float32, model.Rules)}
	if task.Perception != nil {
		t.networks = task.Perception.Parameters()
	}
	threads := task.Field.Threads
	t.ruleOpt = Optimiser{Kind: settings.Optimiser, Threads: threads}
	t.netOpt = Optimiser{Kind: settings.Optimiser, Decay: t.decay(), Threads: threads}
	return t, t.prepareValue()
}

// decay is the weight decay of networks. All labels count, those of other batches too.
func (t *Trainer) decay() float64 {
	if t.Decay >= 0 {
		return t.Decay
	}
	labels := t.Loss.mass(t.Labels)
	if t.Batches != nil {
		labels *= float64(t.Batches.Len())
	}
	return decayMass / labels
}

// localField returns the field that gradient steps need.
func localField(task *Task, method Method) *mrf.Field {
	if method != ConvexDifference {
		return task.Field
	}
	// y and y - α∇L differ in labelled variables only, so all other potentials cancel in the convex difference.
	return mrf.NewFieldOn(task.Field.Model.Touching(task.Labels.Variables), task.Field.Threads)
}

// prepareValue sets the losses of optimal energies up, if the method has one.
func (t *Trainer) prepareValue() (err error) {
	t.simplex = newSimplex(t.Update, t.Theta, t.Learned)
	if t.Method.Searches() {
		return fmt.Errorf("%v is a search, not a descent", t.Method)
	}
	if t.Method.needsLabels() {
		if t.Perception == nil && !slices.Contains(t.Learned, true) {
			return errors.New("nothing to learn: no rule has a weight that may change")
		}
		t.value, err = t.newValue()
	}
	return err
}

// newValue makes the loss of optimal energies of the present task.
func (t *Trainer) newValue() (*value, error) {
	v, err := newValue(t.Task, t.Method)
	if err == nil {
		v.fixed = !slices.Contains(t.Learned, true)
	}
	return v, err
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
	learn := t.runEpochs
	if t.Batches != nil {
		learn = t.runBatches
	}
	ended, err := learn(ctx)
	if early, ok := CutShort(ctx, err); ok {
		ended = early
		t.keepBest()
	}
	return Outcome{Epochs: t.history, Steps: t.next, Kept: t.Kept(), Ended: ended}, err
}

// runEpochs is Run for one set of labels, whose last line is a final inference.
func (t *Trainer) runEpochs(ctx context.Context) (ended Ending, err error) {
	for ; t.next < t.Last; t.next++ {
		line, err := t.infer(ctx)
		if err != nil {
			return ended, err
		}
		start := time.Now()
		if ended = t.standstill(line); ended != Completed {
			break
		}
		if err := t.descend(ctx, t.next); err != nil {
			return ended, err
		}
		line.Gradient, line.Gradients = time.Since(start).Seconds(), t.gauge.take()
		t.record(line)
		if t.Save != nil {
			t.Save()
		}
	}
	line, err := t.infer(ctx)
	if err != nil {
		return ended, err
	}
	line.Number = len(t.history)
	t.record(line)
	return ended, t.restore(ctx)
}

// standstill says why learning ends at an epoch before its steps; Completed if it goes on.
func (t *Trainer) standstill(line Epoch) Ending {
	switch {
	case t.stale(line):
		return OutOfPatience
	case t.settled():
		return Settled
	}
	return Completed
}

// infer computes the MAP state y_t of the current parameters and remembers the parameters if they are the best so far.
func (t *Trainer) infer(ctx context.Context) (Epoch, error) {
	line := Epoch{Number: t.next, Validation: math.NaN()}
	err := t.solveState(ctx, false, 0, &line)
	if err != nil {
		return line, err
	}
	line.Theta = append([]float64(nil), t.Theta...)
	t.activity.add(t.Field, t.y)
	line.Active = t.activity.take()
	if line.Loss, err = t.loss(ctx); err != nil {
		return line, err
	}
	return line, t.score(ctx, &line)
}

// solveState perceives and finds the MAP state, starting from the one before, and adds the time that it took.
func (t *Trainer) solveState(ctx context.Context, train bool, seed uint64, line *Epoch) error {
	start := time.Now()
	if err := t.perceive(t.Field, train, seed); err != nil {
		return err
	}
	result, err := solveFrom(ctx, t.Solver, t.y, t.multipliers)
	if err != nil {
		return err
	}
	copy(t.y, result.Y)
	t.multipliers = append(t.multipliers[:0], result.Multipliers...)
	line.Inference += time.Since(start).Seconds()
	line.Forward += t.forward.Seconds()
	line.Gap, line.Iterations = result.Gap, result.Iterations
	return nil
}

// solveFrom finds a MAP state. The start is set explicitly, not left to the solver's memory, so that a resumed run
// finds the same bits. A context that has ended is an error, and so are contradictory rules.
func solveFrom(ctx context.Context, solver solve.Solver, y, multipliers []float64) (*solve.Result, error) {
	solver.WarmStart(y, multipliers)
	result, err := solver.Solve(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if result.Status == solve.Infeasible {
		return nil, &InfeasibleError{Conflict: result.Conflict}
	}
	return result, nil
}

// loss is what the method decreases at the current MAP state. That of optimal energies comes with its gradients.
func (t *Trainer) loss(ctx context.Context) (float64, error) {
	if t.value == nil {
		return t.Loss.Value(t.Labels, t.y), nil
	}
	if err := t.value.at(ctx, t.Field, t.y, t.multipliers); err != nil {
		return 0, err
	}
	// With the sum of the weights factored out, loss and gradients are those by shares of it.
	scale := t.simplex.scale()
	copy(t.surrogate.weights, t.value.weights)
	copy(t.surrogate.inputs, t.value.inputs)
	divide(t.surrogate.inputs, scale)
	if t.RuleRate == 0 {
		return t.value.loss / scale, nil
	}
	regulariser := t.regularise(t.surrogate.weights)
	return t.value.loss/scale + regulariser, nil
}

// SolveFrom returns the MAP state of a solver's field, found from a given one.
func SolveFrom(ctx context.Context, solver solve.Solver, y []float64) ([]float64, error) {
	result, err := solveFrom(ctx, solver, y, nil)
	if err != nil {
		return nil, err
	}
	return result.Y, nil
}

// InfeasibleError says that the hard rules contradict each other, so that there is no MAP state to learn from.
type InfeasibleError struct {
	Conflict []int // hard constraints that cannot hold together, by their place among all potentials
	// Labelled says that they can, but not with the labels at their true values.
	Labelled bool
}

// Error says what it means for learning.
func (e *InfeasibleError) Error() string {
	if e.Labelled {
		return "learning stopped: No assignment has the labels' values and satisfies all hard rules."
	}
	return "learning stopped: " + solve.Infeasible.Sentence()
}

// perceive runs the networks and gives their outputs and the current rule weights to a field.
func (t *Trainer) perceive(field *mrf.Field, train bool, seed uint64) error {
	t.shareWeights()
	field.SetWeights(t.Theta)
	if t.Perception == nil {
		return nil
	}
	start := time.Now()
	if err := t.Perception.Forward(t.x, train, seed); err != nil {
		return err
	}
	t.forward = time.Since(start)
	if slices.ContainsFunc(t.x, math.IsNaN) {
		return errDiverged
	}
	field.SetInputs(t.x)
	return nil
}

// shareWeights copies the current rule weights to where everyone reads them.
func (t *Trainer) shareWeights() {
	for r, value := range t.rules.Value {
		t.Theta[r] = float64(value)
	}
}

// errDiverged ends learning when steps were so large that a network computes nothing any more.
var errDiverged = errors.New(
	"learning diverged: a network's output is not a number; lower the learning rate of networks")

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
	case t.value == nil, t.Batches != nil && t.Sharpen > 0:
		return nil // of what is symmetric, knowing nothing has the smallest energy
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
	return t.value != nil && t.Update.KeepsSum() && t.networks == nil &&
		t.simplex.Moved >= 0 && t.simplex.Moved < t.Movement
}

// descend takes the N gradient steps of Algorithm 1's inner loop, all at the same MAP state y_t, the number-th.
func (t *Trainer) descend(ctx context.Context, number int) error {
	steps := t.Steps
	if t.value != nil {
		// Optimal energies have gradients at their optimum only, so the next step needs the next inference.
		steps = 1
	} else {
		t.Loss.gradient(t.Labels, t.y, t.g)
		t.surrogate.aim(t.Field, t.y, t.multipliers, t.g)
	}
	if t.teaches() {
		t.Teacher.watch(t.y)
	}
	for step := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.perceiveStep(number, step); err != nil {
			return err
		}
		if t.value == nil {
			t.surrogate.gradients(t.local)
		}
		if t.teaches() {
			t.Teacher.addGradient(t.Imitation, t.x, t.surrogate.inputs)
		}
		if err := t.update(); err != nil {
			return err
		}
	}
	return nil
}

// perceiveStep gives the local field what a step's networks see, unless the inference before has already seen it.
func (t *Trainer) perceiveStep(number, step int) error {
	if !t.seen {
		return t.perceive(t.local, true, t.stepSeed(number, step))
	}
	t.seen = false
	t.local.SetWeights(t.Theta)
	t.local.SetInputs(t.x)
	return nil
}

// stepSeed is the origin of a step's dropout: a function of the run's seed and the step alone, also after a resume.
func (t *Trainer) stepSeed(number, step int) uint64 { return t.Seed + uint64(number*t.Steps+step) + 1 }

// update carries the surrogate's gradients to the parameters and steps the optimisers.
func (t *Trainer) update() error {
	if t.Perception != nil && t.NetworkRate > 0 {
		if err := t.Perception.Backward(t.surrogate.inputs); err != nil {
			return err
		}
		t.gauge.read(t.networks)
		t.netOpt.Step(t.networks, t.Schedule.rate(t.NetworkRate, t.next, t.Epochs))
	}
	switch {
	case t.RuleRate == 0:
		return nil
	case t.Update.KeepsSum():
		t.simplex.step(t.rules.Value, t.surrogate.weights, t.Schedule.rate(t.RuleRate, t.next, t.Epochs))
		return nil
	}
	for r, slope := range t.surrogate.weights {
		t.rules.Gradient[r] = 0
		if t.Learned[r] {
			t.rules.Gradient[r] = float32(slope)
		}
	}
	if rate := t.Schedule.rate(t.RuleRate, t.next, t.Epochs); t.Update == Logarithmic {
		t.stepLogarithms(rate)
	} else {
		t.ruleOpt.Step([]*Parameter{t.rules}, rate)
	}
	for r := range t.rules.Value {
		if t.Learned[r] {
			t.rules.Value[r] = max(t.rules.Value[r], smallestWeight)
		}
	}
	return nil
}

func (t *Trainer) record(line Epoch) {
	if networks, ok := t.Perception.(Observable); ok {
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

// parameters are all of them: rule weights first, then the networks'.
func (t *Trainer) parameters() []*Parameter { return append([]*Parameter{t.rules}, t.networks...) }

func (t *Trainer) values() [][]float32 { return copyValues(t.parameters()) }

func (t *Trainer) setValues(values [][]float32) { pasteValues(t.parameters(), values) }
