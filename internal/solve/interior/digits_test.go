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

// pinned makes equations with integer coefficients, of which some are sums of others, about values of which many are at
// a bound. Constants have eight digits, so that no point holds to all of them, or only one does.
func pinned(seed uint64) *mrf.Field {
	rng := rand.New(rand.NewPCG(seed, 7))
	n := 300 + rng.IntN(400)
	values, rows := make([]float64, n), make([][]mrftest.Term, 2*n/5)
	for i := range values {
		if values[i] = rng.Float64(); rng.IntN(3) == 0 {
			values[i] = math.Round(values[i])
		}
	}
	basic := len(rows) * 5 / 6
	for k := range rows {
		if k < basic {
			for _, i := range rng.Perm(n)[:2+rng.IntN(4)] {
				rows[k] = append(rows[k], mrftest.Term{Index: i, Coef: float64(1+rng.IntN(5)) * float64(1-2*rng.IntN(2))})
			}
			continue
		}
		sum := make([]float64, n)
		for _, l := range rng.Perm(basic)[:2+rng.IntN(4)] {
			times := float64(1 + rng.IntN(3))
			for _, t := range rows[l] {
				sum[t.Index] += times * t.Coef
			}
		}
		for i, a := range sum {
			if a != 0 {
				rows[k] = append(rows[k], mrftest.Term{Index: i, Coef: a})
			}
		}
	}
	b := mrftest.New(n, 0, 3).Rule(0, mrf.Equal, 0)
	constants := make([]float64, len(rows))
	for k, row := range rows {
		for _, t := range row {
			constants[k] -= t.Coef * values[t.Index]
		}
		constants[k] = math.Round(constants[k]*1e8) / 1e8
		b.Add(0, row, nil)
	}
	b.Rule(1, mrf.Absolute, 1)
	for i := range n {
		b.Add(-rng.Float64(), []mrftest.Term{{Index: i, Coef: 1}}, nil)
	}
	b.Rule(2, mrf.Hinge, 1)
	for range n / 2 {
		i, j := rng.IntN(n/2), n/2+rng.IntN(n/2)
		b.Add(-0.3*rng.Float64(), []mrftest.Term{{Index: i, Coef: 1}, {Index: j, Coef: -1}}, nil)
	}
	m := b.Model()
	m.Blocks[0].Bias, m.Blocks[0].Bias64 = nil, constants
	field := mrf.NewField(m)
	field.SetWeights([]float64{0, 1, 3})
	return field
}

// Equations that no point holds to, by less than a proof would show, are held to by what is accepted.
func TestEquationsOfFewDigits(t *testing.T) {
	for _, seed := range []uint64{2624, 2639, 2685, 2706, 2714, 2723, 2746, 2774, 2831, 2909, 2926, 2963} {
		field := pinned(seed)
		r, err := interior.New(field, solve.Settings{Gap: 1e-6, Threads: 1}).Solve(t.Context())
		if err != nil || r.Status != solve.Optimal {
			t.Errorf("seed %d: %v, gap %g, violation %g, %v", seed, r.Status, r.Gap, r.MaxViolation, err)
		}
	}
}
