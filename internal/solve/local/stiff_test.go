package local

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// Where most variables have to be the means of those around them, what is held around a part contradicts its hard rules
// but for rounding, so that it has no solution: that is noticed before it has grown to a fifth of everything.
func TestPartsWithoutSolutionsAreGivenUp(t *testing.T) {
	const side, gap, seeds = 70, 1e-6, 8
	stalled := 0
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 4))
		m := means(rng, side)
		field := mrf.NewField(m)
		cold, err := interior.New(field, solve.Settings{Gap: Spare(gap)}).Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(field, cold.Y, cold.Multipliers, solve.Settings{Gap: gap, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		pulled := m.Potentials() - 1 - rng.IntN(side*side)
		v := s.view(pulled)
		p := mrf.Potential{Rule: 1, Kind: mrf.Absolute, Exponent: 1, Scale: 1, Vars: []int32{v.ids[0]}, Coef: []float64{1},
			Constant: -rng.Float64()}
		s.Remove(pulled)
		s.Add(&p)
		out, err := s.Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if out.Variables > side*side/5 {
			t.Errorf("seed %d: %d variables were solved in %d rounds", seed, out.Variables, out.Rounds)
		}
		if out.Status == solve.Stalled {
			stalled++
		}
	}
	if stalled < seeds/4 {
		t.Errorf("only %d of %d parts had no solution", stalled, seeds)
	}
}

// means is a lattice of variables, of which nine in ten inside are the means of the four around them, and all are
// pulled somewhere.
func means(rng *rand.Rand, side int32) *mrf.Model {
	m := &mrf.Model{Variables: int(side * side), Rules: 2}
	for i := range side * side {
		if row, column := i/side, i%side; row%(side-1) > 0 && column%(side-1) > 0 && rng.IntN(10) > 0 {
			m.AppendPotential(&mrf.Potential{Kind: mrf.Equal, Exponent: 1, Scale: 1,
				Vars: []int32{i, i - 1, i + 1, i - side, i + side}, Coef: []float64{1, -0.25, -0.25, -0.25, -0.25}})
		}
	}
	for i := range side * side {
		m.AppendPotential(&mrf.Potential{Rule: 1, Kind: mrf.Absolute, Exponent: 1, Scale: 1, Vars: []int32{i},
			Coef: []float64{1}, Constant: -rng.Float64()})
	}
	return m
}
