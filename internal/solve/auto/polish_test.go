package auto

import (
	"context"
	"math"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Values that a small problem's energy is flat around must be found to more digits than the gap that is asked for says:
// two slight squares beside a steep hinge and a linear potential, for which multipliers are sought.
func TestSmallProblemsArePolished(t *testing.T) {
	at := func(i int, coef float64) mrftest.Term { return mrftest.Term{Index: i, Coef: coef} }
	b := mrftest.New(3, 0, 3).Rule(0, mrf.Absolute, 2)
	b.Add(-0.75, []mrftest.Term{at(0, 1)}, nil).Add(-0.75, []mrftest.Term{at(1, 1)}, nil)
	b.Rule(1, mrf.Hinge, 2).Add(0, []mrftest.Term{at(0, 1), at(1, -1)}, nil)
	b.Rule(2, mrf.Absolute, 1).Add(-0.5, []mrftest.Term{at(2, 1)}, nil)
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{1e-3, 1, 1})
	solver, err := Inference("auto", field, solve.Settings{}, Options{Presolve: true, Split: true, Polish: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := solver.Solve(context.Background())
	if err != nil || r.Status != solve.Optimal {
		t.Fatalf("%v, %v", r, err)
	}
	for i, want := range []float64{0.75, 0.75, 0.5} {
		if math.Abs(r.Y[i]-want) > 1e-6 {
			t.Errorf("y = %v with a gap of %v, want %v", r.Y, r.Gap, want)
		}
	}
}
