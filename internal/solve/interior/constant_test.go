package interior_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// wishes are variables that are to be 1, by potentials of that kind, of which pairs come to a little less than 2 at
// most, each pair beside a variable that hard rules have at 1, which costs that much.
func wishes(kind mrf.Kind, cost float64) *mrf.Field {
	const n = 300
	rng := rand.New(rand.NewPCG(8, 2))
	b := mrftest.New(2*n, 0, 3).Rule(0, mrf.LessEqual, 0)
	for k := range 2 * n {
		i := k % n
		pair := []mrftest.Term{{Index: i, Coef: 1}, {Index: (i + 1 + rng.IntN(n-1)) % n, Coef: 1}}
		b.Add(-2.98, append(pair, mrftest.Term{Index: n + k/2, Coef: 1}), nil)
	}
	for i := range n {
		b.Add(0.5, []mrftest.Term{{Index: n + i, Coef: -0.5}}, nil)
	}
	b.Rule(1, kind, 1)
	for i := range n {
		b.Add(1, []mrftest.Term{{Index: i, Coef: -1}}, nil)
	}
	b.Rule(2, mrf.Hinge, 1)
	for i := range n {
		b.Add(cost-1, []mrftest.Term{{Index: n + i, Coef: 1}}, nil)
	}
	return mrf.NewField(b.Model())
}

// The gap that is aimed at is that of the answer, of which constants are a part: where these leave little, nothing is
// solved a second time that is large. But what costs much whatever the answer is makes it no less exact.
func TestConstantsCount(t *testing.T) {
	for _, kind := range []mrf.Kind{mrf.Linear, mrf.Hinge} {
		var former []float64
		for _, cost := range []float64{0, 1, 100} {
			field := wishes(kind, cost)
			field.SetWeights([]float64{0, 1, 1})
			begun, last := 0, 0.0
			s := solve.Settings{Gap: 1e-6, Threads: 1, Trace: func(i solve.Iteration) {
				if last = i.Gap; i.Number == 0 {
					begun++
				}
			}}
			r, err := interior.New(field, s).Solve(t.Context())
			if err != nil || r.Status != solve.Optimal {
				t.Fatalf("%v, %v: %v, %+v, %v", kind, cost, r.Status, r.Certificate, err)
			}
			if begun != 1 {
				t.Errorf("%v, %v: solved %d times", kind, cost, begun)
			}
			if gap := math.Abs(r.Gap); gap > 1.1*last || cost < 100 && gap < 0.9*last {
				t.Errorf("%v, %v: a gap of %g was taken for %g", kind, cost, r.Gap, last)
			}
			if cost > 1 && !slices.Equal(former, r.Y) {
				t.Errorf("%v: costs that nothing can change make another answer", kind)
			}
			former = slices.Clone(r.Y)
		}
	}
}
