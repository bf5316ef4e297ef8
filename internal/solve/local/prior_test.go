package local

import (
	"math"
	"math/rand/v2"
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

// What squares of a variable alone take over of its slope leaves no more of the gap than any other multipliers would.
func TestAbsorb(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		first := &mrf.Model{Variables: 1, Rules: 4}
		var theta []float64
		var later []*mrf.Potential
		for rule := range first.Rules {
			kind, a, c := mrf.Hinge, float64(1-2*rng.IntN(2)), rng.Float64()-0.5
			if rng.IntN(4) == 0 {
				kind = mrf.Absolute
			}
			if theta = append(theta, math.Exp(4*rng.Float64())); rule < 2 {
				b := &mrf.Block{Rule: rule, Kind: kind, Exponent: 2, Len: 1, Coef: []float64{a}, Constant: c}
				if rule == 1 {
					b.Vars = []int32{0}
				}
				first.Blocks = append(first.Blocks, b)
				continue
			}
			later = append(later, &mrf.Potential{Rule: rule, Kind: kind, Exponent: 2, Vars: []int32{0}, Coef: []float64{a},
				Constant: c, Scale: 1})
		}
		field := mrf.NewFieldOn(first, 1)
		field.SetWeights(theta)
		s, err := New(field, []float64{rng.Float64()}, nil, solve.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range later {
			s.Add(p)
		}
		s.g[0] += rng.NormFloat64()
		singles := s.appendSingles(nil, 0, &s.own)
		if len(singles) != first.Rules {
			t.Fatalf("seed %d: %d squares of %d", seed, len(singles), first.Rules)
		}
		s.lean(0, singles, &mrf.Line{})
		rest := s.absorb(0, singles, &s.gap)
		if again := s.rest(0); math.Abs(again-rest) > 1e-12*(1+rest) {
			t.Errorf("seed %d: %v is left, and then %v", seed, rest, again)
		}
		for range 200 {
			q := singles[rng.IntN(len(singles))]
			if !q.matters() {
				continue
			}
			mu, g := s.mu[q.place], s.g[0]
			now, _, _ := solve.Contribution(q.block, q.w, q.d, mu+math.Exp(-10*rng.Float64())*rng.NormFloat64())
			s.mu[q.place], s.g[0] = now, g+q.a*(now-mu)
			if other := s.rest(0); other < rest-1e-12*(1+rest) {
				t.Fatalf("seed %d: %v is left, and %v would be", seed, rest, other)
			}
			s.mu[q.place], s.g[0] = mu, g
		}
	}
}

func TestSkip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for range 1000 {
		var places []int32
		for n := rng.IntN(20); len(places) < n; {
			places = append(places, int32(3*len(places))+rng.Int32N(3))
		}
		below := rng.Int32N(60)
		if want, _ := slices.BinarySearch(places, below); skip(places, below) != want {
			t.Fatalf("%d of %v are below %d, not %d", want, places, below, skip(places, below))
		}
	}
}
