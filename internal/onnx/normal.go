package onnx

import "math"

// slices along an axis: outer·inner of them, n elements each, inner apart.
type along struct{ outer, n, inner int }

// along returns the slices of a shape along an axis.
func alongAxis(shape []int, k int) along {
	return along{product(shape[:k]), shape[k], product(shape[k+1:])}
}

// each calls body with where each slice begins.
func (s along) each(body func(from int)) {
	for o := range s.outer {
		for i := range s.inner {
			body(o*s.n*s.inner + i)
		}
	}
}

// softmax is Softmax, or its logarithm. Until version 12, all dimensions from the axis on are one.
func softmax(opset int64, logarithm bool) func(a *attributes) operator {
	return func(a *attributes) operator {
		otherwise := -1
		if opset < 13 {
			otherwise = 1
		}
		at := a.integer("axis", otherwise)
		over := func(shape []int) along {
			s := alongAxis(shape, axis(at, len(shape)))
			if opset < 13 {
				s = along{s.outer, s.n * s.inner, 1}
			}
			if s.n == 0 {
				fail("a softmax of nothing, of shape %v", shape)
			}
			return s
		}
		return operator{
			forward: func(m *memory, in []*tensor) []*tensor {
				mustReals(in[0])
				s, y := over(in[0].shape), m.newReals(in[0].shape...)
				s.each(func(from int) { s.softmax(in[0].reals[from:], y.reals[from:], logarithm) })
				return one(y)
			},
			backward: func(in []*tensor, out *tensor) {
				s := over(in[0].shape)
				down := in[0].ascend()
				s.each(func(from int) { s.descend(down[from:], out.reals[from:], out.gradient[from:], logarithm) })
			},
		}
	}
}

func (s along) softmax(x, y []float32, logarithm bool) {
	top, sum := float64(x[0]), 0.0
	for k := range s.n {
		top = max(top, float64(x[k*s.inner]))
	}
	if math.IsInf(top, -1) {
		top = 0 // nothing is possible: 0/0, as elsewhere
	}
	for k := range s.n {
		sum += math.Exp(float64(x[k*s.inner]) - top)
	}
	for k := range s.n {
		if v := float64(x[k*s.inner]) - top; logarithm {
			y[k*s.inner] = float32(v - math.Log(sum))
		} else {
			y[k*s.inner] = float32(math.Exp(v) / sum)
		}
	}
}

func (s along) descend(down, y, g []float32, logarithm bool) {
	sum := 0.0
	for k := range s.n {
		v := float64(g[k*s.inner])
		if !logarithm {
			v *= float64(y[k*s.inner])
		}
		sum += v
	}
	for k := range s.n {
		i := k * s.inner
		if logarithm {
			down[i] += g[i] - float32(math.Exp(float64(y[i]))*sum)
		} else {
			down[i] += y[i] * (g[i] - float32(sum))
		}
	}
}

// batchNormalization uses the means and variances of the file, while learning too.
func batchNormalization(a *attributes) operator {
	epsilon := float64(a.real("epsilon", 1e-5))
	a.take("momentum")
	a.only("training_mode", 0)
	a.only("spatial", 1)
	// factors returns what a channel is multiplied with before its scale.
	factors := func(in []*tensor) ([]float32, along) {
		mustReals(in...)
		if len(in[0].shape) < 2 {
			fail("shape %v has no channels", in[0].shape)
		}
		s := alongAxis(in[0].shape, 1)
		list := make([]float32, s.n)
		for _, t := range in[1:] {
			if len(t.reals) != s.n {
				fail("%d channels have parameters of shape %v", s.n, t.shape)
			}
		}
		for c := range list {
			list[c] = float32(1 / math.Sqrt(float64(in[4].reals[c])+epsilon))
		}
		return list, s
	}
	return operator{
		forward: func(m *memory, in []*tensor) []*tensor {
			list, s := factors(in)
			y := m.newReals(in[0].shape...)
			for k := range s.outer * s.n {
				c := k % s.n
				factor := list[c] * in[1].reals[c]
				shift := in[2].reals[c] - in[3].reals[c]*factor
				for i := k * s.inner; i < (k+1)*s.inner; i++ {
					y.reals[i] = in[0].reals[i]*factor + shift
				}
			}
			return one(y)
		},
		backward: func(in []*tensor, out *tensor) {
			list, s := factors(in)
			dx, dscale, dbias := in[0].ascend(), in[1].ascend(), in[2].ascend()
			for k := range s.outer * s.n {
				c, byScale, byBias := k%s.n, 0.0, 0.0
				for i := k * s.inner; i < (k+1)*s.inner; i++ {
					g := out.gradient[i]
					byBias += float64(g)
					byScale += float64(g) * float64((in[0].reals[i]-in[3].reals[c])*list[c])
					if dx != nil {
						dx[i] += g * list[c] * in[1].reals[c]
					}
				}
				if dscale != nil {
					dscale[c] += float32(byScale)
				}
				if dbias != nil {
					dbias[c] += float32(byBias)
				}
			}
		},
	}
}

