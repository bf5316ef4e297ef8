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
	displaced []float64 // y_t - α∇L
	direction []float64 // v of the implicit method
	inputs    []float64 // the surrogate's gradient in x
	weights   []float64 // and in θ
	other     []float64 // scratch, of the length of inputs
	otherRule []float64 // scratch, of the length of weights
	solver    implicitSolver
}

func newSurrogate(model *mrf.Model, s Settings) surrogate {
	return surrogate{
		method: s.Method, alpha: s.Alpha, mu: s.Mu, ridge: s.Ridge,
		displaced: make([]float64, model.Variables), direction: make([]float64, model.Variables),
		inputs: make([]float64, model.Inputs), other: make([]float64, model.Inputs),
		weights: make([]float64, model.Rules), otherRule: make([]float64, model.Rules),
	}
}

// aim sets the surrogate up at the MAP state y, where the loss has the gradient slope. The field must still hold the
// parameters that y is optimal for.
func (s *surrogate) aim(field *mrf.Field, y, slope []float64) {
	s.y = y
	if s.method == Implicit {
		s.solver.solve(field, y, slope, s.ridge, s.direction)
		return
	}
	for i := range y {
		s.displaced[i] = y[i] - s.alpha*slope[i]
	}
}

// gradients computes the surrogate's gradient in inputs and rule weights at the field's current parameters.
func (s *surrogate) gradients(field *mrf.Field) {
	if s.method == Implicit {
		field.CrossInputs(s.y, s.direction, s.inputs)
		field.CrossWeights(s.y, s.direction, s.weights)
		negate(s.inputs)
		negate(s.weights)
		return
	}
	s.difference(field.GradientInputs, 1, true)
	if s.mu > 0 {
		// Ω has no rule weights in it: ψ_j is the squared linear form alone (eq. regularization).
		s.difference(field.RegulariserInputs, s.mu, false)
	}
	field.GradientWeights(s.displaced, s.weights)
	field.GradientWeights(s.y, s.otherRule)
	for r, value := range s.otherRule {
		s.weights[r] -= value
	}
}

// difference adds scale · (gradient at the displaced point - gradient at y) to inputs, after clearing them if set.
func (s *surrogate) difference(gradient func(y, gx []float64), scale float64, set bool) {
	if set {
		clear(s.inputs)
	}
	gradient(s.displaced, s.other)
	for k, value := range s.other {
		s.inputs[k] += scale * value
	}
	gradient(s.y, s.other)
	for k, value := range s.other {
		s.inputs[k] -= scale * value
	}
}

func negate(values []float64) {
	for k := range values {
		values[k] = -values[k]
	}
}
