package interior_test

import (
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// Sums that contradict each other by less than is accepted, as those do that were written with seven digits, are no
// contradiction, and are one by much more.
func TestSumsOfFewDigits(t *testing.T) {
	const n = 300
	for _, c := range []struct {
		off  float64
		want solve.Status
	}{{0x1p-23, solve.Optimal}, {0x1p-12, solve.Infeasible}} {
		b := mrftest.New(n, 0, 2).Rule(0, mrf.Equal, 0)
		sum := func(i, j int, of float64) {
			b.Add(-of, []mrftest.Term{{Index: i, Coef: 1}, {Index: j, Coef: 1}}, nil)
		}
		sum(0, 1, 1)
		sum(1, 2, 0.625)
		sum(0, 3, 1)
		sum(2, 3, 0.625+c.off) // 0.625 by the others
		for i := 4; i < n; i += 2 {
			sum(i, i+1, 1)
		}
		b.Rule(1, mrf.Hinge, 2)
		for i := range n {
			b.Add(0.5, []mrftest.Term{{Index: i, Coef: -1}, {Index: (i + 7) % n, Coef: 0.5}}, nil)
		}
		field := mrf.NewField(b.Model())
		field.SetWeights([]float64{0, 1})
		r, err := interior.New(field, solve.Settings{Threads: 1}).Solve(t.Context())
		if err != nil || r.Status != c.want {
			t.Errorf("off by %g: %v (violation %g), %v; want %v", c.off, r.Status, r.MaxViolation, err, c.want)
		}
	}
}
