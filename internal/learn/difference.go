package learn

import "github.com/deeppsl/deeppsl/internal/mrf"

// convexDifference is the paper's surrogate f̃(w, y - α∇L) - f̃(w, y) + μΩ(w, y): a convex difference with the
// regulariser of dying hinges.
type convexDifference struct {
	alpha, mu float64
	y         []float64 // the MAP state y_t
	direction []float64 // -α∇L
}

func newConvexDifference(model *mrf.Model, alpha, mu float64) *convexDifference {
	return &convexDifference{alpha: alpha, mu: mu, direction: make([]float64, model.Variables)}
}

// differenceOf makes the objective of Algorithm 1. Since y and y - α∇L differ in labelled variables only, so that all
// other potentials cancel, its field is the part that touches a label.
func differenceOf(task Task, s Settings) (Objective, error) {
	model := task.Field.Model
	local := mrf.NewFieldOn(model.Touching(task.Labels.Variables), task.Field.Threads)
	return newLabelled(task, s.measure(), newConvexDifference(model, s.Alpha, s.Mu), local), nil
}

func (d *convexDifference) aim(_ *mrf.Field, y, _, slope []float64) {
	d.y = y
	for i, g := range slope {
		d.direction[i] = -d.alpha * g
	}
}

// gradients leave Ω out of those by rule weights, which it has none of: ψ_j is the squared linear form alone (eq.
// regularization).
func (d *convexDifference) gradients(field *mrf.Field, inputs, weights []float64) {
	field.DifferenceInputs(d.y, d.direction, d.mu, inputs)
	field.DifferenceWeights(d.y, d.direction, weights)
}
