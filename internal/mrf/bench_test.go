package mrf_test

import (
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// citation is a model of about 1.5 million potentials.
func citation() (*mrf.Field, []float64) {
	c := mrftest.Cora
	c.Documents, c.Links = 10*c.Documents, 10*c.Links
	m, theta, x := c.Model()
	f := mrf.NewField(m)
	f.SetWeights(theta)
	f.SetInputs(x)
	y := make([]float64, m.Variables)
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
