package learn

import "math/rand/v2"

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
