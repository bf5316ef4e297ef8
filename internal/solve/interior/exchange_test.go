package interior_test

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// Where nothing is factored, a basis that is far from the largest, as larger ones fill, is exchanged for one of these
// once the diagonal has taken far more products than when it was first tried. To go on with both takes half as much
// work again.
func TestPoorBasesAreExchanged(t *testing.T) {
	s := interior.New(jobsInRooms(500), solve.Settings{Gap: 1e-6, Threads: 1})
	if r, left := s.Try(t.Context(), 4.4e9); r == nil || r.Status != solve.Optimal {
		t.Errorf("%v is left of the work", left)
	}
}

// jobsInRooms are jobs of one of twelve slots each, with two rooms that few others need as well, and behind two jobs of
// the wave before.
func jobsInRooms(n int) *mrf.Field {
	const slots, waves, perRoom = 12, 4, 6
	rng := rand.New(rand.NewPCG(1, 5))
	at := func(j, s int, c float64) mrftest.Term { return mrftest.Term{Index: j*slots + s, Coef: c} }
	in := make([][]int, n/perRoom)
	b := mrftest.New(n*slots, 0, 4).Rule(0, mrf.Equal, 0)
	for j := range n {
		var sum []mrftest.Term
		for s := range slots {
			sum = append(sum, at(j, s, 1))
		}
		b.Add(-1, sum, nil)
		for _, r := range rng.Perm(len(in))[:2] {
			in[r] = append(in[r], j)
		}
	}
	b.Rule(1, mrf.Hinge, 1)
	for _, jobs := range in {
		for s := range slots {
			var sum []mrftest.Term
			for _, j := range jobs {
				sum = append(sum, at(j, s, 1))
			}
			if len(sum) > 0 {
				b.Add(-1, sum, nil)
			}
		}
	}
	b.Rule(2, mrf.Hinge, 1)
	for j := n / waves; j < n; j++ {
		wave := j*waves/n - 1
		for _, i := range rng.Perm(n / waves)[:2] {
			for s := range slots {
				var sum []mrftest.Term
				for u := range s + 1 {
					sum = append(sum, at(j, u, 1))
					if u < s {
						sum = append(sum, at(wave*n/waves+i, u, -1))
					}
				}
				b.Add(0, sum, nil)
			}
		}
	}
	b.Rule(3, mrf.Linear, 1)
	for i := range n * slots {
		b.Add(0, []mrftest.Term{{Index: i, Coef: -rng.Float64()}}, nil)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{0, 2, 1, 1})
	return field
}
