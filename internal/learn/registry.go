package learn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/named"
)

// MethodInfo is a row of the registry of methods.
type MethodInfo struct {
	Name string
	Doc  string // what it does, in a few words
	// Like names a method whose defaults the options have; "" if the table of options has its own.
	Like string
	// New makes what it descends on; nil of searches, which try weights by their score.
	New func(Task, Settings) (Objective, error)
	// OfAnswer says that its loss is of the answer, of so much a label; energies have a unit of their own.
	OfAnswer bool
	// Inexact says in a sentence why its gradient is not quite the loss's derivative; "" if it is.
	Inexact string
}

// methods is the registry of methods, by Method.
var methods = []MethodInfo{
	ConvexDifference: {Name: "deeppsl", Doc: "the paper's Algorithm 1", New: differenceOf, OfAnswer: true,
		Inexact: "A surrogate is not a derivative: a cosine of 0.8 is usual."},
	Implicit:   {Name: "implicit", Doc: "the exact derivative", New: implicitOf, OfAnswer: true},
	Perceptron: {Name: "perceptron", Doc: "the labels' energy less the least one", New: energiesOf(Perceptron)},
	Energy:     {Name: "energy", Doc: "the labels' energy", New: energiesOf(Energy)},
	Likelihood: {Name: "likelihood", Doc: "the labels' pseudo-likelihood", New: energiesOf(Likelihood),
		Inexact: "The pseudo-likelihood holds targets without a label where they are best, so that its gradient is not " +
			"quite the derivative."},
	Grid:      {Name: "grid", Doc: "combinations of weights"},
	Random:    {Name: "random", Doc: "random weights"},
	Bayes:     {Name: "bayes", Doc: "weights that a Gaussian process chooses"},
	Hyperband: {Name: "hyperband", Doc: "random weights, the better ones with more effort"},
	Climb:     {Name: "climb", Doc: "the weights one after another, larger or smaller by a factor"},
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
func BilevelLoss(name string) (kind label.LossKind, ok bool) {
	switch strings.TrimPrefix(strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]), "online") {
	case "squarederror":
		return label.SquaredError, true
	case "binarycrossentropy":
		return label.BinaryCrossEntropy, true
	}
	return 0, false
}

// Methods returns the registry.
func Methods() []MethodInfo { return slices.Clone(methods) }

// Register adds a method. It is called when packages are initialised.
func Register(row MethodInfo) Method {
	methods = append(methods, row)
	return Method(len(methods) - 1)
}

// String returns the method's name as configurations write it.
func (m Method) String() string { return methods[m].Name }

// ParseMethod returns the method with the given name, or with that of a class of PSL's, with or without its package.
func ParseMethod(name string) (Method, error) {
	method, err := named.Of[Method](len(methods), strings.ToLower(name))
	if err == nil {
		return method, nil
	}
	class := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	if method, ok := pslMethods[class]; ok {
		return method, nil
	}
	return 0, fmt.Errorf("%w, or a class of PSL's such as StructuredPerceptron", err)
}

// Info returns the method's row.
func (m Method) Info() MethodInfo { return methods[m] }

// Searches tells whether the method tries weights by their score and needs no gradient.
func (m Method) Searches() bool { return methods[m].New == nil }

// objective makes what the method descends on.
func (m Method) objective(task Task, settings Settings) (Objective, error) {
	if m.Searches() {
		return nil, fmt.Errorf("%v is a search, not a descent", m)
	}
	return methods[m].New(task, settings)
}
