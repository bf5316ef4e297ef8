package mrf_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// potential is one potential written out, for straightforward reference sums.
type potential struct {
	block *mrf.Block
	d, s  float64
	a     map[int]float64
	b     map[int]float64
}

// potentials writes out all of a model at y and x.
func potentials(m *mrf.Model, y, x []float64) []potential {
	var out []potential
	for _, b := range m.Blocks {
		for j := range b.Len {
			p := potential{block: b, d: b.Constant, s: 1, a: map[int]float64{}, b: map[int]float64{}}
			if b.Bias != nil {
				p.d += float64(b.Bias[j])
			}
			if b.Scale != nil {
				p.s = float64(b.Scale[j])
			}
			for k, i := range b.Variables(j) {
				p.a[int(i)] = b.Coefficient(j, k)
				p.d += b.Coefficient(j, k) * y[i]
			}
			for k, i := range inputsOf(b, j) {
				p.b[int(i)] = inputCoefficient(b, j, k)
				p.d += inputCoefficient(b, j, k) * x[i]
			}
			out = append(out, p)
		}
	}
	return out
}

func inputsOf(b *mrf.Block, j int) []int32 {
	if b.InputStart != nil {
		return b.Inputs[b.InputStart[j]:b.InputStart[j+1]]
	}
	k := len(b.InputCoef)
	return b.Inputs[j*k : (j+1)*k]
}

func inputCoefficient(b *mrf.Block, j, k int) float64 {
	if b.InputStart != nil {
		return b.InputValue.At(int(b.InputStart[j]) + k)
	}
	return b.InputCoef[k]
}

// phi is the unweighted potential.
func (p potential) phi() float64 {
	switch {
	case p.block.Kind == mrf.Hinge:
		return math.Pow(max(0, p.d), float64(p.block.Exponent))
	case p.block.Kind == mrf.Absolute:
		return math.Pow(math.Abs(p.d), float64(p.block.Exponent))
	case p.block.Kind == mrf.Linear:
		return p.d
	}
	return 0
}

// curvature is its second derivative.
func (p potential) curvature() float64 {
	switch {
	case p.block.Exponent != 2 || p.block.Kind > mrf.Absolute:
		return 0
	case p.block.Kind == mrf.Hinge && p.d <= 0:
		return 0
	}
	return 2
}

// draw makes a random model with a field and a point for it.
func draw(seed uint64, shape mrftest.Shape) (*mrf.Field, []float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	f := mrftest.Field(mrftest.Random(rng, shape))
	return f, mrftest.Uniform(rng, shape.Variables)
}

var (
	small = mrftest.Shape{
		Variables: 12, Inputs: 5, Blocks: 9, Potentials: 8, Kinds: mrftest.All, Arity: 5, Scales: true,
	}
	// large has several lanes.
	large = mrftest.Shape{
		Variables: 700, Inputs: 90, Blocks: 9, Potentials: 9000, Kinds: mrftest.All, Arity: 5, Scales: true,
	}
)

// near fails the test unless got is want to about nine digits.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

func nearAll(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		near(t, what, got[i], want[i])
	}
}
