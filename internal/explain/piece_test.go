package explain

import "testing"

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
