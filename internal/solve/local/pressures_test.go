package local

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A heap of pressures has each variable once, with the most that was noted of it, and gives the heaviest first,
// whatever is noted, lowered, dropped and replaced.
func TestPressures(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var h pressures
	var kept []pressure
	wanted, then := map[int32]float64{}, map[int32]float64{}
	for turn := range 20_000 {
		switch rng.IntN(8) {
		case 0:
			if h.len() > 0 {
				delete(wanted, h.heap[0].i)
				h.drop()
			}
		case 1:
			if h.len() > 0 {
				h.heap[0].rest /= 2
				wanted[h.heap[0].i] = h.heap[0].rest
				h.sink(0)
			}
		default:
			a := pressure{rng.Int32N(200), float64(rng.IntN(50))}
			h.note(a, 200)
			wanted[a.i] = max(wanted[a.i], a.rest)
		}
		if turn%500 == 100 {
			kept, then = slices.Clone(h.heap), map[int32]float64{}
			for i, rest := range wanted {
				then[i] = rest
			}
		}
		if turn%500 == 400 {
			h.replace(kept)
			wanted = then
		}
		if h.len() != len(wanted) {
			t.Fatalf("turn %d: %d variables, and not %d", turn, h.len(), len(wanted))
		}
		for k, a := range h.heap {
			if rest, there := wanted[a.i]; !there || rest != a.rest || h.at[a.i] != int32(k+1) {
				t.Fatalf("turn %d: %v at %d, noted at %d; wanted %v", turn, a, k, h.at[a.i]-1, rest)
			}
			if k > 0 && isHeavier(a, h.heap[(k-1)/2]) {
				t.Fatalf("turn %d: %v is below %v", turn, a, h.heap[(k-1)/2])
			}
		}
	}
}
