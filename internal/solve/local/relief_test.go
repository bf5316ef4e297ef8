package local

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// lattice is a model of variables that are held by little alone, and by much where those beside them are.
func lattice(rng *rand.Rand, side int32) *mrf.Model {
	m := &mrf.Model{Variables: int(side * side), Rules: 2}
	for i := range side * side {
		m.AppendPotential(&mrf.Potential{Rule: 0, Kind: mrf.Absolute, Exponent: 2, Scale: 1, Vars: []int32{i},
			Coef: []float64{1}, Constant: -rng.Float64()})
		for _, j := range []int32{i + 1, i + side} {
			if j < side*side && (j != i+1 || j%side > 0) {
				m.AppendPotential(&mrf.Potential{Rule: 1, Kind: mrf.Absolute, Exponent: 2, Scale: 1, Vars: []int32{i, j},
					Coef: []float64{1, -1}, Constant: rng.Float64() / 10})
			}
		}
	}
	return m
}

// Multipliers that only prove more are as good a proof as the totals say; their debts are taken back as all else is,
// and are gone where they are solved.
func TestRelief(t *testing.T) {
	const side, changes = 80, 8
	theta := []float64{1, 4}
	relieved, solved := 0, 0
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 2))
		m := lattice(rng, side)
		l := alive(t, m, theta)
		s := l.State
		for k := range changes {
			debts := slices.Clone(s.debt)
			if k%4 == 3 {
				s.Begin()
			}
			l.Add(&mrf.Potential{Rule: 1, Kind: mrf.Absolute, Exponent: 2, Scale: 1, Coef: []float64{1},
				Vars: []int32{side*side/2 + rng.Int32N(side)}, Constant: -rng.Float64()})
			out, err := l.Solve(t.Context())
			if err != nil || out.Status != solve.Optimal {
				t.Fatalf("seed %d, change %d: %v, %v", seed, k, out.Status, err)
			}
			l.check(out)
			for i, debt := range s.debt {
				if debt > debts[i] {
					relieved++
				}
				if debt < debts[i] {
					solved++
				}
			}
			if k%4 == 3 {
				s.Rollback()
				if !slices.Equal(debts, s.debt) {
					t.Fatalf("seed %d, change %d: debts are not what they were", seed, k)
				}
			}
		}
	}
	if relieved < 100 || solved == 0 {
		t.Errorf("%d variables were left with debts, and %d solved", relieved, solved)
	}
}
