package neural

import (
	"fmt"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/gomlx/gomlx/core/tensors"
)

// pass runs one network on the rows of a group, forward and backward.
type pass struct {
	system   *System
	network  *network
	group    *group
	programs map[mode]*program
	inputs   map[inputKey]*tensors.Tensor

	train    bool      // as the last forward
	out      []float32 // outputs, [rows, network.width]
	upstream []float32 // ∂L/∂out
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
	return &pass{
		system: s, network: n, group: g,
		programs: map[mode]*program{}, inputs: map[inputKey]*tensors.Tensor{},
		out: make([]float32, size), upstream: make([]float32, size),
	}
}

// program returns the graph for a mode, compiled when it is first wanted: who only predicts never pays for gradients.
func (p *pass) program(m mode) (*program, error) {
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

// forward computes p.out. The group's first layer has been computed.
func (p *pass) forward(train bool, seed uint64) error {
	p.train = train
	return p.run(mode{train, false}, seed, func(_ int, values []float32) { copy(p.out, values) })
}

// backward adds the gradients for p.upstream to the parameters and to the group's dz. The inputs are those of the last
// forward, whatever has become of the parameters since. The graph repeats the forward pass, whose intermediate
// values do not leave GoMLX.
func (p *pass) backward() error {
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
func (p *pass) run(m mode, seed uint64, take func(i int, values []float32)) error {
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
func (p *pass) input(s *slot, m mode, seed uint64) (*tensors.Tensor, error) {
	key := inputKey{s.source, s.name}
	t, exists := p.inputs[key]
	if !exists {
		var err error
		if t, err = newTensor(p.system.backend, s.node.Shape().Dimensions...); err != nil {
			return nil, err
		}
		p.inputs[key] = t
	}
	if m.backward != (s.source == fromUpstream) || (exists && s.source == fromRows) {
		return t, nil
	}
	return t, fill(t, func(values []float32) { p.fillSlot(s, seed, values) })
}

// fillSlot writes the values that a slot has in this run.
func (p *pass) fillSlot(s *slot, seed uint64, values []float32) {
	switch s.source {
	case fromParameter:
		copy(values, p.system.byName[s.name].Value)
	case fromProduct:
		copy(values, p.group.z)
	case fromRows:
		p.network.features.dense(p.group.rows, values)
	case fromUpstream:
		copy(values, p.upstream)
	case fromDropout:
		p.fillMask(newStream(seed, s.name), s.rate, values)
	}
}

// fillMask draws a dropout mask whose numbers belong to entities, so that the mask of an entity does not depend on the
// other rows of the batch.
func (p *pass) fillMask(masks stream, rate float64, values []float32) {
	width := len(values) / len(p.group.rows)
	parallel.Range(parallel.Threads(0), len(values), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := uint64(p.group.rows[i/width])
			values[i] = masks.keep(row*uint64(width)+uint64(i%width), rate)
		}
	})
}
