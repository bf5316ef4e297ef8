package face_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/dense"
	"github.com/deeppsl/deeppsl/internal/solve/face"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// From a point that is near the optimum, though no proof, there must be one, of the reference's objective.
func TestImprove(t *testing.T) {
	settings := solve.Settings{Gap: 1e-9, Feasibility: 1e-9, Threads: 1}
	for k, kinds := range [][]mrftest.Form{mrftest.Squared, mrftest.Soft, mrftest.All} {
		found, all := 0, 0
		for seed := range uint64(40) {
			rng := rand.New(rand.NewPCG(seed, uint64(k)))
			m, theta, _ := mrftest.Random(rng, mrftest.Shape{Variables: 8, Blocks: 4, Potentials: 10, Arity: 3, Kinds: kinds})
			field := mrf.NewField(m)
			field.SetWeights(theta)
			want, err := dense.New(field, solve.Settings{Gap: 1e-8}).Solve(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if want.Status != solve.Optimal {
				continue // no point may be feasible
			}
			first, err := newton.New(field, solve.Settings{Gap: 1e-3, Threads: 1}).Solve(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			all++
			got, _, _, ok := face.Improve(field, first.Y, first.Multipliers, settings, func() bool { return false })
			if _, _, _, late := face.Improve(field, first.Y, first.Multipliers, settings, func() bool { return true }); late {
				t.Errorf("seed %d: it does not stop", seed)
			}
			if !ok {
				continue
			}
			found++
			if math.Abs(got.Objective-want.Objective) > 1e-7*max(field.Grain(), want.Objective) {
				t.Errorf("seed %d: objective %v, and the optimum is %v", seed, got.Objective, want.Objective)
			}
		}
		if 10*found < 9*all {
			t.Errorf("%d of %d were finished", found, all)
		}
	}
}

// A problem of many variables, whose faces are many and take long, is given up.
func TestImproveGivesUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m, theta, _ := mrftest.Random(rng, mrftest.Shape{Variables: 130, Blocks: 4, Potentials: 48, Arity: 4,
		Kinds: []mrftest.Form{{Kind: mrf.Absolute, Exponent: 1}}})
	for k := range theta {
		theta[k] = math.Pow(10, float64(3*k))
	}
	field := mrf.NewField(m)
	field.SetWeights(theta)
	first, err := newton.New(field, solve.Settings{Gap: 1e-3, Threads: 1}).Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	stop := func() bool { asked++; return false }
	face.Improve(field, first.Y, first.Multipliers, solve.Settings{Gap: 1e-20, Feasibility: 1e-9, Threads: 1}, stop)
	if asked == 0 || asked > 500 {
		t.Errorf("it went on %d times", asked)
	}
}
