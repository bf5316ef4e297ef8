package auto

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Solve implements solve.Solver. It solves in terms of the largest weight, so that what weights are measured in changes
// nothing: not the point, not by a bit.
func (p *inference) Solve(ctx context.Context) (*solve.Result, error) {
	if err := p.field.Check(); err != nil {
		return nil, err
	}
	p.began = time.Now()
	theta := slices.Clone(p.field.Weights())
	weights := p.weights()
	largest := slices.Max(append(weights, 0))
	if largest == 0 {
		return p.simplify(ctx)
	}
	scaled, exact := shares(weights, largest)
	p.field.SetWeights(scaled)
	defer p.field.SetWeights(theta)
	duals := p.duals
	p.duals = slices.Clone(duals)
	p.multiply(p.duals, 1/largest)
	defer func() { p.duals = duals }()
	result, err := p.simplify(ctx)
	if err != nil {
		return nil, err
	}
	p.polish(ctx, result)
	if p.kept != nil { // whose next Solve writes where it has its own
		result.Multipliers = slices.Clone(result.Multipliers)
	}
	p.multiply(result.Multipliers, largest)
	p.field.SetWeights(theta)
	p.restate(result, largest, exact)
	return result, nil
}

// weights are those of the rules that have soft ground rules, and 0 for all others, whose weights must change nothing.
func (p *inference) weights() []float64 {
	weights := make([]float64, p.field.Model.Rules)
	for _, b := range p.field.Model.Blocks {
		if b.Len > 0 && !b.Kind.Hard() {
			weights[b.Rule] = p.field.Weights()[b.Rule]
		}
	}
	return weights
}

// multiply multiplies v by c, where it lies: multipliers can be most of the memory that a solve takes.
func (p *inference) multiply(v []float64, c float64) {
	parallel.Range(parallel.Threads(p.settings.Threads), len(v), func(lo, hi int) {
		for j := lo; j < hi; j++ {
			v[j] *= c
		}
	})
}

// precision is the number of bits that shares are rounded to. Times another factor, weights differ in their last bits,
// of 53, and what the ratios of these are rounded to does not; the answer is that for weights off by 1e-12 of them.
const precision = 40

// shares returns the weights in terms of the largest one, and tells whether nothing was rounded.
func shares(theta []float64, largest float64) (scaled []float64, exact bool) {
	scaled, exact = make([]float64, len(theta)), true
	for r, w := range theta {
		fraction, exponent := math.Frexp(w / largest)
		scaled[r] = math.Ldexp(math.RoundToEven(math.Ldexp(fraction, precision)), exponent-precision)
		exact = exact && scaled[r]*largest == w
	}
	fraction, _ := math.Frexp(largest)
	return scaled, exact && fraction == 0.5
}

// restate makes the certificate of a result one about the field's own weights.
func (p *inference) restate(result *solve.Result, largest float64, exact bool) {
	result.Excess *= largest
	if exact {
		result.Objective, result.DualBound = result.Objective*largest, result.DualBound*largest
	} else {
		result.Objective = p.field.Energy(result.Y)
		result.DualBound = result.Objective - result.Gap*max(p.field.Grain(), math.Abs(result.Objective))
	}
	if math.IsInf(result.Objective, 0) && result.Status == solve.Optimal {
		result.Status = solve.NumericalError
	}
}
