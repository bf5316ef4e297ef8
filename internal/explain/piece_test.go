package explain

import (
	"math"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
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

// Leaves of potentials that say nearly the same would add up to where they cross, far away: there are none.
func TestNearDuplicatesHaveNoLeaves(t *testing.T) {
	absolute := func(rule int, a float64) *mrf.Block {
		return &mrf.Block{Rule: rule, Kind: mrf.Absolute, Exponent: 1, Len: 1, Coef: []float64{a, -1}, Vars: []int32{0, 1}}
	}
	pull := func(rule int, i int32, a float64) *mrf.Block {
		return &mrf.Block{Rule: rule, Kind: mrf.Linear, Exponent: 1, Len: 1, Coef: []float64{a}, Vars: []int32{i}}
	}
	least := &mrf.Block{Rule: 4, Kind: mrf.LessEqual, Len: 1, Coef: []float64{-1}, Vars: []int32{0}, Constant: 0.55}
	m := &mrf.Model{Variables: 2, Rules: 5,
		Blocks: []*mrf.Block{absolute(0, 1), absolute(1, 1.0000001), pull(2, 0, -1), pull(3, 1, 1), least}}
	field := mrftest.Field(m, []float64{1, 1, 1, 1, 1}, nil)
	s, err := NewState(field, nil, []float64{0.5562438279694275, 0.5562438571752342},
		[]float64{1.1078015354109888e-06, 0.9999989209644102, 1, 1, 0}, solve.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	e := explain(t, s, 0)
	sum := 0.0
	for _, leaf := range e.Leaves {
		sum += leaf.Contribution
	}
	if math.Abs(e.Unexplained) > 1e-6*e.Sizes || e.Unique && math.Abs(sum-e.Value) > 1e-6 {
		t.Errorf("%+v", e)
	}
}

// A row with large coefficients holds what its multiplier, which is next to nothing, pushes by through these.
func TestLargeCoefficientsPush(t *testing.T) {
	least := &mrf.Block{Rule: 0, Kind: mrf.LessEqual, Len: 1, Coef: []float64{-5000, -5000}, Vars: []int32{0, 1},
		Constant: 0.5}
	weak := func(i int32) *mrf.Block {
		return &mrf.Block{Rule: 1, Kind: mrf.Hinge, Exponent: 2, Len: 1, Coef: []float64{0.01}, Vars: []int32{i}}
	}
	m := &mrf.Model{Variables: 2, Rules: 2, Blocks: []*mrf.Block{least, weak(0), weak(1)}}
	y, mu := []float64{4e-5, 6e-5}, []float64{2e-21, 8e-16, 12e-16}
	s, err := NewState(mrftest.Field(m, []float64{0, 1e-9}, nil), nil, y, mu, solve.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if e := explain(t, s, 0); math.Abs(e.Unexplained) > 1e-6*e.Sizes || math.Abs(e.Value-5e-5) > 1e-9 || !e.Unique {
		t.Errorf("%+v", e)
	}
}

// What is not an optimum by far, and cannot be made one, is not tried for each of its variables again.
func TestHopelessComponents(t *testing.T) {
	small := &component{potentials: make([]int32, 10), vain: 100}
	large := &component{potentials: make([]int32, 10_000), vain: 3}
	if small.hopeless() || large.hopeless() {
		t.Error("too early")
	}
	if large.vain++; !large.hopeless() {
		t.Error("too late")
	}
}
