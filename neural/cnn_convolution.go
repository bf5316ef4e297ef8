package neural

import "github.com/deeppsl/deeppsl/internal/kernel"

// convolutionRun is a convolution at work on up to a piece of images.
type convolutionRun struct {
	*convolution
	weights, biases []float32 // of the last forward
	turned          []float32 // the weights for the gradient by the image, see turn
	out             []float32 // [piece, convolution.out]
	places          []int32   // for each value of out, where the patch begins that it saw, in the image with its padding
}

// scratch is the memory that one image needs on its way through the convolutions.
type scratch struct {
	padded   []float32 // an image with its padding
	raw      []float32 // what the filters give
	gradient []float32 // ∂L/∂raw, with the padding that the gradient by the image wants; or by the padded image
	down     [2][]float32
}

func newConvolutionRun(c *convolution, images int) *convolutionRun {
	return &convolutionRun{
		convolution: c,
		weights:     make([]float32, len(c.weights.Value)), biases: make([]float32, len(c.biases.Value)),
		turned: make([]float32, len(c.weights.Value)),
		out:    make([]float32, images*c.out.size()), places: make([]int32, images*c.out.size()),
	}
}

func newScratch(net *cnn) *scratch {
	var padded, raw, gradient, down int
	for _, c := range net.convolutions {
		padded, raw = max(padded, c.framed().size()), max(raw, c.raw.size())
		gradient, down = max(gradient, c.gradientFrame().size(), c.framed().size()), max(down, c.in.size())
	}
	return &scratch{
		padded: make([]float32, padded), raw: make([]float32, raw), gradient: make([]float32, gradient),
		down: [2][]float32{make([]float32, down), make([]float32, down)},
	}
}

// framed is the shape of an image with its padding.
func (c *convolution) framed() shape {
	return shape{c.in.height + 2*c.padding, c.in.width + 2*c.padding, c.in.channels}
}

// gradientPadding is the padding that makes the turned convolution of ∂L/∂raw as large as the image.
func (c *convolution) gradientPadding() int { return c.kernel - 1 - c.padding }

func (c *convolution) gradientFrame() shape {
	p := c.gradientPadding()
	return shape{c.raw.height + 2*p, c.raw.width + 2*p, c.raw.channels}
}

func (c *convolutionRun) copyParameters() {
	copy(c.weights, c.convolution.weights.Value)
	copy(c.biases, c.convolution.biases.Value)
	c.turn()
}

// turn writes the weights of the convolution that takes ∂L/∂raw to the gradient by the image: the kernel turned by half
// a circle, with inputs and outputs exchanged. With maxima, inputs and outputs are exchanged as a whole.
func (c *convolutionRun) turn() {
	in, out, places := c.in.channels, c.raw.channels, c.kernel*c.kernel
	if c.pool > 1 {
		in, places = in*places, 1
	}
	for k := range places {
		from, to := c.weights[k*in*out:], c.turned[(places-1-k)*in*out:]
		for i := range in {
			for j := range out {
				to[j*in+i] = from[i*out+j]
			}
		}
	}
}

// forward computes the i-th image of the piece from what enters for it.
func (c *convolutionRun) forward(i int, x []float32, s *scratch) {
	raw := s.raw[:c.raw.size()]
	for lo := 0; lo < len(raw); lo += len(c.biases) {
		copy(raw[lo:], c.biases)
	}
	convolve(raw, c.raw, c.pad(x, s), c.framed(), c.kernel, c.weights)
	out, places := row(c.out, i, c.convolution.out.size()), row(c.places, i, c.convolution.out.size())
	c.takeMaxima(raw, out, places)
	c.activation.apply(out)
}

// pad returns an image with its padding.
func (c *convolution) pad(x []float32, s *scratch) []float32 {
	if c.padding == 0 {
		return x
	}
	frame := c.framed()
	padded := s.padded[:frame.size()]
	clear(padded)
	width := c.in.width * c.in.channels
	for y := range c.in.height {
		copy(padded[((y+c.padding)*frame.width+c.padding)*frame.channels:], row(x, y, width))
	}
	return padded
}

