package interior_test

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// places gives each of n items a place, some no later than others, by what they have of the first places: with the last
// one that is 1 for all of them, wherever they are, so that no point is inside the box.
func places(n int, seed uint64) *mrf.Field {
	rng := rand.New(rand.NewPCG(seed, 0))
	at := func(item, place int) int { return item*n + place }
	upTo := func(item, place int) int { return n*n + at(item, place) }
	b := mrftest.New(2*n*n, 0, 3).Rule(0, mrf.Equal, 0)
	for i := range n {
		var row, column []mrftest.Term
		for k := range n {
			row = append(row, mrftest.Term{Index: at(i, k), Coef: 1})
			column = append(column, mrftest.Term{Index: at(k, i), Coef: 1})
		}
		b.Add(-1, row, nil).Add(-1, column, nil)
		for k := range n {
			sum := []mrftest.Term{{Index: upTo(i, k), Coef: 1}, {Index: at(i, k), Coef: -1}}
			if k > 0 {
				sum = append(sum, mrftest.Term{Index: upTo(i, k-1), Coef: -1})
			}
			b.Add(0, sum, nil)
		}
	}
	b.Rule(1, mrf.LessEqual, 0)
	for i := range n {
		if j := rng.IntN(n); j > i {
			for k := range n {
				b.Add(0, []mrftest.Term{{Index: upTo(j, k), Coef: 1}, {Index: upTo(i, k), Coef: -1}}, nil)
			}
		}
	}
	b.Rule(2, mrf.Linear, 1)
	for k := range n * n {
		b.Add(0, []mrftest.Term{{Index: k, Coef: rng.Float64()}}, nil)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{0, 0, 1})
	return field
}

// Where no point is inside the box, the matrix is kept from becoming singular again and again: what rounding would
// leave of pivots there is more than the gap, long before it is most of a step.
func TestNothingInside(t *testing.T) {
	for seed := range uint64(24) {
		field := places(8+int(seed), seed)
		r, err := interior.New(field, solve.Settings{Gap: 1e-6}).Solve(t.Context())
		if err != nil || r.Status != solve.Optimal || r.Iterations > 25 {
			t.Errorf("seed %d: %v after %d steps, %+v, %v", seed, r.Status, r.Iterations, r.Certificate, err)
		}
	}
}
