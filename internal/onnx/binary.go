package onnx

import (
	"math"
	"slices"
)

// broadcast returns the shape that two have together: dimensions of 1 stretch.
func broadcast(a, b []int) []int {
	if slices.Equal(a, b) {
		return a
	}
	shape := make([]int, max(len(a), len(b)))
	for k := range shape {
		i, j := k+len(a)-len(shape), k+len(b)-len(shape)
		switch {
		case i < 0:
			shape[k] = b[j]
		case j < 0 || b[j] == 1 || a[i] == b[j]:
			shape[k] = a[i]
		case a[i] == 1:
			shape[k] = b[j]
		default:
			fail("shapes %v and %v do not fit each other", a, b)
		}
	}
	return shape
}

// stretched returns the steps of a shape along the dimensions of the one that it stretches to: 0 where it has 1.
func stretched(from, to []int) []int {
	if len(from) > len(to) {
		fail("shape %v does not fit %v", from, to)
	}
	steps, own := make([]int, len(to)), strides(from)
	for k := range from {
		at := k + len(to) - len(from)
		switch from[k] {
		case to[at]:
			steps[at] = own[k]
		case 1:
		default:
			fail("shape %v does not fit %v", from, to)
		}
	}
	return steps
}

// run is a stretch of elements of a result, and of two factors that go on by a step of 0 or more.
type run struct{ at, first, second, length, firstStep, secondStep int }

