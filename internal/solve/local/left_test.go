package local

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// What a Solve leaves of the gap, variables have, with the squares of each alone and the debts of relief, but for what
// the solution of the whole has brought with it; and nearly all of that is noted, so that a later Solve finds it.
func TestWhatIsLeftIsNoted(t *testing.T) {
	const side, changes = 80, 8
	theta := []float64{1, 4}
	relieved := 0
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m := lattice(rng, side)
		if seed >= 3 {
			m = hinges(rng, side)
		}
		s := alive(t, m, theta).State
		before, _ := s.allRest()
		brought, limit := s.gap.Value()-before, s.settings.Gap*s.worth()
		for k := range changes {
			s.Add(&mrf.Potential{Rule: 1, Kind: mrf.Absolute, Exponent: 2, Scale: 1, Coef: []float64{1},
				Vars: []int32{rng.Int32N(side * side)}, Constant: -rng.Float64()})
			out, err := s.Solve(t.Context())
			if err != nil || out.Status != solve.Optimal {
				t.Fatalf("seed %d, change %d: %v, %v", seed, k, out.Status, err)
			}
			all, noted := s.allRest()
			if hidden := s.gap.Value() - all - brought; hidden > 1e-3*limit {
				t.Errorf("seed %d, change %d: %.3g of the limit is with no variable", seed, k, hidden/limit)
			}
			if hidden := all - noted - before; hidden > 0.1*limit {
				t.Errorf("seed %d, change %d: %.3g of the limit is with variables that are not noted", seed, k, hidden/limit)
			}
			for _, debt := range s.debt {
				if debt > 0 {
					relieved++
				}
			}
		}
	}
	if relieved == 0 {
		t.Error("no variable has a debt")
	}
}

// allRest is what all variables have of the gap, and what those have that are noted.
func (s *State) allRest() (all, noted float64) {
	for i := range s.y {
		rest := s.rest(int32(i))
		if all += rest; i < len(s.pressed.at) && s.pressed.at[i] > 0 {
			noted += rest
		}
	}
	return all, noted
}

// hinges is a lattice of variables that are pulled to 0, where most are, by hinges of theirs alone.
func hinges(rng *rand.Rand, side int32) *mrf.Model {
	m := &mrf.Model{Variables: int(side * side), Rules: 2}
	add := func(rule int, constant float64, vars []int32, coef ...float64) {
		m.AppendPotential(&mrf.Potential{Rule: rule, Kind: mrf.Hinge, Exponent: 2, Scale: 1, Vars: vars, Coef: coef,
			Constant: constant})
	}
	for i := range side * side {
		add(0, 0, []int32{i}, 1)
		for _, j := range []int32{i + 1, i + side} {
			if j < side*side && (j != i+1 || j%side > 0) {
				add(1, -rng.Float64()/5, []int32{i, j}, 1, -1)
				add(1, -rng.Float64()/5, []int32{i, j}, -1, 1)
			}
		}
	}
	return m
}
