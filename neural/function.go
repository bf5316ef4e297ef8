package neural

import "fmt"

// A Function is a classifier that a program brings along, as Spec.Function: a function of features and parameters with
// its gradient. The System keeps the parameters, draws their initial values and has them learned. Both methods must
// depend on nothing but their arguments, and a row of the outputs on nothing but the same row of the features. A panic
// with an error becomes the error of New, Forward or Backward.
type Function interface {
	// Tensors describes the parameters for rows of so many features and outputs; always the same ones.
	Tensors(features, outputs int) []Tensor
	// Forward writes the outputs, a matrix [rows, outputs], of the features, [rows, width]. They are not yet truth
	// values: what Spec.Output names follows, a softmax or a sigmoid.
	Forward(parameters [][]float32, features, outputs []float32)
	// Backward adds to gradients, which has the form of parameters, the gradients for those by the outputs, upstream.
	Backward(parameters [][]float32, features, upstream []float32, gradients [][]float32)
}

// A Tensor is a parameter of a Function. One of a single dimension is a bias: it begins with 0 and does not decay. Any
// other begins at random, as suits a layer that has its first dimension of inputs and its last of outputs.
type Tensor struct {
	Name  string
	Shape []int
}

// ownFunction is the kind of networks that are a Function.
const ownFunction = "function"

// discoverFunction makes the parameters of a network that is a Function.
func (s *System) discoverFunction(n *network) error {
	n.width = n.spec.Outputs
	if n.width == 0 {
		return wrongKey("outputs", "outputs is missing: the number of classes")
	}
	for _, t := range n.spec.Function.Tensors(n.table().Width(), n.width) {
		kind, init := weights, Initializer(Glorot)
		if len(t.Shape) == 1 {
			kind, init = biases, Zeros
		}
		if s.byName[parameterName(n, t.Name, kind)] != nil {
			return fmt.Errorf("two tensors are called %q", t.Name)
		}
		n.tensors = append(n.tensors, s.add(n, t.Name, kind, init, t.Shape...))
	}
	return nil
}

// functionRunner runs a Function on the rows of a pass.
type functionRunner struct {
	*pass
	features   []float32   // [rows, width], of the last forward
	parameters [][]float32 // as they were then: an optimiser may write new ones before backward
	gradient   []float32   // by what the Function gives
}

func newFunctionRunner(p *pass) *functionRunner {
	n := p.network
	r := &functionRunner{pass: p, features: make([]float32, len(p.group.rows)*n.table().Width()),
		gradient: make([]float32, len(p.out))}
	for _, t := range n.tensors {
		r.parameters = append(r.parameters, make([]float32, len(t.Value)))
	}
	return r
}

func (r *functionRunner) forward(bool, uint64) error {
	for k, t := range r.network.tensors {
		copy(r.parameters[k], t.Value)
	}
	r.group.features.Gather(r.group.rows, r.features)
	clear(r.out)
	err := try(func() error {
		r.network.spec.Function.Forward(r.parameters, r.features, r.out)
		return nil
	})
	if err != nil {
		return inNetwork(r.network.spec.Name, err)
	}
	r.network.spec.Output.apply(r.out, r.network.width)
	return nil
}

func (r *functionRunner) backward() error {
	if r.network.spec.Frozen {
		return nil
	}
	copy(r.gradient, r.upstream)
	r.network.spec.Output.descend(r.gradient, r.out, r.network.width)
	gradients := make([][]float32, len(r.network.tensors))
	for k, t := range r.network.tensors {
		gradients[k] = t.Gradient
	}
	err := try(func() error {
		r.network.spec.Function.Backward(r.parameters, r.features, r.gradient, gradients)
		return nil
	})
	if err != nil {
		return inNetwork(r.network.spec.Name, err)
	}
	return nil
}

// validateFunction checks what is said of a Function.
func (s *Spec) validateFunction() error {
	if s.Encoder != "" || len(s.Hidden) > 0 || s.Preset != "" {
		return fmt.Errorf("a Function has layers of its own: encoder, hidden and preset are not for it")
	}
	return nil
}
