package onnx

import "math"

// pool is MaxPool or AveragePool.
type pool struct {
	window
	average   bool
	withEdges bool // margins count in averages
}

func maxPool(a *attributes) operator {
	p := pool{window: readWindow(a)}
	p.read(a)
	a.only("storage_order", 0)
	return operator{forward: p.forward, backward: p.backward}
}

func averagePool(a *attributes) operator {
	p := pool{window: readWindow(a), average: true, withEdges: a.integer("count_include_pad", 0) != 0}
	p.read(a)
	return operator{forward: p.forward, backward: p.backward}
}

func (p *pool) read(a *attributes) {
	p.ceil = a.integer("ceil_mode", 0) != 0
	if !p.given {
		a.wrong("kernel_shape is missing")
	}
	for k := range 2 {
		if max(p.before[k], p.after[k]) >= (p.kernel[k]-1)*p.dilation[k]+1 {
			a.wrong("margins of %d and %d pixels are not smaller than the window", p.before[k], p.after[k])
		}
	}
}

func (p pool) forward(m *memory, in []*tensor) []*tensor {
	mustReals(in[0])
	from := imageOf(in[0].shape)
	p.check(len(in[0].shape))
	w, to := p.over(from)
	y := m.newReals(to.shape(len(in[0].shape))...)
	p.each(w, from, to, func(plane, at int, s seen) {
		if p.average {
			sum := 0.0
			s.each(from.width, func(i int) { sum += float64(in[0].reals[plane+i]) })
			y.reals[at] = float32(sum / float64(p.divisor(w, from, s)))
			return
		}
		if best := s.best(in[0].reals[plane:], from.width); best >= 0 {
			y.reals[at] = in[0].reals[plane+best]
		} else {
			y.reals[at] = float32(math.Inf(-1))
		}
	})
	return one(y)
}

func (p pool) backward(in []*tensor, out *tensor) {
	from := imageOf(in[0].shape)
	w, to := p.over(from)
	down := in[0].ascend()
	p.each(w, from, to, func(plane, at int, s seen) {
		g := out.gradient[at]
		if g == 0 {
			return
		}
		if p.average {
			g /= float32(p.divisor(w, from, s))
			s.each(from.width, func(i int) { down[plane+i] += g })
		} else if best := s.best(in[0].reals[plane:], from.width); best >= 0 {
			down[plane+best] += g
		}
	})
}

// seen is what a window sees of an image.
type seen struct {
	top, bottom, down, left, right, across int
	row, column                            int // of the window
}

// each calls f with the elements' places in the image.
func (s seen) each(width int, f func(i int)) {
	for y := s.top; y < s.bottom; y += s.down {
		for x := s.left; x < s.right; x += s.across {
			f(y*width + x)
		}
	}
}

// best returns the place of the first largest element; -1 if there is none.
func (s seen) best(plane []float32, width int) int {
	best := -1
	for y := s.top; y < s.bottom; y += s.down {
		for x := s.left; x < s.right; x += s.across {
			if i := y*width + x; best < 0 || plane[i] > plane[best] {
				best = i
			}
		}
	}
	return best
}

// each calls body with each element of the result, and what it sees of which plane.
func (p pool) each(w window, from, to image, body func(plane, at int, s seen)) {
	at := 0
	for k := range to.count * to.channels {
		plane := k * from.pixels()
		for y := range to.height {
			s := seen{row: y}
			s.top, s.bottom, s.down = w.span(0, y, from.height)
			for x := range to.width {
				s.column = x
				s.left, s.right, s.across = w.span(1, x, from.width)
				body(plane, at, s)
				at++
			}
		}
	}
}

// divisor is the number of elements of an average.
func (p pool) divisor(w window, from image, s seen) int {
	if !p.withEdges {
		n := 0
		s.each(from.width, func(int) { n++ })
		return max(1, n)
	}
	n := 1
	for k, at := range []int{s.row, s.column} {
		size, first := []int{from.height, from.width}[k], at*w.stride[k]-w.before[k]
		last := min(first+(w.kernel[k]-1)*w.dilation[k]+1, size+w.after[k])
		n *= max(1, (last-first+w.dilation[k]-1)/w.dilation[k])
	}
	return n
}

// global makes one element of each plane: its mean, or its largest.
func global(name string) func(*attributes) operator {
	return func(*attributes) operator {
		over := func(in []*tensor) reduction {
			if len(in[0].shape) < 3 {
				fail("shape %v has no pixels", in[0].shape)
			}
			r := reduction{kind: reductions[name], keep: true}
			for k := 2; k < len(in[0].shape); k++ {
				r.axes = append(r.axes, k)
			}
			return r
		}
		return operator{
			forward:  func(m *memory, in []*tensor) []*tensor { return over(in).forward(m, in) },
			backward: func(in []*tensor, out *tensor) { over(in).backward(in, out) },
		}
	}
}
