package interior

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/presolve"
)

// Equations that follow from others leave a pivot of nothing but rounding, and steps of any length along their
// combination. They are found in the first matrix of a program, when no variable is near a bound: weak is the part of its
// row's diagonal below which a pivot is looked at, and none the part of a combination that may remain. A pivot is
// about the square of what remains, so that long chains of equations, which are nearly dependent, are told from these.
const (
	weak = 1e-9
	none = 1e-10
)

// examine finds equations that follow from others, which take no part in any step, and tells whether there are any. If
// one contradicts those that it follows from, by more than rounding of tables can be, their multipliers are the proof.
func (s *sparse) examine(p *program) (found bool) {
	solves := s.symbolic.Flops / (4 * s.symbolic.Entries)
	for k, j := range s.kept {
		r := &p.rows[j]
		if r.lower || r.upper || r.compliance > 0 || !s.weak(p, k) {
			continue
		}
		if solves--; solves < 0 {
			break
		}
		if !s.combine(p, k) {
			continue
		}
		if nothing := s.constant(p); nothing > presolve.Affordable*p.feasibility {
			s.contradict(p)
			return true
		} else if nothing <= p.feasibility/4*math.Abs(s.x[p.n+k]) {
			r.idle, found = true, true
		}
	}
	return found
}

// weak tells whether the pivot of a kept row is next to nothing of what its diagonal would be.
func (s *sparse) weak(p *program, k int) bool {
	r, whole := &p.rows[s.kept[k]], 0.0
	for e := r.first; e < r.last; e++ {
		whole += p.coef[e] * p.coef[e] / s.diagonal[p.index[e]]
	}
	pivot := s.factored.Pivot(p.n + k)
	return !(-pivot > weak*whole && -pivot < whole/weak)
}

// combine sets x to the combination of the kept rows of which that one's pivot says that it vanishes, and tells whether
// it does.
func (s *sparse) combine(p *program, k int) bool {
	clear(s.x)
	s.x[p.n+k] = 1
	s.factored.Solve(s.x)
	v := s.x[p.n:]
	size := 1 / largest(v)
	sum, most := resize(s.rest, len(s.rest))[:p.n], 0.0
	clear(sum)
	for l := range v {
		v[l] *= size
		r := &p.rows[s.kept[l]]
		p.addTo(r, v[l], sum)
		for e := r.first; e < r.last; e++ {
			most = max(most, math.Abs(v[l]*p.coef[e]))
		}
	}
	return largest(sum) <= none*most
}

// constant is what the combination in x is for all points, by its size, where it should be 0.
func (s *sparse) constant(p *program) float64 {
	sum := 0.0
	for l, v := range s.x[p.n:] {
		sum += v * p.rows[s.kept[l]].constant
	}
	return math.Abs(sum)
}

// contradict makes the multipliers those of the combination in x.
func (s *sparse) contradict(p *program) {
	p.inconsistent = true
	sum := 0.0
	for k := range p.rows {
		p.rows[k].mu = 0
	}
	for l, v := range s.x[p.n:] {
		r := &p.rows[s.kept[l]]
		r.mu = v
		sum += v * r.constant
	}
	for k := range p.rows {
		p.rows[k].mu *= math.Copysign(1, sum)
	}
}
