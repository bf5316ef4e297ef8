package mrf_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

func TestSumsMatchTheDefinition(t *testing.T) {
	for _, shape := range []mrftest.Shape{small, small, small, small, large} {
		f, y := draw(uint64(shape.Variables), shape)
		m := f.Model
		energy, violation := 0.0, 0.0
		byRule := make([]float64, m.Rules)
		var slacks []float64
		for _, p := range potentials(m, y, f.Inputs()) {
			energy += f.Weights()[p.block.Rule] * p.s * p.phi()
			byRule[p.block.Rule] += p.s * p.phi()
			slacks = append(slacks, p.d)
			switch p.block.Kind {
			case mrf.LessEqual:
				violation = max(violation, p.d)
			case mrf.Equal:
				violation = max(violation, math.Abs(p.d))
			}
		}
		near(t, "energy", f.Energy(y), energy)
		near(t, "violation", f.MaxViolation(y), violation)
		phi := make([]float64, m.Rules)
		f.GradientWeights(y, phi)
		nearAll(t, "energy by rule", phi, byRule)
		d := make([]float64, m.Potentials())
		f.Slacks(y, d)
		nearAll(t, "slacks", d, slacks)
		g := make([]float64, m.Variables)
		near(t, "energy beside the gradient", f.EnergyGradient(y, g), energy)
		shape.Variables++
	}
}

// difference is the central difference of f along direction k of v, which it leaves as it was.
func difference(v []float64, k int, f func() float64) float64 {
	const h = 1e-6
	at := v[k]
	v[k] = at + h
	up := f()
	v[k] = at - h
	down := f()
	v[k] = at
	return (up - down) / (2 * h)
}

// close is near for a derivative and its difference quotient.
func close(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
		t.Errorf("%s = %.12g, finite differences say %.12g", what, got, want)
	}
}

func TestDerivativesMatchFiniteDifferences(t *testing.T) {
	for seed := range uint64(20) {
		f, y := draw(seed, small)
		x, theta := slices.Clone(f.Inputs()), slices.Clone(f.Weights())
		energy := func() float64 {
			f.SetInputs(x)
			f.SetWeights(theta)
			return f.Energy(y)
		}
		g := make([]float64, len(y))
		gx := make([]float64, len(x))
		gtheta := make([]float64, len(theta))
		f.Gradient(y, g)
		f.GradientInputs(y, gx)
		f.GradientWeights(y, gtheta)
		for i := range y {
			close(t, "∂f/∂y", g[i], difference(y, i, energy))
		}
		for k := range x {
			close(t, "∂f/∂x", gx[k], difference(x, k, energy))
		}
		for r := range theta {
			close(t, "∂f/∂θ", gtheta[r], difference(theta, r, energy))
		}
		f.RegulariserInputs(y, gx)
		for k := range x {
			close(t, "∂Ω/∂x", gx[k], difference(x, k, func() float64 {
				f.SetInputs(x)
				return mrftest.Regulariser(f, y)
			}))
		}
	}
}

func TestCrossDerivativesMatchFiniteDifferences(t *testing.T) {
	for seed := range uint64(20) {
		f, y := draw(seed, small)
		rng := rand.New(rand.NewPCG(seed, 1))
		x, theta := slices.Clone(f.Inputs()), slices.Clone(f.Weights())
		v, g := make([]float64, len(y)), make([]float64, len(y))
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		slope := func() float64 {
			f.SetInputs(x)
			f.SetWeights(theta)
			f.Gradient(y, g)
			total := 0.0
			for i := range v {
				total += g[i] * v[i]
			}
			return total
		}
		gx, gtheta := make([]float64, len(x)), make([]float64, len(theta))
		f.CrossInputs(y, v, gx)
		f.CrossWeights(y, v, gtheta)
		for k := range x {
			close(t, "∂(∇f·v)/∂x", gx[k], difference(x, k, slope))
		}
		for r := range theta {
			close(t, "∂(∇f·v)/∂θ", gtheta[r], difference(theta, r, slope))
		}
	}
}

func TestEnvelopeInputsIsTheTransposedProduct(t *testing.T) {
	f, y := draw(3, small)
	rng := rand.New(rand.NewPCG(1, 1))
	mu := make([]float64, f.Model.Potentials())
	want := make([]float64, f.Model.Inputs)
	for j, p := range potentials(f.Model, y, f.Inputs()) {
		mu[j] = rng.NormFloat64()
		for k, b := range p.b {
			want[k] += mu[j] * b
		}
	}
	gx := make([]float64, f.Model.Inputs)
	f.EnvelopeInputs(mu, gx)
	nearAll(t, "Bᵀμ", gx, want)
}

// What an input makes of the energy by being 1 and not 0 is the difference of two energies, and hard constraints add
// what their multipliers say.
func TestSwitchInputsIsADifference(t *testing.T) {
	for seed := range uint64(20) {
		f, y := draw(seed, small)
		rng := rand.New(rand.NewPCG(seed, 1))
		x := slices.Clone(f.Inputs())
		for i := range x {
			if seed%2 == 0 {
				x[i] = float64(rng.IntN(2))
			}
		}
		f.SetInputs(x)
		mu, want := make([]float64, f.Model.Potentials()), make([]float64, len(x))
		hard := make([]float64, len(mu))
		first := 0
		for _, b := range f.Model.Blocks {
			for range b.Len {
				if mu[first] = rng.NormFloat64(); b.Kind.Hard() {
					hard[first] = mu[first]
				}
				first++
			}
		}
		got := make([]float64, len(x))
		f.SwitchInputs(y, mu, got)
		f.EnvelopeInputs(hard, want)
		for i, v := range x {
			x[i] = 1
			f.SetInputs(x)
			want[i] += f.Energy(y)
			x[i] = 0
			f.SetInputs(x)
			want[i] -= f.Energy(y)
			x[i] = v
		}
		nearAll(t, "the difference", got, want)
	}
}

