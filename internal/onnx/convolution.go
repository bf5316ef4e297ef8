package onnx

// convolution is Conv: each group of channels by itself, an image after the other, as products of the filters with the
// patches that they see.
type convolution struct {
	window
	groups int
}

func conv(a *attributes) operator {
	c := convolution{readWindow(a), a.integer("group", 1)}
	if c.groups < 1 {
		a.wrong("group = %d", c.groups)
	}
	return operator{forward: c.forward, backward: c.backward}
}

// sizes are those of one convolution: filters and patch lengths are of one group.
type sizes struct {
	window
	in, out        image
	filters, patch int
	channels       int // that a filter sees
}

func (c convolution) sizes(in []*tensor) sizes {
	mustReals(in...)
	x, weights := imageOf(in[0].shape), imageOf(in[1].shape)
	c.check(len(in[0].shape))
	s := sizes{window: c.window, in: x, channels: weights.channels}
	if len(in[0].shape) != len(in[1].shape) {
		fail("filters of shape %v do not fit images of shape %v", in[1].shape, in[0].shape)
	}
	if s.given && s.kernel != [2]int{weights.height, weights.width} {
		fail("filters of shape %v do not have the size %v", in[1].shape, s.kernel)
	}
	s.kernel = [2]int{weights.height, weights.width}
	if x.channels != weights.channels*c.groups || weights.count%c.groups != 0 || weights.count == 0 ||
		weights.pixels()*weights.channels == 0 {
		fail("filters of shape %v in %d groups do not fit images of shape %v", in[1].shape, c.groups, in[0].shape)
	}
	if b := given(in, 2); b != nil && len(b.reals) != weights.count {
		fail("%d filters have biases of shape %v", weights.count, b.shape)
	}
	s.window, s.out = s.over(x)
	s.out.channels = weights.count
	s.filters, s.patch = weights.count/c.groups, weights.channels*weights.pixels()
	size(s.out.shape(4)) // which must not be too large
	size([]int{s.patch, s.out.pixels()})
	return s
}

func (c convolution) forward(m *memory, in []*tensor) []*tensor {
	s := c.sizes(in)
	y := m.newReals(s.out.shape(len(in[0].shape))...)
	pixels, weights := s.out.pixels(), in[1].reals
	m.take(s.patch * pixels)
	patches := make([]float32, s.patch*pixels)
	for n := range s.in.count {
		for g := range c.groups {
			out := y.reals[(n*s.out.channels+g*s.filters)*pixels:][:s.filters*pixels]
			if b := given(in, 2); b != nil {
				for f := range s.filters {
					fill(out[f*pixels:(f+1)*pixels], b.reals[g*s.filters+f])
				}
			}
			s.see(in[0].reals, n, g, patches, pixels, 1)
			multiply(out, plain(weights[g*s.filters*s.patch:], s.patch), patches, s.filters, s.patch, pixels)
		}
	}
	return one(y)
}

func (c convolution) backward(in []*tensor, out *tensor) {
	s := c.sizes(in)
	pixels, weights := s.out.pixels(), in[1].reals
	dx, dw, db := in[0].ascend(), in[1].ascend(), given(in, 2).ascend()
	patches := make([]float32, s.patch*pixels)
	for n := range s.in.count {
		for g := range c.groups {
			up := out.gradient[(n*s.out.channels+g*s.filters)*pixels:][:s.filters*pixels]
			if db != nil {
				for i, v := range up {
					db[g*s.filters+i/pixels] += v
				}
			}
			if dw != nil {
				s.see(in[0].reals, n, g, patches, 1, s.patch)
				multiply(dw[g*s.filters*s.patch:], plain(up, pixels), patches, s.filters, pixels, s.patch)
			}
			if dx != nil {
				clear(patches)
				multiply(patches, turned(weights[g*s.filters*s.patch:], s.patch), up, s.patch, s.filters, pixels)
				s.scatter(dx, n, g, patches)
			}
		}
	}
}

// eachPlace calls body with runs of pixels of the result in a line, and where they see the image at one place of the
// patch: to is the place's number times a, and the first pixel's times b; from is where it lies in the images.
func (s sizes) eachPlace(n, g int, body func(place, pixel, from, length int)) {
	place := 0
	for channel := range s.channels {
		plane := ((n*s.in.channels + g*s.channels + channel) * s.in.height) * s.in.width
		for ky := range s.kernel[0] {
			for kx := range s.kernel[1] {
				first, last := s.columns(kx)
				for oy := range s.out.height {
					y := oy*s.stride[0] - s.before[0] + ky*s.dilation[0]
					if y < 0 || y >= s.in.height || first > last {
						continue
					}
					x := first*s.stride[1] - s.before[1] + kx*s.dilation[1]
					body(place, oy*s.out.width+first, plane+y*s.in.width+x, last-first+1)
				}
				place++
			}
		}
	}
}

// columns returns the first and the last column of the result whose pixel is in the image, for a column of the patch.
func (s sizes) columns(kx int) (first, last int) {
	shift, step := kx*s.dilation[1]-s.before[1], s.stride[1]
	if shift < 0 {
		first = (-shift + step - 1) / step
	}
	if rest := s.in.width - 1 - shift; rest >= 0 {
		last = min(s.out.width-1, rest/step)
	} else {
		last = -1
	}
	return first, last
}

// see writes the patches of one image's group: of each place and pixel, with the steps between places and pixels.
func (s sizes) see(x []float32, n, g int, patches []float32, placeStep, pixelStep int) {
	clear(patches)
	s.eachPlace(n, g, func(place, pixel, from, length int) {
		to := place*placeStep + pixel*pixelStep
		if pixelStep == 1 && s.stride[1] == 1 {
			copy(patches[to:to+length], x[from:])
			return
		}
		for range length {
			patches[to] = x[from]
			to, from = to+pixelStep, from+s.stride[1]
		}
	})
}

// scatter adds the gradients by patches, [place, pixel], to those by one image's group.
func (s sizes) scatter(dx []float32, n, g int, patches []float32) {
	pixels := s.out.pixels()
	s.eachPlace(n, g, func(place, pixel, from, length int) {
		for _, v := range patches[place*pixels+pixel:][:length] {
			dx[from] += v
			from += s.stride[1]
		}
	})
}

// fill sets all elements.
func fill(values []float32, v float32) {
	for k := range values {
		values[k] = v
	}
}
