package explain

import (
	"math"
	"testing"
)

// Tight potentials that say nearly the same leave a matrix that has an inverse.
func TestNearlyEqualRows(t *testing.T) {
	for _, apart := range []float64{1, 1e-2, 1e-3, 1e-4, 1e-5} {
		p := &piece{scale: 1, variables: []int32{0, 1, 2},
			squares: []row{{h: 1, index: []int32{0}, coef: []float64{1}}, {h: 1, index: []int32{1}, coef: []float64{1}}},
			tights: []row{
				{index: []int32{0, 1, 2}, coef: []float64{1 + apart, 1, -1}},
				{index: []int32{0, 1, 2}, coef: []float64{1, 1 + apart, -1}}},
		}
		p.assemble(1)
		right := []float64{1, 0, 0, 0, 0}
		x, ok := p.solve(right)
		if p.subtract(x, right); !ok || p.norm(right) > rough {
			t.Errorf("%v apart: a residual of %v is left by %v", apart, p.norm(right), x)
		}
	}
}

// Squares of large coefficients beside weak ones leave residuals of rounding that are no small part of a right-hand
// side: what is small beside the terms that make it up is a solution all the same.
func TestLittleCurvature(t *testing.T) {
	for _, large := range []float64{1, 1e2, 1e4, 1e5} {
		p := &piece{scale: 1, variables: []int32{0, 1}, squares: []row{
			{h: 1, index: []int32{0, 1}, coef: []float64{large, large}}, {h: 0.1, index: []int32{0}, coef: []float64{1}},
			{h: 0.1, index: []int32{1}, coef: []float64{1}}}}
		p.assemble(1)
		x, ok := p.solve([]float64{1, 0})
		det := 0.01 + 0.2*large*large // of K
		want := []float64{(0.1 + large*large) / det, -large * large / det}
		if far := max(math.Abs(x[0]-want[0]), math.Abs(x[1]-want[1])); !ok || far > 1e-5 {
			t.Errorf("coefficients of %v: %v, %v", large, x, ok)
		}
	}
	p := &piece{scale: 1, variables: []int32{0, 1}, squares: []row{{h: 1, index: []int32{0, 1}, coef: []float64{1, 1}}}}
	p.assemble(1)
	if x, ok := p.solve([]float64{1, 0}); ok {
		t.Errorf("a matrix without an inverse has the solution %v", x)
	}
}
