// Package gomlx lets networks that a program writes as GoMLX graphs be neural predicates. Importing it links GoMLX; the
// kinds of networks that package neural has do not need it.
//
//	net := gomlx.New(func(b *gomlx.Builder) *graph.Node {
//		hidden := graph.Cos(b.Dense("angles", b.Rows(), 8))
//		return b.Dense("output", hidden, b.Outputs())
//	})
//	spec := neural.Spec{Name: "seer", Kind: "function", Function: net, Features: "items", Outputs: 2}
package gomlx

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/deeppsl/deeppsl/neural"
)

// Network is a neural.Function that a GoMLX graph computes. Like a neural.System, it must not be used by several
// goroutines at once, nor by two networks of different features or outputs.
type Network struct {
	build    func(*Builder) *graph.Node
	backend  compute.Backend
	features int
	outputs  int
	tensors  []neural.Tensor
	programs map[mode]*program
}

// mode tells the graphs of a network apart.
type mode struct {
	rows     int
	backward bool
}

// New makes a network of a function that writes it over a batch of rows and returns its outputs before softmax or
// sigmoid, a float32 matrix [rows, outputs]. Each row of the result must depend on the same row of the features only.
// It is called whenever a graph is compiled, so it must be a pure function of the Builder, and reports errors as GoMLX
// does, by a panic with an error.
func New(build func(*Builder) *graph.Node) *Network { return On(nil, build) }

// On is New for another backend than GoMLX's own, which a nil one means: XLA for instance, which the caller then
// imports, and which needs cgo.
func On(backend compute.Backend, build func(*Builder) *graph.Node) *Network {
	return &Network{build: build, backend: backend, programs: make(map[mode]*program)}
}

// Builder writes one network as a graph.
type Builder struct {
	network *Network
	graph   *graph.Graph
	rows    int
	input   *graph.Node
	nodes   []*graph.Node // of the parameters, in the order of tensors
	tensors []neural.Tensor
}

// Graph returns the graph that is being built.
func (b *Builder) Graph() *graph.Graph { return b.graph }

// Batch returns the number of rows, and Outputs how many outputs each has.
func (b *Builder) Batch() int { return b.rows }

// Outputs returns how many outputs each row has.
func (b *Builder) Outputs() int { return b.network.outputs }

// Rows returns the feature vectors, a matrix [rows, features].
func (b *Builder) Rows() *graph.Node { return b.input }

// Parameter returns a tensor that learning updates, or the one of that name that is there: see neural.Tensor. A layer's
// weights and its biases, which have one dimension, may have the same name.
func (b *Builder) Parameter(name string, shape ...int) *graph.Node {
	for k, have := range b.tensors {
		if have.Name == name && (len(have.Shape) == 1) == (len(shape) == 1) {
			if !slices.Equal(have.Shape, shape) {
				panic(fmt.Errorf("%s has shape %v, and cannot also have %v", name, have.Shape, shape))
			}
			return b.nodes[k]
		}
	}
	node := graph.Parameter(b.graph, fmt.Sprintf("parameter%d", len(b.nodes)), shapes.Make(dtypes.Float32, shape...))
	b.nodes, b.tensors = append(b.nodes, node), append(b.tensors, neural.Tensor{Name: name, Shape: shape})
	return node
}

// Dense returns x·W + b for x of shape [rows, inputs]; the result has shape [rows, width].
func (b *Builder) Dense(layer string, x *graph.Node, width int) *graph.Node {
	weights := b.Parameter(layer, x.Shape().Dim(-1), width)
	biases := b.Parameter(layer, width)
	return graph.Add(graph.MatMul(x, weights), graph.ExpandAxes(biases, 0))
}

// Tensors implements neural.Function.
func (n *Network) Tensors(features, outputs int) []neural.Tensor {
	if n.tensors != nil && (features != n.features || outputs != n.outputs) {
		panic(fmt.Errorf("the network has %d features and %d outputs, and cannot also have %d and %d", n.features, n.outputs,
			features, outputs))
	}
	if n.backend == nil {
		backend, err := gobackend.New("")
		if err != nil {
			panic(fmt.Errorf("starting GoMLX: %w", err))
		}
		n.backend = backend
	}
	n.features, n.outputs = features, outputs
	n.tensors = n.write(mode{rows: 2}).tensors
	return n.tensors
}

// program is a compiled graph with the memory of its arguments: the features, the parameters, and backward the gradient
// by the outputs.
type program struct {
	graph     *graph.Graph
	tensors   []neural.Tensor
	arguments []*tensors.Tensor
}

// program returns the graph for a mode, compiled when it is first wanted.
func (n *Network) program(m mode) *program {
	if n.programs[m] == nil {
		n.programs[m] = n.write(m)
	}
	return n.programs[m]
}

// write builds and compiles the graph for a mode. GoMLX differentiates scalars: the gradient of Σ upstream·outputs is
// that of the outputs, times upstream.
func (n *Network) write(m mode) *program {
	g := graph.NewGraph(n.backend, "network")
	b := &Builder{network: n, graph: g, rows: m.rows}
	b.input = graph.Parameter(g, "rows", shapes.Make(dtypes.Float32, m.rows, n.features))
	out := n.build(b)
	if want := shapes.Make(dtypes.Float32, m.rows, n.outputs); !out.Shape().Equal(want) {
		panic(fmt.Errorf("the outputs are %s, and %s is wanted", out.Shape(), want))
	}
	inputs, results := append([]*graph.Node{b.input}, b.nodes...), []*graph.Node{out}
	if m.backward {
		upstream := graph.Parameter(g, "upstream", out.Shape())
		inputs = append(inputs, upstream)
		results = graph.Gradient(graph.ReduceAllSum(graph.Mul(out, upstream)), b.nodes...)
	}
	must(g.Compile(results...))
	p := &program{graph: g, tensors: b.tensors}
	for _, input := range inputs {
		t, err := tensors.FromShapeForBackend(n.backend, 0, input.Shape())
		must(err)
		p.arguments = append(p.arguments, t)
	}
	return p
}

// run fills the arguments, runs the graph and gives each of its results to take.
func (p *program) run(values [][]float32, take func(k int, result []float32)) {
	arguments := make([]any, len(p.arguments))
	for k, t := range p.arguments {
		must(tensors.MutableFlatData(t, func(into []float32) { copy(into, values[k]) }))
		arguments[k] = t
	}
	for k, out := range p.graph.Run(arguments...) {
		tensors.MustConstFlatData(out, func(result []float32) { take(k, result) })
		out.MustFinalizeAll()
	}
}

// Forward implements neural.Function.
func (n *Network) Forward(parameters [][]float32, features, outputs []float32) {
	values := append([][]float32{features}, parameters...)
	n.program(mode{rows: len(outputs) / n.outputs}).run(values, func(_ int, result []float32) { copy(outputs, result) })
}

// Backward implements neural.Function.
func (n *Network) Backward(parameters [][]float32, features, upstream []float32, gradients [][]float32) {
	values := append(append([][]float32{features}, parameters...), upstream)
	n.program(mode{len(upstream) / n.outputs, true}).run(values, func(k int, result []float32) {
		for i, v := range result {
			gradients[k][i] += v
		}
	})
}

// must panics as the functions of GoMLX's graphs do.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
