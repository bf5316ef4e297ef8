package mrf_test

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// The energy must be as convex as Convexity says: along any segment, by the definition of strong convexity.
func TestConvexity(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	shape := mrftest.Shape{Variables: 8, Blocks: 5, Potentials: 8, Kinds: mrftest.Soft, Arity: 3, Scales: true}
	positive := 0
	for seed := range uint64(50) {
		m, theta, _ := mrftest.Random(rand.New(rand.NewPCG(seed, 1)), shape)
		prior := &mrf.Block{Rule: m.Rules, Kind: mrf.Hinge, Exponent: 2, Len: m.Variables, Coef: []float64{1}}
		if seed%2 == 0 {
			prior.Constant = -0.1 // flat below 0.1
		}
		for i := range int32(m.Variables) {
			prior.Vars = append(prior.Vars, i)
		}
		m.Rules, m.Blocks = m.Rules+1, append(m.Blocks, prior)
		f := mrf.NewField(m)
		f.SetWeights(append(theta, 0.5+float64(seed)))
		c := f.Convexity()
		if c > 0 {
			positive++
		}
		for range 20 {
			a, b := mrftest.Uniform(rng, m.Variables), mrftest.Uniform(rng, m.Variables)
			middle, distance := make([]float64, len(a)), 0.0
			for i := range a {
				middle[i] = (a[i] + b[i]) / 2
				distance += (a[i] - b[i]) * (a[i] - b[i])
			}
			if most := (f.Energy(a)+f.Energy(b))/2 - c/8*distance; f.Energy(middle) > most*(1+1e-12)+1e-12 {
				t.Fatalf("seed %d: %v in the middle, at most %v with m = %v", seed, f.Energy(middle), most, c)
			}
		}
	}
	if positive < 25 || positive == 50 {
		t.Errorf("%d of 50 are strongly convex", positive)
	}
}
