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
