package neural

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// observed is how many rows are looked at for the state of hidden layers.
const observed = 128

// States describes the networks by the last Forward; see learn.Observable. It costs about a forward pass of 128 rows.
func (p *Perception) States() []perception.State {
	var states []perception.State
	for _, s := range p.passes {
		state := perception.State{Network: s.network.spec.Name}
		if s.network.pairs() {
			var truths []float32
			for _, h := range p.heads {
				if pairs, ok := h.(*pairs); ok && pairs.pass == s {
					for _, t := range pairs.truth {
						truths = append(truths, float32(t))
					}
				}
			}
			describe(&state, truths, 1, SigmoidOutput)
		} else {
			kind := s.network.spec.Output
			if kind == NoOutput {
				kind = SigmoidOutput // nothing says that classes exclude each other
			}
			describe(&state, s.out, s.network.width, kind)
		}
		state.Layers = s.layers()
		states = append(states, state)
	}
	return states
}

// describe takes the measures of outputs, a matrix [n, classes].
func describe(state *perception.State, outputs []float32, classes int, kind Output) {
	n := len(outputs) / classes
	state.Outputs = n
	if n == 0 {
		return
	}
	mean, top := make([]float64, classes), make([]int, classes+1)
	entropy := 0.0
	for i := range n {
		p := row(outputs, i, classes)
		best := 0
		for c, v := range p {
			mean[c] += float64(v) / float64(n)
			if v > p[best] {
				best = c
			}
			entropy += surprise(float64(v))
			if kind == SigmoidOutput {
				entropy += surprise(1 - float64(v))
			}
		}
		if classes == 1 && p[0] < 0.5 {
			best = 1 // the answer no
		}
		top[best]++
	}
	state.Certainty = 1 - entropy/float64(n)/largestEntropy(classes, kind)
	for i := range n {
		distance := 0.0
		for c, v := range row(outputs, i, classes) {
			distance += math.Abs(float64(v) - mean[c])
		}
		state.Spread += distance / float64(n)
	}
	if kind == SoftmaxOutput {
		state.Spread /= 2
	} else {
		state.Spread /= float64(classes)
	}
	for _, count := range top {
		state.Majority = max(state.Majority, float64(count)/float64(n))
	}
}

// surprise is a probability's part in the entropy.
func surprise(p float64) float64 {
	if p <= 0 {
		return 0
	}
	return -p * math.Log(p)
}

// largestEntropy is that of outputs that say nothing. One class of a softmax has none to lose.
func largestEntropy(classes int, kind Output) float64 {
	if kind == SigmoidOutput {
		return float64(classes) * math.Ln2
	}
	return math.Log(float64(max(2, classes)))
}

// layers describes the hidden layers of a pass: those of the kinds that this package has.
func (p *pass) layers() []perception.LayerState {
	switch runner := p.runner.(type) {
	case *cnnRunner:
		return runner.layers()
	case *layersRunner:
		return runner.layers()
	}
	return nil
}

// layers computes the hidden layers of some rows once more, without dropout.
func (p *layersRunner) layers() []perception.LayerState {
	n := p.network
	rows := min(observed, len(p.group.rows))
	x := make([]float32, 0, rows*n.first.width)
	for k := range rows {
		x = append(x, row(p.group.z, k*len(p.group.rows)/rows, n.first.width)...)
	}
	var states []perception.LayerState
	for i, width := range n.spec.Hidden {
		layer := hiddenName(i)
		if i > 0 {
			d := p.net.dense[i-1]
			y := make([]float32, rows*width)
			affine{p.threads, d.in, d.out}.forward(x, rows, d.weights.Value, d.biases.Value, y, "")
			x = y
		}
		n.spec.Activation.apply(x)
		states = append(states, n.spec.Activation.state(layer, x, width))
	}
	return states
}

// layers describes what the last piece of images left. A filter is one node, at work on all pixels.
func (r *cnnRunner) layers() []perception.LayerState {
	n := min(observed, (len(r.rows)-1)%piece+1)
	var states []perception.LayerState
	for _, c := range r.convolutions {
		size := c.convolution.out.size()
		states = append(states, r.network.spec.Activation.state(c.convolution.weights.layer, c.out[:n*size],
			c.convolution.out.channels))
	}
	for _, d := range r.dense[:len(r.dense)-1] {
		states = append(states, r.network.spec.Activation.state(d.layer.weights.layer, d.y[:n*d.width], d.width))
	}
	return states
}

// flat is the share of its largest slope below which an activation lets no gradient through.
const flat = 0.01

// state describes a layer by its values, a matrix [rows, nodes].
func (a Activation) state(layer string, y []float32, nodes int) perception.LayerState {
	alive, flats := make([]bool, nodes), 0
	for i, v := range y {
		if a.slope(float64(v)) < flat {
			flats++
		} else {
			alive[i%nodes] = true
		}
	}
	dead := 0
	for _, yes := range alive {
		if !yes {
			dead++
		}
	}
	return perception.LayerState{Layer: layer, Nodes: nodes, Dead: float64(dead) / float64(nodes),
		Saturated: float64(flats) / float64(max(1, len(y)))}
}

// slope is the derivative where the activation has the value y, as a share of the largest.
func (a Activation) slope(y float64) float64 {
	switch {
	case a == Tanh:
		return 1 - y*y
	case a == Sigmoid:
		return 4 * y * (1 - y)
	case a == ELU && y < 0:
		return 1 + y
	case y > 0:
		return 1
	}
	return 0
}
