package solve_test

import (
	"math"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Two constraints whose multipliers push a variable both ways prove nothing about a weight that is less than what
// rounding leaves of them.
func TestLargeMultipliersHideNothing(t *testing.T) {
	b := mrftest.New(2, 0, 2).Rule(0, mrf.LessEqual, 0)
	b.Add(0, []term{{Index: 0, Coef: 1}, {Index: 1, Coef: -1}}, nil)
	b.Add(0, []term{{Index: 0, Coef: -1}, {Index: 1, Coef: 1}}, nil)
	b.Rule(1, mrf.Linear, 1).Add(0, at(0, 1), nil)
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{1, 1e-14})
	y := []float64{0.5, 0.5} // the optimum is 0
	if c := solve.Certify(field, y, []float64{250, 250, 1e-14}); c.Gap < 1e-6 {
		t.Errorf("a gap of %v was proven of a point that costs too much: %+v", c.Gap, c)
	}
	y = []float64{0, 0}
	if c := solve.Certify(field, y, []float64{0, 1e-14, 1e-14}); math.Abs(c.Gap) > 1e-6 {
		t.Errorf("a gap of %v is left at the optimum", c.Gap)
	}
}

// A constraint whose multiplier is large, as one of its coefficients is small, hides nothing of variables that it
// pushes against the bound where they are.
func TestLargeMultipliersAtBounds(t *testing.T) {
	b := mrftest.New(2, 0, 2).Rule(0, mrf.LessEqual, 0)
	b.Add(0, []term{{Index: 0, Coef: 1e-10}, {Index: 1, Coef: 1}}, nil)
	b.Rule(1, mrf.Linear, 1).Add(1, at(0, -1), nil)
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{1, 1e-3})
	if c := solve.Certify(field, []float64{0, 0}, []float64{1e7, 1e-3}); math.Abs(c.Gap) > 1e-9 {
		t.Errorf("a gap of %v is left at the optimum", c.Gap)
	}
}

// What multipliers of hard rules hide must not hide the rest of a gap, however large they are.
func TestLargeMultipliersHideNothingElse(t *testing.T) {
	b := mrftest.New(2, 0, 2)
	b.Rule(0, mrf.Equal, 0).Add(0, []mrftest.Term{{Index: 0, Coef: 1}}, nil)
	b.Rule(1, mrf.Hinge, 1).Add(0, []mrftest.Term{{Index: 1, Coef: 1}}, nil)
	f := mrf.NewField(b.Model())
	f.SetWeights([]float64{0, 1})
	for _, mu := range []float64{0, 1e8, 1e16, 1e32} {
		c := solve.NewCertifier(f).Certify([]float64{0, 1}, []float64{mu, 0})
		if math.Abs(c.Gap-1) > 1e-7 {
			t.Errorf("a multiplier of %g: a gap of %g, and not 1", mu, c.Gap)
		}
	}
}
