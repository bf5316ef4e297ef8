package learn

import "github.com/deeppsl/deeppsl/internal/mrf"

// Sensitivity sets inputs and weights to the derivatives of a loss of the MAP state y in the inputs x and the rule
// weights θ, where the loss has the gradient slope in y: what the implicit method descends on, but for its softening of
// bounds. The field must hold the parameters that y is optimal for; multipliers are those of its proof. The derivative
// is exact where the MAP state is unique and what binds does so with a force; elsewhere it is one of several.
func Sensitivity(field *mrf.Field, y, multipliers, slope, inputs, weights []float64) {
	s := newImplicit(field.Model, 0)
	s.exact = true
	s.aim(field, y, multipliers, slope)
	s.gradients(field, inputs, weights)
}
