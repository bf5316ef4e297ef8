package neural

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// buildMLP writes the feed-forward classifier of the paper's task T2: affine hidden layers, each with its activation
// and dropout, and an affine output layer.
func buildMLP(b *Builder) *graph.Node {
	spec := b.Spec()
	if spec.Outputs == 0 {
		panic(wrongKey("outputs", "outputs is missing: the number of classes"))
	}
	if len(spec.Hidden) == 0 {
		return b.Output(b.First("output", spec.Outputs))
	}
	return b.Output(b.Dense("output", hiddenLayers(b), spec.Outputs))
}

// buildTwin writes one of the two equal networks of a siamese network (paper, T2 and T3): hidden layers, the first of
// which may be an encoder's.
func buildTwin(b *Builder) *graph.Node {
	if len(b.Spec().Hidden) == 0 {
		panic(wrongKey("hidden", "hidden is missing: the twins need a layer, of their own or an encoder's"))
	}
	return hiddenLayers(b)
}

// hiddenLayers writes the layers that both kinds begin with.
func hiddenLayers(b *Builder) *graph.Node {
	spec := b.Spec()
	var x *graph.Node
	for i, width := range spec.Hidden {
		if i == 0 {
			x = b.First(hiddenName(i), width)
		} else {
			x = b.Dense(hiddenName(i), x, width)
		}
		x = b.Dropout(b.Activate(x), spec.Dropout)
	}
	return x
}

// hiddenName names the i-th hidden layer, as checkpoints show it.
func hiddenName(i int) string { return fmt.Sprintf("hidden%d", i+1) }
