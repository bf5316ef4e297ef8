package auto_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// Equations that hold where half of the variables are at their bounds leave nothing inside, and multipliers of any
// size: where the interior point method ends without a proof, Newton's goes on from its own values, and long enough,
// and numbers of twice the length solve what that leaves.
func TestEquationsThatHoldAtBounds(t *testing.T) {
	const n = 200
	for _, seed := range []uint64{10, 12, 18, 20, 26, 31, 34, 40, 42, 48} {
		rng := rand.New(rand.NewPCG(seed, 5))
		point := mrftest.Uniform(rng, n)
		b := mrftest.New(n, 0, 2).Rule(0, mrf.Equal, 0)
		for i := range n / 2 {
			point[i] = math.Round(point[i])
		}
		for range n / 4 {
			var row []mrftest.Term
			value := 0.0
			for _, i := range rng.Perm(n)[:2+seed%2] {
				c := math.Copysign(math.Pow(100, 2*rng.Float64()-1), rng.Float64()-0.5)
				row = append(row, mrftest.Term{Index: i, Coef: c})
				value += c * point[i]
			}
			b.Add(-value, row, nil)
		}
		b.Rule(1, mrf.Absolute, 1)
		for i := range n {
			b.Add(-rng.Float64(), []mrftest.Term{{Index: i, Coef: 1}}, nil)
		}
		s, err := auto.Inference("auto", mrftest.Field(b.Model(), []float64{0, 1}, nil), solve.Settings{Threads: 1},
			auto.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := s.Solve(t.Context()); err != nil || r.Status != solve.Optimal {
			t.Errorf("problem %d: %v, gap %v, violation %v, %v", seed, r.Status, r.Gap, r.MaxViolation, err)
		}
	}
}
