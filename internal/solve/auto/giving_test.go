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

// growing has chains of values that grow by a thousandth at least in each of so many steps, and at the end are to be
// less than that leads to, by up to 1e-5; all values are wished to be large.
func growing(chains, steps int, seed uint64) *mrf.Field {
	const factor = 1.001
	rng := rand.New(rand.NewPCG(seed, 5))
	b := mrftest.New(chains*(steps+1), 0, 3).Rule(0, mrf.LessEqual, 0)
	for c := range chains {
		for i := range steps {
			at := c*(steps+1) + i
			b.Add(0, []mrftest.Term{{Index: at, Coef: factor}, {Index: at + 1, Coef: -1}}, nil)
		}
	}
	b.Rule(1, mrf.LessEqual, 0)
	for c := range chains {
		first := c * (steps + 1)
		b.Add(0.9*math.Pow(factor, -float64(steps)), []mrftest.Term{{Index: first, Coef: -1}}, nil)
		less := math.Pow(10, -5-2*rng.Float64())
		b.Add(less-0.9, []mrftest.Term{{Index: first + steps, Coef: 1}}, nil)
	}
	b.Rule(2, mrf.Linear, 1)
	for i := range chains * (steps + 1) {
		b.Add(1, []mrftest.Term{{Index: i, Coef: -1}}, nil)
	}
	return mrftest.Field(b.Model(), []float64{0, 0, 1}, nil)
}

// Chains that are longer than fits, by so little that it is accepted, take no steps: bounds say by how much each has to
// give way, and what is left then.
func TestChainsThatNearlyContradict(t *testing.T) {
	for seed := range uint64(3) {
		field := growing(10, 100, seed)
		settings := solve.Settings{Gap: 1e-6, Threads: 1}
		s, err := auto.Inference("auto", field, settings, auto.Options{Presolve: true, Split: true, Polish: true})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Solve(t.Context())
		if err != nil || r.Status != solve.Optimal || !r.Yields || r.Iterations > 10 || r.MaxViolation > 1.1e-7 {
			t.Errorf("seed %d: %v after %d steps, yields %v, %+v, %v",
				seed, r.Status, r.Iterations, r.Yields, r.Certificate, err)
		}
	}
}
