package twofold_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/dense"
	"github.com/deeppsl/deeppsl/internal/solve/twofold"
)

func never() bool { return false }

// Answers have the reference's verdicts and objectives.
func TestSolve(t *testing.T) {
	settings := solve.Settings{Gap: 1e-9, Feasibility: 1e-9}
	verdicts := make(map[solve.Status]int)
	for k, kinds := range [][]mrftest.Form{mrftest.Squared, mrftest.Soft, mrftest.All} {
		for seed := range uint64(40) {
			rng := rand.New(rand.NewPCG(seed, uint64(k)))
			m, theta, _ := mrftest.Random(rng, mrftest.Shape{Variables: 8, Blocks: 4, Potentials: 10, Arity: 3, Kinds: kinds})
			field := mrf.NewField(m)
			field.SetWeights(theta)
			want, err := dense.New(field, solve.Settings{Gap: 1e-9}).Solve(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			got, ok := twofold.Solve(field, settings, never)
			if verdicts[want.Status]++; want.Status == solve.IterationLimit {
				continue // as all points violate some row by more than 1e-9
			}
			if !ok || got.Status != want.Status || want.Status == solve.Optimal &&
				math.Abs(got.Objective-want.Objective) > 1e-8*max(field.Grain(), want.Objective) {
				t.Errorf("%d, seed %d: %v %v %+v, and the reference has %v %+v", k, seed, ok, got.Status, got.Certificate,
					want.Status, want.Certificate)
			}
			if _, ok := twofold.Solve(field, solve.Settings{Gap: 1e-30, Feasibility: 1e-9}, func() bool { return true }); ok {
				t.Errorf("%d, seed %d: it does not stop", k, seed)
			}
		}
	}
	if verdicts[solve.Optimal] < 110 {
		t.Error(verdicts)
	}
}

// Rows that contradict each other by less than is accepted give way, and by more are proven to.
func TestContradictions(t *testing.T) {
	for _, c := range []struct {
		by     float64
		status solve.Status
	}{
		{0, solve.Optimal}, {1e-7, solve.Optimal}, {1.9e-6, solve.Optimal}, {2.1e-6, solve.Infeasible},
	} {
		b := mrftest.New(2, 0, 2)
		b.Rule(0, mrf.Equal, 0).Add(0, []mrftest.Term{{Index: 0, Coef: 1}, {Index: 1, Coef: -1e-6}}, nil)
		b.Model().Blocks[0].Constant = -0.5
		b.Rule(0, mrf.Equal, 0).Add(0, []mrftest.Term{{Index: 0, Coef: 1}, {Index: 1, Coef: -1e-6}}, nil)
		b.Model().Blocks[1].Constant = -0.5 - c.by
		b.Rule(1, mrf.Hinge, 2).Add(0, []mrftest.Term{{Index: 1, Coef: 1}}, nil)
		field := mrf.NewField(b.Model())
		field.SetWeights([]float64{0, 1e-5})
		got, ok := twofold.Solve(field, solve.Settings{Gap: 1e-6, Feasibility: 1e-6}, never)
		if !ok || got.Status != c.status {
			t.Errorf("contradictory by %g: %v %v %v %+v", c.by, ok, got.Status, got.Yields, got.Certificate)
		}
	}
}
