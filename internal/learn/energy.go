package learn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// energies is the objective of losses made of optimal energies. With V(w, x) the energy of the MAP state and
// V_lat(w, x) that of the best state y_lat whose labelled variables have their true values, the other, latent,
// variables being free, it is
//
//	Energy      V_lat      LeCun et al. (2006), section 2.2.1
//	Perceptron  V_lat - V  Collins (2002); V_lat ≥ V, with equality if a MAP state has the labels right
//
// both divided by the number of labels. An optimal energy is differentiable in spite of the argmin in it (the envelope
// theorem, Danskin 1967): ∂V/∂w_r = Φ_r(y*), the sum of the rule's potentials at the optimum, and ∂V/∂x = Bᵀμ*, with
// the multipliers μ* also of the hard constraints, as Dickens et al. (ICML 2024) use it. Where the optimum is not
// unique these are subgradients.
//
// Likelihood shares the latent state: it is the pseudo-likelihood of the labels with latent variables at y_lat.
type energies struct {
	method Method
	labels *label.Labels
	whole  *mrf.Field // of the MAP state
	field  *mrf.Field // the model with the labels clamped, or observed if there are batches
	given  []float64  // its inputs: x and, if there are batches, the labels
	solver solve.Solver
	pseudo *pseudoLikelihood // nil but for Likelihood
	drawn  bool              // inputs are 0 and 1: see draw
	fixed  bool              // no rule weight is learned, so that their derivatives stay 0

	y           []float64 // y_lat, labels included
	multipliers []float64 // μ_lat
	loss        float64
	weights     []float64 // ∂loss/∂w
	inputs      []float64 // ∂loss/∂x
	otherWeight []float64
	otherInput  []float64
}

// energiesOf makes the objective of a method.
func energiesOf(method Method) func(Task, Settings) (Objective, error) {
	return func(task Task, _ Settings) (Objective, error) {
		if task.Perception == nil && !slices.Contains(task.Learned, true) {
			return nil, errors.New("nothing to learn: no rule has a weight that may change")
		}
		v, err := newEnergies(task, method)
		if err != nil {
			return nil, err
		}
		v.fixed = !slices.Contains(task.Learned, true)
		return v, nil
	}
}

func newEnergies(task Task, method Method) (*energies, error) {
	model := task.Field.Model
	field := mrf.NewFieldOn(clamped(task), task.Field.Threads)
	if method == Likelihood && task.Batches != nil {
		return nil, errors.New("the pseudo-likelihood is of one set of labels, and not of batches")
	}
	if task.NewSolver == nil {
		return nil, fmt.Errorf("learning by %v needs a second solver, for the state with the labels at their true values",
			method)
	}
	solver, err := task.NewSolver(field)
	if err != nil {
		return nil, err
	}
	v := &energies{
		method: method, labels: task.Labels, whole: task.Field, field: field, solver: solver,
		y:       make([]float64, model.Variables),
		weights: make([]float64, model.Rules), otherWeight: make([]float64, model.Rules),
		inputs: make([]float64, field.Model.Inputs), otherInput: make([]float64, field.Model.Inputs),
	}
	if method == Likelihood {
		v.pseudo = newPseudoLikelihood(model, task.Labels)
	}
	return v, nil
}

// clamped returns the model whose labels have their true values: constants, or inputs if batches change them.
func clamped(task Task) *mrf.Model {
	if task.Batches != nil {
		return task.Field.Model.Observe(task.Labels.Variables)
	}
	return task.Field.Model.Clamp(task.Labels.Variables, task.Labels.Truth)
}

// Loss implements Objective. The gradients come with it.
func (v *energies) Loss(ctx context.Context, at State) (float64, error) {
	err := v.at(ctx, at.Field, at.Y, at.Multipliers)
	return v.loss, err
}

// Aim implements Objective.
func (v *energies) Aim(State) {}

// Field implements Objective.
func (v *energies) Field() *mrf.Field { return v.whole }

// Gradients implements Objective.
func (v *energies) Gradients(inputs, weights []float64) {
	copy(inputs, v.inputs)
	copy(weights, v.weights)
}

// at computes the loss and its derivatives at the parameters of the field, whose MAP state and multipliers are given.
func (v *energies) at(ctx context.Context, field *mrf.Field, y, multipliers []float64) error {
	v.field.SetWeights(field.Weights())
	v.given = append(v.given[:0], field.Inputs()...)
	if v.field.Model.Inputs > len(v.given) {
		v.given = append(v.given, v.labels.Truth...)
	}
	v.field.SetInputs(v.given)
	if err := v.complete(ctx, y); err != nil {
		return err
	}
	if v.method == Likelihood {
		var err error
		v.loss, err = v.pseudo.at(field, v.y, v.weights, v.inputs[:field.Model.Inputs])
		return err
	}
	v.gradientWeights(v.field, v.y, v.weights)
	v.gradientInputs(v.field, v.y, v.multipliers, v.inputs)
	if v.method == Perceptron {
		v.loss -= field.Energy(y)
		v.gradientWeights(field, y, v.otherWeight)
		v.gradientInputs(field, y, multipliers, v.otherInput[:field.Model.Inputs])
		subtract(v.weights, v.otherWeight)
		subtract(v.inputs, v.otherInput)
	}
	count := float64(len(v.labels.Variables))
	v.loss /= count
	divide(v.weights, count)
	divide(v.inputs, count)
	return nil
}

// gradientWeights writes Φ_r(y), if anyone asks for it.
func (v *energies) gradientWeights(field *mrf.Field, y, gradient []float64) {
	if !v.fixed {
		field.GradientWeights(y, gradient)
	}
}

// gradientInputs writes the derivative of an optimal energy in x.
func (v *energies) gradientInputs(field *mrf.Field, y, multipliers, gradient []float64) {
	if v.drawn {
		field.SwitchInputs(y, multipliers, gradient)
	} else {
		field.EnvelopeInputs(multipliers, gradient)
	}
}

// complete finds y_lat. The first search starts from the MAP state, later ones from where the last one ended.
func (v *energies) complete(ctx context.Context, y []float64) error {
	multipliers := v.multipliers
	if len(multipliers) == 0 {
		copy(v.y, y)
		multipliers = nil
	}
	result, err := solveFrom(ctx, v.solver, v.y, multipliers)
	if infeasible := (*InfeasibleError)(nil); errors.As(err, &infeasible) {
		infeasible.Labelled = true
	}
	if err != nil {
		return err
	}
	v.loss = result.Objective
	copy(v.y, result.Y)
	for k, i := range v.labels.Variables {
		v.y[i] = v.labels.Truth[k]
	}
	v.multipliers = append(v.multipliers[:0], result.Multipliers...)
	return nil
}

func subtract(from, values []float64) {
	for k, v := range values {
		from[k] -= v
	}
}

func divide(values []float64, by float64) {
	for k := range values {
		values[k] /= by
	}
}
