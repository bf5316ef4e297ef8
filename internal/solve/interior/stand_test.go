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

// thousandths has equations of four variables each, half of them with one side a thousandth of the other's scale.
func thousandths(n, rows int, seed uint64) *mrf.Field {
	rng := rand.New(rand.NewPCG(2, seed))
	b := mrftest.New(n, 0, n+1).Rule(0, mrf.Equal, 0)
	for k := range rows {
		small := math.Pow(1e-3, float64(k%2))
		at := rng.Perm(n)[:4]
		var terms []mrftest.Term
		for e, i := range at {
			c := -1.0
			if e < 2 {
				c = small
			}
			terms = append(terms, mrftest.Term{Index: i, Coef: c})
		}
		b.Add(0, terms, nil)
	}
	weights := make([]float64, n+1)
	for k := range n {
		weights[1+k] = math.Pow(10, -4*rng.Float64())
		b.Rule(1+k, mrf.Absolute, 1).Add(-rng.Float64(), []mrftest.Term{{Index: k, Coef: 1}}, nil)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights(weights)
	return field
}

// Where equations hold to far less than is accepted, and their multipliers grow, what is proven is for points that
// violate them as little; unless there is more to prove than that.
func TestStands(t *testing.T) {
	for _, c := range []struct {
		variables int
		seed      uint64
		yields    bool
	}{{800, 1, true}, {1600, 2, true}, {1600, 3, true}, {200, 1, false}} {
		s := interior.New(thousandths(c.variables, c.variables*4/5, c.seed), solve.Settings{Gap: 1e-6, Threads: 1})
		r, err := s.Solve(t.Context())
		if err != nil || r.Status != solve.Optimal || r.Yields != c.yields || r.MaxViolation > 1e-6 {
			t.Errorf("%+v: %v after %d steps, yields %v, %+v, %v", c, r.Status, r.Iterations, r.Yields, r.Certificate, err)
		}
	}
}
