package neural

import (
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/support/exceptions"
)

// program is a compiled graph: a network's forward pass, whose output is the network's, or its backward pass, whose
// outputs are the gradients of the slots in wanted.
type program struct {
	graph  *graph.Graph
	slots  []slot
	wanted []int
	shape  []int // of the network's outputs
}

// compile builds a network's graph for a number of rows. Without backward, it is the forward pass. The shapes of a
// graph are fixed, so there is one program for each Perception, network and mode.
func (s *System) compile(n *network, rows int, train, backward bool) (*program, error) {
	var p *program
	err := exceptions.TryCatch[error](func() {
		g := graph.NewGraph(s.backend, n.spec.Name)
		b := &Builder{system: s, network: n, graph: g, rows: rows, train: train}
		out := n.kind.Build(b)
		p = &program{graph: g, shape: out.Shape().Dimensions}
		if out.Rank() != 2 || p.shape[0] != rows || out.DType() != dtypes.Float32 {
			exceptions.Panicf("the outputs are %s; a float32 matrix with one row for each of the input is wanted",
				out.Shape())
		}
		results := []*graph.Node{out}
		if backward {
			results = b.gradients(p, out)
		}
		p.slots = b.slots
		if len(results) > 0 {
			mustCompile(g, results)
		}
	})
	if err != nil {
		return nil, inNetwork(n.spec.Name, err)
	}
	return p, nil
}

// mustCompile panics as the functions of GoMLX's graphs do, for compile to catch.
func mustCompile(g *graph.Graph, results []*graph.Node) {
	if err := g.Compile(results...); err != nil {
		panic(err)
	}
}

// gradients returns the gradients of Σ upstream·out in the slots that learning updates, and notes those slots. GoMLX
// differentiates scalars; the sum's gradient is (∂out/∂slot)ᵀ·upstream.
func (b *Builder) gradients(p *program, out *graph.Node) []*graph.Node {
	var nodes []*graph.Node
	for i, s := range b.slots {
		if b.learns(s) {
			p.wanted = append(p.wanted, i)
			nodes = append(nodes, s.node)
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	upstream := b.input(slot{source: fromUpstream}, p.shape...)
	return graph.Gradient(graph.ReduceAllSum(graph.Mul(out, upstream)), nodes...)
}

// learns reports whether the gradient in a slot is of use.
func (b *Builder) learns(s slot) bool {
	switch s.source {
	case fromParameter:
		return !b.system.byName[s.name].frozen
	case fromProduct:
		return !b.network.first.weights.frozen
	}
	return false
}

// run executes the program and gives each of its outputs to take, which must copy what it wants to keep.
func (p *program) run(inputs []*tensors.Tensor, take func(i int, values []float32)) error {
	return exceptions.TryCatch[error](func() {
		arguments := make([]any, len(inputs))
		for i, t := range inputs {
			arguments[i] = t
		}
		for i, out := range p.graph.Run(arguments...) {
			tensors.MustConstFlatData(out, func(values []float32) { take(i, values) })
			out.MustFinalizeAll()
		}
	})
}

// newTensor returns a zero tensor that the backend can read without a copy.
func newTensor(backend compute.Backend, shape ...int) (*tensors.Tensor, error) {
	return tensors.FromShapeForBackend(backend, 0, shapes.Make(dtypes.Float32, shape...))
}

// fill lets write change a tensor's values, in place if the backend shares its memory.
func fill(t *tensors.Tensor, write func(values []float32)) error {
	return tensors.MutableFlatData(t, write)
}

// parameter is a learnable tensor, or a frozen one.
type parameter struct {
	learn.Parameter
	owner         *network
	layer, tensor string // the parts of its name
	frozen        bool
}
