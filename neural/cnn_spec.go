package neural

import (
	"fmt"
	"maps"
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

// UnmarshalJSON reads a convolution strictly, as Spec's does a network. Its mistakes are those of the key that lists
// it.
func (c *Convolution) UnmarshalJSON(data []byte) error {
	type plain Convolution
	if err := strictly(data, "a convolution", (*plain)(c)); err != nil {
		return wrongKey("convolutions", "convolutions: %w", err)
	}
	return nil
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
func Presets() []string { return slices.Sorted(maps.Keys(presets)) }

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

// convolved fills in the convolutions that a cnn has where nothing is said of them, by the size of its images: those of
// LeNet-5 and its hidden layers, or smaller ones that leave the sides of small images for their pools to halve.
func (s *Spec) convolved(image shape) {
	if s.Convolutions != nil {
		return
	}
	switch side := min(image.height, image.width); {
	case side >= large:
		s.Convolutions = presets["lenet5"].Convolutions
	case side >= halved:
		s.Convolutions = []Convolution{
			{Filters: 8, Kernel: 3, Padding: 1, Pool: 2}, {Filters: 16, Kernel: 3, Padding: 1, Pool: 2}}
	default:
		s.Convolutions = []Convolution{{Filters: 8, Kernel: min(3, side), Padding: min(3, side) / 2}}
	}
	if s.Hidden == nil {
		s.Hidden = presets["lenet5"].Hidden
	}
}

// Sides of images that are large enough for LeNet-5, and for two pools.
const large, halved = 16, 4

// Convolves tells whether it is of kind "cnn", and not to have no convolutions.
func (s Spec) Convolves() bool {
	s = s.withPreset()
	return s.Kind == convolutional && (s.Convolutions == nil || len(s.Convolutions) > 0)
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
		if err := c.validate(); err != nil {
			return wrongKey("convolutions", "convolutions: number %d: %w", i+1, err)
		}
	}
	return nil
}

// maxPool bounds the side of the squares of pixels whose maximum is taken.
const maxPool = 16

// validate checks what can be known without the image.
func (c Convolution) validate() error {
	switch {
	case c.Filters <= 0 || c.Kernel <= 0:
		return fmt.Errorf("filters %d, kernel %d: both must be positive", c.Filters, c.Kernel)
	case c.Padding < 0 || c.Padding >= c.Kernel:
		return fmt.Errorf("padding %d: 0 to %d, less than the kernel, is wanted", c.Padding, c.Kernel-1)
	case c.Pool < 0 || c.Pool > maxPool:
		return fmt.Errorf("pool %d: 1 to %d is wanted", c.Pool, maxPool)
	}
	return nil
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
