package auto_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// partitions has a table's cells in two partitions, its rows and its columns, each part of which has the sum that it
// has of some random cells. The equations of one partition and those of the other add up to the same.
func partitions(seed uint64, n int) *mrf.Field {
	rng := rand.New(rand.NewPCG(seed, 1))
	parts, sums := make([][]mrftest.Term, 2*n), make([]float64, 2*n)
	for cell := range n * n {
		v := float64(rng.IntN(64)) / 64
		for _, part := range []int{cell / n, n + cell%n} {
			parts[part] = append(parts[part], mrftest.Term{Index: cell, Coef: 1})
			sums[part] += v
		}
	}
	b := mrftest.New(n*n, 0, 2).Rule(0, mrf.Equal, 0)
	for part, cells := range parts {
		b.Add(-sums[part], cells, nil)
	}
	b.Rule(1, mrf.Absolute, 1)
	for cell := range n * n {
		b.Add(-rng.Float64(), []mrftest.Term{{Index: cell, Coef: 1}}, nil)
	}
	f := mrf.NewField(b.Model())
	f.SetWeights([]float64{1, 1})
	return f
}

// What is violated by rounding alone is never called infeasible, however little is accepted.
func TestRoundingIsNoContradiction(t *testing.T) {
	for _, feasibility := range []float64{1e-20, 1e-15} {
		for seed := range uint64(3) {
			f := partitions(seed, 30)
			for _, method := range []string{"newton", "interior", ""} {
				s, err := auto.New(method, f, solve.Settings{Gap: 1e-6, Feasibility: feasibility, MaxIterations: 200})
				if err != nil {
					t.Fatal(err)
				}
				r, err := s.Solve(context.Background())
				if err != nil || r.Status == solve.Infeasible {
					t.Errorf("%q, seed %d, feasibility %g: %v, %v", method, seed, feasibility, r.Status, err)
				}
			}
		}
	}
}

// Where rounding of values costs more than the gap, no method goes on. Where these can be chosen such that sums hold to
// the last digit, the answer is proven, and else it says why not.
func TestRoundingIsSaid(t *testing.T) {
	const n = 800
	for _, c := range []struct {
		weight float64
		signs  bool
		status solve.Status
	}{
		{1e3, true, solve.Optimal}, {1e14, true, solve.Optimal}, {1e12, false, solve.Optimal},
		{1e14, false, solve.IterationLimit},
	} {
		rng := rand.New(rand.NewPCG(1, 1))
		b := mrftest.New(n, 0, 2).Rule(0, mrf.Absolute, 1)
		for range n / 2 {
			var sum []mrftest.Term
			for k, i := range rng.Perm(n)[:8] {
				sum = append(sum, mrftest.Term{Index: i, Coef: float64(1 - k%2*2)})
				if !c.signs {
					sum[k].Coef *= rng.Float64()
				}
			}
			b.Add(0, sum, nil)
		}
		b.Rule(1, mrf.Absolute, 1)
		for i := range n {
			b.Add(-rng.Float64(), []mrftest.Term{{Index: i, Coef: 1}}, nil)
		}
		begun := 0 // with a point before any step: the interior point method, and Newton's where it goes on
		trace := func(i solve.Iteration) {
			if i.Number == 0 {
				begun++
			}
		}
		field := mrftest.Field(b.Model(), []float64{c.weight, 1}, nil)
		s, err := auto.Inference("", field, solve.Settings{Trace: trace}, auto.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(context.Background())
		if begun != 1 {
			t.Errorf("weight %g: %d methods told of no step, want the interior point method alone", c.weight, begun)
		}
		said := c.status != solve.Optimal
		if err != nil || r.Status != c.status || strings.Contains(r.Reason, "53 bits") != said {
			t.Errorf("weight %g: %v, gap %.2g, %q, %v", c.weight, r.Status, r.Gap, r.Reason, err)
		}
	}
}

// A small problem of squares that rounding of slacks keeps from a proof is finished also where nobody asks for its
// multipliers.
func TestSquaresOfFarWeightsAreFinishedBare(t *testing.T) {
	const n = 4
	b := mrftest.New(n*(n+1), 0, 3).Rule(0, mrf.Hinge, 2)
	for a := range n {
		for c := range n {
			b.Add(-0.5, []mrftest.Term{{Index: n + n*c + c, Coef: 0.001}, {Index: c, Coef: 0.001}, {Index: a, Coef: 100}}, nil)
		}
	}
	b.Rule(1, mrf.Linear, 1)
	for k := range n * n {
		b.Add(1, []mrftest.Term{{Index: n + k, Coef: -1}}, nil)
	}
	b.Rule(2, mrf.Linear, 1)
	for a := range n {
		b.Add(1, []mrftest.Term{{Index: a, Coef: -1}}, nil)
	}
	f := mrf.NewField(b.Model())
	f.SetWeights([]float64{1e-3, 1e-3, 5e-15})
	settings, options := solve.Settings{Gap: 1e-6, Bare: true}, auto.Options{Presolve: true, Split: true}
	s, err := auto.Inference("auto", f, settings, options)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.Solve(context.Background()); err != nil || r.Status != solve.Optimal {
		t.Fatalf("%v, gap %g, %v", r.Status, r.Gap, err)
	}
}
