package onnx

import "math"

// curve is a function of one number and its derivative, of x and y = f(x).
type curve struct {
	f     func(x float64) float64
	slope func(x, y float64) float64 // nil where it is 0
}

// curves are the functions that need no attributes.
var curves = map[string]curve{
	"Abs":        {math.Abs, func(x, _ float64) float64 { return sign(x) }},
	"Acos":       {math.Acos, func(x, _ float64) float64 { return -1 / math.Sqrt(1-x*x) }},
	"Acosh":      {math.Acosh, func(x, _ float64) float64 { return 1 / math.Sqrt(x*x-1) }},
	"Asin":       {math.Asin, func(x, _ float64) float64 { return 1 / math.Sqrt(1-x*x) }},
	"Asinh":      {math.Asinh, func(x, _ float64) float64 { return 1 / math.Sqrt(x*x+1) }},
	"Atan":       {math.Atan, func(x, _ float64) float64 { return 1 / (1 + x*x) }},
	"Atanh":      {math.Atanh, func(x, _ float64) float64 { return 1 / (1 - x*x) }},
	"Ceil":       {math.Ceil, nil},
	"Cos":        {math.Cos, func(x, _ float64) float64 { return -math.Sin(x) }},
	"Cosh":       {math.Cosh, func(x, _ float64) float64 { return math.Sinh(x) }},
	"Erf":        {math.Erf, func(x, _ float64) float64 { return 2 / math.SqrtPi * math.Exp(-x*x) }},
	"Exp":        {math.Exp, func(_, y float64) float64 { return y }},
	"Floor":      {math.Floor, nil},
	"HardSwish":  {hardSwish, hardSwishSlope},
	"Log":        {math.Log, func(x, _ float64) float64 { return 1 / x }},
	"Mish":       {mish, mishSlope},
	"Neg":        {func(x float64) float64 { return -x }, func(_, _ float64) float64 { return -1 }},
	"Reciprocal": {func(x float64) float64 { return 1 / x }, func(_, y float64) float64 { return -y * y }},
	"Relu":       {func(x float64) float64 { return max(x, 0) }, func(x, _ float64) float64 { return positive(x) }},
	"Round":      {math.RoundToEven, nil},
	"Sigmoid":    {sigmoid, func(_, y float64) float64 { return y * (1 - y) }},
	"Sign":       {sign, nil},
	"Sin":        {math.Sin, func(x, _ float64) float64 { return math.Cos(x) }},
	"Sinh":       {math.Sinh, func(x, _ float64) float64 { return math.Cosh(x) }},
	"Softplus":   {softplus, func(x, _ float64) float64 { return sigmoid(x) }},
	"Softsign": {func(x float64) float64 { return x / (1 + math.Abs(x)) },
		func(x, _ float64) float64 { return 1 / ((1 + math.Abs(x)) * (1 + math.Abs(x))) }},
	"Sqrt": {math.Sqrt, func(_, y float64) float64 { return 0.5 / y }},
	"Tan":  {math.Tan, func(_, y float64) float64 { return 1 + y*y }},
	"Tanh": {math.Tanh, func(_, y float64) float64 { return 1 - y*y }},
}

// shapedCurves are those whose form attributes give.
var shapedCurves = map[string]func(a *attributes) curve{
	"Celu": func(a *attributes) curve {
		alpha := float64(a.real("alpha", 1))
		return curve{func(x float64) float64 { return max(x, 0) + min(0, alpha*math.Expm1(x/alpha)) },
			func(x, _ float64) float64 { return math.Exp(min(0, x/alpha)) }}
	},
	"Elu": func(a *attributes) curve { return exponential(float64(a.real("alpha", 1)), 1) },
	"Gelu": func(a *attributes) curve {
		switch form := a.text("approximate", "none"); form {
		case "none":
			return curve{func(x float64) float64 { return x * normal(x) },
				func(x, _ float64) float64 { return normal(x) + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi) }}
		case "tanh":
			return curve{gelu, geluSlope}
		default:
			a.wrong("approximate = %q is not supported; none and tanh are", form)
		}
		return curve{}
	},
	"HardSigmoid": func(a *attributes) curve {
		alpha, beta := float64(a.real("alpha", 0.2)), float64(a.real("beta", 0.5))
		return curve{func(x float64) float64 { return min(1, max(0, alpha*x+beta)) },
			func(_, y float64) float64 { return alpha * inside(y, 0, 1) }}
	},
	"LeakyRelu": func(a *attributes) curve {
		alpha := float64(a.real("alpha", 0.01))
		return curve{func(x float64) float64 { return max(x, 0) + alpha*min(x, 0) },
			func(x, _ float64) float64 { return positive(x) + alpha*(1-positive(x)) }}
	},
	"Selu": func(a *attributes) curve {
		return exponential(float64(a.real("alpha", 1.67326319217681884765625)),
			float64(a.real("gamma", 1.05070102214813232421875)))
	},
	"Swish": func(a *attributes) curve {
		alpha := float64(a.real("alpha", 1))
		return curve{func(x float64) float64 { return x * sigmoid(alpha*x) }, func(x, y float64) float64 {
			s := sigmoid(alpha * x)
			return s + alpha*y*(1-s)
		}}
	},
	"ThresholdedRelu": func(a *attributes) curve {
		alpha := float64(a.real("alpha", 1))
		return curve{func(x float64) float64 { return x * positive(x-alpha) },
			func(x, _ float64) float64 { return positive(x - alpha) }}
	},
}

