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

// nested makes values that are wanted large, and limits of their means in groups that halve each other down to three,
// in so many orders. Each mean has a multiple of its own, and some variables of a group are in neither half.
func nested(n, orders int, kind mrf.Kind, exponent int) *mrf.Field {
	rng := rand.New(rand.NewPCG(1, 2))
	b := mrftest.New(n, 0, 3).Rule(0, mrf.Hinge, 1)
	for i := range n {
		b.Add(0.5+rng.Float64()/2, []mrftest.Term{{Index: i, Coef: -1}}, nil)
	}
	limit := func(of []int) {
		times, row := 1+rng.Float64(), []mrftest.Term(nil)
		for _, i := range of {
			row = append(row, mrftest.Term{Index: i, Coef: times / float64(len(of))})
		}
		b.Add(-times*(0.3+0.2*rng.Float64()), row, nil)
	}
	var halve func(of []int)
	halve = func(of []int) {
		if len(of) < 3 {
			return
		}
		limit(of)
		halve(of[:len(of)/2])
		halve(of[len(of)/2+len(of)%3/2:])
	}
	b.Rule(1, kind, exponent)
	halve(rng.Perm(n))
	b.Rule(2, mrf.LessEqual, 0)
	for range orders - 1 {
		halve(rng.Perm(n))
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{1, 3, 0})
	return field
}

// Sums of sums are multiplied with as such, soft and hard ones, so that no factorisation is less work.
func TestSumsOfSums(t *testing.T) {
	for name, field := range map[string]*mrf.Field{
		"hard":     nested(1000, 2, mrf.LessEqual, 0),
		"linear":   nested(1000, 2, mrf.Hinge, 1),
		"squared":  nested(1000, 2, mrf.Hinge, 2),
		"absolute": nested(500, 3, mrf.Absolute, 1),
	} {
		r, left := interior.New(field, solve.Settings{Gap: 1e-7, Threads: 1}).Try(t.Context(), math.Inf(1))
		if r == nil {
			t.Errorf("%s: %g left", name, left)
		} else if r.Status != solve.Optimal {
			t.Errorf("%s: %v after %d steps, %+v", name, r.Status, r.Iterations, r.Certificate)
		} else {
			t.Logf("%s: %d steps, %+v", name, r.Iterations, r.Certificate)
		}
	}
}

// Conjugate gradients go along sums of sums as they do along other rows: what ties sums to those within them that are
// far from their bounds, as most are at first, does not hold them up.
func TestSumsOfSumsAreLittleWork(t *testing.T) {
	const work = 1e8 // 5e7 are enough, 25e7 are not where they are held up
	field := nested(3000, 2, mrf.LessEqual, 0)
	if r, left := interior.New(field, solve.Settings{Gap: 1e-7, Threads: 1}).Try(t.Context(), work); r == nil {
		t.Errorf("%g left", left)
	}
}
