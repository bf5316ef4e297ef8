package mrf_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// TestChanged takes random potentials out of random models, puts others in, and compares what variables occur in with
// what it is found to be from the start.
func TestChanged(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m, _, _ := mrftest.Random(rng, mrftest.Shape{Variables: 20, Inputs: 5, Blocks: 6, Potentials: 30,
			Kinds: mrftest.All, Arity: 4, Scales: true})
		n := m.Potentials()
		gone := make([]uint64, n/64+1)
		var kept []int
		rare := rng.IntN(20) + 1
		for place := range n {
			if rng.IntN(rare) == 0 {
				gone[place/64] |= 1 << (place % 64)
			} else {
				kept = append(kept, place)
			}
		}
		come := &mrf.Model{}
		for range rng.IntN(5) {
			come.AppendPotential(&mrf.Potential{Kind: mrf.Hinge, Exponent: 1 + rng.IntN(2),
				Vars: []int32{int32(rng.IntN(m.Variables))}, Coef: []float64{1}, Scale: 1})
		}
		changed := m.Changed(gone, come.Blocks, []int{1, 3, math.MaxInt}[seed%3])
		want := m.Only(kept)
		want.Blocks = append(want.Blocks, come.Blocks...)
		got := mrf.NewOccurrences(m).Changed(gone, changed, come.Blocks)
		sameOccurrences(t, changed, want, got, mrf.NewOccurrences(want))
	}
}

// sameOccurrences compares two models, and what their variables occur in.
func sameOccurrences(t *testing.T, m, want *mrf.Model, got, fresh *mrf.Occurrences) {
	t.Helper()
	if m.Potentials() != want.Potentials() {
		t.Fatalf("%d potentials, want %d", m.Potentials(), want.Potentials())
	}
	for i := range int32(m.Variables) {
		places := got.Of(i, nil)
		if expected := fresh.Of(i, nil); !slices.Equal(places, expected) {
			t.Fatalf("variable %d is in %v, want %v", i, places, expected)
		}
		for _, place := range places {
			block, j := got.Locate(place)
			other, l := fresh.Locate(place)
			a, b := m.Blocks[block].At(j), want.Blocks[other].At(l)
			if a.Compare(&b) != 0 || got.Twins(place) != fresh.Twins(place) {
				t.Fatalf("place %d: %v, want %v", place, a, b)
			}
		}
	}
}
