package interior_test

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// convex is a regression on a curve that neither falls nor bends down, to values along a line that are far from it.
func convex(n int, seed uint64) *mrf.Field {
	rng := rand.New(rand.NewPCG(1, seed))
	b := mrftest.New(n, 0, 3).Rule(0, mrf.LessEqual, 0)
	for k := range n - 2 {
		b.Add(0, []mrftest.Term{{Index: k, Coef: -1}, {Index: k + 1, Coef: 2}, {Index: k + 2, Coef: -1}}, nil)
	}
	b.Rule(1, mrf.LessEqual, 0)
	for k := range n - 1 {
		b.Add(0, []mrftest.Term{{Index: k, Coef: 1}, {Index: k + 1, Coef: -1}}, nil)
	}
	b.Rule(2, mrf.Absolute, 1)
	for k := range n {
		value := min(max(float64(k)/float64(n)+0.6*rng.Float64()-0.3, 0), 1)
		b.Add(-value, []mrftest.Term{{Index: k, Coef: 1}}, nil)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{0, 0, 1})
	return field
}

// A step that goes as far by values as by multipliers is not taken where one of them goes much further.
func TestEqualSteps(t *testing.T) {
	for seed := range uint64(12) {
		s := interior.New(convex(6667, seed), solve.Settings{Gap: 1e-6, Threads: 1})
		r, err := s.Solve(t.Context())
		if err != nil || r.Status != solve.Optimal {
			t.Errorf("seed %d: %v after %d steps, gap %.2g, %v", seed, r.Status, r.Iterations, r.Gap, err)
		}
	}
}
