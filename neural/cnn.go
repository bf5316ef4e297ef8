package neural

import (
	"fmt"
	"math"
	"slices"
)

// A Convolution is one stage of a cnn: a convolution with stride 1, the maximum over each square of Pool×Pool pixels,
// and the activation. As activations are monotone, they may as well come before the maximum.
type Convolution struct {
	// Filters is the number of channels that come out.
	Filters int `json:"filters"`
	// Kernel is the filters' height and width in pixels.
	Kernel int `json:"kernel"`
	// Padding is the number of pixels of value 0 around the image, below Kernel; default 0.
	Padding int `json:"padding"`
	// Pool is the side of the squares whose maximum is taken; default 1. Pixels that fill no square are left out.
	Pool int `json:"pool"`
}

// presets are convolutional networks by name. Whatever a specification says itself stands before them.
var presets = map[string]Spec{
	// The network of the paper's task T1.
	"paper-cnn": {
		Image: []int{28, 28}, Convolutions: []Convolution{{Filters: 32, Kernel: 3}, {Filters: 64, Kernel: 3, Pool: 2}},
		Hidden: []int{128}, Activation: ELU,
	},
	// The form of LeNet-5 (LeCun, Bottou, Bengio and Haffner, 1998) that DeepProbLog and DeepStochLog use.
	"lenet5": {
		Image: []int{28, 28}, Convolutions: []Convolution{
			{Filters: 6, Kernel: 5, Pool: 2}, {Filters: 16, Kernel: 5, Pool: 2}},
		Hidden: []int{120, 84}, Activation: ReLU,
	},
}

// Presets returns the names of the convolutional networks that need no description, sorted.
func Presets() []string { return sortedKeys(presets) }

// withPreset fills in what the specification does not say itself.
func (s Spec) withPreset() Spec {
	preset, known := presets[s.Preset]
	if !known {
		return s
	}
	setDefault(&s.Kind, convolutional)
	setDefault(&s.Activation, preset.Activation)
	if s.Image == nil {
		s.Image = preset.Image
	}
	if s.Convolutions == nil {
		s.Convolutions = preset.Convolutions
	}
	if s.Hidden == nil {
		s.Hidden = preset.Hidden
	}
	return s
}

// convolutional is the kind of networks over images.
const convolutional = "cnn"

// shape is the size of an image. Its values lie row by row, the channels of a pixel together.
type shape struct{ height, width, channels int }

func (s shape) size() int { return s.height * s.width * s.channels }

// cnn is a convolutional network: convolutions, dense layers, and an output. It is written by hand, and not as a GoMLX
// graph, for the reasons and figures in the package's documentation.
type cnn struct {
	image        shape
	convolutions []*convolution
	dense        []*dense // the last gives the output
	dropout      float64
	inputDropout float64
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
	image, err := spec.imageShape(n.features.width)
	if err != nil {
		return nil, err
	}
	if spec.Outputs == 0 {
		return nil, wrongKey("outputs", "outputs is missing: the number of classes")
	}
	net := &cnn{image: image, dropout: spec.Dropout, inputDropout: spec.InputDropout, name: spec.Name,
		output: spec.Output}
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

// imageShape returns the shape of the images: what the specification says, or square ones of one channel if the number
// of features is a square.
func (s *Spec) imageShape(width int) (shape, error) {
	side := int(math.Sqrt(float64(width)))
	given := shape{side, side, 1}
	if s.Image != nil {
		given = shape{s.Image[0], s.Image[1], 1}
		if len(s.Image) == 3 {
			given.channels = s.Image[2]
		}
	}
	if given.size() != width {
		return shape{}, wrongKey("image", "image %v: height, width and channels are wanted whose product is the %d features",
			s.Image, width)
	}
	return given, nil
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
	layer := fmt.Sprintf("convolution%d", i+1)
	net.convolutions = append(net.convolutions, &convolution{
		in: in, raw: raw, out: out, kernel: c.Kernel, padding: c.Padding, pool: pool, activation: n.spec.Activation,
		weights: s.add(n, layer, "weights", n.spec.initializer(), c.Kernel, c.Kernel, in.channels, c.Filters),
		biases:  s.add(n, layer, "biases", Zeros, c.Filters),
	})
	return out, nil
}

// addDense adds an affine layer.
func (net *cnn) addDense(s *System, n *network, layer string, in, out int, activation Activation) {
	net.dense = append(net.dense, &dense{
		in: in, out: out, activation: activation,
		weights: s.add(n, layer, "weights", n.spec.initializer(), in, out),
		biases:  s.add(n, layer, "biases", Zeros, out),
	})
}

// validateCNN checks the keys of convolutional networks; other kinds may not have them.
func (s *Spec) validateCNN() error {
	switch {
	case s.Preset != "" && !slices.Contains(Presets(), s.Preset):
		return unknown("preset", s.Preset, Presets())
	case s.Kind != convolutional && (s.Image != nil || s.Convolutions != nil || s.Preset != ""):
		return wrongKey("kind", "image, convolutions and preset are for networks of kind \"cnn\", not %q", s.Kind)
	case s.Image != nil && (len(s.Image) < 2 || len(s.Image) > 3 || slices.Min(s.Image) <= 0):
		return wrongKey("image", "image %v: height, width and, if there are several, channels are wanted", s.Image)
	}
	for i, c := range s.Convolutions {
		switch {
		case c.Filters <= 0 || c.Kernel <= 0:
			return wrongKey("convolutions", "convolutions: number %d has %d filters with a kernel of %d; both must be positive",
				i+1, c.Filters, c.Kernel)
		case c.Padding < 0 || c.Padding >= c.Kernel:
			return wrongKey("convolutions", "convolutions: number %d has a padding of %d; less than the kernel, 0 to %d, is wanted",
				i+1, c.Padding, c.Kernel-1)
		case c.Pool < 0 || c.Pool > maxPool:
			return wrongKey("convolutions", "convolutions: number %d has a pool of %d; 1 to %d are allowed",
				i+1, c.Pool, maxPool)
		}
	}
	return nil
}

// maxPool bounds the side of a square of pixels, so that a byte can tell which of them is the largest.
const maxPool = 16
