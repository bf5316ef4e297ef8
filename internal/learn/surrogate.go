package learn

import "github.com/deeppsl/deeppsl/internal/mrf"

// boxCurvature is γ of the paper's relaxed box γ max(0, -y)² + γ max(0, y-1)². The implicit method takes it as the
// curvature of an active bound: with an exact bound a label inferred as 0 would have no gradient at all.
const boxCurvature = 20

// surrogate is the function of the parameters that a gradient step decreases, set up once per MAP state.
type surrogate struct {
	method    Method
	alpha, mu float64
	ridge     float64

	y         []float64 // the MAP state y_t
	direction []float64 // -α∇L, or v of the implicit method
	inputs    []float64 // the surrogate's gradient in x
	weights   []float64 // and in θ
	forced    []float64 // by input: what equations add to the implicit method's
	solver    implicitSolver
}

func newSurrogate(model *mrf.Model, s Settings) surrogate {
	return surrogate{
		method: s.Method, alpha: s.Alpha, mu: s.Mu, ridge: s.Ridge,
		direction: make([]float64, model.Variables), inputs: make([]float64, model.Inputs),
		forced: make([]float64, model.Inputs), weights: make([]float64, model.Rules),
	}
}

// aim sets the surrogate up at the MAP state y with its multipliers, where the loss has the gradient slope. The field
// must still hold the parameters that y is optimal for.
func (s *surrogate) aim(field *mrf.Field, y, multipliers, slope []float64) {
	s.y = y
	if s.method == Implicit {
		s.solver.solve(field, y, multipliers, slope, s.ridge, s.direction)
		return
	}
	for i, g := range slope {
		s.direction[i] = -s.alpha * g
	}
}

// gradients computes the surrogate's gradient in inputs and rule weights at the field's current parameters.
func (s *surrogate) gradients(field *mrf.Field) {
	if s.method == Implicit {
		field.CrossInputs(s.y, s.direction, s.inputs)
		field.EnvelopeInputs(s.solver.forces, s.forced)
		for k, force := range s.forced {
			s.inputs[k] += force
		}
		field.CrossWeights(s.y, s.direction, s.weights)
		negate(s.inputs)
		negate(s.weights)
		return
	}
	// Ω has no rule weights in it: ψ_j is the squared linear form alone (eq. regularization).
	field.DifferenceInputs(s.y, s.direction, s.mu, s.inputs)
	field.DifferenceWeights(s.y, s.direction, s.weights)
}

func negate(values []float64) {
	for k := range values {
		values[k] = -values[k]
	}
}
