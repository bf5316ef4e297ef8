package repro

import (
	"math"
	"math/rand/v2"
	"testing"
)

// smallGCN is a network over a path of four documents.
func smallGCN() *gcn {
	features := csr{start: []int32{0, 2, 3, 5, 6}, index: []int32{0, 2, 1, 0, 1, 2}, width: 3,
		value: []float32{0.5, 0.5, 1, 0.5, 0.5, 1}}
	links := normalizedLinks(4, [][2]int32{{0, 1}, {1, 2}, {2, 3}})
	return newGCN(features, links, 2, 5, 0.5, 3)
}

func TestGCNGradients(t *testing.T) {
	const seed = 11
	g := smallGCN()
	random := rand.New(rand.NewPCG(1, 2))
	upstream := make([]float64, 8)
	for k := range upstream {
		upstream[k] = random.NormFloat64()
	}
	value := func() float64 {
		x := make([]float64, 8)
		if err := g.Forward(x, true, seed); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for k, v := range x {
			sum += v * upstream[k]
		}
		return sum
	}
	value()
	if err := g.Backward(upstream); err != nil {
		t.Fatal(err)
	}
	for _, p := range g.Parameters() {
		for k := range p.Value {
			const h = 1e-2 // float32 arithmetic: a larger step is more accurate
			old := p.Value[k]
			p.Value[k] = old + h
			up := value()
			p.Value[k] = old - h
			down := value()
			p.Value[k] = old
			if want := (up - down) / (2 * h); math.Abs(want-float64(p.Gradient[k])) > 2e-3 {
				t.Errorf("%s %d: gradient %v, differences say %v", p.Name, k, p.Gradient[k], want)
			}
		}
	}
}

// Â of a path: degrees with self-links are 2, 3, 3, 2.
func TestNormalizedLinks(t *testing.T) {
	links := normalizedLinks(4, [][2]int32{{0, 1}, {1, 2}, {2, 3}})
	at := func(row, column int32) float64 {
		for e := links.start[row]; e < links.start[row+1]; e++ {
			if links.index[e] == column {
				return float64(links.value[e])
			}
		}
		return 0
	}
	for _, want := range []struct {
		row, column int32
		value       float64
	}{{0, 0, 1.0 / 2}, {0, 1, 1 / math.Sqrt(6)}, {1, 2, 1.0 / 3}, {3, 2, 1 / math.Sqrt(6)}, {0, 3, 0}} {
		if got := at(want.row, want.column); math.Abs(got-want.value) > 1e-6 {
			t.Errorf("Â[%d,%d] = %v, want %v", want.row, want.column, got, want.value)
		}
	}
}
