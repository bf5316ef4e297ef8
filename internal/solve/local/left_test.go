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
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m := lattice(rng, side)
		l := &living{t: t, theta: theta}
		cold := l.cold(m)
		field := mrf.NewFieldOn(m, 1)
		field.SetWeights(theta)
		s, err := New(field, cold.Y, cold.Multipliers, solve.Settings{Gap: 1e-4, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		all, _ := s.allRest()
		brought, limit := s.gap.Value()-all, s.settings.Gap*s.worth()
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
			if all-noted > 0.1*limit {
				t.Errorf("seed %d, change %d: %.3g of the limit is with variables that are not noted", seed, k,
					(all-noted)/limit)
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
