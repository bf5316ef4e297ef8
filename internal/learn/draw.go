package learn

import (
	"math/rand/v2"

	"github.com/deeppsl/deeppsl/internal/learn/label"
)

// draw appends x to drawn, with one class of each thing at 1 and the others at 0, drawn as they are probable. By
// Łukasiewicz's logic a hinge over something that is a third true leaves two thirds of what depends on it for nothing:
// of the cheapest path through cells of which nothing is known, half goes one way and half another, at no cost, and no
// slope leads to what tells cells apart. What is drawn is true or not, as it will be in the end, and so are the states
// found. Steps follow what the difference of the optimal energies would be more if one thing were of another class and
// the states stayed (mrf.Field.SwitchInputs), whatever class was drawn of it.
func draw(drawn, x []float64, things [][]int32, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 0x64726177))
	drawn = append(drawn, x...)
	for _, thing := range things {
		left, chosen := random.Float64(), thing[len(thing)-1]
		for _, i := range thing {
			if left -= x[i]; left < 0 {
				chosen = i
				break
			}
		}
		for _, i := range thing {
			drawn[i] = 0
		}
		drawn[chosen] = 1
	}
	return drawn
}

// rewarded is the part of the epochs after which draws are rewarded: the difference of energies leads to what labels
// tell apart, and then makes networks learn examples by heart that say nothing more.
const rewarded = 4

// reward sets gradient to that of the share of examples that come out right, over all draws from x, as far as one draw
// tells (Williams 1992): what was drawn of an example becomes more probable if it is right, and less if it is not, by
// how much more or less that is than the mean.
func reward(gradient, x, drawn []float64, things [][]int32, right []bool) {
	mean := 0.0
	for _, ok := range right {
		if ok {
			mean += 1 / float64(len(right))
		}
	}
	clear(gradient)
	each := len(x) / len(right)
	for _, thing := range things {
		gain := -mean
		if right[int(thing[0])/each] {
			gain = 1 - mean
		}
		for _, i := range thing {
			if drawn[i] == 1 {
				gradient[i] -= gain / max(x[i], label.TinyFloor) / float64(len(right))
			}
		}
	}
}
