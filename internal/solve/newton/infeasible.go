package newton

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// doubting is the part of the work so far that a search for a contradiction may take. Another doubt has more.
const doubting = 0.25

// contradictory tells whether the hard constraints contradict each other, and if so makes the result say it. It looks
// for the point of least squared violation, itself a smooth problem of the same form, and takes the violations there,
// r, for a ray of multipliers. As
//
//	R = Σ_j r_j c_j + Σ_i min(0, (Aᵀr)_i)
//
// is a lower bound on Σ_j r_j d_j(y) for all y in the box, every point violates some constraint by R / Σ|r_j| or more
// (Farkas). If the constraints can be satisfied, the search leaves a nearly feasible point for the outer iterations to
// go on from; if it is interrupted, or takes too much of the work, the point and the multipliers that there were.
func (s *Solver) contradictory() bool {
	kept := *s.env
	scale := kept.hardness // the multipliers stay, and are to be of the size of the weights
	s.env.constraintsOnly, s.env.steepness = true, 1
	s.env.mu = kept.mu.zero()
	shift := s.inner.shift
	s.inner.shift, s.inner.unit, s.inner.grain = 0, scale, scale
	copy(s.inner.centre, s.inner.y)
	before, spent := s.inner.spent(), false
	s.inner.minimiseUntil(func(value, gap float64) bool {
		spent = s.inner.spent() > before*(1+doubting)
		return spent || value <= scale*s.settings.Feasibility*s.settings.Feasibility/2 || gap <= value/10
	})
	s.env.multipliers(s.inner.y, &s.nu)
	bound, length := s.ray()
	found := bound > solve.Contradiction(s.settings.Feasibility)*length
	*s.env, s.inner.shift, s.inner.unit, s.inner.grain = kept, shift, s.field.Unit(), s.field.Grain()
	switch {
	case found:
		s.sayInfeasible()
	case spent || s.interrupted():
		copy(s.inner.y, s.inner.centre)
		s.check()
	}
	return found
}

// ray returns R and Σ|r_j| for the multipliers nu.
func (s *Solver) ray() (bound, length float64) {
	g := make([]float64, s.field.Model.Variables)
	bound = s.field.Sweep(s.inner.y, g, func(sp *mrf.Span) float64 {
		nu, total := s.nu.of(sp), 0.0
		if nu == nil {
			clear(sp.D)
			return 0
		}
		sp.Constants(sp.Spare)
		for k, c := range sp.Spare {
			sp.D[k] = nu[k]
			total += nu[k] * c
		}
		return total
	})
	for _, v := range g {
		bound += min(0, v)
	}
	for _, r := range s.nu.values {
		length += math.Abs(r)
	}
	return bound, length
}

// negligible is the part of the largest multiplier below which a constraint has no part in a conflict.
const negligible = 1e-4

// sayInfeasible makes the result name the constraints with a part in the ray. The dual bound grows without limit along
// the ray; the multipliers are a place on it where the bound exceeds the energy of the least violating point.
func (s *Solver) sayInfeasible() {
	largest := 0.0
	for _, r := range s.nu.values {
		largest = max(largest, math.Abs(r))
	}
	s.nu.each(s.field.Model.Blocks, func(j int, r float64) {
		if math.Abs(r) > negligible*largest {
			s.result.Conflict = append(s.result.Conflict, j)
		}
	})
	bound, _ := s.ray()
	length := 2 * (s.field.Unit() + max(0, s.field.Energy(s.inner.y))) / bound
	for j := range s.nu.values {
		s.nu.values[j] *= length
	}
	s.result.Status = solve.Infeasible
	s.result.Certificate = s.certify.CertifyWith(s.inner.y, s.nu.of, nil)
	s.warm = false
}