// convolve adds the convolution of the image x, of shape in, with the filters w, [side, side, in.channels,
// out.channels], to y, of shape out. For each row of the kernel and of the result it is a matrix product: consecutive
// pixels of the result see rows of in.channels·side values that begin in.channels apart. Kernels too small to be
// worth it are taken whole.
func convolve(y []float32, out shape, x []float32, in shape, side int, w []float32) {
	size := kernel.Size{Rows: out.width, Columns: out.channels, Inner: side * in.channels, Segments: 1}
	size.Segments = min(side, max(1, blockInner/size.Inner))
	for top := 0; top < side; top += size.Segments {
		size.Segments = min(size.Segments, side-top)
		for line := range out.height {
			a := kernel.Left{Data: x[(line+top)*in.width*in.channels:], Row: in.channels, Column: 1,
				Segment: in.width * in.channels}
			kernel.AddProduct(y[line*out.width*out.channels:], out.channels, a, w[top*size.Inner*out.channels:],
				out.channels, size)
		}
	}
}

// takeMaxima writes the maximum over each square, and the place of the patch that it saw; the first of equal ones.
func (c *convolution) takeMaxima(raw, out []float32, places []int32) {
	if c.pool == 1 {
		copy(out, raw)
		return
	}
	frame, channels, at := c.framed(), c.raw.channels, 0
	for y := range c.out.height {
		for x := range c.out.width {
			best, where := row(out, at, channels), row(places, at, channels)
			at++
			for k := range c.pool * c.pool {
				down, right := y*c.pool+k/c.pool, x*c.pool+k%c.pool
				pixel, place := row(raw, down*c.raw.width+right, channels), (down*frame.width+right)*frame.channels
				if k == 0 {
					copy(best, pixel)
					fillPlaces(where, int32(place))
					continue
				}
				kernel.Maxima(best, where, pixel, place)
			}
		}
	}
}

func fillPlaces(places []int32, place int32) {
	for j := range places {
		places[j] = place
	}
}

// backward takes ∂L/∂out of the i-th image, which it overwrites, adds the gradients of the parameters, and returns that
// by what entered, x, if it is wanted.
func (c *convolutionRun) backward(i int, x, gradient, weights, biases []float32, wanted bool, s *scratch) []float32 {
	c.activation.descend(gradient, row(c.out, i, len(gradient)))
	addRows(biases, gradient)
	var down []float32
	if wanted {
		s.down[0], s.down[1] = s.down[1], s.down[0]
		down = s.down[0][:c.in.size()]
		clear(down)
	}
	places := row(c.places, i, len(gradient))
	if c.pool > 1 {
		c.backwardMaxima(gradient, places, c.pad(x, s), weights, down, s)
		return down
	}
	frame := c.gradientFrame()
	spread := s.gradient[:frame.size()]
	clear(spread)
	c.spread(gradient, spread)
	c.addWeightGradient(weights, c.pad(x, s), spread)
	if wanted {
		convolve(down, c.in, spread, frame, c.kernel, c.turned)
	}
	return down
}

// spread copies gradients into the padding of gradientFrame.
func (c *convolution) spread(gradient, into []float32) {
	frame, p, line := c.gradientFrame(), c.gradientPadding(), c.raw.width*c.raw.channels
	for y := range c.raw.height {
		copy(into[((y+p)*frame.width+p)*frame.channels:], row(gradient, y, line))
	}
}

// addWeightGradient adds, for each row of the kernel, the product of what it saw with the gradients there. The inner
// dimension are the pixels of the result, a segment for each line.
func (c *convolutionRun) addWeightGradient(weights, x, spread []float32) {
	in, frame, out := c.framed(), c.gradientFrame(), c.raw.channels
	size := kernel.Size{Rows: c.kernel * in.channels, Columns: out, Inner: c.raw.width, Segments: 1}
	for line := range c.raw.height {
		b := spread[((line+c.gradientPadding())*frame.width+c.gradientPadding())*out:]
		for k := range c.kernel {
			a := kernel.Left{Data: x[(line+k)*in.width*in.channels:], Row: 1, Column: in.channels}
			kernel.AddProduct(weights[k*size.Rows*out:], out, a, b, out, size)
		}
	}
}
