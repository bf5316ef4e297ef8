package interior_test

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// sums makes random sums of values that cost something, at most 1, of which some are asked for once or more: linearly,
// squared, and times a number of either sign.
func sums(asked int) *mrf.Field {
	const n, count, length = 800, 400, 6
	rng := rand.New(rand.NewPCG(1, 5))
	b := mrftest.New(n, 0, 5).Rule(0, mrf.Linear, 1)
	for i := range n {
		b.Add(0, []mrftest.Term{{Index: i, Coef: rng.Float64()}}, nil)
	}
	rows := make([][]int, count)
	for k := range rows {
		rows[k] = rng.Perm(n)[:length]
	}
	add := func(times, constant float64) {
		for _, row := range rows {
			var terms []mrftest.Term
			for _, i := range row {
				terms = append(terms, mrftest.Term{Index: i, Coef: times})
			}
			b.Add(constant, terms, nil)
		}
	}
	b.Rule(1, mrf.LessEqual, 0)
	add(1, -1)
	for k, kind := range []struct {
		kind            mrf.Kind
		exponent        int
		times, constant float64
	}{{mrf.Hinge, 1, -1, 1}, {mrf.Absolute, 1, 2, -1}, {mrf.Hinge, 2, -0.5, 0.5}}[:asked] {
		b.Rule(2+k, kind.kind, kind.exponent)
		add(kind.times, kind.constant)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{1, 0, 0.7, 0.4, 3})
	return field
}

// Rows with the same sum have one row in the matrix, whose factor is no larger for them.
func TestTwins(t *testing.T) {
	alone := interior.New(sums(0), solve.Settings{}).Cost().Flops
	for asked := range 4 {
		field := sums(asked)
		s := interior.New(field, solve.Settings{Gap: 1e-8, Threads: 1})
		if flops := s.Cost().Flops; flops > 1.01*alone {
			t.Errorf("asked for %d times: %g flops, and %g without", asked, flops, alone)
		}
		r, err := s.Solve(t.Context())
		if err != nil || r.Status != solve.Optimal {
			t.Errorf("asked for %d times: %v, %v", asked, r, err)
		}
		c := solve.Certify(field, r.Y, r.Multipliers)
		if c.Gap > 1e-8 || c.MaxViolation > 1e-6 {
			t.Errorf("asked for %d times: %+v", asked, c)
		}
	}
}
