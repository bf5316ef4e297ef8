package learn

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Objective is what learning descends on: a function of the rules' weights θ and the inputs x, whose gradients are
// known at a MAP state. It is about one scene.
type Objective interface {
	// Loss returns what is wrong at a MAP state, as learning curves have it.
	Loss(ctx context.Context, at State) (float64, error)
	// Aim begins gradient steps at the MAP state that Loss was last asked about, before any parameter changes.
	Aim(at State)
	// Field holds the parameters that Gradients are at: the field of the MAP state, or a part of it.
	Field() *mrf.Field
	// Gradients sets inputs to the gradient in x and weights to that in θ, at the parameters that Field has now.
	Gradients(inputs, weights []float64)
}

// State is a MAP state with its multipliers, in a field with the parameters that it is optimal for.
type State struct {
	Field          *mrf.Field
	Y, Multipliers []float64
}

// labelled is the objective of a loss of the answer: what labels say against it. It has no derivative where the MAP
// state jumps, and a surrogate takes its place.
type labelled struct {
	loss   measure
	labels *label.Labels
	surrogate
	field *mrf.Field
	slope []float64 // ∇L at the MAP state
}

// surrogate is a function of the parameters that decreases with the loss, set up once per MAP state.
type surrogate interface {
	// aim sets the surrogate up at the MAP state y with its multipliers, nil if they are not known, where the loss has
	// the gradient slope. The field must still hold the parameters that y is optimal for.
	aim(field *mrf.Field, y, multipliers, slope []float64)
	// gradients computes those in inputs and rule weights at the field's current parameters.
	gradients(field *mrf.Field, inputs, weights []float64)
}

// measure says how far inferred values are from the labels.
type measure interface {
	// Value returns it, and Gradient also writes its gradient in the values.
	Value(labels *label.Labels, y []float64) float64
	Gradient(labels *label.Labels, y, gradient []float64) float64
}

// newLabelled makes the objective of a task's loss; field is what the gradients of the surrogate need.
func newLabelled(task Task, loss measure, s surrogate, field *mrf.Field) *labelled {
	return &labelled{loss: loss, labels: task.Labels, surrogate: s, field: field,
		slope: make([]float64, task.Field.Model.Variables)}
}

// Loss implements Objective.
func (l *labelled) Loss(_ context.Context, at State) (float64, error) {
	return l.loss.Value(l.labels, at.Y), nil
}

// Aim implements Objective.
func (l *labelled) Aim(at State) {
	l.loss.Gradient(l.labels, at.Y, l.slope)
	l.aim(at.Field, at.Y, at.Multipliers, l.slope)
}

// Field implements Objective.
func (l *labelled) Field() *mrf.Field { return l.field }

// Gradients implements Objective.
func (l *labelled) Gradients(inputs, weights []float64) { l.gradients(l.field, inputs, weights) }
