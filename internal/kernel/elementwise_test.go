package kernel

import (
	"math"
	"testing"
)

func TestELU(t *testing.T) {
	var values []float32
	for x := -100.0; x < 10; x += 0.0137 {
		values = append(values, float32(x))
	}
	values = append(values, 0, -1e-30, -1e-6, -3e38, 3e38, float32(math.Inf(-1)), float32(math.Inf(1)))
	got := append([]float32(nil), values...)
	ELU(got)
	for i, v := range values {
		want := float64(v)
		if v < 0 {
			want = math.Expm1(want)
		}
		if math.Abs(float64(got[i])-want) > 2.5e-7*math.Abs(want) && float64(got[i]) != want {
			t.Errorf("ELU(%v) = %v, want %v", v, got[i], want)
		}
	}
	for n := range 20 { // no value depends on its place
		part := append([]float32(nil), values[7000:7000+n]...)
		ELU(part)
		for i, v := range part {
			if v != got[7000+i] {
				t.Errorf("value %d of %d is %v, among many %v", i, n, v, got[7000+i])
			}
		}
	}
	nan := []float32{float32(math.NaN())}
	if ELU(nan); nan[0] == nan[0] {
		t.Errorf("ELU(NaN) = %v", nan[0])
	}
}

func TestDescendELU(t *testing.T) {
	for n := range 20 {
		gradient, y := numbers(n, 1), numbers(n, 2)
		want := append([]float32(nil), gradient...)
		descendELUPortably(want, y)
		DescendELU(gradient, y)
		for i, v := range want {
			if gradient[i] != v {
				t.Errorf("%d values, number %d: %v, want %v", n, i, gradient[i], v)
			}
		}
	}
	gradient := []float32{2, 2, 2}
	if DescendELU(gradient, []float32{3, -0.25, 0}); gradient[0] != 2 || gradient[1] != 1.5 || gradient[2] != 2 {
		t.Errorf("%v", gradient)
	}
}

func TestMaxima(t *testing.T) {
	for n := range 40 {
		best, values, which := numbers(n+1, 1), numbers(n+1, 5), make([]int32, n+1)
		want := append([]float32(nil), best...)
		Maxima(best[:n], which, values, 3)
		for j := range want {
			k := int32(0)
			if j < n && values[j] > want[j] {
				want[j], k = values[j], 3
			}
			if best[j] != want[j] || which[j] != k {
				t.Errorf("%d values, number %d: %v by %d, want %v by %d", n, j, best[j], which[j], want[j], k)
			}
		}
	}
}

func BenchmarkELU(b *testing.B) {
	values := numbers(1<<12, 1)
	for b.Loop() {
		ELU(values)
	}
	b.SetBytes(4 * int64(len(values)))
}
