package local

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// scattered is the state of a random model, with most variables near 0.
func scattered(t *testing.T, rng *rand.Rand, scales bool) *State {
	kinds := []mrftest.Form{{Kind: mrf.Hinge, Exponent: 2}, {Kind: mrf.LessEqual}, {Kind: mrf.Absolute, Exponent: 1}}
	m, theta, x := mrftest.Random(rng, mrftest.Shape{Variables: 300, Inputs: 3, Blocks: 12, Potentials: 200, Arity: 3,
		Kinds: kinds, Scales: scales})
	field := mrf.NewFieldOn(m, 1)
	field.SetWeights(theta)
	field.SetInputs(x)
	y := make([]float64, m.Variables)
	for i := range y {
		y[i] = rng.Float64() * rng.Float64()
	}
	s, err := New(field, y, nil, solve.Settings{Gap: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// level is the level on which the potential at a place is taken for still.
func (w *surveyed) level(place int) int { return w.still[place/64].of(place % 64) }

// What is looked at in the order of memory gets the levels that each potential by itself has, and what is taken back is
// as it was.
func TestSurvey(t *testing.T) {
	all := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := scattered(t, rng, seed%2 == 1)
		was, quiet := surveyed{slices.Clone(s.still), slices.Clone(s.anchors)}, slices.Clone(s.quiet)
		s.Begin()
		s.markAll()
		for i := range s.y {
			if rng.IntN(3) == 0 {
				s.setValue(int32(i), rng.Float64())
				s.marks[i] = 1
			}
		}
		woken := s.survey()
		now := surveyed{still: s.still}
		for place := range s.mu {
			v, been, want := s.view(place), was.level(place), -1
			if been >= 0 {
				want = s.levelOf(&v, 0)
			}
			moved := slices.ContainsFunc(v.ids, func(i int32) bool { return s.marks[i] > 0 })
			wakes := been >= 0 && want < 0 && moved
			if level := now.level(place); level != want || slices.Contains(woken, int32(place)) != wakes {
				t.Fatalf("seed %d: potential %d is on level %d, was on %d and should be on %d", seed, place, level, been, want)
			}
		}
		all += len(woken)
		s.Rollback()
		if !slices.Equal(was.still, s.still) {
			t.Fatalf("seed %d: levels are not what they were", seed)
		}
		if !slices.Equal(was.anchors, s.anchors) || !slices.Equal(quiet, s.quiet) {
			t.Fatalf("seed %d: anchors or what is quiet are not what they were", seed)
		}
	}
	if all == 0 {
		t.Fatal("nothing has woken")
	}
}
