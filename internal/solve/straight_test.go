package solve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// assignment gives each of n items one of n places, each of which has room for one item. What a place costs is a
// potential of the given kind, for some by what they do not have of it.
func assignment(n int, kind mrf.Kind) *mrf.Field {
	rng := rand.New(rand.NewPCG(uint64(n), 8))
	b := mrftest.New(n*n, 0, n*n+1).Rule(0, mrf.Equal, 0)
	for i := range n {
		var row, column []mrftest.Term
		for k := range n {
			row = append(row, mrftest.Term{Index: i*n + k, Coef: 1})
			column = append(column, mrftest.Term{Index: k*n + i, Coef: 1})
		}
		b.Add(-1, row, nil).Add(-1, column, nil)
	}
	theta := []float64{0}
	for i := range n * n {
		theta = append(theta, rng.Float64())
		b.Rule(i+1, kind, 1)
		if i%3 > 0 {
			b.Add(1, []mrftest.Term{{Index: i, Coef: -1}}, nil)
		} else {
			b.Add(0, []mrftest.Term{{Index: i, Coef: 1}}, nil)
		}
	}
	f := mrf.NewField(b.Model())
	f.SetWeights(theta)
	return f
}

// Potentials that have no bend within the box take as many steps as linear ones.
func TestStraightPotentials(t *testing.T) {
	for name, solver := range map[string]func(*mrf.Field) solve.Solver{
		"newton": func(f *mrf.Field) solve.Solver {
			s := newton.New(f, solve.Settings{Gap: 1e-6})
			s.Straighten()
			return s
		},
		"interior": func(f *mrf.Field) solve.Solver { return interior.New(f, solve.Settings{Gap: 1e-6}) },
	} {
		var linear *solve.Result
		for _, kind := range []mrf.Kind{mrf.Linear, mrf.Hinge, mrf.Absolute} {
			r, err := solver(assignment(12, kind)).Solve(context.Background())
			switch {
			case err != nil || r.Status != solve.Optimal:
				t.Errorf("%s, %v: %v, %+v", name, kind, err, r)
			case linear == nil:
				linear = r
			case r.Iterations > linear.Iterations || math.Abs(r.Objective-linear.Objective) > 1e-6*linear.Objective:
				t.Errorf("%s, %v: %d steps to %v, not %d to %v", name, kind, r.Iterations, r.Objective, linear.Iterations,
					linear.Objective)
			}
		}
	}
}

// What costs nothing wherever the variables are has no part in the steps.
func TestStraightPotentialsAtNothing(t *testing.T) {
	b := mrftest.New(2, 0, 2).Rule(0, mrf.Hinge, 1).Add(-2, []mrftest.Term{{Index: 0, Coef: 1}, {Index: 1, Coef: 1}}, nil)
	b.Rule(1, mrf.Hinge, 1).Add(0.5, []mrftest.Term{{Index: 0, Coef: -1}}, nil)
	b.Add(0.5, []mrftest.Term{{Index: 1, Coef: -1}}, nil)
	f := mrf.NewField(b.Model())
	f.SetWeights([]float64{1000, 1})
	r, err := interior.New(f, solve.Settings{Gap: 1e-6}).Solve(t.Context())
	if err != nil || r.Status != solve.Optimal || r.Multipliers[0] != 0 {
		t.Errorf("%v, %+v", err, r)
	}
}
