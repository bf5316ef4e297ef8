package newton

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// absorber improves multipliers. At a point near the optimum the gradient g is small but not 0, and the gap over the
// box is of the first order in it. Squared potentials of a single variable, and sums without a variable in common, can
// absorb it. While all others keep their multipliers, the best that those of variable i can have are the ones at the
// minimiser of the energy along y_i with everything else linearised, and what remains of the gap is how far that
// minimum is below the energy: of the second order, g_i²/2H_ii where nothing bends. Variables that only a sum holds
// back would keep their whole gap, so that the sums' multipliers move too. That proves the same gap a Newton step or
// two earlier.
type absorber struct {
	field   *mrf.Field
	singles *mrf.Singles // nil if there are none
}

func newAbsorber(field *mrf.Field) *absorber {
	return &absorber{field: field, singles: field.NewSingles()}
}

// multiply writes the multipliers of a span's potentials, if they are single ones, those a step away from y, or sums.
// All others have their derivatives.
func (a *absorber) multiply(s *mrf.Span, nu []float64) bool {
	if a.singles == nil {
		return false
	}
	shift, single := a.singles.Shift(s), s.SquaredSingles()
	if shift == nil && !single {
		return false
	}
	copy(nu, s.D)
	if single {
		s.Move(a.singles.Step)
	}
	s.Differentiate()
	for k, d := range nu {
		nu[k], s.D[k] = s.D[k], d
		if shift != nil {
			nu[k] += shift[k]
		}
	}
	return true
}

// hopeful is how far above the tolerance a gap may be for the absorber to be tried: it costs half a sweep,
// and what it leaves of a gap near an optimum is mostly less than a hundredth.
const hopeful = 1000

// unabsorbed is the part of the tolerance that need not be absorbed.
const unabsorbed = 0.01

// enough tells whether a gap is proven, for a smooth energy at y with gradient g.
func (a *absorber) enough(y, g []float64, value, gap, tolerance float64) bool {
	bound := tolerance * max(a.field.Grain(), math.Abs(value))
	if a.singles == nil {
		return gap <= bound
	}
	a.singles.Clear()
	if gap <= bound || gap > hopeful*bound {
		return gap <= bound
	}
	return a.singles.Minimise(y, g, unabsorbed*bound/float64(len(y))) <= bound
}
