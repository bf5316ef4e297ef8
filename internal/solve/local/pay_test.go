package local

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Changes that pay for what earlier ones have left keep room in the gap, where it is nearly used up without that.
func TestUpdate(t *testing.T) {
	paying, without := standing(t, (*State).Update), standing(t, (*State).Solve)
	if t.Logf("%.3g and %.3g of the gap stand", paying, without); paying > 0.9*without {
		t.Errorf("%.3g of the gap stands where changes pay, and %.3g where they do not", paying, without)
	}
}

// standing makes changes of a lattice and returns how much of the gap that may be is left behind them on average.
func standing(t *testing.T, update func(*State, context.Context) (Outcome, error)) (mean float64) {
	const side, changes = 60, 60
	rng := rand.New(rand.NewPCG(1, 6))
	l := alive(t, lattice(rng, side), []float64{1, 4})
	s := l.State
	for k := range changes {
		l.Add(&mrf.Potential{Rule: 1, Kind: mrf.Absolute, Exponent: 2, Scale: 1, Coef: []float64{1},
			Vars: []int32{rng.Int32N(side * side)}, Constant: -rng.Float64()})
		out, err := update(s, t.Context())
		if err != nil || out.Status != solve.Optimal {
			t.Fatalf("change %d: %v, %v", k, out.Status, err)
		}
		if k%10 == 9 {
			l.check(out)
		}
		mean += s.Certificate().Gap / s.settings.Gap / changes
	}
	return mean
}

// What takes too much to be paid is left, and does not make the next change one of all that is tied to it.
func TestUpdateLeavesWhatIsTooMuch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	s := alive(t, lattice(rng, 60), []float64{1, 4}).State
	for s.gap.Value() <= owed*s.settings.Gap*s.worth() {
		s.Add(&mrf.Potential{Rule: 1, Kind: mrf.Absolute, Exponent: 2, Scale: 1, Coef: []float64{1},
			Vars: []int32{rng.Int32N(3600)}, Constant: -rng.Float64()})
		if _, err := s.Solve(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.credit, s.size = 1, 0 // everything is too much
	paid, err := s.pay(t.Context(), 0)
	if err != nil || paid.Status != solve.Stalled || !s.proven() {
		t.Fatalf("%v, %v", paid.Status, err)
	}
	if len(s.pending) > 0 || s.credit < -1e6 {
		t.Errorf("%d variables are to be solved, and %d coefficients to be earned", len(s.pending), -s.credit)
	}
}
