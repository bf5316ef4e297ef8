package local

import (
	"math"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// A variable that a hard ground rule holds is in no part, whatever pushes it, until that ground rule goes.
func TestPinned(t *testing.T) {
	first := &mrf.Model{Variables: 3, Rules: 1}
	for i := range int32(3) {
		first.AppendPotential(&mrf.Potential{Kind: mrf.Hinge, Exponent: 2, Vars: []int32{i}, Coef: []float64{1}, Scale: 1})
	}
	l := &living{t: t, theta: []float64{1}}
	s, err := New(mrf.NewFieldOn(first, 1), []float64{0, 0.5, 0}, nil, solve.Settings{Gap: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	l.State = s
	solved := func(want ...float64) {
		t.Helper()
		out, err := l.Solve(t.Context())
		if err != nil || out.Status != solve.Optimal {
			t.Fatalf("%v: %v", out.Status, err)
		}
		l.check(out)
		for i, y := range l.Values() {
			if math.Abs(y-want[i]) > 1e-2 {
				t.Fatalf("the state is %v, want %v", l.Values(), want)
			}
		}
	}
	pin := &mrf.Potential{Kind: mrf.Equal, Vars: []int32{1}, Coef: []float64{2}, Constant: -1, Scale: 1}
	s.Begin()
	place := s.Add(pin)
	solved(0, 0.5, 0)
	for _, i := range []int32{0, 2} { // y₁ ≤ yᵢ
		s.Add(&mrf.Potential{Kind: mrf.Hinge, Exponent: 2, Vars: []int32{1, i}, Coef: []float64{1, -1}, Scale: 9})
	}
	solved(0.45, 0.5, 0.45)
	if slices.Contains(s.part.variables, 1) || s.g[1] != 0 {
		t.Errorf("what is pinned has been solved, and has the slope %v", s.g[1])
	}
	s.Commit()
	s.Begin()
	s.Remove(place)
	solved(0, 0, 0)
	s.Rollback()
	solved(0.45, 0.5, 0.45)
	s.Begin()
	other := *pin
	other.Constant = -2
	s.Add(&other)
	if out, err := s.Solve(t.Context()); err != nil || out.Status != solve.Infeasible || len(out.Conflict) != 2 {
		t.Fatalf("two values: %+v, %v", out, err)
	}
	s.Rollback()
	solved(0.45, 0.5, 0.45)
}
