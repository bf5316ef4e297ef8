package learn

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// implicitSolver solves (H + νI)v = ∇L by conjugate gradients, with the Hessian's diagonal as preconditioner. The loss
// touches few variables and H is well conditioned by the priors, so some tens of products are enough.
type implicitSolver struct {
	hessian                         *mrf.Hessian
	all                             []bool // every variable is free
	residual, step, product, scaled []float64
}

const (
	implicitTolerance  = 1e-8
	implicitIterations = 500
)

// solve writes v. H is the generalised Hessian of the active potentials at y, plus boxCurvature on active bounds.
func (s *implicitSolver) solve(field *mrf.Field, y, slope []float64, ridge float64, v []float64) {
	s.assemble(field, y, ridge)
	clear(v)
	copy(s.residual, slope)
	rho := s.precondition()
	copy(s.step, s.scaled)
	target := implicitTolerance * implicitTolerance * dot(slope, slope)
	for range implicitIterations {
		if dot(s.residual, s.residual) <= target {
			return
		}
		s.hessian.Mul(s.step, s.product)
		length := rho / dot(s.step, s.product)
		for i, d := range s.step {
			v[i] += length * d
			s.residual[i] -= length * s.product[i]
		}
		next := s.precondition()
		for i, z := range s.scaled {
			s.step[i] = z + next/rho*s.step[i]
		}
		rho = next
	}
}

// assemble sets the matrix up over all variables.
func (s *implicitSolver) assemble(field *mrf.Field, y []float64, ridge float64) {
	if s.hessian == nil {
		s.hessian = field.NewHessian()
		s.all = make([]bool, len(y))
		for i := range s.all {
			s.all[i] = true
		}
		for _, p := range []*[]float64{&s.residual, &s.step, &s.product, &s.scaled} {
			*p = make([]float64, len(y))
		}
	}
	s.hessian.Assemble(y, s.all, ridge, (*mrf.Span).Curve)
	field.Gradient(y, s.scaled)
	diagonal := s.hessian.Diagonal
	for i, g := range s.scaled {
		if y[i] <= 0 && g > 0 || y[i] >= 1 && g < 0 {
			diagonal[i] += 2 * boxCurvature
		}
		diagonal[i] = math.Max(diagonal[i], 1e-12)
	}
}

// precondition sets scaled to the residual divided by the diagonal, and returns their scalar product.
func (s *implicitSolver) precondition() float64 {
	for i, r := range s.residual {
		s.scaled[i] = r / s.hessian.Diagonal[i]
	}
	return dot(s.residual, s.scaled)
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
