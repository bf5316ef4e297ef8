package perception

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/kernel"
	"github.com/deeppsl/deeppsl/internal/named"
	"github.com/deeppsl/deeppsl/internal/parallel"
)

// Optimiser turns gradients into new parameter values. It keeps its state per parameter, in the order in which the
// parameters are given, so every call must give the same parameters.
type Optimiser struct {
	Kind OptimiserKind
	// Decay is the L2 weight decay λ: λ·value is added to the gradient of parameters that decay. Some have their own.
	Decay float64
	// BiasShare is the share of it that biases have; 0 stands for all.
	BiasShare float64
	// Shares says that it suits the number of labels, so that parameters have their Share of it.
	Shares bool
	// Threads bounds the goroutines at work; 0 means one per core. Results do not depend on it.
	Threads int

	moments Moments
}

// Moments are what an optimiser knows of the gradients until now.
type Moments struct {
	Step   int            // how many there were
	Values [][2][]float32 // two running moments of each parameter, as far as the kind has them
}

// Moments returns what the next step depends on; it is the optimiser's own.
func (o *Optimiser) Moments() Moments { return o.moments }

// Resume goes on from there.
func (o *Optimiser) Resume(from Moments) { o.moments = from }

// DecayMass is the default of decay times the number of labels. Logistic regression has 1 by custom; half of it does as
// well on measurements, and better on words and on many classes.
const DecayMass = 0.5

// OptimiserKind names an update rule.
type OptimiserKind uint8

const (
	// SGD is plain gradient descent.
	SGD OptimiserKind = iota
	// Adagrad divides by the root of the sum of squared gradients (Duchi et al. 2011), ε = 1e-10.
	Adagrad
	// Adam is Kingma & Ba (2015), β = (0.9, 0.999), ε = 1e-8, with bias correction.
	Adam
)

var optimiserNames = []string{"sgd", "adagrad", "adam"}

// String returns the kind's name as configurations write it.
func (k OptimiserKind) String() string { return optimiserNames[k] }

// ParseOptimiser returns the kind with the given name.
func ParseOptimiser(name string) (OptimiserKind, error) {
	return named.Of[OptimiserKind](len(optimiserNames), name)
}

// Step moves every parameter against its gradient with the given learning rate, and sets the gradients to 0.
func (o *Optimiser) Step(parameters []*Parameter, rate float64) {
	o.moments.Step++
	if o.moments.Values == nil {
		o.moments.Values = make([][2][]float32, len(parameters))
	}
	for k, p := range parameters {
		o.update(k, p, rate)
	}
}

func (o *Optimiser) update(k int, p *Parameter, rate float64) {
	if p.Keeper != nil {
		p.Keeper.Step(o.Kind, rate, o.decay(p))
		return
	}
	if lambda := o.decay(p); lambda > 0 {
		share, many := o.share(p)
		for i, value := range p.Value[:many] {
			p.Gradient[i] += float32(share*lambda) * value
		}
		for i, value := range p.Value[many:] {
			p.Gradient[many+i] += float32(lambda) * value
		}
	}
	switch o.Kind {
	case SGD:
		for i, g := range p.Gradient {
			p.Value[i] -= float32(rate) * g
		}
		clear(p.Gradient)
	case Adagrad:
		o.adagrad(p, o.moment(k, 0, len(p.Value)), rate)
		clear(p.Gradient)
	case Adam:
		o.adam(p, o.moment(k, 0, len(p.Value)), o.moment(k, 1, len(p.Value)), rate)
	}
}

// decay is the λ of a parameter.
func (o *Optimiser) decay(p *Parameter) float64 {
	switch {
	case !p.Decay:
		return 0
	case p.OwnDecay != nil:
		return *p.OwnDecay
	case p.Bias && o.BiasShare > 0:
		return o.BiasShare * o.Decay
	}
	return o.Decay
}

// share returns how many times the λ of a parameter so many of its values have, the first ones; the others have it
// once.
func (o *Optimiser) share(p *Parameter) (times float64, many int) {
	switch {
	case !o.Shares || p.OwnDecay != nil || p.Share == 0:
		return 1, len(p.Value)
	case p.ButLast:
		return p.Share, len(p.Value) - 1
	}
	return p.Share, len(p.Value)
}

// Penalty returns ½·Σ λ·value² over all parameters, whose gradient is what decay adds.
func (o *Optimiser) Penalty(parameters []*Parameter) float64 {
	sum := 0.0
	for _, p := range parameters {
		if lambda := o.decay(p); lambda > 0 {
			share, many := o.share(p)
			sum += lambda / 2 * (share*squares(p.Value[:many]) + squares(p.Value[many:]))
		}
	}
	return sum
}

// squares returns the sum of the squares.
func squares(values []float32) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(v) * float64(v)
	}
	return sum
}

// moment returns the m-th running moment of parameter k, all 0 at first.
func (o *Optimiser) moment(k, m, size int) []float32 {
	if o.moments.Values[k][m] == nil {
		o.moments.Values[k][m] = make([]float32, size)
	}
	return o.moments.Values[k][m]
}

func (o *Optimiser) adagrad(p *Parameter, sum []float32, rate float64) {
	for i, g := range p.Gradient {
		sum[i] += g * g
		p.Value[i] -= float32(rate * float64(g) / (math.Sqrt(float64(sum[i])) + 1e-10))
	}
}

func (o *Optimiser) adam(p *Parameter, mean, square []float32, rate float64) {
	const beta1, beta2 = 0.9, 0.999
	step := kernel.Adam{
		Beta1: beta1, Beta2: beta2, Epsilon: 1e-8, Rate: rate / (1 - math.Pow(beta1, float64(o.moments.Step))),
		Unbias: 1 / math.Sqrt(1-math.Pow(beta2, float64(o.moments.Step))),
	}
	parallel.Range(parallel.Threads(o.Threads), len(p.Value), func(lo, hi int) {
		step.Step(p.Value[lo:hi], p.Gradient[lo:hi], mean[lo:hi], square[lo:hi])
	})
}
