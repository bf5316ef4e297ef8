package perception

import "math"

// gauged is how many steps of an epoch have their gradients looked at: enough to tell, and few beside thousands.
const gauged = 8

// Gauge keeps the largest gradients of an epoch's first steps, layer by layer.
type Gauge struct {
	layers []LayerGradient
	steps  int
}

// Read looks at the gradients between Backward and the optimiser's Step.
func (g *Gauge) Read(parameters []*Parameter) {
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

// Take returns the gradients and begins anew.
func (g *Gauge) Take() []LayerGradient {
	layers := g.layers
	*g = Gauge{}
	return layers
}
