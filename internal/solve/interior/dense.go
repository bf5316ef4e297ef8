package interior

import (
	"github.com/deeppsl/deeppsl/internal/cholesky"
	"github.com/deeppsl/deeppsl/internal/reuse"
)

// dense is the matrix of a step, factored: D + AᵀΘA if that is small, or else its Schur complement Θ⁻¹ + A D⁻¹ Aᵀ, for
// the steps of the multipliers. Hard rows need the latter: their stiffness is so high that a difference of products
// with it has no digit left.
type dense struct {
	small   bool      // it is the first of these
	size    int       // of the matrix
	lower   []float64 // Cholesky's factor, by rows; above the diagonal there is anything
	v       []float64
	columns [][]entry // of A, its rows of several variables, for the second
}

// entry is a coefficient of a column.
type entry struct {
	row  int32
	coef float64
}

// choose takes the smaller of the two, or the second where the first is of no use, and returns its order.
func (s *dense) choose(p *program) int {
	s.size = len(p.several)
	if s.small = p.n <= s.size && !p.rigid && !p.steep; s.small {
		s.size = p.n
	}
	return s.size
}

// keep says which rows have steps of their multipliers.
func (s *dense) keep(p *program) {
	for _, j := range p.several {
		p.rows[j].kept = !s.small
	}
}

// factor implements matrix.
func (s *dense) factor(p *program) bool {
	s.lower, s.v = reuse.Len(s.lower, s.size*s.size), reuse.Len(s.v, s.size)
	clear(s.lower)
	if s.small {
		s.assemble(p)
	} else {
		s.assembleRows(p)
	}
	_, ok := cholesky.Factor(s.lower, s.size)
	return ok
}

// assemble writes D + AᵀΘA.
func (s *dense) assemble(p *program) {
	for i, d := range p.diagonal {
		s.lower[i*s.size+i] = d
	}
	for _, j := range p.several {
		r := &p.rows[j]
		for k := r.first; k < r.last; k++ {
			at, a := int(p.index[k]), r.stiffness*p.coef[k]
			for l := r.first; l < r.last; l++ {
				if i := int(p.index[l]); i <= at {
					s.lower[at*s.size+i] += a * p.coef[l]
				}
			}
		}
	}
}

// assembleRows writes Θ⁻¹ + A D⁻¹ Aᵀ.
func (s *dense) assembleRows(p *program) {
	for len(s.columns) < p.n {
		s.columns = append(s.columns, nil)
	}
	for i := range p.n {
		s.columns[i] = s.columns[i][:0]
	}
	for m, j := range p.several {
		r := &p.rows[j]
		s.lower[m*s.size+m] = 1 / r.stiffness
		for k := r.first; k < r.last; k++ {
			i := p.index[k]
			s.columns[i] = append(s.columns[i], entry{int32(m), p.coef[k]})
		}
	}
	for i, column := range s.columns[:p.n] {
		inverse := 1 / p.diagonal[i]
		for k, a := range column {
			row := s.lower[int(a.row)*s.size:]
			for _, b := range column[:k+1] {
				row[b.row] += inverse * a.coef * b.coef
			}
		}
	}
}

// solve implements matrix.
func (s *dense) solve(p *program) {
	if s.small {
		cholesky.Solve(s.lower, s.size, p.rhs)
		copy(p.dy, p.rhs)
		return
	}
	for i, r := range p.rhs {
		p.dy[i] = r / p.diagonal[i]
	}
	for m, j := range p.several {
		r := &p.rows[j]
		s.v[m] = p.product(r, p.dy) + r.lift
	}
	cholesky.Solve(s.lower, s.size, s.v)
	clear(p.rhs)
	for m, j := range p.several {
		r := &p.rows[j]
		r.dmu = s.v[m]
		p.addTo(r, r.dmu, p.rhs)
	}
	for i, r := range p.rhs {
		p.dy[i] -= r / p.diagonal[i]
	}
}
