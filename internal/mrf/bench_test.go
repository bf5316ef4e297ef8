package mrf_test

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// citation is a model of about 1.5 million potentials.
func citation() (*mrf.Field, []float64) {
	c := mrftest.Cora
	c.Documents, c.Links = 10*c.Documents, 10*c.Links
	f := mrftest.Field(c.Model())
	y := make([]float64, f.Model.Variables)
	for i := range y {
		y[i] = float64(i%10) / 20
	}
	return f, y
}

// BenchmarkKernels measures the sweeps that solvers and learning consist of.
func BenchmarkKernels(b *testing.B) {
	f, y := citation()
	g, gx := make([]float64, len(y)), make([]float64, f.Model.Inputs)
	free := make([]bool, len(y))
	for i := range free {
		free[i] = true
	}
	h := f.NewHessian()
	h.Assemble(y, free, 1, (*mrf.Span).Curve)
	kernels := []struct {
		name string
		run  func()
	}{
		{"energy", func() { f.Energy(y) }},
		{"gradient", func() { f.Gradient(y, g) }},
		{"inputs", func() { f.GradientInputs(y, gx) }},
		{"assemble", func() { h.Assemble(y, free, 1, (*mrf.Span).Curve) }},
		{"product", func() { h.Mul(y, g) }},
	}
	for _, k := range kernels {
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				k.run()
			}
			b.ReportMetric(float64(f.Model.Potentials())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpotentials/s")
		})
	}
}

// transitivity is all three-variable potentials of a group of people: Friends(a,b) ∧ Friends(b,c) → Friends(a,c).
func transitivity(people int) *mrf.Field {
	pair := func(a, b int) int32 { return int32(a*people + b) }
	b := &mrf.Block{Exponent: 2, Coef: []float64{1, 1, -1}, Constant: -1}
	for a := range people {
		for c := range people {
			for d := range people {
				if a != c && c != d && a != d {
					b.Vars = append(b.Vars, pair(a, c), pair(c, d), pair(a, d))
					b.Len++
				}
			}
		}
	}
	return mrf.NewField(&mrf.Model{Variables: people * people, Rules: 1, Blocks: []*mrf.Block{b}})
}

// BenchmarkTriples measures the pass that solvers do most, over ten million potentials of three variables: with none of
// them active, and with a sixth of them, at places that no processor can foresee.
func BenchmarkTriples(b *testing.B) {
	f := transitivity(217)
	y, g := make([]float64, f.Model.Variables), make([]float64, f.Model.Variables)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, point := range []struct {
		name    string
		largest float64
	}{{"none", 0.4}, {"some", 1}} {
		for i := range y {
			y[i] = point.largest * rng.Float64()
		}
		b.Run(point.name, func(b *testing.B) {
			for b.Loop() {
				f.EnergyGradient(y, g)
			}
			b.ReportMetric(float64(f.Model.Potentials())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpotentials/s")
		})
	}
}