func TestHessianMatchesTheDefinition(t *testing.T) {
	for _, shape := range []mrftest.Shape{small, large} {
		f, y := draw(5, shape)
		rng := rand.New(rand.NewPCG(2, 2))
		free := make([]bool, len(y))
		v, want := make([]float64, len(y)), make([]float64, len(y))
		for i := range free {
			free[i] = rng.IntN(4) > 0
			if free[i] {
				v[i] = rng.NormFloat64()
				want[i] = 0.5 * v[i]
			}
		}
		for _, p := range potentials(f.Model, y, f.Inputs()) {
			av := 0.0
			for i, a := range p.a {
				av += a * v[i]
			}
			for i, a := range p.a {
				want[i] += f.Weights()[p.block.Rule] * p.s * p.curvature() * a * av
			}
		}
		h := f.NewHessian()
		h.Assemble(y, free, 0.5, (*mrf.Span).Curve)
		compactV, out := make([]float64, len(h.Free)), make([]float64, len(h.Free))
		for k, i := range h.Free {
			compactV[k] = v[i]
		}
		h.Mul(compactV, out)
		for k, i := range h.Free {
			near(t, "product", out[k], want[i])
		}
		testSolve(t, h, out, compactV)
	}
}

// testSolve checks that conjugate gradients find v from the product of the matrix with it.
func testSolve(t *testing.T, h *mrf.Hessian, product, v []float64) {
	t.Helper()
	var c mrf.Conjugate
	x := make([]float64, len(v))
	c.Solve(h, product, x, 1e-13, 10*len(v), nil)
	for k := range v {
		if math.Abs(x[k]-v[k]) > 1e-8 {
			t.Fatalf("solution %d is %v, want %v", k, x[k], v[k])
		}
	}
}

func TestBitsDoNotDependOnThreads(t *testing.T) {
	f, y := draw(11, large)
	run := func(threads int) []float64 {
		f.Threads = threads
		g := make([]float64, len(y))
		out := []float64{f.EnergyGradient(y, g), mrftest.Regulariser(f, y)}
		out = append(out, g...)
		gx := make([]float64, f.Model.Inputs)
		f.CrossInputs(y, g, gx)
		out = append(out, gx...)
		h := f.NewHessian()
		free := make([]bool, len(y))
		for i := range free {
			free[i] = i%5 > 0
		}
		h.Assemble(y, free, 1e-3, (*mrf.Span).Curve)
		v := make([]float64, len(h.Free))
		var c mrf.Conjugate
		c.Solve(h, h.Diagonal, v, 1e-6, 50, nil)
		return append(out, v...)
	}
	want := run(1)
	for _, threads := range []int{2, 3, 4} {
		if !slices.Equal(run(threads), want) {
			t.Errorf("%d threads give other bits than one", threads)
		}
	}
}

func TestCheckOfParameters(t *testing.T) {
	f := mrf.NewField(&mrf.Model{Variables: 1, Inputs: 1, Rules: 1})
	if err := f.Check(); err != nil {
		t.Error(err)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		f.SetWeights([]float64{bad})
		if f.Check() == nil {
			t.Errorf("weight %v passes", bad)
		}
	}
	f.SetWeights([]float64{1})
	f.SetInputs([]float64{math.NaN()})
	if f.Check() == nil {
		t.Error("an input that is not a number passes")
	}
}

func TestMeansOfAnyLengthInEitherLayout(t *testing.T) {
	y, x := []float64{0.5, 0.25}, []float64{1, 2, 3, 4, 5, 6, 7}
	for _, common := range []bool{true, false} {
		b := &mrf.Block{Kind: mrf.Linear, Len: 2, VarStart: []int32{0, 1, 2}, VarCoef: mrf.Reals{Single: []float32{-1, -1}},
			Vars:       []int32{0, 1},
			InputStart: []int32{0, 2, 9}, Inputs: []int32{3, 5, 0, 1, 2, 3, 4, 5, 6},
			InputValue: mrf.Reals{Single: []float32{0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25}}}
		want := 5 - 0.5 + 7 - 0.25
		if !common {
			b.InputValue.Single[8] = 0.5
			want += 0.25 * 7
		}
		f := mrf.NewField(&mrf.Model{Variables: 2, Inputs: 7, Rules: 1, Blocks: []*mrf.Block{b}})
		f.SetInputs(x)
		if got := f.Energy(y); got != want {
			t.Errorf("common %v: energy %v, want %v", common, got, want)
		}
		b.Kind, b.Exponent = mrf.Hinge, 2
		if mrf.NewField(f.Model).NewSingles() == nil {
			t.Error("a ragged block with a variable in each row is one of singles")
		}
	}
}
