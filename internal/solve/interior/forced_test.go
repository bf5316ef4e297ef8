package interior_test

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// What is at most a thousand times what is nothing is nothing. Multipliers along such a chain are as many orders larger
// than weights as it is long, and rounding of their sums must not leave a gap.
func TestForcedChains(t *testing.T) {
	const chain, others = 5, 3
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 5))
		b := mrftest.New(chain+others, 0, 3).Rule(0, mrf.Equal, 0)
		sum := []mrftest.Term{{Index: 0, Coef: 1}}
		for i := range others {
			sum = append(sum, mrftest.Term{Index: chain + i, Coef: 1})
		}
		b.Add(0, sum, nil).Rule(1, mrf.LessEqual, 0)
		for i := range chain - 1 {
			b.Add(0, []mrftest.Term{{Index: i + 1, Coef: 1}, {Index: i, Coef: -1000}}, nil)
		}
		b.Rule(2, mrf.Absolute, 2)
		for range 8 * chain {
			b.Add(-rng.Float64(), []mrftest.Term{{Index: rng.IntN(chain), Coef: 1}}, nil)
		}
		field := mrf.NewField(b.Model())
		field.SetWeights([]float64{0, 0, 1 + rng.Float64()})
		r, err := interior.New(field, solve.Settings{Gap: 1e-9, Threads: 1}).Solve(t.Context())
		if err != nil || r.Status != solve.Optimal {
			t.Errorf("seed %d: %v, gap %g, violation %g, %v", seed, r.Status, r.Gap, r.MaxViolation, err)
		}
	}
}
