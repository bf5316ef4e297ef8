package neural

import (
	"fmt"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// pass is one network on the rows of a group.
type pass struct {
	runner
	network  *network
	group    *group
	out      []float32 // outputs, [rows, network.width]
	upstream []float32 // ∂L/∂out
	threads  int
	along    *propagation // of the logits; nil without
}

// A runner computes a pass.
type runner interface {
	// forward computes the outputs. The group's first layer has been computed.
	forward(train bool, seed uint64) error
	// backward adds the gradients for the upstream ones to the parameters and to the group's dz. The inputs are those
	// of the last forward, whatever has become of the parameters since.
	backward() error
}

func newPass(s *System, n *network, g *group) *pass {
	size := len(g.rows) * n.width
	p := &pass{network: n, group: g, threads: s.threads, out: make([]float32, size), upstream: make([]float32, size)}
	switch {
	case n.cnn != nil:
		p.runner = newCNNRunner(p, n.cnn)
	case n.layered != nil:
		p.runner = newLayersRunner(p, n.layered)
	case n.instance != nil:
		p.runner = newExternalRunner(p)
	case n.spec.Kind == exchanged:
		p.runner = newGraphRunner(p)
	default:
		p.runner = newFunctionRunner(p)
	}
	return p
}

// propagate lets logits be propagated along links, if there are any. The rows of the pass are then all of the table.
func (p *pass) propagate(links *Links) {
	if links != nil {
		p.along = &propagation{Links: links, steps: p.network.spec.Steps, restart: float32(p.network.spec.Restart),
			threads: p.threads}
	}
}

// checkTruth refuses outputs that are to be truth values and are not.
func (p *pass) checkTruth() error {
	const rounding = 1e-4
	for k, v := range p.out {
		if !(v >= -rounding && v <= 1+rounding) {
			return fmt.Errorf("its output for row %q is %v, and output %q wants truth values from 0 to 1",
				p.group.features.ID(p.group.rows[k/p.network.width]), v, NoOutput)
		}
		p.out[k] = min(max(v, 0), 1)
	}
	return nil
}

// parameter is a learnable tensor, or a frozen one.
type parameter struct {
	perception.Parameter
	owner         *network
	layer, tensor string // the parts of its name
	frozen        bool
	initial       Initializer
}
