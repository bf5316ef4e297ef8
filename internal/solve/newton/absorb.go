package newton

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// absorber improves multipliers. At a point near the optimum the gradient g is small but not 0, and the gap over the
// box is of the first order in it. Squared potentials of a single variable can absorb it: if such potentials of
// variable i take the multipliers that they have at y_i - g_i/2S_i, with S_i = Σ w_j a_j² over the active ones, the
// gradient there vanishes and what remains of the gap, g_i²/4S_i, is of the second order. That proves the same gap a
// Newton step or two earlier.
type absorber struct {
	field   *mrf.Field
	singles bool      // there are such potentials at all
	weight  []float64 // S
	step    []float64 // of y, to the point whose multipliers are taken
}

func newAbsorber(field *mrf.Field) *absorber {
	a := &absorber{field: field}
	a.weight = make([]float64, field.Model.Variables)
	a.step = make([]float64, field.Model.Variables)
	a.singles = field.SweepSingles(a.step, nil, func(s *mrf.Span) float64 {
		if s.Block.Exponent == 2 && exact(s.Block) {
			return 1
		}
		return 0
	}) > 0
	return a
}

// gap sets the step for the gradient g at y, and returns what is expected to remain of the gap.
func (a *absorber) gap(y, g []float64) float64 {
	a.weigh(y)
	total := 0.0
	for i, slope := range g {
		whole := slope*y[i] - min(0, slope)
		a.step[i] = 0
		if rest := slope * slope / (4 * a.weight[i]); rest < whole {
			a.step[i] = -slope / (2 * a.weight[i])
			whole = rest
		}
		total += whole
	}
	return total
}

// weigh sets S at y.
func (a *absorber) weigh(y []float64) {
	a.field.SweepSingles(y, a.weight, func(s *mrf.Span) float64 {
		coefficient, _ := s.Single()
		s.Curve() // 2w of the active ones
		for k := range s.D {
			s.D[k] *= coefficient / 2
		}
		return 0
	})
}

// multiply writes the multipliers of a span's potentials at y, of active single ones a step away. The others stay at 0:
// they are not in S, and would take more than there is. The slacks stay as they are.
func (a *absorber) multiply(s *mrf.Span, nu []float64) {
	copy(nu, s.D)
	_, single := s.Single()
	if single {
		s.Move(a.step)
	}
	s.Differentiate()
	for k, d := range nu {
		nu[k], s.D[k] = s.D[k], d
		if single && d <= 0 && s.Block.Kind == mrf.Hinge {
			nu[k] = 0
		}
	}
}

// hopeful is how far above the tolerance a gap may be for the absorber to be tried: it costs a sweep.
const hopeful = 100

// enough tells whether a gap is proven, for a smooth energy at y with gradient g.
func (a *absorber) enough(y, g []float64, value, gap, tolerance float64) bool {
	bound := tolerance * max(1, math.Abs(value))
	if gap <= bound {
		clear(a.step)
		return true
	}
	return a.singles && gap <= hopeful*bound && a.gap(y, g) <= bound
}
