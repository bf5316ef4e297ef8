package kernel

import (
	"math"
	"slices"
	"testing"
)

// state is what steps of Adam work on.
type state struct{ values, gradients, means, squares []float32 }

func (s state) step(t int, a Adam, how func(values, gradients, means, squares []float32, k *adamConstants)) {
	a.Rate, a.Unbias = 0.01/(1-math.Pow(a.Beta1, float64(t))), 1/math.Sqrt(1-math.Pow(a.Beta2, float64(t)))
	for i := range s.gradients {
		s.gradients[i] = float32(math.Sin(float64(i*t))) * float32(i%7)
	}
	how(s.values, s.gradients, s.means, s.squares, a.constants())
}

// Steps follow the definition, and leave no gradient; every kernel gives the same bits.
func TestAdam(t *testing.T) {
	const n = 37
	a := Adam{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	s := state{numbers(n, 1), make([]float32, n), make([]float32, n), make([]float32, n)}
	portably := state{numbers(n, 1), make([]float32, n), make([]float32, n), make([]float32, n)}
	want, mean, square := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, v := range s.values {
		want[i] = float64(v)
	}
	for step := 1; step <= 5; step++ {
		s.step(step, a, adam)
		portably.step(step, a, adamPortably)
		for i := range want {
			g := float64(float32(math.Sin(float64(i*step))) * float32(i%7))
			mean[i], square[i] = 0.9*mean[i]+0.1*g, 0.999*square[i]+0.001*g*g
			root := math.Sqrt(square[i] / (1 - math.Pow(0.999, float64(step))))
			want[i] -= 0.01 * mean[i] / (1 - math.Pow(0.9, float64(step))) / (root + 1e-8)
			if math.Abs(float64(s.values[i])-want[i]) > 1e-6 || s.gradients[i] != 0 {
				t.Fatalf("step %d, value %d: %v, want %v; gradient %v left", step, i, s.values[i], want[i], s.gradients[i])
			}
		}
	}
	if !slices.Equal(s.values, portably.values) || !slices.Equal(s.squares, portably.squares) {
		t.Error("the kernels differ in their bits")
	}
}

// BenchmarkAdam is a step for the parameters of the paper's network of task T1.
func BenchmarkAdam(b *testing.B) {
	const n = 1199882
	s := state{numbers(n, 1), numbers(n, 2), make([]float32, n), make([]float32, n)}
	for b.Loop() {
		Adam{Beta1: 0.9, Beta2: 0.999, Rate: 0.01, Unbias: 1, Epsilon: 1e-8}.Step(s.values, s.gradients, s.means, s.squares)
	}
	b.SetBytes(4 * 7 * n)
}
