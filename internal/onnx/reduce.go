package onnx

import "math"

// reductionKind is how several numbers become one: each is mapped, and the sum is too; or the extreme is taken.
type reductionKind struct {
	extreme func(x, best float64) bool    // the largest or smallest is taken, and not the sum
	term    func(x float64) float64       // of a sum
	end     func(sum, n float64) float64  // of a sum of n terms
	slope   func(x, y, n float64) float64 // derivative of the result y by x
}

func itself(x float64) float64         { return x }
func sumItself(sum, _ float64) float64 { return sum }

var reductions = map[string]reductionKind{
	"ReduceSum": {nil, itself, sumItself, func(_, _, _ float64) float64 { return 1 }},
	"ReduceMean": {nil, itself, func(sum, n float64) float64 { return sum / n },
		func(_, _, n float64) float64 { return 1 / n }},
	"ReduceMax": {extreme: func(x, best float64) bool { return x > best }},
	"ReduceMin": {extreme: func(x, best float64) bool { return x < best }},
	"ReduceL1":  {nil, math.Abs, sumItself, func(x, _, _ float64) float64 { return sign(x) }},
	"ReduceL2": {nil, func(x float64) float64 { return x * x }, func(sum, _ float64) float64 { return math.Sqrt(sum) },
		func(x, y, _ float64) float64 {
			if y == 0 {
				return 0
			}
			return x / y
		}},
	"ReduceSumSquare": {nil, func(x float64) float64 { return x * x }, sumItself,
		func(x, _, _ float64) float64 { return 2 * x }},
}

// reduction takes numbers together along axes.
type reduction struct {
	kind reductionKind
	axes []int
	keep bool // as dimensions of 1
	none bool // without axes, nothing is taken together
}

func reduce(name string) func(a *attributes) operator {
	return func(a *attributes) operator {
		r := reduction{kind: reductions[name], keep: a.integer("keepdims", 1) != 0,
			none: a.integer("noop_with_empty_axes", 0) != 0, axes: a.ints("axes")}
		return operator{forward: r.forward, backward: r.backward}
	}
}

// over returns the shapes of the result, with the dimensions taken together as 1 and as they are wanted; and how many
// numbers become one.
func (r reduction) over(in []*tensor) (kept, shape []int, n int) {
	list := r.axes
	if t := given(in, 1); t != nil {
		list = t.whole()
	}
	from := in[0].shape
	taken := make([]bool, len(from))
	for _, a := range axes(list, len(from)) {
		taken[a] = true
	}
	n = 1
	for k, d := range from {
		if len(list) == 0 {
			taken[k] = !r.none
		}
		switch {
		case !taken[k]:
			kept, shape = append(kept, d), append(shape, d)
		default:
			n *= d
			kept = append(kept, 1)
			if r.keep {
				shape = append(shape, 1)
			}
		}
	}
	return kept, shape, n
}

func (r reduction) forward(m *memory, in []*tensor) []*tensor {
	kept, shape, n := r.over(in)
	x := in[0]
	out := m.like(x, shape...)
	if n == 0 {
		fail("there is nothing to take together in shape %v", x.shape)
	}
	sums := make([]float64, out.len())
	m.take(len(sums))
	if r.kind.extreme != nil {
		fillReals(sums, math.NaN())
	}
	eachRun(x.shape, x.shape, kept, func(s run) {
		for k := range s.length {
			i, j := s.first+k*s.firstStep, s.second+k*s.secondStep
			v := 0.0
			if x.isInt() {
				v = float64(x.ints[i])
			} else {
				v = float64(x.reals[i])
			}
			switch {
			case r.kind.extreme == nil:
				sums[j] += r.kind.term(v)
			case sums[j] != sums[j] || r.kind.extreme(v, sums[j]):
				sums[j] = v
			}
		}
	})
	for j, sum := range sums {
		if r.kind.extreme == nil {
			sum = r.kind.end(sum, float64(n))
		}
		if out.isInt() {
			out.ints[j] = int64(sum)
		} else {
			out.reals[j] = float32(sum)
		}
	}
	return one(out)
}

// backward shares the gradient of an extreme between all that are equal to it.
func (r reduction) backward(in []*tensor, out *tensor) {
	kept, _, n := r.over(in)
	x, down := in[0], in[0].ascend()
	if down == nil {
		return
	}
	var equal []float32
	if r.kind.extreme != nil {
		equal = make([]float32, len(out.reals))
		eachRun(x.shape, x.shape, kept, func(s run) {
			for k := range s.length {
				if i, j := s.first+k*s.firstStep, s.second+k*s.secondStep; x.reals[i] == out.reals[j] {
					equal[j]++
				}
			}
		})
	}
	eachRun(x.shape, x.shape, kept, func(s run) {
		for k := range s.length {
			i, j := s.first+k*s.firstStep, s.second+k*s.secondStep
			g := out.gradient[j]
			switch {
			case g == 0:
			case equal == nil:
				down[i] += g * float32(r.kind.slope(float64(x.reals[i]), float64(out.reals[j]), float64(n)))
			case x.reals[i] == out.reals[j]:
				down[i] += g / equal[j]
			}
		}
	})
}

func fillReals(values []float64, v float64) {
	for k := range values {
		values[k] = v
	}
}

// argMax finds where the largest element along an axis is; the first of equal ones.
func argMax(sign float32) func(a *attributes) operator {
	return func(a *attributes) operator {
		at, keep := a.integer("axis", 0), a.integer("keepdims", 1) != 0
		a.only("select_last_index", 0)
		return operator{forward: func(m *memory, in []*tensor) []*tensor {
			mustReals(in[0])
			x := in[0]
			k := axis(at, len(x.shape))
			n, inner := x.shape[k], product(x.shape[k+1:])
			shape := append([]int(nil), x.shape...)
			if shape[k] = 1; !keep {
				shape = append(shape[:k], shape[k+1:]...)
			}
			out := m.newInts(shape...)
			for j := range out.ints {
				from := j/inner*inner*n + j%inner
				for i := range n {
					if sign*x.reals[from+i*inner] > sign*x.reals[from+int(out.ints[j])*inner] {
						out.ints[j] = int64(i)
					}
				}
			}
			return one(out)
		}}
	}
}
