package inspect

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRanked compares with what a stable sort finds, with many and few that are equal.
func TestRanked(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		keys, all := make([]float64, rng.IntN(40)), []int32(nil)
		different := 1 + rng.IntN(10)
		for k := range keys {
			keys[k], all = float64(rng.IntN(different)), append(all, int32(k))
		}
		from := rng.IntN(len(keys) + 1)
		to := from + rng.IntN(len(keys)-from+1)
		got := ranked(keys, from, to)
		slices.SortStableFunc(all, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
		if want := all[from:to]; !slices.Equal(got, want) {
			t.Fatalf("%v from %d to %d: %v, want %v", keys, from, to, got, want)
		}
	}
}

func BenchmarkRanked(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	keys := make([]float64, 1e6)
	for k := range keys {
		keys[k] = rng.Float64()
	}
	for b.Loop() {
		ranked(keys, 0, shownAtoms)
	}
}
