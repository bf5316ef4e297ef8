package local

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// What has come is what was added, whoever else goes, and keeps none of the memory that it was in.
func TestArrivals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var c arrivals
	var want []mrf.Potential
	var ids [2][4]int32
	var coef [2][4]float64
	check := func() {
		t.Helper()
		if c.len() != len(want) {
			t.Fatalf("%d are there, not %d", c.len(), len(want))
		}
		for k := range want {
			p := c.at(k)
			if p.Compare(&want[k]) != 0 || !slices.Equal(c.vars(k), want[k].Vars) || !slices.Equal(c.inputs(k), want[k].Inputs) {
				t.Fatalf("%+v, not %+v", p, want[k])
			}
		}
	}
	for range 500 {
		for k := range ids {
			for e := range ids[k] {
				ids[k][e], coef[k][e] = rng.Int32N(100), rng.NormFloat64()
			}
		}
		n, m := 1+rng.IntN(4), rng.IntN(4)
		p := mrf.Potential{Rule: rng.IntN(3), Kind: mrf.Kind(rng.IntN(3)), Exponent: 1 + rng.IntN(2), Vars: ids[0][:n],
			Coef: coef[0][:n], Inputs: ids[1][:m], InputCoef: coef[1][:m], Constant: rng.Float64(), Scale: rng.Float64()}
		c.add(&p)
		p.Vars, p.Coef = slices.Clone(p.Vars), slices.Clone(p.Coef)
		p.Inputs, p.InputCoef = slices.Clone(p.Inputs), slices.Clone(p.InputCoef)
		want = append(want, p)
	}
	check()
	c.cut(400)
	want = want[:400]
	check()
	some := c.only(200, func(k int) bool { return k%2 == 1 })
	c, want = some, slices.Collect(func(yield func(mrf.Potential) bool) {
		for k := 1; k < 400 && yield(want[k]); k += 2 {
		}
	})
	check()
}