// exponential is the ELU of two parameters.
func exponential(alpha, gamma float64) curve {
	return curve{func(x float64) float64 { return gamma * (max(x, 0) + alpha*math.Expm1(min(x, 0))) },
		func(x, _ float64) float64 {
			if x > 0 {
				return gamma
			}
			return gamma * alpha * math.Exp(x)
		}}
}

// sigmoid is 1/(1+e^-x), for large negative x too.
func sigmoid(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x >= 0 {
		return 1 / (1 + e)
	}
	return e / (1 + e)
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// normal is the distribution function of the standard normal distribution.
func normal(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

const geluScale, geluCube = 0.7978845608028654, 0.044715 // √(2/π), and that of the third power

func gelu(x float64) float64 { return x / 2 * (1 + math.Tanh(geluScale*(x+geluCube*x*x*x))) }

func geluSlope(x, _ float64) float64 {
	t := math.Tanh(geluScale * (x + geluCube*x*x*x))
	return (1+t)/2 + x/2*(1-t*t)*geluScale*(1+3*geluCube*x*x)
}

func mish(x float64) float64 { return x * math.Tanh(softplus(x)) }

func mishSlope(x, _ float64) float64 {
	t := math.Tanh(softplus(x))
	return t + x*(1-t*t)*sigmoid(x)
}

func hardSwish(x float64) float64 { return x * min(1, max(0, x/6+0.5)) }

func hardSwishSlope(x, _ float64) float64 {
	switch {
	case x <= -3:
		return 0
	case x >= 3:
		return 1
	}
	return x/3 + 0.5
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// positive is 1 for numbers above 0, and 0 for others.
func positive(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}

// inside is 1 for numbers between the bounds, and 0 for others.
func inside(x, lo, hi float64) float64 {
	if x > lo && x < hi {
		return 1
	}
	return 0
}

// operator applies the curve to each element.
func (c curve) operator() operator {
	o := operator{forward: func(m *memory, in []*tensor) []*tensor {
		x := in[0]
		if x.isInt() {
			y := m.newInts(x.shape...)
			for i, v := range x.ints {
				y.ints[i] = int64(c.f(float64(v)))
			}
			return one(y)
		}
		y := m.newReals(x.shape...)
		for i, v := range x.reals {
			y.reals[i] = float32(c.f(float64(v)))
		}
		return one(y)
	}}
	if c.slope == nil {
		return o
	}
	o.backward = func(in []*tensor, out *tensor) {
		x, down := in[0].reals, in[0].ascend()
		for i, g := range out.gradient {
			if g != 0 {
				down[i] += g * float32(c.slope(float64(x[i]), float64(out.reals[i])))
			}
		}
	}
	return o
}

// relu is Relu without a call for each element.
func relu(*attributes) operator {
	return operator{
		forward: func(m *memory, in []*tensor) []*tensor {
			mustReals(in[0])
			y := m.newReals(in[0].shape...)
			for i, v := range in[0].reals {
				y.reals[i] = max(v, 0)
			}
			return one(y)
		},
		backward: func(in []*tensor, out *tensor) {
			down := in[0].ascend()
			for i, g := range out.gradient {
				if out.reals[i] > 0 {
					down[i] += g
				}
			}
		},
	}
}

// not turns truth values.
func not(*attributes) operator {
	return operator{forward: func(m *memory, in []*tensor) []*tensor {
		y := m.newInts(in[0].shape...)
		for i, v := range in[0].integers() {
			if v == 0 {
				y.ints[i] = 1
			}
		}
		return one(y)
	}}
}

// isNaN tells which elements are no numbers.
func isNaN(*attributes) operator {
	return operator{forward: func(m *memory, in []*tensor) []*tensor {
		mustReals(in[0])
		y := m.newInts(in[0].shape...)
		for i, v := range in[0].reals {
			if v != v {
				y.ints[i] = 1
			}
		}
		return one(y)
	}}
}

// cast changes the kind of elements.
func cast(a *attributes) operator {
	to := a.integer("to", typeFloat)
	a.take("saturate")
	a.take("round_mode")
	_, real := realTypes[to]
	if _, whole := intTypes[to]; !real && !whole {
		a.wrong("to = %s is not supported", typeName(to))
	}
	return operator{
		forward:  func(m *memory, in []*tensor) []*tensor { return one(converted(m, in[0], real, to == typeBool)) },
		backward: func(in []*tensor, out *tensor) { pass(in[0], out) },
	}
}

// castLike changes the kind of elements to that of another tensor's.
func castLike(a *attributes) operator {
	a.take("saturate")
	return operator{
		forward:  func(m *memory, in []*tensor) []*tensor { return one(converted(m, in[0], !in[1].isInt(), false)) },
		backward: func(in []*tensor, out *tensor) { pass(in[0], out) },
	}
}

// converted returns the elements as reals, or as integers or truth values.
func converted(m *memory, x *tensor, real, truth bool) *tensor {
	switch {
	case x.isInt() && truth:
		y := m.newInts(x.shape...)
		for i, v := range x.ints {
			if v != 0 {
				y.ints[i] = 1
			}
		}
		return y
	case x.isInt() != real:
		return x.view(x.shape...)
	case real:
		y := m.newReals(x.shape...)
		for i, v := range x.ints {
			y.reals[i] = float32(v)
		}
		return y
	}
	y := m.newInts(x.shape...)
	for i, v := range x.reals {
		if y.ints[i] = int64(v); truth && v != 0 {
			y.ints[i] = 1
		}
	}
	return y
}

// pass adds the gradient as it is to an input's, whose numbers the output shares.
func pass(in, out *tensor) {
	if down := in.ascend(); down != nil {
		for i, g := range out.gradient {
			down[i] += g
		}
	}
}
