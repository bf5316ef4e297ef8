package neural

import (
	"fmt"
	"slices"
)

// layered is an mlp, or one of the equal networks of a siamese one (paper, T2 and T3): affine layers, each followed by
// the activation and by dropout, but for the last of an mlp, which the output follows. The first of them stands apart,
// since networks may share it and features may be sparse: see firstLayer.
type layered struct {
	name       string
	activation Activation // of the first layer; "" where that is the output
	dense      []*dense   // the others
	hidden     int        // how many of all layers are hidden
	dropout    float64
	output     Output     // "" for twins, whose last layer is compared
	skip       *parameter // [features, outputs], added to the output's layer; nil without
}

// newLayered makes the layers and parameters that a specification asks for.
func newLayered(s *System, n *network) (*layered, error) {
	spec := n.spec
	net := &layered{name: spec.Name, hidden: len(spec.Hidden), dropout: spec.Dropout}
	widths := slices.Clone(spec.Hidden)
	switch {
	case !n.pairs() && spec.Outputs == 0:
		return nil, wrongKey("outputs", "outputs is missing: the number of classes")
	case !n.pairs():
		widths, net.output = append(widths, spec.Outputs), spec.Output
	case len(widths) == 0:
		return nil, wrongKey("hidden", "hidden is missing: the twins need a layer, of their own or an encoder's")
	}
	n.first, n.width = s.firstLayer(n, net.layer(0), widths[0]), widths[len(widths)-1]
	net.activation = net.after(0, spec.Activation)
	for l, width := range widths[1:] {
		in, layer := widths[l], net.layer(l+1)
		net.dense = append(net.dense, &dense{in: in, out: width, activation: net.after(l+1, spec.Activation),
			weights: s.shared(n, layer, weights, n.spec.initializer(), in, width),
			biases:  s.shared(n, layer, biases, Zeros, width)})
	}
	if net.output != "" && n.spec.skips() {
		net.addSkip(s, n)
	}
	return net, nil
}

// skipLayer is what checkpoints call the layer that leads from the features to the output.
const skipLayer = "skip"

// addSkip makes the weights that lead past the hidden layers, which begin with 0: few labels are told by them.
func (net *layered) addSkip(s *System, n *network) {
	net.skip = s.add(n, skipLayer, weights, Zeros, n.table().Width(), n.width)
	net.share(n, hiddenShare)
}

// What is linear is to be said by a skip, which takes fewer labels than the layers that it goes past: these have so
// many times the weight decay that suits the number of labels. With once, they learn few labels by heart; with four
// times, chains lose. Twins learn more of them by heart, as each of few rows is in several pairs.
const hiddenShare, twinShare = 2, 32

// share gives the weights of all layers so many times the decay.
func (net *layered) share(n *network, times float64) {
	n.first.weights.Share = times
	for _, d := range net.dense {
		d.weights.Share = times
	}
}

// layer names the l-th layer, as checkpoints show it.
func (net *layered) layer(l int) string {
	if l < net.hidden {
		return hiddenName(l)
	}
	return "output"
}

// after is the activation that follows the l-th layer.
func (net *layered) after(l int, activation Activation) Activation {
	if l < net.hidden {
		return activation
	}
	return ""
}

// hiddenName names the l-th hidden layer.
func hiddenName(l int) string { return fmt.Sprintf("hidden%d", l+1) }

// dropoutName names the masks of a network's dropout layers, which count from 1.
func dropoutName(network string, layer int) string {
	return fmt.Sprintf("%s.dropout%d", network, layer)
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

// layersRunner runs a layered network on the rows of a pass.
type layersRunner struct {
	*pass
	net   *layered
	first *nodes // of the first layer
	dense []*denseRun
	past  []float32 // what the skip adds, [rows, network.width]; nil without
}

func newLayersRunner(p *pass, net *layered) *layersRunner {
	n := len(p.group.rows)
	r := &layersRunner{pass: p, net: net, first: newNodes(n, p.network.first.width, net.activation)}
	for _, d := range net.dense {
		r.dense = append(r.dense, newDenseRun(d, n, p.threads))
	}
	if net.skip != nil {
		r.past = make([]float32, len(p.out))
	}
	return r
}

// at returns the nodes of the l-th layer.
func (r *layersRunner) at(l int) *nodes {
	if l == 0 {
		return r.first
	}
	return r.dense[l-1].nodes
}

// forward goes on from the product of the group's first layer. It copies the parameters, because an optimiser may write
// new ones before backward.
func (r *layersRunner) forward(train bool, seed uint64) error {
	n, x := len(r.group.rows), r.first.y
	copy(x, r.group.z)
	eachChunk(r.threads, n, func(lo, hi int) { r.net.activation.apply(x[lo*r.first.width : hi*r.first.width]) })
	r.first.keep = r.first.keep[:0]
	r.drop(0, train, seed)
	for l, d := range r.dense {
		d.copyParameters()
		x = d.forward(x, n)
		r.drop(l+1, train, seed)
	}
	copy(r.out, x)
	if r.past != nil {
		r.group.product.forward(r.net.skip.Value, make([]float32, r.network.width), r.past)
		for i, v := range r.past {
			r.out[i] += v
		}
	}
	if r.net.output != "" {
		width := r.network.width
		r.along.apply(r.out, width)
		eachChunk(r.threads, n, func(lo, hi int) { r.net.output.apply(r.out[lo*width:hi*width], width) })
	}
	return nil
}

// drop applies dropout to a hidden layer.
func (r *layersRunner) drop(l int, train bool, seed uint64) {
	if train && r.net.dropout > 0 && l < r.net.hidden {
		d := newDropout(seed, dropoutName(r.net.name, l+1), r.net.dropout)
		r.at(l).drop(d, r.group.rows, r.threads)
	}
}

// backward adds the gradients of what learns, from the last layer to the first that does.
func (r *layersRunner) backward() error {
	lowest := r.lowest()
	if lowest > len(r.dense) {
		return nil
	}
	n, top := len(r.group.rows), r.at(len(r.dense))
	copy(top.gradient, r.upstream)
	if r.net.output != "" {
		r.net.output.descend(top.gradient, r.out, r.network.width)
		r.along.apply(top.gradient, r.network.width)
		if r.past != nil {
			r.group.product.backward(top.gradient, r.net.skip.Gradient, r.network.width)
		}
	} else {
		top.descend(n)
	}
	for l := len(r.dense); l > 0 && l >= lowest; l-- {
		d, below := r.dense[l-1], r.at(l-1)
		if l == lowest {
			d.backward(below.y, n, nil)
			return nil
		}
		d.backward(below.y, n, below.gradient)
		below.descend(n)
	}
	for i, g := range r.first.gradient {
		r.group.dz[i] += g
	}
	return nil
}

// lowest is the first layer that learns; beyond the last one, none does.
func (r *layersRunner) lowest() int {
	if !r.network.first.weights.frozen {
		return 0
	}
	for l, d := range r.net.dense {
		if !d.weights.frozen {
			return l + 1
		}
	}
	return len(r.net.dense) + 1
}
