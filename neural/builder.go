package neural

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Builder writes one network as a GoMLX graph over a batch of rows. Its methods panic with an error if the network is
// wrong; see Kind.Build.
type Builder struct {
	system  *System
	network *network
	graph   *graph.Graph
	rows    int
	train   bool
	slots   []slot
	layers  int // dropout layers so far
}

// A slot is an input of the graph: where its values come from whenever the graph runs.
type slot struct {
	source slotSource
	name   string  // of a parameter
	rate   float64 // of a dropout mask
	node   *graph.Node
}

type slotSource int

const (
	fromParameter slotSource = iota // the parameter called name
	fromProduct                     // the first layer's X·W + b
	fromRows                        // the feature vectors
	fromDropout                     // a dropout mask
	fromUpstream                    // ∂L/∂outputs
)

// Spec returns the network's specification with its defaults filled in. Its Hidden begins with the shared layers.
func (b *Builder) Spec() Spec { return b.network.spec }

// Graph returns the graph that is being built.
func (b *Builder) Graph() *graph.Graph { return b.graph }

// Batch returns the number of rows.
func (b *Builder) Batch() int { return b.rows }

// Train reports whether the graph is for training, where dropout is on.
func (b *Builder) Train() bool { return b.train }

// Rows returns the feature vectors as a dense matrix [rows, features]. For a network that begins with an affine layer,
// First is faster, and much faster with sparse features.
func (b *Builder) Rows() *graph.Node {
	b.network.readsRows = true
	return b.input(slot{source: fromRows}, b.rows, b.network.table().width)
}

// First returns X·W + b, a matrix [rows, width], where X are the feature vectors. It is computed outside the graph,
// sparsely if the features are sparse, and once for all networks that share the layer. A network has one at most.
func (b *Builder) First(layer string, width int) *graph.Node {
	if slices.ContainsFunc(b.slots, func(s slot) bool { return s.source == fromProduct }) {
		exceptions.Panicf("the network has two first layers, the second is %q", layer)
	}
	if b.network.first == nil {
		b.network.first = b.system.firstLayer(b, layer, width)
	}
	return b.input(slot{source: fromProduct}, b.rows, width)
}

// Parameter returns a tensor that learning updates, initialised by the seed and its name. A layer that the network
// shares with its encoder is the encoder's.
func (b *Builder) Parameter(layer, tensor string, init Initializer, shape ...int) *graph.Node {
	p := b.parameter(layer, tensor, init, shape...)
	return b.input(slot{source: fromParameter, name: p.Name}, shape...)
}

// Dense returns x·W + b for x of shape [rows, inputs]; the result has shape [rows, width].
func (b *Builder) Dense(layer string, x *graph.Node, width int) *graph.Node {
	inputs := x.Shape().Dim(-1)
	weights := b.Parameter(layer, "weights", b.network.spec.initializer(), inputs, width)
	biases := b.Parameter(layer, "biases", Zeros, width)
	return graph.Add(graph.MatMul(x, weights), graph.ExpandAxes(biases, 0))
}

// initializer returns what suits the network's activation, times its gain: half of what enters a relu is lost, and He
// makes up for it.
func (s *Spec) initializer() Initializer {
	suits := Glorot
	if s.Activation == ReLU || s.Activation == ELU {
		suits = He
	}
	return func(inputs, outputs int) float64 { return s.Gain * suits(inputs, outputs) }
}

// Dropout sets each element of x, of shape [rows, …], to 0 with the given probability and scales the others so that
// the mean stays; without training it returns x. The mask of a row depends on the seed of the forward pass and the
// row's entity, not on its place in the batch.
func (b *Builder) Dropout(x *graph.Node, rate float64) *graph.Node {
	if !b.train || rate == 0 {
		return x
	}
	b.layers++
	name := dropoutName(b.network.spec.Name, b.layers)
	return graph.Mul(x, b.input(slot{source: fromDropout, rate: rate, name: name}, x.Shape().Dimensions...))
}

// dropoutName names the masks of a network's dropout layers, which count from 1.
func dropoutName(network string, layer int) string {
	return fmt.Sprintf("%s.dropout%d", network, layer)
}

// Activate applies the specification's activation.
func (b *Builder) Activate(x *graph.Node) *graph.Node {
	switch b.network.spec.Activation {
	case ELU:
		// Where drops the positive side of exp, but an overflow there would still spoil the gradient.
		return positiveOr(x, graph.AddScalar(graph.Exp(graph.MinScalar(x, 0)), -1))
	case Tanh:
		return graph.Tanh(x)
	case Sigmoid:
		return graph.Sigmoid(x)
	}
	return positiveOr(x, graph.ZerosLike(x))
}

// positiveOr returns x where it is positive, and otherwise elsewhere. Its gradient takes half the time of MaxScalar's.
func positiveOr(x, otherwise *graph.Node) *graph.Node {
	return graph.Where(graph.GreaterThan(x, graph.ZerosLike(x)), x, otherwise)
}

// Output maps the last layer to truth values as the specification says.
func (b *Builder) Output(x *graph.Node) *graph.Node {
	if b.network.spec.Output == SigmoidOutput {
		return graph.Sigmoid(x)
	}
	return graph.Softmax(x, -1)
}

// input adds a slot of the given shape, or returns the one that is there: parameters may be used twice.
func (b *Builder) input(s slot, shape ...int) *graph.Node {
	for _, have := range b.slots {
		if s.source != fromUpstream && have.source == s.source && have.name == s.name {
			return have.node
		}
	}
	s.node = graph.Parameter(b.graph, fmt.Sprintf("input%d", len(b.slots)), shapes.Make(dtypes.Float32, shape...))
	b.slots = append(b.slots, s)
	return s.node
}
