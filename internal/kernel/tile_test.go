package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Tiles and multiples must have the bits of the definition at every level, and leave what is around them.
func TestTiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []float64 {
		out := make([]float64, n)
		for k := range out {
			out[k] = rng.NormFloat64() * math.Exp(10*rng.NormFloat64())
		}
		return out
	}
	for _, depth := range []int{1, 2, 3, 32, 57} {
		const stride = 11
		left, right, c := draw(Tile*depth), draw(Tile*depth), draw(Tile*stride)
		want := slices.Clone(c)
		for j := range Tile {
			for i := range Tile {
				sum := 0.0
				for k := range depth {
					sum = math.FMA(left[Tile*k+i], right[Tile*k+j], sum)
				}
				want[j*stride+i] -= sum
			}
		}
		if SubtractTile(c, stride, left, right); !slices.Equal(c, want) {
			t.Errorf("a tile of depth %d has other bits", depth)
		}
	}
	for n := range 40 {
		a, b, v := draw(n+3), draw(n+3), rng.NormFloat64()
		want := slices.Clone(a)
		for k := range n {
			want[k] -= float64(b[k] * v)
		}
		if SubtractMultiple(a[:n], b, v); !slices.Equal(a, want) {
			t.Errorf("a multiple of %d numbers has other bits", n)
		}
		c, turned, added := draw(n+1), slices.Clone(a), slices.Clone(a)
		for k := range n {
			turned[k] = b[k] + float64(v*a[k])
			added[k] += float64(b[k] * c[k])
		}
		former := slices.Clone(a)
		if Turn(a[:n], b, v); !slices.Equal(a, turned) {
			t.Errorf("a turn of %d numbers has other bits", n)
		}
		if AddProducts(former[:n], b, c); !slices.Equal(former, added) {
			t.Errorf("products of %d numbers have other bits", n)
		}
	}
}

func BenchmarkSubtractTile(b *testing.B) {
	const depth = 32
	c, left, right := make([]float64, Tile*Tile), make([]float64, Tile*depth), make([]float64, Tile*depth)
	for b.Loop() {
		SubtractTile(c, Tile, left, right)
	}
	b.ReportMetric(2*Tile*Tile*depth*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

// The product of two vectors is that of the numbers that the first one has.
func TestDot(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 40 {
		a, b, want := make([]float64, n), make([]float64, n+2), 0.0
		for k := range b {
			if b[k] = float64(rng.IntN(100) - 50); k < n {
				a[k] = float64(rng.IntN(100) - 50)
				want += a[k] * b[k]
			}
		}
		if got := Dot(a, b); got != want {
			t.Errorf("of %d numbers: %v, not %v", n, got, want)
		}
	}
}