// normalization brings groups of n consecutive elements to mean 0, unless it is by their mean square alone, and
// deviation 1; then each element has a scale and a shift.
type normalization struct {
	epsilon    float64
	uncentered bool
	// over returns n, and the parameter of an element of the tensor.
	over func(in []*tensor) (n int, parameter func(i int) int)
}

func (o normalization) operator() operator {
	return operator{forward: o.forward, backward: o.backward}
}

// moments returns the mean and the inverse deviation of a group.
func (o normalization) moments(x []float32) (mean, factor float64) {
	if !o.uncentered {
		for _, v := range x {
			mean += float64(v)
		}
		mean /= float64(len(x))
	}
	square := 0.0
	for _, v := range x {
		square += (float64(v) - mean) * (float64(v) - mean)
	}
	return mean, 1 / math.Sqrt(square/float64(len(x))+o.epsilon)
}

func (o normalization) forward(m *memory, in []*tensor) []*tensor {
	mustReals(in...)
	n, parameter := o.over(in)
	x, y := in[0].reals, m.newReals(in[0].shape...)
	for lo := 0; lo < len(x); lo += n {
		mean, factor := o.moments(x[lo : lo+n])
		for i := lo; i < lo+n; i++ {
			v := (float64(x[i]) - mean) * factor * float64(in[1].reals[parameter(i)])
			if b := given(in, 2); b != nil {
				v += float64(b.reals[parameter(i)])
			}
			y.reals[i] = float32(v)
		}
	}
	return one(y)
}

func (o normalization) backward(in []*tensor, out *tensor) {
	n, parameter := o.over(in)
	x := in[0].reals
	dx, dscale, dbias := in[0].ascend(), in[1].ascend(), given(in, 2).ascend()
	for lo := 0; lo < len(x); lo += n {
		mean, factor := o.moments(x[lo : lo+n])
		sum, moment := 0.0, 0.0 // of the gradients by the normalised elements, and times them
		for i := lo; i < lo+n; i++ {
			z, g := (float64(x[i])-mean)*factor, float64(out.gradient[i])
			if dscale != nil {
				dscale[parameter(i)] += float32(g * z)
			}
			if dbias != nil {
				dbias[parameter(i)] += float32(g)
			}
			g *= float64(in[1].reals[parameter(i)])
			sum, moment = sum+g, moment+g*z
		}
		if dx == nil {
			continue
		}
		if o.uncentered {
			sum = 0
		}
		for i := lo; i < lo+n; i++ {
			z, g := (float64(x[i])-mean)*factor, float64(out.gradient[i])*float64(in[1].reals[parameter(i)])
			dx[i] += float32(factor * (g - sum/float64(n) - z*moment/float64(n)))
		}
	}
}

// layerNormalization normalises all dimensions from an axis on.
func layerNormalization(uncentered bool) func(a *attributes) operator {
	return func(a *attributes) operator {
		at, epsilon := a.integer("axis", -1), a.real("epsilon", 1e-5)
		a.only("stash_type", typeFloat)
		return normalization{float64(epsilon), uncentered, func(in []*tensor) (int, func(int) int) {
			n := product(in[0].shape[axis(at, len(in[0].shape)):])
			for _, t := range in[1:] {
				if t != nil && t.len() != n {
					fail("%d elements have parameters of shape %v", n, t.shape)
				}
			}
			return n, func(i int) int { return i % n }
		}}.operator()
	}
}

// groupNormalization normalises groups of channels; without a number of groups, each channel by itself.
func groupNormalization(grouped bool) func(a *attributes) operator {
	return func(a *attributes) operator {
		groups, epsilon := 0, a.real("epsilon", 1e-5)
		if grouped {
			groups = a.integer("num_groups", 0)
			a.only("stash_type", typeFloat)
		}
		return normalization{float64(epsilon), false, func(in []*tensor) (int, func(int) int) {
			shape, groups := in[0].shape, groups
			if len(shape) < 3 {
				fail("shape %v has no pixels", shape)
			}
			channels, pixels := shape[1], product(shape[2:])
			if !grouped {
				groups = channels
			}
			if groups < 1 || channels%groups != 0 {
				fail("%d channels do not make %d groups", channels, groups)
			}
			n := channels / groups * pixels
			for _, t := range in[1:] { // until version 20 parameters are of groups
				if t == nil || t.len() != in[1].len() || t.len() != channels && t.len() != groups {
					fail("%d channels in %d groups have parameters of shape %v", channels, groups, in[1].shape)
				}
			}
			if in[1].len() != channels {
				return n, func(i int) int { return i / n % groups }
			}
			return n, func(i int) int { return i / pixels % channels }
		}}.operator()
	}
}
