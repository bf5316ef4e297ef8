package ground

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Names rank by their bytes, whatever they have in common and however short they are.
func TestNamesRankByTheirBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, prefix := range []string{"", "n", strings.Repeat("word ", 5)} {
		names := []string{prefix, prefix + "\x00", prefix + "a", prefix + "a\x00", prefix + "ä"}
		for range 300 {
			name := []byte(prefix)
			for range rng.IntN(14) {
				name = append(name, "ab\x00\xff"[rng.IntN(4)])
			}
			names = append(names, string(name))
		}
		sorted := slices.Compact(slices.Sorted(slices.Values(names)))
		for id, rank := range rankNames(names) {
			if sorted[rank] != names[id] {
				t.Fatalf("%q ranks as %q", names[id], sorted[rank])
			}
		}
	}
	if len(rankNames(nil)) != 0 {
		t.Error("ranks of nothing")
	}
}
