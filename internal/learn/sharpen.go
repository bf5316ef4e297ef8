package learn

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// sharpen adds to the inputs' gradient that of Sharpen · Σ_things H(x), with H the entropy, in the unit of the loss: of
// the largest weight, by label. It breaks symmetry. Where a result is symmetric in what is seen, as the parity of two
// bits is, the mixture of all ways to it that comes nearest to uniform outputs is uniform: its energy is 0 though
// nothing is known, and so is that of every way between it and the two ways to know all. The slope towards sharp
// outputs makes what initial outputs lean to, and labels do not speak against, grow; what they do speak against has a
// larger slope back. It fades out as learning goes on, so that outputs end where the labels want them.
func (t *Trainer) sharpen() {
	seen, ok := t.Perception.(perception.Distributed)
	if !ok || t.Sharpen == 0 || t.next >= t.Epochs {
		return
	}
	largest := 0.0
	for _, block := range t.Field.Model.Blocks {
		if !block.Kind.Hard() {
			largest = math.Max(largest, t.Theta[block.Rule])
		}
	}
	slope := t.Sharpen * largest / t.simplex.scale() / float64(len(t.Labels.Variables))
	slope *= 1 - float64(t.next)/float64(t.Epochs)
	for _, thing := range seen.Distributions() {
		for _, i := range thing {
			t.inputs[i] -= slope * (math.Log(math.Max(t.x[i], label.TinyFloor)) + 1)
		}
	}
}
