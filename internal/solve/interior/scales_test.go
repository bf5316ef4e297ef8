package interior_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// apart makes sums of two that equal other such sums, and guesses, either with weights of 1e-6 to 1e6, or hard sums.
func apart(n int, kind mrf.Kind, seed uint64) *mrf.Field {
	rng := rand.New(rand.NewPCG(seed, 2))
	b := mrftest.New(n, 0, 10)
	weights := make([]float64, 10)
	for k := range 5 {
		weights[k] = math.Pow(10, float64(3*k-6))
		weights[5+k] = weights[k]
	}
	order := make([][]int, 5)
	for i := range n {
		k := rng.IntN(5)
		order[k] = append(order[k], i)
	}
	for k := range 5 {
		b.Rule(k, kind, 1)
		for range n / 10 {
			p := rng.Perm(n)
			b.Add(0, []mrftest.Term{{Index: p[0], Coef: 1}, {Index: p[1], Coef: 1}, {Index: p[2], Coef: -1},
				{Index: p[3], Coef: -1}}, nil)
		}
		b.Rule(5+k, mrf.Absolute, 1)
		for _, i := range order[k] {
			b.Add(-min(max(0.5+0.3*rng.NormFloat64(), 0), 1), []mrftest.Term{{Index: i, Coef: 1}}, nil)
		}
	}
	field := mrf.NewField(b.Model())
	field.SetWeights(weights)
	return field
}

// Weights far apart make pivots of nothing but rounding; a step whose rows do not hold is none.
func TestWeightsApart(t *testing.T) {
	for _, kind := range []mrf.Kind{mrf.Absolute, mrf.Equal} {
		all := 0
		for seed := range uint64(60) {
			r, err := interior.New(apart(200+5*int(seed), kind, seed), solve.Settings{Gap: 1e-6}).Solve(t.Context())
			if err != nil || r.Status != solve.Optimal {
				t.Errorf("seed %d: %v after %d steps, %+v, %v", seed, r.Status, r.Iterations, r.Certificate, err)
			}
			all += r.Iterations
		}
		if all > 17*60 {
			t.Errorf("kind %d: %d steps", kind, all)
		}
	}
}

// Coefficients far apart are as weights are: a short row that pushes much is not summed with those that push little.
func TestCoefficientsApart(t *testing.T) {
	all := 0
	for seed := range uint64(30) {
		r, err := interior.New(coefficients(1000, seed), solve.Settings{Gap: 1e-6}).Solve(t.Context())
		if err != nil || r.Status != solve.Optimal {
			t.Errorf("seed %d: %v after %d steps, %+v, %v", seed, r.Status, r.Iterations, r.Certificate, err)
		}
		all += r.Iterations
	}
	if all > 16*30 {
		t.Errorf("%d steps", all)
	}
}

// coefficients makes sums of two, some a thousand times what they are or a thousandth, that equal other such sums, and
// guesses, all of weight 1.
func coefficients(n int, seed uint64) *mrf.Field {
	rng := rand.New(rand.NewPCG(seed, 3))
	b := mrftest.New(n, 0, 1)
	for k, sides := range [][2]float64{{0.001, 1}, {1000, 1}, {1000, 1000}, {0.001, 0.001}, {1, 0.001}} {
		kind := mrf.Absolute
		if k > 2 {
			kind = mrf.Hinge
		}
		b.Rule(0, kind, 1)
		for range n / 10 {
			p := rng.Perm(n)
			b.Add(0, []mrftest.Term{{Index: p[0], Coef: sides[0]}, {Index: p[1], Coef: sides[0]},
				{Index: p[2], Coef: -sides[1]}, {Index: p[3], Coef: -sides[1]}}, nil)
		}
	}
	b.Rule(0, mrf.Absolute, 1)
	for i := range n {
		b.Add(-min(max(0.5+0.3*rng.NormFloat64(), 0), 1), []mrftest.Term{{Index: i, Coef: 1}}, nil)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{1})
	return field
}
