package bitset

import (
	"slices"
	"testing"

	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
	"pgregory.net/rapid"
)

// A set does what a map of numbers does.
func TestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "n")
		set, want := New(n), make(map[int]bool)
		for range rapid.IntRange(0, 50).Draw(t, "steps") {
			switch i := rapid.IntRange(0, n).Draw(t, "i"); rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				set.Add(i)
				want[i] = true
			case 1:
				set.Remove(i)
				want[i] = false
			case 2:
				set.Flip(i)
				want[i] = !want[i]
			default:
				if fresh := set.Put(i); fresh == want[i] {
					t.Fatalf("%d is new: %v", i, fresh)
				}
				want[i] = true
			}
		}
		var all []int
		for i := range n + 1 {
			if set.Has(i) != want[i] {
				t.Fatalf("%d is there: %v", i, set.Has(i))
			}
			if want[i] {
				all = append(all, i)
			}
		}
		if got := slices.Collect(set.All()); !slices.Equal(got, all) || set.Len() != len(all) {
			t.Fatalf("it has %d: %v, want %v", set.Len(), got, all)
		}
		other := New(n)
		other.Add(rapid.IntRange(0, n).Draw(t, "other"))
		set.Unite(other)
		for i := range n + 1 {
			if set.Has(i) != (want[i] || other.Has(i)) {
				t.Fatalf("%d is in both: %v", i, set.Has(i))
			}
		}
	})
}
