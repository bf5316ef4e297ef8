package learn

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// inactive is how far below 0 a hinge's argument is if its ground rule is inactive there, and not at its kink.
const inactive = 1e-3

// activity counts the ground rules of each rule that are active at MAP states: those whose slopes are not 0, so that
// weights and networks learn from them.
type activity struct{ active, all []float64 }

// add counts those of a field at y.
func (a *activity) add(field *mrf.Field, y []float64) {
	if a.all == nil {
		a.active, a.all = make([]float64, field.Model.Rules), make([]float64, field.Model.Rules)
	}
	field.CountActive(y, inactive, a.active)
	for _, b := range field.Model.Blocks {
		a.all[b.Rule] += float64(b.Len)
	}
}

// take returns the share of active ground rules by rule, NaN of none, and begins anew.
func (a *activity) take() []float64 {
	shares := a.active
	for r := range shares {
		shares[r] /= a.all[r]
	}
	*a = activity{}
	return shares
}

// gauged is how many steps of an epoch have their gradients looked at: enough to tell, and few beside thousands.
const gauged = 8

// gauge keeps the largest gradients of an epoch's first steps, layer by layer.
type gauge struct {
	layers []LayerGradient
	steps  int
}

// read looks at the gradients between Backward and the optimiser's Step.
func (g *gauge) read(parameters []*Parameter) {
	if g.steps++; g.steps > gauged {
		return
	}
	for k, layer := range LayerGradients(parameters) {
		if k == len(g.layers) {
			g.layers = append(g.layers, layer)
		}
		g.layers[k].Weights = layer.Weights
		g.layers[k].Gradient = math.Max(g.layers[k].Gradient, layer.Gradient) // NaN wins
	}
}

// take returns the gradients and begins anew.
func (g *gauge) take() []LayerGradient {
	layers := g.layers
	*g = gauge{}
	return layers
}
