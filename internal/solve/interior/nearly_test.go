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

// crowded has things that are each in one place, of which the first crowd have as many places less a part of one.
func crowded(things, crowd int, less float64) *mrf.Field {
	rng := rand.New(rand.NewPCG(1, 1))
	at := make([][]mrftest.Term, things+things/10)
	b := mrftest.New(4*things, 0, 3).Rule(0, mrf.Equal, 0)
	for i := range things {
		var row []mrftest.Term
		places := len(at)
		if i < crowd {
			places = crowd
		}
		for e, place := range rng.Perm(places)[:4] {
			term := mrftest.Term{Index: 4*i + e, Coef: 1}
			row, at[place] = append(row, term), append(at[place], term)
		}
		b.Add(-1, row, nil)
	}
	b.Rule(1, mrf.LessEqual, 0)
	for place, row := range at {
		room := 1.0
		if place < crowd {
			room -= less / float64(crowd)
		}
		if len(row) > 0 {
			b.Add(-room, row, nil)
		}
	}
	b.Rule(2, mrf.Linear, 1)
	for i := range 4 * things {
		b.Add(0, []mrftest.Term{{Index: i, Coef: rng.Float64()}}, nil)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{0, 0, 1})
	return field
}

// Hard rules that contradict each other by about what is accepted are found out about in few steps: by how much they do
// is known as soon as more steps show no more, and rules that may be violated by as much have an answer.
func TestNearlyContradictory(t *testing.T) {
	for _, c := range []struct {
		less   float64
		status solve.Status
	}{{9.5e-6, solve.Optimal}, {1.2e-5, solve.Infeasible}} {
		s := interior.New(crowded(1000, 20, c.less), solve.Settings{Gap: 1e-6, Threads: 1})
		r, err := s.Solve(t.Context())
		if err != nil || r.Status != c.status || r.Iterations > 200 || math.Abs(r.Gap) > 1e-6 && c.status == solve.Optimal {
			t.Errorf("%g less: %v after %d steps, %+v, %v", c.less, r.Status, r.Iterations, r.Certificate, err)
		}
	}
}

// margins has the cells of a table of three ways whose sums along each way are rounded numbers.
func margins(n int) *mrf.Field {
	rng := rand.New(rand.NewPCG(1, 1))
	cells := make([]float64, n*n*n)
	for k := range cells {
		cells[k] = rng.Float64() / float64(n)
	}
	b := mrftest.New(n*n*n, 0, 2).Rule(0, mrf.Equal, 0)
	for _, step := range [][3]int{{1, n, n * n}, {n, 1, n * n}, {n * n, 1, n}} {
		for k := range n * n {
			var row []mrftest.Term
			sum, first := 0.0, k%n*step[1]+k/n*step[2]
			for e := range n {
				at := first + e*step[0]
				row, sum = append(row, mrftest.Term{Index: at, Coef: 1}), sum+cells[at]
			}
			b.Add(-float64(float32(sum)), row, nil)
		}
	}
	b.Rule(1, mrf.Absolute, 1)
	for k := range cells {
		b.Add(-rng.Float64()/float64(n), []mrftest.Term{{Index: k, Coef: 1}}, nil)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{0, 1})
	return field
}

// Sums that contradict each other by rounding may be violated by a little more than rounding: by next to nothing more,
// there is no room for steps.
func TestRoundedMargins(t *testing.T) {
	for _, n := range []int{12, 18} {
		s := interior.New(margins(n), solve.Settings{Gap: 1e-6, Threads: 1})
		r, err := s.Solve(t.Context())
		if err != nil || r.Status != solve.Optimal || r.Iterations > 100 || r.MaxViolation > 1e-7 {
			t.Errorf("%d: %v after %d steps, %+v, %v", n, r.Status, r.Iterations, r.Certificate, err)
		}
	}
}
