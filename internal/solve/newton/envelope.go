package newton

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// envelope is the smooth stand-in for the energy that one outer iteration minimises. Squared potentials stand for
// themselves. Linear hinges, absolute values and constraints, whose conjugates have a bounded or one-sided domain
// [lo,hi] and no curvature, are replaced by the augmented Lagrangian's term around their present multiplier μ,
//
//	e(d) = max over ν in [lo,hi] of ν·d - (ν-μ)²/2ρ,  attained at ν = clip(μ + ρd, lo, hi),
//
// a Huber-like function with derivative ν, and curvature ρ where ν is strictly inside.
type envelope struct {
	field *mrf.Field
	mu    multipliers // those of exact potentials are only written; none if all are exact
	// steepness is ρ/w of linear potentials, and times hardness ρ of constraints.
	steepness, hardness float64
	kinked              bool // some soft potentials are not exact
	// constraintsOnly drops the soft potentials, for the search for a feasible point.
	constraintsOnly bool
}

// exact tells whether the block's potentials are smooth as they are.
func exact(b *mrf.Block) bool {
	return b.Kind == mrf.Linear || b.Exponent == 2 && !b.Kind.Hard()
}

// radius is how far a variable's first steps may lead it: the quadratic model knows nothing beyond the curved pieces of
// linear potentials, which are 1/steepness wide.
func (e *envelope) radius() float64 {
	if !e.kinked || e.constraintsOnly {
		return 1
	}
	return min(1, 1/e.steepness)
}

// differentiate replaces the slacks by the derivatives ν and returns the sum of the terms.
func (e *envelope) differentiate(s *mrf.Span) float64 {
	switch {
	case e.constraintsOnly && !s.Block.Kind.Hard():
		clear(s.D)
		return 0
	case exact(s.Block):
		return s.Differentiate()
	}
	value, mu := 0.0, e.mu.of(s)
	rho, lo, hi := e.shape(s, 0)
	for k, d := range s.D {
		if s.Scale != nil {
			rho, lo, hi = e.shape(s, k)
		}
		nu := min(max(mu[k]+rho*d, lo), hi)
		if rho > 0 {
			value += nu*d - (nu-mu[k])*(nu-mu[k])/(2*rho)
		}
		s.D[k] = nu
	}
	return value
}

// curve replaces the slacks by the terms' curvatures.
func (e *envelope) curve(s *mrf.Span) {
	switch {
	case e.constraintsOnly && !s.Block.Kind.Hard():
		clear(s.D)
		return
	case exact(s.Block):
		s.Curve()
		return
	}
	mu := e.mu.of(s)
	rho, lo, hi := e.shape(s, 0)
	for k, d := range s.D {
		if s.Scale != nil {
			rho, lo, hi = e.shape(s, k)
		}
		curvature := rho
		if nu := mu[k] + rho*d; nu <= lo || nu >= hi {
			curvature = 0
		}
		s.D[k] = curvature
	}
}

// shape returns ρ and the multipliers' domain of the span's k-th potential.
func (e *envelope) shape(s *mrf.Span, k int) (rho, lo, hi float64) {
	w := s.W(k)
	switch s.Block.Kind {
	case mrf.Hinge:
		return e.steepness * w, 0, w
	case mrf.Absolute:
		return e.steepness * w, -w, w
	case mrf.LessEqual:
		return e.steepness * e.hardness, 0, math.Inf(1)
	}
	return e.steepness * e.hardness, math.Inf(-1), math.Inf(1)
}

// multiply writes a span's ν and leaves its slacks as they are. It returns true, as solve.Certifier asks for.
func (e *envelope) multiply(s *mrf.Span, nu []float64) bool {
	copy(nu, s.D)
	e.differentiate(s)
	for k, d := range nu {
		nu[k], s.D[k] = s.D[k], d
	}
	return true
}

// multipliers writes ν at y.
func (e *envelope) multipliers(y []float64, nu *multipliers) {
	e.field.Sweep(y, nil, func(s *mrf.Span) float64 {
		if own := nu.of(s); own != nil {
			e.multiply(s, own)
		}
		return 0
	})
}
