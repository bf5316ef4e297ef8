package forest_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/deeppsl/deeppsl/internal/forest"
	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
)

// Groups are those that names painted over by hand say, with None left out, and numbered as they come.
func TestGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		f, name := forest.New(n), make([]int32, n)
		var members []int32
		for i := range f {
			name[i] = int32(i)
			if rapid.IntRange(0, 4).Draw(t, "none") == 0 {
				f[i], name[i] = forest.None, forest.None
			} else {
				members = append(members, int32(i))
			}
		}
		for range rapid.IntRange(0, 40).Draw(t, "joins") {
			if len(members) == 0 {
				break
			}
			i, k := rapid.SampledFrom(members).Draw(t, "i"), rapid.SampledFrom(members).Draw(t, "k")
			least, other := min(name[i], name[k]), max(name[i], name[k])
			if root := f.Join(i, k); root != least {
				t.Fatalf("the root of %d and %d is %d, not %d", i, k, root, least)
			}
			for m, was := range name {
				if was == other {
					name[m] = least
				}
			}
		}
		for _, i := range members {
			if root := f.Root(i); root != name[i] {
				t.Fatalf("the root of %d is %d, not %d", i, root, name[i])
			}
		}
		roots := slices.Compact(slices.Sorted(slices.Values(name)))
		roots = slices.DeleteFunc(roots, func(i int32) bool { return i == forest.None })
		of, count := f.Number()
		if count != len(roots) {
			t.Fatalf("%d groups, not %d", count, len(roots))
		}
		for i, k := range of {
			if name[i] == forest.None && k != forest.None || name[i] != forest.None && roots[k] != name[i] {
				t.Fatalf("%d is in group %d; its least one is %d of %v", i, k, name[i], roots)
			}
		}
	})
}
