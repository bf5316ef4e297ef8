package kernel

import (
	"math"
	"slices"
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
		for i := 0; i < n; i += 3 {
			gradient[i] *= [3]float32{1e-18, 1e-20, 1e-38}[i%9/3]
		}
		want := append([]float32(nil), gradient...)
		descendELUPortably(want, y)
		DescendELU(gradient, y)
		for i, v := range want {
			if gradient[i] != v {
				t.Errorf("%d values, number %d: %v, want %v", n, i, gradient[i], v)
			}
		}
	}
	gradient := make([]float32, 2*8)
	copy(gradient, []float32{2, 2, -2e-20, 1e-19, float32(math.NaN())})
	want := []float32{2, 1.5, 0, 5e-20}
	DescendELU(gradient, append([]float32{3, -0.25, -0.75, -0.5, 1}, make([]float32, 11)...))
	if !slices.Equal(gradient[:4], want) || gradient[4] == gradient[4] {
		t.Errorf("%v, want %v and what is no number", gradient[:5], want)
	}
}

// Multiples must have the bits of the definition at every level, and leave what is around them.
func TestAddMultiple(t *testing.T) {
	for n := range 40 {
		a, b := numbers(n+1, 1), numbers(n+3, 5)
		want := slices.Clone(a)
		for k := range n {
			want[k] += float32(0.3 * b[k])
		}
		if AddMultiple(a[:n], b, 0.3); !slices.Equal(a, want) {
			t.Errorf("a multiple of %d numbers has other bits", n)
		}
	}
}

// Sums of rows must have the bits of the definition at every level, and leave what is around them.
func TestAddRows(t *testing.T) {
	for _, width := range []int{0, Lanes, 2 * Lanes, 5 * Lanes} {
		for _, rows := range [][]int32{nil, {2}, {0, 2, 2, 1, 3, 0}} {
			sums, matrix, shares := numbers(width+1, 1), numbers(4*width, 5), numbers(len(rows), 9)
			want := slices.Clone(sums)
			for k, row := range rows {
				for j := range width {
					want[j] += float32(shares[k] * matrix[int(row)*width+j])
				}
			}
			if AddRows(sums[:width], matrix, rows, shares); !slices.Equal(sums, want) {
				t.Errorf("a sum of %d rows of %d has other bits", len(rows), width)
			}
		}
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

func BenchmarkAddMultiple(b *testing.B) {
	sums, values := numbers(32, 1), numbers(32, 2)
	for b.Loop() {
		AddMultiple(sums, values, 1e-9)
	}
	b.SetBytes(4 * int64(len(values)))
}

func BenchmarkAddRows(b *testing.B) {
	sums, matrix, shares := numbers(16, 1), numbers(16*8, 2), numbers(7, 3)
	for b.Loop() {
		AddRows(sums, matrix, []int32{0, 2, 1, 7, 5, 4, 6}, shares)
	}
	b.SetBytes(4 * 16 * 7)
}

func BenchmarkELU(b *testing.B) {
	values := numbers(1<<12, 1)
	for b.Loop() {
		ELU(values)
	}
	b.SetBytes(4 * int64(len(values)))
}
