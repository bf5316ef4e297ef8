package learn

// Method says how learning gets a direction for the parameters.
type Method uint8

const (
	// ConvexDifference is the paper's Algorithm 1: descend on f̃(w, y - α∇L) - f̃(w, y) + μΩ(w, y).
	ConvexDifference Method = iota
	// Implicit differentiates the optimality condition: with (H + νI)v = ∇L, dL/dw = -∂/∂w (∇_y f̃ · v). H is the
	// generalised Hessian of the active potentials, which exists almost everywhere when they are squared.
	Implicit
	// Perceptron is the structured perceptron: the optimal energy with the labels at their true values, less that
	// without.
	Perceptron
	// Energy is the optimal energy with the labels at their true values.
	Energy
	// Likelihood is the pseudo-likelihood of the labels.
	Likelihood
	// Grid tries combinations of weights from a list; this and the following are in package search.
	Grid
	// Random draws weights.
	Random
	// Bayes lets a Gaussian process choose weights.
	Bayes
	// Hyperband draws many weights and gives the promising ones more precise inference.
	Hyperband
	// Climb goes on from the weights that there are, one after another.
	Climb
)
