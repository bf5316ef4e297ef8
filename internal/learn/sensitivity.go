package learn

import "github.com/deeppsl/deeppsl/internal/mrf"

// Sensitivity finds derivatives of losses of MAP states. It keeps its memory between them.
type Sensitivity struct {
	Field  *mrf.Field
	method *implicit
}

// NewSensitivity makes one for a field.
func NewSensitivity(field *mrf.Field) *Sensitivity {
	s := &Sensitivity{field, newImplicit(field.Model, 0)}
	s.method.exact = true
	return s
}

// Of sets inputs and weights to the derivatives of a loss of the MAP state y in the inputs x and the rule weights θ,
// where the loss has the gradient slope in y: what the implicit method descends on, but for its softening of bounds.
// The field must hold the parameters that y is optimal for; multipliers are those of its proof. The derivative is exact
// where the MAP state is unique and what binds does so with a force; elsewhere it is one of several.
func (s *Sensitivity) Of(y, multipliers, slope, inputs, weights []float64) {
	s.method.aim(s.Field, y, multipliers, slope)
	s.method.gradients(s.Field, inputs, weights)
}
