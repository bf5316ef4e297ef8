package neural

import (
	"fmt"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/gomlx/gomlx/core/tensors"
)

// pass is one network on the rows of a group.
type pass struct {
	runner
	network  *network
	group    *group
	out      []float32 // outputs, [rows, network.width]
	upstream []float32 // ∂L/∂out
}

// A runner computes a pass.
type runner interface {
	// forward computes the outputs. The group's first layer has been computed.
	forward(train bool, seed uint64) error
	// backward adds the gradients for the upstream ones to the parameters and to the group's dz. The inputs are those
	// of the last forward, whatever has become of the parameters since.
	backward() error
}

// graphRunner runs a network as GoMLX graphs.
type graphRunner struct {
	*pass
	system    *System
	programs  map[mode]*program
	inputs    map[inputKey]*tensors.Tensor
	selection int  // of the group's rows, that the inputs have
	train     bool // as the last forward
}

// mode tells the graphs of a network apart.
type mode struct{ train, backward bool }

// inputKey tells the inputs of a network apart; forward and backward graphs share them, and so the dropout masks.
type inputKey struct {
	source slotSource
	name   string
}

func newPass(s *System, n *network, g *group) *pass {
	size := len(g.rows) * n.width
	p := &pass{network: n, group: g, out: make([]float32, size), upstream: make([]float32, size)}
	if n.cnn != nil {
		p.runner = newCNNRunner(p, n.cnn)
		return p
	}
	if n.spec.Function != nil {
		p.runner = newFunctionRunner(p)
		return p
	}
	p.runner = &graphRunner{
		pass: p, system: s, programs: map[mode]*program{}, inputs: map[inputKey]*tensors.Tensor{},
	}
	return p
}

// program returns the graph for a mode, compiled when it is first wanted: who only predicts never pays for gradients.
func (p *graphRunner) program(m mode) (*program, error) {
	if have, ok := p.programs[m]; ok {
		return have, nil
	}
	made, err := p.system.compile(p.network, len(p.group.rows), m.train, m.backward)
	if err != nil {
		return nil, err
	}
	p.programs[m] = made
	return made, nil
}

func (p *graphRunner) forward(train bool, seed uint64) error {
	p.train = train
	err := p.run(mode{train, false}, seed, func(_ int, values []float32) { copy(p.out, values) })
	p.selection = p.group.selection
	return err
}

// backward runs a graph that repeats the forward pass, whose intermediate values do not leave GoMLX.
func (p *graphRunner) backward() error {
	m := mode{p.train, true}
	graph, err := p.program(m)
	if err != nil || len(graph.wanted) == 0 {
		return err
	}
	return p.run(m, 0, func(i int, values []float32) {
		into := p.group.dz
		if s := graph.slots[graph.wanted[i]]; s.source == fromParameter {
			into = p.system.byName[s.name].Gradient
		}
		for k, v := range values {
			into[k] += v
		}
	})
}

// run fills the inputs of a graph and executes it.
func (p *graphRunner) run(m mode, seed uint64, take func(i int, values []float32)) error {
	graph, err := p.program(m)
	if err != nil {
		return err
	}
	inputs := make([]*tensors.Tensor, len(graph.slots))
	for i := range graph.slots {
		if inputs[i], err = p.input(&graph.slots[i], m, seed); err != nil {
			return fmt.Errorf("network %q: %w", p.network.spec.Name, err)
		}
	}
	if err := graph.run(inputs, take); err != nil {
		return fmt.Errorf("network %q: %w", p.network.spec.Name, err)
	}
	return nil
}

// input returns a slot's tensor with its values: new ones forward, those of the last forward backward. Tensors live as
// long as the pass, in the backend's memory, so that a run copies only what changes; feature vectors never do.
func (p *graphRunner) input(s *slot, m mode, seed uint64) (*tensors.Tensor, error) {
	key := inputKey{s.source, s.name}
	t, exists := p.inputs[key]
	if !exists {
		var err error
		if t, err = newTensor(p.system.backend, s.node.Shape().Dimensions...); err != nil {
			return nil, err
		}
		p.inputs[key] = t
	}
	if m.backward != (s.source == fromUpstream) || (exists && s.source == fromRows && p.selection == p.group.selection) {
		return t, nil
	}
	return t, fill(t, func(values []float32) { p.fillSlot(s, seed, values) })
}

// fillSlot writes the values that a slot has in this run.
func (p *graphRunner) fillSlot(s *slot, seed uint64, values []float32) {
	switch s.source {
	case fromParameter:
		copy(values, p.system.byName[s.name].Value)
	case fromProduct:
		copy(values, p.group.z)
	case fromRows:
		p.group.features.dense(p.group.rows, values)
	case fromUpstream:
		copy(values, p.upstream)
	case fromDropout:
		rows := p.group.rows
		dropoutMask{newStream(seed, s.name), s.rate}.fill(rows, len(values)/len(rows), func(i int, keep float32) {
			values[i] = keep
		})
	}
}

// dropoutMask draws the factors of a layer under dropout. Their numbers belong to entities, so that what an entity gets
// does not depend on the other rows of the batch.
type dropoutMask struct {
	stream stream
	rate   float64
}

// fill calls set with the factor of each element of a matrix [rows, width].
func (m dropoutMask) fill(rows []int32, width int, set func(i int, keep float32)) {
	parallel.Range(parallel.Threads(0), len(rows)*width, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := uint64(rows[i/width])
			set(i, m.stream.keep(row*uint64(width)+uint64(i%width), m.rate))
		}
	})
}
