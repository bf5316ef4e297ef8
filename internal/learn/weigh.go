package learn

import (
	"context"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Weigher finds the weights of rules by labels that the networks have not seen. Learned beside the networks, on labels
// that these already fit, rules come to trust the networks too much: a network is right about what it has learned by
// heart. So each fold's networks were fitted without the fold's labels, and the weights θ descend on
//
//	mean over the folds of L(ŷ held out, y(θ, x of the fold)) + prior · Σ_r log²(θ_r/θ_r as written)
//
// by the exact derivative of the MAP states, in the logarithms of the weights, none of which becomes more than
// farthest times larger or smaller. L is that of a Verdict: rules that leave all classes nearly alike, and the true one
// ahead, are not to be weakened for the sake of sharper values.
type Weigher struct {
	Field   *mrf.Field
	Solver  solve.Solver // of this very Field
	Theta   []float64    // the weights as written; in the end those found
	Start   []float64    // where the search goes on from those; nil for there
	Learned []bool
	Ridge   float64 // ν of the implicit derivative
	// Rough has derivatives found to a thousandth, and ends the search earlier, where there are very many ground rules and
	// each step takes long: what it would still gain is less than what counts when weights are compared.
	Rough bool
	Most  int // iterations of inferences after which no more steps are taken; 0 for none
	spent int
	Folds []Fold
	// Found is the first fold's MAP state at the weights found; the zero one before there is any.
	Found Solution
	// OnStep, if set, is called after each of at most so many steps, and with the last one when the weights are found.
	OnStep func(step, steps int)
}

const (
	// weighings is the largest number of steps, and weighingRate their rate: Adam's, for logarithms.
	weighings    = 40
	weighingRate = 0.2
	// weighingPatience is how many steps may bring nothing in a row, which is less than weighingTrifle of the objective,
	// before the rate is halved, and leastWeighingRate the rate below which that is the end.
	weighingPatience  = 2
	weighingTrifle    = 1e-4
	leastWeighingRate = weighingRate / 8
	// roughTrifle, of the loss of an entity, and leastRoughRate take their place where the search is rough: a tenth of
	// what has to be gained for weights to be taken.
	roughTrifle    = 1e-3
	leastRoughRate = weighingRate / 2
	// WeightPrior, over the number of entities, holds weights back as if their logarithms were normal around those
	// written, with deviation 1.3: of few labels, most of what would fit better is chance.
	WeightPrior = 0.3
)

// farthest is the logarithm of 100.
const farthest = 4.6

// Fold is what networks perceive that were fitted without some labels, and these.
type Fold struct {
	Inputs []float64     // x
	Labels *label.Labels // held out
	// Field and Solver are its own where it knows other labels; nil for the Weigher's.
	Field  *mrf.Field
	Solver solve.Solver
	// Start is where the first inference begins; in the end it is the last MAP state.
	Start     Solution
	Next      Solution // where that of the Weigher's Start begins
	surrogate *implicit
}

// Run finds the weights and returns the objective as written and in the end. Where steps bring nothing more, it goes
// back to the best weights and on with half the rate: of rules with linear potentials the objective is steep here and
// flat there, and momentum carries weights to where no derivative leads back.
func (w *Weigher) Run(ctx context.Context) (before, after float64, err error) {
	written := slices.Clone(w.Theta)
	logs := &perception.Parameter{Name: "logarithms", Value: make([]float32, len(written)),
		Gradient: make([]float32, len(written))}
	best := struct{ value, gradient []float32 }{slices.Clone(logs.Value), slices.Clone(logs.Gradient)}
	w.prepare()
	defer func() { w.weigh(written, best.value) }()
	optimiser, rate, stale := w.optimiser(), weighingRate, 0
	for step := 0; step < weighings && rate >= w.leastRate() && !w.over(); step++ {
		w.weigh(written, logs.Value)
		value, err := w.objective(ctx, logs)
		if err != nil {
			return before, after, err
		}
		if stale++; step == 0 {
			before = value
		}
		if step == 0 || value < after-w.trifle(after) {
			stale = 0
		}
		if step == 0 || value < after {
			after = value
			copy(best.value, logs.Value)
			copy(best.gradient, logs.Gradient)
			w.Found = w.Folds[0].Start
		}
		if step == 0 && w.Start != nil {
			w.begin(written, logs)
			continue
		}
		if stale > weighingPatience {
			copy(logs.Value, best.value)
			copy(logs.Gradient, best.gradient)
			optimiser, rate, stale = w.optimiser(), rate/2, 0
		}
		optimiser.Step([]*perception.Parameter{logs}, rate)
		for r, log := range logs.Value {
			logs.Value[r] = min(max(log, -farthest), farthest)
		}
		w.tell(step + 1)
	}
	w.tell(weighings + 1)
	return before, after, nil
}

// Judge returns what the labels held out say of the present weights.
func (w *Weigher) Judge(ctx context.Context) (label.Verdict, error) {
	w.prepare()
	verdicts := make([]label.Verdict, len(w.Folds))
	for k := range w.Folds {
		fold := &w.Folds[k]
		if err := w.solve(ctx, fold); err != nil {
			return label.Verdict{}, err
		}
		verdicts[k] = fold.Labels.Judge(fold.Start.Y)
	}
	return label.Together(verdicts...), nil
}

// begin goes to where the search goes on from.
func (w *Weigher) begin(written []float64, logs *perception.Parameter) {
	for r, theta := range w.Start {
		if w.Learned[r] {
			logs.Value[r] = float32(math.Log(theta / written[r]))
		}
	}
	for k := range w.Folds {
		if next := w.Folds[k].Next; next.Y != nil {
			w.Folds[k].Start = next
		}
	}
	w.tell(1)
}

// leastRate is the rate below which the search ends.
func (w *Weigher) leastRate() float64 {
	if w.Rough {
		return leastRoughRate
	}
	return leastWeighingRate
}

// trifle is by how much less the objective has to be for a step to have brought something.
func (w *Weigher) trifle(objective float64) float64 {
	if w.Rough {
		return roughTrifle
	}
	return weighingTrifle * math.Abs(objective)
}

// over tells whether inferences have taken as many iterations as they may.
func (w *Weigher) over() bool { return w.Most > 0 && w.spent >= w.Most }

// tell says how far the search is.
func (w *Weigher) tell(step int) {
	if w.OnStep != nil {
		w.OnStep(step, weighings+1)
	}
}

// optimiser is that of the logarithms.
func (w *Weigher) optimiser() *perception.Optimiser {
	return &perception.Optimiser{Kind: perception.Adam, Threads: w.Field.Threads}
}

// weigh sets the learned weights by the logarithms of what they are multiplied by.
func (w *Weigher) weigh(written []float64, logs []float32) {
	for r, log := range logs {
		if w.Learned[r] {
			w.Theta[r] = written[r] * math.Exp(float64(log))
		}
	}
}

// prepare gives each fold what it lacks.
func (w *Weigher) prepare() {
	for k := range w.Folds {
		fold := &w.Folds[k]
		if fold.Field == nil {
			fold.Field, fold.Solver = w.Field, w.Solver
		}
		fold.surrogate = newImplicit(fold.Field.Model, w.Ridge)
		fold.surrogate.rough = w.Rough
	}
}

// objective returns what Run minimises at the weights, and writes its gradient by their logarithms.
func (w *Weigher) objective(ctx context.Context, logs *perception.Parameter) (float64, error) {
	value := 0.0
	clear(logs.Gradient)
	model := w.Field.Model
	slope := make([]float64, model.Variables)
	inputs, weights := make([]float64, model.Inputs), make([]float64, model.Rules)
	verdicts := make([]label.Verdict, len(w.Folds))
	for k := range w.Folds {
		fold := &w.Folds[k]
		if k > 0 && fold.Start.Y == nil && fold.Field == w.Field {
			fold.Start = w.Folds[k-1].Start.clone() // what networks see differs little
		}
		if err := w.solve(ctx, fold); err != nil {
			return 0, err
		}
		verdicts[k] = fold.Labels.Judge(fold.Start.Y)
	}
	all := label.Together(verdicts...)
	for k := range w.Folds {
		fold, share := &w.Folds[k], 1/float64(len(w.Folds))
		fold.Field.SetInputs(fold.Inputs)
		value += share * fold.Labels.Refined(fold.Start.Y, all.Exponent(), slope)
		fold.surrogate.stop = func() bool { return ctx.Err() != nil }
		fold.surrogate.aim(fold.Field, fold.Start.Y, fold.Start.Multipliers, slope)
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		fold.surrogate.gradients(fold.Field, inputs, weights)
		for r, g := range weights {
			logs.Gradient[r] += float32(share * g * w.Theta[r])
		}
	}
	prior := WeightPrior / float64(all.Entities())
	for r := range logs.Value {
		if !w.Learned[r] {
			logs.Gradient[r] = 0
			continue
		}
		log := float64(logs.Value[r])
		value += prior * log * log
		logs.Gradient[r] += float32(2 * prior * log)
	}
	return value, nil
}

// solve finds the MAP state of a fold at the present weights, from the one before.
func (w *Weigher) solve(ctx context.Context, fold *Fold) error {
	fold.Field.SetWeights(w.Theta)
	fold.Field.SetInputs(fold.Inputs)
	if fold.Start.Y == nil {
		fold.Start.Y = make([]float64, w.Field.Model.Variables)
	}
	var err error
	fold.Start, err = SolveNear(ctx, fold.Solver, fold.Start)
	w.spent += fold.Start.Iterations
	return err
}
