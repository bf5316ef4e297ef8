package learn

import (
	"fmt"
	"slices"
	"strings"
)

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
)

var methodNames = []string{
	"deeppsl", "implicit", "perceptron", "energy", "likelihood", "grid", "random", "bayes", "hyperband",
}

// pslMethods are PSL's class names, in lower case. Its perceptron went by the name of a maximum likelihood estimate
// with a most probable explanation in place of the expectation; the pseudo-likelihood replaces its samples by
// quadrature.
var pslMethods = map[string]Method{
	"structuredperceptron":         Perceptron,
	"maxlikelihoodmpe":             Perceptron,
	"lazymaxlikelihoodmpe":         Perceptron,
	"maxlikelihood":                Likelihood,
	"maxpseudolikelihood":          Likelihood,
	"maxpiecewisepseudolikelihood": Likelihood,
	"energy":                       Energy,
	"gridsearch":                   Grid,
	"randomgridsearch":             Grid,
	"continuousrandomgridsearch":   Random,
	"guidedrandomgridsearch":       Bayes,
	"gaussianprocessprior":         Bayes,
	"hyperband":                    Hyperband,
	"squarederror":                 Implicit,
	"onlinesquarederror":           Implicit,
	"binarycrossentropy":           Implicit,
	"onlinebinarycrossentropy":     Implicit,
}

// BilevelLoss returns the loss of the answer that one of PSL's bilevel classes is named after. PSL approximates its
// derivative by an augmented Lagrangian; Implicit is exact.
func BilevelLoss(name string) (kind LossKind, ok bool) {
	switch strings.TrimPrefix(strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]), "online") {
	case "squarederror":
		return SquaredError, true
	case "binarycrossentropy":
		return BinaryCrossEntropy, true
	}
	return 0, false
}

// String returns the method's name as configurations write it.
func (m Method) String() string { return methodNames[m] }

// ParseMethod returns the method with the given name, or with that of a class of PSL's, with or without its package.
func ParseMethod(name string) (Method, error) {
	if at := slices.Index(methodNames, strings.ToLower(name)); at >= 0 {
		return Method(at), nil
	}
	class := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	if method, ok := pslMethods[class]; ok {
		return method, nil
	}
	return 0, fmt.Errorf("want one of %s, or a class of PSL's such as StructuredPerceptron",
		strings.Join(methodNames, ", "))
}

// Searches tells whether the method tries weights by their score and needs no gradient.
func (m Method) Searches() bool { return m >= Grid }

// needsLabels tells whether the method compares energies at the labels' true values: those that rule weights alone are
// learned with in plain PSL.
func (m Method) needsLabels() bool { return m == Perceptron || m == Energy || m == Likelihood }

// WeightDefaults returns the settings that suit learning the weights of rules with the method; those of
// ConvexDifference and Implicit, which are the paper's, are the caller's.
func WeightDefaults(method Method) Settings {
	s := Settings{Method: method, Steps: 1, NetworkRate: 1e-2, Optimiser: Adam, Movement: 5e-4,
		Loss: Loss{Kind: SquaredError, Floor: DefaultFloor}}
	switch method {
	case Likelihood:
		s.Epochs, s.RuleRate, s.Update, s.L2 = 100, 0.1, Logarithmic, 1e-4
	case Energy:
		// Without a force towards the middle the energy is least in a corner: all weight on the rule that is broken
		// least.
		s.Epochs, s.RuleRate, s.Update, s.Barrier, s.Sharpen = 100, 0.5, Mirror, 1, 0.1
	default:
		s.Epochs, s.RuleRate, s.Update, s.Barrier = 100, 0.5, Mirror, 0.02
		s.L2 = 0.1
	}
	return s
}
