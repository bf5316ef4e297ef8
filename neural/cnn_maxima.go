package neural

import "github.com/deeppsl/deeppsl/internal/kernel"

// stripBytes is about the size of the strip of an image that is worked on together, so that it stays in the innermost
// cache.
const stripBytes = 36 << 10

// backwardMaxima lets gradients go from each maximum to the patch of the image that it saw: of the values before the
// maxima, all others have a gradient of 0, which a product would multiply with too. It adds the gradients of the
// weights, which it takes by filters, as [filters, kernel, kernel, in.channels], and unless down is nil that by the
// image. x is the image with its padding.
func (c *convolutionRun) backwardMaxima(gradient []float32, places []int32, x, weights, down []float32, s *scratch) {
	patch := c.patch()
	size := patch.Lines * patch.Width
	c.eachPicked(gradient, places, func(filter int, at kernel.Picked) {
		kernel.Gather(row(weights, filter, size), x, patch, at)
	})
	if down == nil {
		return
	}
	frame, padded := c.framed(), down
	if c.padding > 0 {
		padded = s.gradient[:frame.size()]
		clear(padded)
	}
	c.eachPicked(gradient, places, func(filter int, at kernel.Picked) {
		kernel.Scatter(padded, row(c.turned, filter, size), patch, at)
	})
	if c.padding > 0 {
		line := c.in.width * c.in.channels
		for y := range c.in.height {
			copy(row(down, y, line), padded[((y+c.padding)*frame.width+c.padding)*frame.channels:])
		}
	}
}

// patch is what a filter sees of the image with its padding.
func (c *convolution) patch() kernel.Patch {
	frame := c.framed()
	return kernel.Patch{Lines: c.kernel, Width: c.kernel * frame.channels, Stride: frame.width * frame.channels}
}

// eachPicked calls body with the maxima of each filter, a strip of the image after the other. They go down the columns,
// so that patches that overlap are some way apart.
func (c *convolution) eachPicked(gradient []float32, places []int32, body func(filter int, at kernel.Picked)) {
	frame, filters := c.framed(), c.out.channels
	pixels := stripBytes / (4 * frame.channels * frame.height)
	strip := max(1, (pixels-c.kernel+1)/c.pool)
	for x := 0; x < c.out.width; x += strip {
		for filter := range filters {
			from := x*filters + filter
			body(filter, kernel.Picked{Factors: gradient[from:], Places: places[from:], Rows: c.out.height,
				Columns: min(strip, c.out.width-x), Row: c.out.width * filters, Column: filters})
		}
	}
}

// addWeights adds the sum of the gradients of the weights, as backward left them, to the parameter's.
func (c *convolutionRun) addWeights(sum []float32) {
	gradient := c.convolution.weights.Gradient
	if c.pool == 1 {
		addTo(gradient, sum)
		return
	}
	filters := c.raw.channels
	size := len(gradient) / filters
	for filter := range filters {
		for k, v := range row(sum, filter, size) {
			gradient[k*filters+filter] += v
		}
	}
}
