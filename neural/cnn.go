package neural

import "fmt"

// convolutional is the kind of networks over images.
const convolutional = "cnn"

// shape is the size of an image. Its values lie row by row, the channels of a pixel together.
type shape struct{ height, width, channels int }

func (s shape) size() int { return s.height * s.width * s.channels }

// shift writes an image that is moved by whole pixels into out.
func (s shape) shift(image, out []float32, down, right int) {
	clear(out)
	line := s.width * s.channels
	from, to, length := max(0, -right)*s.channels, max(0, right)*s.channels, line-max(right, -right)*s.channels
	for y := max(0, down); y < min(s.height, s.height+down); y++ {
		copy(out[y*line+to:][:length], image[(y-down)*line+from:])
	}
}

// cnn is a convolutional network: convolutions, dense layers, and an output. It is written by hand, and not as a GoMLX
// graph, for the reasons and figures in the package's documentation.
type cnn struct {
	image        shape
	convolutions []*convolution
	dense        []*dense // the last gives the output
	dropout      float64
	inputDropout float64
	shift        int // pixels
	name         string
	output       Output
}

// convolution is a Convolution between images of known shapes.
type convolution struct {
	in, raw, out    shape // the image that enters, after the filters, and after the maximum
	kernel, padding int
	pool            int
	activation      Activation
	weights, biases *parameter // [kernel, kernel, in.channels, filters] and [filters]
}

// dense is an affine layer, with an activation unless it is the output's.
type dense struct {
	in, out         int
	activation      Activation // "" for the output
	weights, biases *parameter // [in, out] and [out]
}

// newCNN makes the layers and parameters that a specification asks for.
func newCNN(s *System, n *network) (*cnn, error) {
	spec := n.spec
	image, err := spec.imageShape(n.table().Width())
	if err != nil {
		return nil, err
	}
	spec.convolved(image)
	if spec.Outputs == 0 {
		return nil, wrongKey("outputs", "outputs is missing: the number of classes")
	}
	net := &cnn{image: image, dropout: spec.Dropout, inputDropout: spec.InputDropout, name: spec.Name,
		output: spec.Output, shift: spec.Shift}
	if spec.Shift < 0 || spec.Shift >= min(image.height, image.width) {
		return nil, wrongKey("shift", "shift %d: want a number of pixels from 0 to %d", spec.Shift,
			min(image.height, image.width)-1)
	}
	for i, c := range spec.Convolutions {
		if image, err = net.addConvolution(s, n, i, image, c); err != nil {
			return nil, err
		}
	}
	width := image.size()
	for i, nodes := range spec.Hidden {
		net.addDense(s, n, hiddenName(i), width, nodes, spec.Activation)
		width = nodes
	}
	net.addDense(s, n, "output", width, spec.Outputs, "")
	return net, nil
}

// addConvolution adds a layer over images of the shape in, and returns the shape of those that come out.
func (net *cnn) addConvolution(s *System, n *network, i int, in shape, c Convolution) (shape, error) {
	raw := shape{in.height + 2*c.Padding - c.Kernel + 1, in.width + 2*c.Padding - c.Kernel + 1, c.Filters}
	pool := max(1, c.Pool)
	out := shape{raw.height / pool, raw.width / pool, c.Filters}
	if out.height <= 0 || out.width <= 0 {
		return shape{}, wrongKey("convolutions",
			"convolutions: number %d has no pixel left: kernel %d and pool %d are too large for images of %d×%d with padding %d",
			i+1, c.Kernel, pool, in.height, in.width, c.Padding)
	}
	if raw.height > maxTensor/raw.width || raw.channels > maxTensor/(raw.height*raw.width) {
		return shape{}, wrongKey("convolutions", "convolutions: number %d makes too large an image: %d×%d with %d channels",
			i+1, raw.height, raw.width, raw.channels)
	}
	layer := fmt.Sprintf("convolution%d", i+1)
	net.convolutions = append(net.convolutions, &convolution{
		in: in, raw: raw, out: out, kernel: c.Kernel, padding: c.Padding, pool: pool, activation: n.spec.Activation,
		weights: s.add(n, layer, weights, n.spec.initializer(), c.Kernel, c.Kernel, in.channels, c.Filters),
		biases:  s.add(n, layer, biases, Zeros, c.Filters),
	})
	return out, nil
}

// addDense adds an affine layer.
func (net *cnn) addDense(s *System, n *network, layer string, in, out int, activation Activation) {
	net.dense = append(net.dense, &dense{
		in: in, out: out, activation: activation,
		weights: s.add(n, layer, weights, n.spec.initializer(), in, out),
		biases:  s.add(n, layer, biases, Zeros, out),
	})
}