// eachRun calls body with the runs of a result, as long as they can be.
func eachRun(shape, first, second []int, body func(r run)) {
	if product(shape) == 0 {
		return
	}
	a, b := stretched(first, shape), stretched(second, shape)
	r, outer := run{length: 1}, len(shape)
	for outer > 0 {
		k := outer - 1
		if shape[k] == 1 {
			outer--
			continue
		}
		if r.length > 1 && (a[k] != r.firstStep*r.length || b[k] != r.secondStep*r.length) {
			break
		}
		if r.length == 1 {
			r.firstStep, r.secondStep = a[k], b[k]
		}
		r.length *= shape[k]
		outer--
	}
	index := make([]int, outer)
	for {
		body(r)
		r.at += r.length
		k := outer - 1
		for ; k >= 0; k-- {
			index[k]++
			r.first += a[k]
			r.second += b[k]
			if index[k] < shape[k] {
				break
			}
			r.first -= a[k] * index[k]
			r.second -= b[k] * index[k]
			index[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// zip combines the elements of two lists of given shapes.
func zip[A, R any](shape []int, out []R, first []int, a []A, second []int, b []A, f func(x, y A) R) {
	eachRun(shape, first, second, func(r run) {
		to, i, j := out[r.at:r.at+r.length], r.first, r.second
		for k := range to {
			to[k] = f(a[i], b[j])
			i, j = i+r.firstStep, j+r.secondStep
		}
	})
}

// arithmetic is a function of two numbers, with its derivatives by the first and the second, of x, y and z = f(x, y).
type arithmetic struct {
	f      func(x, y float32) float32
	whole  func(x, y int64) int64
	first  func(x, y, z float32) float32
	second func(x, y, z float32) float32
}

var arithmetics = map[string]arithmetic{
	"Add": {func(x, y float32) float32 { return x + y }, func(x, y int64) int64 { return x + y },
		func(_, _, _ float32) float32 { return 1 }, func(_, _, _ float32) float32 { return 1 }},
	"Sub": {func(x, y float32) float32 { return x - y }, func(x, y int64) int64 { return x - y },
		func(_, _, _ float32) float32 { return 1 }, func(_, _, _ float32) float32 { return -1 }},
	"Mul": {func(x, y float32) float32 { return x * y }, func(x, y int64) int64 { return x * y },
		func(_, y, _ float32) float32 { return y }, func(x, _, _ float32) float32 { return x }},
	"Div": {func(x, y float32) float32 { return x / y }, divide,
		func(_, y, _ float32) float32 { return 1 / y }, func(_, y, z float32) float32 { return -z / y }},
	"Max": {func(x, y float32) float32 { return max(x, y) }, func(x, y int64) int64 { return max(x, y) },
		func(x, y, _ float32) float32 { return share(x > y, x == y) },
		func(x, y, _ float32) float32 { return share(y > x, x == y) }},
	"Min": {func(x, y float32) float32 { return min(x, y) }, func(x, y int64) int64 { return min(x, y) },
		func(x, y, _ float32) float32 { return share(x < y, x == y) },
		func(x, y, _ float32) float32 { return share(y < x, x == y) }},
	"Pow": {power, func(x, y int64) int64 { return int64(math.Pow(float64(x), float64(y))) },
		func(x, y, _ float32) float32 {
			if y == 0 {
				return 0 // for x = 0 too
			}
			return y * power(x, y-1)
		},
		func(x, _, z float32) float32 { return z * float32(math.Log(float64(x))) }},
	"PRelu": {func(x, y float32) float32 { return max(x, 0) + y*min(x, 0) }, nil,
		func(x, y, _ float32) float32 {
			if x > 0 {
				return 1
			}
			return y
		}, func(x, _, _ float32) float32 { return min(x, 0) }},
}

// share is a derivative of maxima: half where both are.
func share(mine, both bool) float32 {
	switch {
	case mine:
		return 1
	case both:
		return 0.5
	}
	return 0
}

func power(x, y float32) float32 {
	if y == 2 {
		return x * x
	}
	return float32(math.Pow(float64(x), float64(y)))
}

func divide(x, y int64) int64 {
	if y == 0 {
		fail("a whole number is divided by 0")
	}
	return x / y
}

// operator applies the function to pairs of elements.
func (c arithmetic) operator() operator {
	return operator{
		forward: func(m *memory, in []*tensor) []*tensor {
			x, y := in[0], in[1]
			shape := broadcast(x.shape, y.shape)
			switch {
			case x.isInt() != y.isInt():
				fail("one factor has integers and the other one reals")
			case x.isInt() && c.whole == nil:
				fail("it has integers, and reals are wanted")
			case x.isInt():
				z := m.newInts(shape...)
				zip(shape, z.ints, x.shape, x.ints, y.shape, y.ints, c.whole)
				return one(z)
			}
			z := m.newReals(shape...)
			zip(shape, z.reals, x.shape, x.reals, y.shape, y.reals, c.f)
			return one(z)
		},
		backward: func(in []*tensor, out *tensor) { c.backward(in[0], in[1], out) },
	}
}

func (c arithmetic) backward(x, y, z *tensor) {
	dx, dy := x.ascend(), y.ascend()
	eachRun(z.shape, x.shape, y.shape, func(r run) {
		i, j := r.first, r.second
		for k := r.at; k < r.at+r.length; k++ {
			if g := z.gradient[k]; g != 0 {
				if dx != nil {
					dx[i] += g * c.first(x.reals[i], y.reals[j], z.reals[k])
				}
				if dy != nil {
					dy[j] += g * c.second(x.reals[i], y.reals[j], z.reals[k])
				}
			}
			i, j = i+r.firstStep, j+r.secondStep
		}
	})
}

// comparison is a relation of two numbers.
type comparison struct {
	reals func(x, y float32) bool
	ints  func(x, y int64) bool
}

var comparisons = map[string]comparison{
	"Equal":          {func(x, y float32) bool { return x == y }, func(x, y int64) bool { return x == y }},
	"Greater":        {func(x, y float32) bool { return x > y }, func(x, y int64) bool { return x > y }},
	"GreaterOrEqual": {func(x, y float32) bool { return x >= y }, func(x, y int64) bool { return x >= y }},
	"Less":           {func(x, y float32) bool { return x < y }, func(x, y int64) bool { return x < y }},
	"LessOrEqual":    {func(x, y float32) bool { return x <= y }, func(x, y int64) bool { return x <= y }},
	"And":            {nil, func(x, y int64) bool { return x != 0 && y != 0 }},
	"Or":             {nil, func(x, y int64) bool { return x != 0 || y != 0 }},
	"Xor":            {nil, func(x, y int64) bool { return (x != 0) != (y != 0) }},
}

func (c comparison) operator() operator {
	return operator{forward: func(m *memory, in []*tensor) []*tensor {
		x, y := in[0], in[1]
		shape := broadcast(x.shape, y.shape)
		z := m.newInts(shape...)
		switch {
		case x.isInt() != y.isInt():
			fail("one factor has integers and the other one reals")
		case x.isInt():
			zip(shape, z.ints, x.shape, x.ints, y.shape, y.ints, truth(c.ints))
		case c.reals == nil:
			fail("it has reals, and truth values are wanted")
		default:
			zip(shape, z.ints, x.shape, x.reals, y.shape, y.reals, truth(c.reals))
		}
		return one(z)
	}}
}

// truth makes numbers of truth values.
func truth[A any](f func(x, y A) bool) func(x, y A) int64 {
	return func(x, y A) int64 {
		if f(x, y) {
			return 1
		}
		return 0
	}
}

// where chooses between two tensors, element by element.
func where(*attributes) operator {
	return operator{
		forward: func(m *memory, in []*tensor) []*tensor {
			condition, x, y := in[0], in[1], in[2]
			if x.isInt() != y.isInt() {
				fail("one choice has integers and the other one reals")
			}
			shape := broadcast(broadcast(condition.shape, x.shape), y.shape)
			out := m.like(x, shape...)
			if x.isInt() {
				choose(shape, out.ints, condition, x.shape, x.ints, true)
				choose(shape, out.ints, condition, y.shape, y.ints, false)
			} else {
				choose(shape, out.reals, condition, x.shape, x.reals, true)
				choose(shape, out.reals, condition, y.shape, y.reals, false)
			}
			return one(out)
		},
		backward: func(in []*tensor, out *tensor) {
			for k, yes := range []bool{true, false} {
				down := in[1+k].ascend()
				if down == nil {
					continue
				}
				eachRun(out.shape, in[0].shape, in[1+k].shape, func(r run) {
					for n := range r.length {
						if (in[0].ints[r.first+n*r.firstStep] != 0) == yes {
							down[r.second+n*r.secondStep] += out.gradient[r.at+n]
						}
					}
				})
			}
		},
	}
}

// choose copies elements to where a condition is as it is wanted.
func choose[T any](shape []int, out []T, condition *tensor, from []int, values []T, yes bool) {
	truths := condition.integers()
	eachRun(shape, condition.shape, from, func(r run) {
		for n := range r.length {
			if (truths[r.first+n*r.firstStep] != 0) == yes {
				out[r.at+n] = values[r.second+n*r.secondStep]
			}
		}
	})
}

// clip bounds elements: by attributes, as until version 10, or by inputs.
func clip(a *attributes) operator {
	least, most := a.real("min", float32(math.Inf(-1))), a.real("max", float32(math.Inf(1)))
	bounds := func(in []*tensor) (float32, float32) {
		lo, hi := least, most
		if t := given(in, 1); t != nil {
			lo = t.scalar()
		}
		if t := given(in, 2); t != nil {
			hi = t.scalar()
		}
		return lo, hi
	}
	return operator{
		forward: func(m *memory, in []*tensor) []*tensor {
			mustReals(in...)
			lo, hi := bounds(in)
			y := m.newReals(in[0].shape...)
			for i, v := range in[0].reals {
				y.reals[i] = min(max(v, lo), hi)
			}
			return one(y)
		},
		backward: func(in []*tensor, out *tensor) {
			lo, hi := bounds(in)
			down := in[0].ascend()
			for i, v := range in[0].reals {
				if v >= lo && v <= hi && down != nil {
					down[i] += out.gradient[i]
				}
			}
		},
	}
}
