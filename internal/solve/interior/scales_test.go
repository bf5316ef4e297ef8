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

// addSum adds that two variables, so many times each, are as much as two others, so many times.
func addSum(b *mrftest.Builder, p []int, left, right float64) {
	b.Add(0, []mrftest.Term{{Index: p[0], Coef: left}, {Index: p[1], Coef: left}, {Index: p[2], Coef: -right},
		{Index: p[3], Coef: -right}}, nil)
}

// addGuess adds that a variable is as much as somebody has guessed.
func addGuess(b *mrftest.Builder, rng *rand.Rand, i int) {
	b.Add(-min(max(0.5+0.3*rng.NormFloat64(), 0), 1), []mrftest.Term{{Index: i, Coef: 1}}, nil)
}

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
			addSum(b, rng.Perm(n), 1, 1)
		}
		b.Rule(5+k, mrf.Absolute, 1)
		for _, i := range order[k] {
			addGuess(b, rng, i)
		}
	}
	return mrftest.Field(b.Model(), weights, nil)
}

// coefficients makes such sums, some a thousand times what they are or a thousandth, and guesses, all of weight 1.
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
			addSum(b, rng.Perm(n), sides[0], sides[1])
		}
	}
	b.Rule(0, mrf.Absolute, 1)
	for i := range n {
		addGuess(b, rng, i)
	}
	return mrftest.Field(b.Model(), []float64{1}, nil)
}

// takes checks that problems of so many seeds are solved, in so many steps on average at most.
func takes(t *testing.T, seeds, most int, problem func(seed uint64) *mrf.Field) {
	t.Helper()
	all := 0
	for seed := range uint64(seeds) {
		r, err := interior.New(problem(seed), solve.Settings{Gap: 1e-6}).Solve(t.Context())
		if err != nil || r.Status != solve.Optimal {
			t.Errorf("seed %d: %v after %d steps, %+v, %v", seed, r.Status, r.Iterations, r.Certificate, err)
		}
		all += r.Iterations
	}
	if all > most*seeds {
		t.Errorf("%d steps", all)
	}
}

// Weights far apart make pivots of nothing but rounding; a step whose rows do not hold is none.
func TestWeightsApart(t *testing.T) {
	for _, kind := range []mrf.Kind{mrf.Absolute, mrf.Equal} {
		takes(t, 60, 17, func(seed uint64) *mrf.Field { return apart(200+5*int(seed), kind, seed) })
	}
}

// Coefficients far apart are as weights are: a short row that pushes much is not summed with those that push little.
func TestCoefficientsApart(t *testing.T) {
	takes(t, 30, 16, func(seed uint64) *mrf.Field { return coefficients(1000, seed) })
}

// bentBelow pushes a variable down by a square of this size, while a hard row, of coefficients of many and 1, holds it
// at 0.25 or more.
func bentBelow(many, size float64) *mrf.Field {
	b := mrftest.New(2, 0, 1).Rule(0, mrf.LessEqual, 0)
	b.Add(0.25, []mrftest.Term{{Index: 0, Coef: many}, {Index: 1, Coef: -1}}, nil)
	b.Rule(0, mrf.Hinge, 2)
	b.Add(0, []mrftest.Term{{Index: 0, Coef: -0.001}, {Index: 1, Coef: size}}, nil)
	return mrftest.Field(b.Model(), []float64{1}, nil)
}

// Where squares bend variables by far more than coefficients of hard rows are, these are not held too loosely.
func TestHardRowsOfBentVariables(t *testing.T) {
	for _, c := range [][2]float64{{1e3, 1e4}, {1e4, 1e3}, {1e4, 1e4}, {1e5, 1e3}, {1e3, 1e6}} {
		r, err := interior.New(bentBelow(c[0], c[1]), solve.Settings{Gap: 1e-6}).Solve(t.Context())
		if err != nil || r.Status != solve.Optimal || math.Abs(r.Y[1]-0.25) > 1e-6 {
			t.Errorf("%g: %v after %d steps, %v, %+v, %v", c, r.Status, r.Iterations, r.Y, r.Certificate, err)
		}
	}
}
