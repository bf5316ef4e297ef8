package learn

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

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
	if err := t.perceive(t.Field, train, seed); err != nil {
		return err
	}
	line.Inference += t.forward.Seconds()
	line.Forward += t.forward.Seconds()
	return t.solve(ctx, t.multipliers, line)
}

// solve finds the MAP state of what is perceived, from the one before.
func (t *Trainer) solve(ctx context.Context, multipliers []float64, line *Epoch) error {
	start := time.Now()
	result, err := solveFrom(ctx, t.Solver, t.y, multipliers)
	if err != nil {
		return err
	}
	copy(t.y, result.Y)
	t.multipliers = append(t.multipliers[:0], result.Multipliers...)
	line.Inference += time.Since(start).Seconds()
	line.Gap, line.Iterations = result.Gap, result.Iterations
	return nil
}

// state is the last MAP state.
func (t *Trainer) state() State { return State{t.Field, t.y, t.multipliers} }

// loss is what the objective says of the last MAP state.
func (t *Trainer) loss(ctx context.Context) (float64, error) {
	loss, err := t.objective.Loss(ctx, t.state())
	if v := t.energies(); v != nil && err == nil {
		loss = t.byShares(v)
	}
	return loss, err
}

// energies returns the objective if it is made of optimal energies; else nil.
func (t *Trainer) energies() *energies {
	v, _ := t.objective.(*energies)
	return v
}

// byShares factors the sum of the weights out of a loss and its gradients, which are then those by shares of it, and
// adds what regularises shares.
func (t *Trainer) byShares(v *energies) float64 {
	scale := t.simplex.scale()
	divide(v.inputs, scale)
	if t.RuleRate == 0 {
		return v.loss / scale
	}
	added := t.simplex.regularise(regulariser{t.L2, t.Barrier, t.Entropy}, t.rules.Value, v.weights)
	return v.loss/scale + added
}

// perceive runs the networks and gives their outputs and the current rule weights to a field.
func (t *Trainer) perceive(field *mrf.Field, train bool, seed uint64) error {
	t.shareWeights()
	if slices.ContainsFunc(t.Theta, infinite) {
		return errBeyond
	}
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

// infinite tells whether a weight is no number to weigh with.
func infinite(w float64) bool { return math.IsNaN(w) || math.IsInf(w, 0) }

// These end learning when steps were so large that a network computes nothing any more, or a rule weighs no number.
var (
	errDiverged = errors.New(
		"learning diverged: a network's output is not a number; lower learn.rate.networks, its learning rate")
	errBeyond = errors.New(
		"learning diverged: the weight of a rule is not a finite number; lower learn.rate.rules, its learning rate")
)
