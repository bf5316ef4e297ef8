package sgd

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// full takes one step along the gradient of f̃ in each pass, which is one sweep over those potentials that can be
// active near the present point. All others are 0, and so are their gradients: nothing is lost. As soon as a variable
// is further than reach from where they were chosen, they are chosen anew.
type full struct {
	*Solver
	g      []float64
	centre []float64  // where the potentials were chosen
	part   *mrf.Field // of them
}

// reach is how far variables may go until potentials are chosen anew: with less, that happens more often, with more,
// there are more of them.
const reach = 0.25

func newFull(s *Solver) *full {
	return &full{Solver: s, g: make([]float64, len(s.y)), centre: make([]float64, len(s.y))}
}

// begin implements descent.
func (d *full) begin() float64 {
	d.choose()
	return d.evaluate()
}

// pass implements descent.
func (d *full) pass() float64 {
	rate, within := d.options.LearningRate, true
	for i, g := range d.g {
		d.relaxed[i] -= rate * g
		within = within && math.Abs(d.relaxed[i]-d.centre[i]) <= reach
	}
	if !within {
		d.choose()
	}
	return d.evaluate()
}

// evaluate sets g to the gradient of f̃ and returns f̃.
func (d *full) evaluate() float64 {
	total := d.part.Sweep(d.relaxed, d.g, d.differentiate)
	for i, v := range d.relaxed {
		if v < 0 || v > 1 {
			out := outside(v)
			d.g[i] += 2 * d.options.Gamma * out
			total += d.options.Gamma * out * out
		}
	}
	return total
}

// choose makes part the field of the potentials that can be active within reach of the present point.
func (d *full) choose() {
	copy(d.centre, d.relaxed)
	d.part = d.field.Near(d.centre, reach)
}
