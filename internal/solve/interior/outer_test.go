package interior

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/kernel"
)

// A product with vectors has the bits of one vector after the other, those left out and of no weight among them.
func TestOuter(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		places, vectors := 1+rng.IntN(100), 1+rng.IntN(300)
		s, weights := kernel.Sparse{Start: []int32{0}}, make([]float64, vectors)
		for k := range vectors {
			for _, i := range rng.Perm(places)[:rng.IntN(min(5, places)+1)] {
				s.Index, s.Coef = append(s.Index, int32(i)), append(s.Coef, rng.NormFloat64())
			}
			s.Start = append(s.Start, int32(len(s.Index)))
			weights[k] = max(0, rng.NormFloat64())
		}
		var without []int32
		for k := range vectors {
			if rng.IntN(4) == 0 {
				without = append(without, int32(k))
			}
		}
		q, d := make([]float64, places), make([]float64, places)
		for i := range d {
			q[i], d[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		want := slices.Clone(q)
		for k := range vectors {
			if slices.Contains(without, int32(k)) {
				continue
			}
			sum := 0.0
			for e := s.Start[k]; e < s.Start[k+1]; e++ {
				sum += float64(s.Coef[e] * d[s.Index[e]])
			}
			sum *= weights[k]
			for e := s.Start[k]; e < s.Start[k+1]; e++ {
				want[s.Index[e]] += float64(s.Coef[e] * sum)
			}
		}
		o := newOuter(s, vectors, without, places)
		o.weigh(weights)
		if o.add(q, d); !slices.Equal(q, want) {
			t.Fatalf("%v, not %v", q, want)
		}
	}
}
