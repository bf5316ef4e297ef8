package mrf_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// Within the radius, the field of what is near must be the whole one in everything but its length; beyond, it is not.
func TestNearIsTheSameWithinTheRadius(t *testing.T) {
	const radius = 0.25
	parts, differs := 0, 0
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 31))
		model, theta, x := mrftest.Random(random, mrftest.Shape{Variables: 30, Inputs: 8, Blocks: 6, Potentials: 20,
			Kinds: mrftest.All, Arity: 4, Scales: true})
		for _, b := range model.Blocks {
			b.Constant -= 2.5 // so that most are not active
		}
		whole := mrftest.Field(model, theta, x)
		centre := mrftest.Uniform(random, 30)
		part := whole.Near(centre, radius)
		if part != whole {
			parts++
		}
		for range 20 {
			y := mrftest.Uniform(random, 30)
			if energies(whole, y) != energies(part, y) {
				differs++
			}
			for i := range y {
				y[i] = centre[i] + radius*(2*y[i]-1)
			}
			sameAt(t, seed, whole, part, y)
		}
	}
	if parts < 10 || differs == 0 {
		t.Errorf("%d parts, which differ at %d points: nothing is tested", parts, differs)
	}
}

// energies are what a field sums up at y.
func energies(f *mrf.Field, y []float64) [2]float64 {
	return [2]float64{f.Energy(y), f.MaxViolation(y)}
}

// sameAt compares sums and gradients, which are added in another order.
func sameAt(t *testing.T, seed uint64, whole, part *mrf.Field, y []float64) {
	t.Helper()
	want, got := make([]float64, len(y)), make([]float64, len(y))
	whole.Gradient(y, want)
	part.Gradient(y, got)
	a, b := energies(whole, y), energies(part, y)
	want, got = append(want, a[:]...), append(got, b[:]...)
	for k := range want {
		if math.Abs(got[k]-want[k]) > 1e-12*(1+math.Abs(want[k])) {
			t.Fatalf("seed %d, quantity %d: %v near, %v in the whole model", seed, k, got[k], want[k])
		}
	}
}

// One sweep along a step must give what the gradients at its two ends differ by.
func TestDifferencesAreThoseOfGradients(t *testing.T) {
	const mu = 0.7
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 32))
		f := mrftest.Field(mrftest.Random(random, mrftest.Shape{Variables: 12, Inputs: 8, Blocks: 6, Potentials: 20,
			Kinds: mrftest.All, Arity: 4, Scales: true}))
		y, step := mrftest.Uniform(random, 12), mrftest.Uniform(random, 12)
		moved := make([]float64, len(y))
		for i := range y {
			step[i] -= 0.5
			moved[i] = y[i] + step[i]
		}
		want, got := make([]float64, 8), make([]float64, 8)
		for _, end := range []struct {
			at   []float64
			sign float64
		}{{moved, 1}, {y, -1}} {
			f.GradientInputs(end.at, got)
			addScaled(want, end.sign, got)
			f.RegulariserInputs(end.at, got)
			addScaled(want, end.sign*mu, got)
		}
		f.DifferenceInputs(y, step, mu, got)
		equal(t, seed, "inputs", got, want)

		want, got = make([]float64, f.Model.Rules), make([]float64, f.Model.Rules)
		at := make([]float64, f.Model.Rules)
		f.GradientWeights(moved, want)
		f.GradientWeights(y, at)
		addScaled(want, -1, at)
		f.DifferenceWeights(y, step, got)
		equal(t, seed, "weights", got, want)
	}
}

func addScaled(to []float64, scale float64, v []float64) {
	for k := range to {
		to[k] += scale * v[k]
	}
}

func equal(t *testing.T, seed uint64, what string, got, want []float64) {
	t.Helper()
	for k := range want {
		if math.Abs(got[k]-want[k]) > 1e-10*(1+math.Abs(want[k])) {
			t.Fatalf("seed %d, %s %d: %v, want %v", seed, what, k, got[k], want[k])
		}
	}
}
