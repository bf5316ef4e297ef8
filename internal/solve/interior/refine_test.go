package interior_test

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// quadratic has guesses of values whose third differences are 0.
func quadratic(n int, seed uint64) *mrf.Field {
	rng := rand.New(rand.NewPCG(seed, 5))
	b := mrftest.New(n, 0, 1).Rule(0, mrf.Equal, 0)
	for i := range n - 3 {
		b.Add(0, []mrftest.Term{{Index: i, Coef: 1}, {Index: i + 1, Coef: -3}, {Index: i + 2, Coef: 3},
			{Index: i + 3, Coef: -1}}, nil)
	}
	b.Rule(0, mrf.Absolute, 1)
	for i := range n {
		guess := float64(i)/float64(n) + 0.1*rng.NormFloat64()
		b.Add(-min(max(guess, 0), 1), []mrftest.Term{{Index: i, Coef: 1}}, nil)
	}
	return mrftest.Field(b.Model(), []float64{1}, nil)
}

// Along a chain of equations whose multipliers grow by the cube of the length, steps of a firm matrix leave more than
// the gap may be, again and again: the three took 170, 27 and 457 steps, the last without a proof.
func TestEase(t *testing.T) {
	takes(t, 3, 20, func(seed uint64) *mrf.Field { return quadratic(1000, seed) })
}
