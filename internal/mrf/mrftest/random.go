package mrftest

import (
	"math/rand/v2"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Shape bounds a random model.
type Shape struct {
	Variables, Inputs int
	// Blocks and Potentials are the number of blocks and of potentials in each.
	Blocks, Potentials int
	// Kinds are drawn from with equal chances; a pair (kind, exponent) each.
	Kinds []Form
	// Arity is the largest number of variables in a potential.
	Arity int
	// Scales tells whether some blocks have a weight factor per potential.
	Scales bool
}

// Form is a kind of potential with its exponent.
type Form struct {
	Kind     mrf.Kind
	Exponent int
}

// The families of potentials that a random model can be drawn from.
var (
	Squared = []Form{{mrf.Hinge, 2}, {mrf.Absolute, 2}}
	Soft    = []Form{{mrf.Hinge, 1}, {mrf.Hinge, 2}, {mrf.Absolute, 1}, {mrf.Absolute, 2}, {mrf.Linear, 1}}
	Hard    = []Form{{mrf.LessEqual, 0}, {mrf.Equal, 0}}
	All     = append(append([]Form{}, Soft...), Hard...)
)

// Random draws a model, with weights θ and inputs x for it. Its hard constraints hold at a common point in the box for
// these inputs, so the model is feasible.
func Random(rng *rand.Rand, shape Shape) (m *mrf.Model, theta, x []float64) {
	m = &mrf.Model{Variables: shape.Variables, Inputs: shape.Inputs, Rules: shape.Blocks}
	x = Uniform(rng, shape.Inputs)
	feasible := Uniform(rng, shape.Variables)
	for r := range shape.Blocks {
		form := shape.Kinds[rng.IntN(len(shape.Kinds))]
		b := &mrf.Block{Rule: r, Kind: form.Kind, Exponent: form.Exponent, Len: 1 + rng.IntN(shape.Potentials)}
		if form.Kind.Hard() {
			b.Len = 1 + rng.IntN(min(3, shape.Potentials))
		}
		b.Constant = rng.NormFloat64() / 2
		draw := pattern
		if rng.IntN(2) == 0 {
			draw = ragged
		}
		draw(rng, b, shape)
		if shape.Scales && rng.IntN(2) == 0 {
			b.Scale = floats(rng, b.Len)
		}
		if form.Kind.Hard() || rng.IntN(2) == 0 {
			b.Bias = floats(rng, b.Len)
		}
		m.Blocks = append(m.Blocks, b)
		theta = append(theta, 3*rng.Float64())
	}
	satisfy(rng, m, x, feasible)
	return m, theta, x
}

// satisfy sets the biases of hard constraints so that the point fulfils them; some are tight.
func satisfy(rng *rand.Rand, m *mrf.Model, x, point []float64) {
	field := mrf.NewField(m)
	field.SetInputs(x)
	d := make([]float64, m.Potentials())
	field.Slacks(point, d)
	first := 0
	for _, b := range m.Blocks {
		for j := range b.Len {
			if !b.Kind.Hard() {
				break
			}
			b.Bias[j] -= float32(d[first+j])
			if b.Kind == mrf.LessEqual {
				b.Bias[j] -= float32(rng.IntN(2)) * rng.Float32()
			}
		}
		first += b.Len
	}
}

func pattern(rng *rand.Rand, b *mrf.Block, shape Shape) {
	arity := 1 + rng.IntN(min(shape.Arity, shape.Variables))
	inputs := rng.IntN(min(2, shape.Inputs) + 1)
	b.Coef, b.InputCoef = signs(rng, arity), signs(rng, inputs)
	for range b.Len {
		b.Vars = append(b.Vars, distinct(rng, arity, shape.Variables)...)
		b.Inputs = append(b.Inputs, distinct(rng, inputs, shape.Inputs)...)
	}
	if arity == 1 && b.Len <= shape.Variables {
		b.First, b.Vars = min(b.Vars[0], int32(shape.Variables-b.Len)), nil
	}
}

func ragged(rng *rand.Rand, b *mrf.Block, shape Shape) {
	b.VarStart, b.InputStart = []int32{0}, []int32{0}
	for range b.Len {
		b.Vars = append(b.Vars, distinct(rng, 1+rng.IntN(min(shape.Arity, shape.Variables)), shape.Variables)...)
		b.Inputs = append(b.Inputs, distinct(rng, rng.IntN(min(2, shape.Inputs)+1), shape.Inputs)...)
		b.VarStart = append(b.VarStart, int32(len(b.Vars)))
		b.InputStart = append(b.InputStart, int32(len(b.Inputs)))
	}
	for range b.Vars {
		b.VarCoef.Append(signs(rng, 1)[0])
	}
	for range b.Inputs {
		b.InputValue.Append(signs(rng, 1)[0])
	}
}

// distinct draws k different ids below n.
func distinct(rng *rand.Rand, k, n int) []int32 {
	ids := make([]int32, 0, k)
	for _, i := range rng.Perm(n)[:k] {
		ids = append(ids, int32(i))
	}
	return ids
}

// signs draws coefficients: mostly ±1, as rules have them.
func signs(rng *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for k := range out {
		out[k] = float64(2*rng.IntN(2) - 1)
		if rng.IntN(3) == 0 {
			out[k] *= 0.5 + rng.Float64()
		}
	}
	return out
}

// Field returns the field of a model with the weights of its rules and its inputs, as Random and Model return them.
func Field(m *mrf.Model, theta, x []float64) *mrf.Field {
	f := mrf.NewField(m)
	f.SetWeights(theta)
	f.SetInputs(x)
	return f
}

// Uniform draws n numbers from [0, 1).
func Uniform(rng *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for k := range out {
		out[k] = rng.Float64()
	}
	return out
}

func floats(rng *rand.Rand, n int) []float32 {
	out := make([]float32, n)
	for k := range out {
		out[k] = rng.Float32()
	}
	return out
}

// Regulariser returns Σ_j ψ_j = Σ_j d_j² over the potentials at y, without weights: the paper's penalty against hinges
// that die (eq. regularization), for μ = 1.
func Regulariser(f *mrf.Field, y []float64) float64 {
	return f.Sweep(y, nil, func(s *mrf.Span) (sum float64) {
		for _, d := range s.D {
			if !s.Block.Kind.Hard() {
				sum += d * d
			}
		}
		return sum
	})
}

// Repeat returns the model of n examples of one shape, side by side.
func Repeat(m *mrf.Model, n int) *mrf.Model {
	return mrf.Beside(m.Variables, m.Inputs, mrf.Part{Model: m, Times: n})
}
