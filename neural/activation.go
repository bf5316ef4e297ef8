package neural

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/kernel"
)

// apply replaces values by their activation.
func (a Activation) apply(values []float32) {
	switch a {
	case ReLU:
		for i, v := range values {
			values[i] = max(0, v)
		}
	case ELU:
		kernel.ELU(values)
	case Tanh:
		for i, v := range values {
			values[i] = float32(math.Tanh(float64(v)))
		}
	case Sigmoid:
		for i, v := range values {
			values[i] = float32(sigmoid(float64(v)))
		}
	}
}

// descend multiplies gradients by the activation's derivative, of which its value y tells enough. It has no branch on
// the sign of values, which is a coin toss.
func (a Activation) descend(gradient, y []float32) {
	y = y[:len(gradient)]
	switch a {
	case ReLU:
		for i, v := range y { // y is positive, or 0 to the bit
			positive := uint32(-int32(math.Float32bits(v)) >> 31)
			gradient[i] = math.Float32frombits(math.Float32bits(gradient[i]) & positive)
		}
	case ELU:
		kernel.DescendELU(gradient, y)
	case Tanh:
		for i, v := range y {
			gradient[i] *= 1 - v*v
		}
	case Sigmoid:
		for i, v := range y {
			gradient[i] *= v * (1 - v)
		}
	}
}

// apply maps the last layer, of shape [rows, width], to truth values.
func (o Output) apply(values []float32, width int) {
	if o == SigmoidOutput {
		Sigmoid.apply(values)
		return
	}
	for lo := 0; lo < len(values); lo += width {
		softmax(values[lo : lo+width])
	}
}

// softmax works relative to the largest value, so that no exponential overflows.
func softmax(z []float32) {
	top := z[0]
	for _, v := range z {
		top = max(top, v)
	}
	sum := 0.0
	for i, v := range z {
		e := math.Exp(float64(v - top))
		z[i] = float32(e)
		sum += e
	}
	for i := range z {
		z[i] = float32(float64(z[i]) / sum)
	}
}

// descend turns gradients by the truth values y into gradients by the last layer, without negligible ones.
func (o Output) descend(gradient, y []float32, width int) {
	if o == SigmoidOutput {
		Sigmoid.descend(gradient, y)
	} else {
		descendSoftmax(gradient, y, width)
	}
	kernel.Drop(gradient)
}

func descendSoftmax(gradient, y []float32, width int) {
	for lo := 0; lo < len(y); lo += width {
		p, g := y[lo:lo+width], gradient[lo:lo+width]
		mean := 0.0
		for i, v := range p {
			mean += float64(v) * float64(g[i])
		}
		for i, v := range p {
			g[i] = v * (g[i] - float32(mean))
		}
	}
}
