package search

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/cholesky"
)

// process is a Gaussian process over points with a squared-exponential kernel,
//
//	k(a, b) = exp(-|a-b|²/2ℓ²) + σ² [a = b],
//
// conditioned on standardised scores (Rasmussen & Williams 2006, algorithm 2.1). The length scale ℓ and the noise σ²
// are those of a small grid that make the scores most likely.
type process struct {
	points   [][]float64
	length   float64
	factor   []float64 // K's, of Cholesky
	alpha    []float64 // K⁻¹ times the scores
	best     float64   // the highest score, standardised
	evidence float64   // the scores' log likelihood, but for a constant
}

// The grid of hyper-parameters. Lengths are in units of a logarithm times the root of the number of dimensions.
var (
	lengths = []float64{0.5, 1, 2, 4, 8}
	noises  = []float64{1e-6, 1e-3, 1e-1}
)

// fit returns the most likely process for the scores at the points, of which there is at least one.
func fit(points [][]float64, scores []float64) *process {
	standard := standardise(scores)
	unit := math.Sqrt(float64(len(points[0])))
	var best *process
	for _, length := range lengths {
		for _, noise := range noises {
			p := condition(points, standard, length*unit, noise)
			if p != nil && (best == nil || p.evidence > best.evidence) {
				best = p
			}
		}
	}
	if best == nil {
		panic("search: no kernel matrix is positive definite")
	}
	return best
}

// standardise returns the scores with mean 0 and variance 1, or all 0 if they are equal.
func standardise(scores []float64) []float64 {
	mean, square := 0.0, 0.0
	for _, s := range scores {
		mean += s / float64(len(scores))
	}
	for _, s := range scores {
		square += (s - mean) * (s - mean) / float64(len(scores))
	}
	out := make([]float64, len(scores))
	for k, s := range scores {
		if square > 0 {
			out[k] = (s - mean) / math.Sqrt(square)
		}
	}
	return out
}

// condition computes the process given the scores; nil if the kernel matrix is not positive definite to rounding.
func condition(points [][]float64, scores []float64, length, noise float64) *process {
	n := len(points)
	p := &process{
		points: points, length: length, factor: make([]float64, n*n), alpha: slices.Clone(scores), best: slices.Max(scores)}
	for i := range n {
		for j := range i {
			p.factor[i*n+j] = p.kernel(points[i], points[j])
		}
		p.factor[i*n+i] = 1 + noise
	}
	if dependent, finite := cholesky.Factor(p.factor, n); dependent > 0 || !finite {
		return nil
	}
	cholesky.Solve(p.factor, n, p.alpha)
	p.evidence = -0.5*dot(scores, p.alpha) - 0.5*cholesky.LogDet(p.factor, n)
	return p
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func (p *process) kernel(a, b []float64) float64 {
	square := 0.0
	for k := range a {
		square += (a[k] - b[k]) * (a[k] - b[k])
	}
	return math.Exp(-square / (2 * p.length * p.length))
}

// predict returns the mean and the standard deviation of the score at a point.
func (p *process) predict(point []float64) (mean, deviation float64) {
	k := make([]float64, len(p.points))
	for i, known := range p.points {
		k[i] = p.kernel(point, known)
	}
	v := slices.Clone(k)
	cholesky.Solve(p.factor, len(k), v)
	return dot(k, p.alpha), math.Sqrt(math.Max(0, 1-dot(k, v)))
}

// improvement is the expectation of how much the score at the point exceeds the best so far.
func (p *process) improvement(point []float64) float64 {
	mean, deviation := p.predict(point)
	if deviation == 0 {
		return math.Max(0, mean-p.best)
	}
	z := (mean - p.best) / deviation
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	return (mean-p.best)*0.5*math.Erfc(-z/math.Sqrt2) + deviation*density
}
