package solve_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// heavySums are sums of weight 1e6 that hold at a point but for its last digits, beside guesses of weight 1e-6. Each
// sum is what one variable is in terms of another one, and of what some later sum is about.
func heavySums(seed uint64, kind mrf.Kind, coefficient func(*rand.Rand) float64) (*mrf.Field, []float64) {
	const n = 300
	rng := rand.New(rand.NewPCG(seed, 2))
	y := make([]float64, n)
	b := mrftest.New(n, 0, 2).Rule(0, kind, 1)
	for k := n/2 - 1; k >= 0; k-- {
		own, other, later := 2*k, 2*k+1, min(n-1, 2*k+2+rng.IntN(20))
		y[other] = 0.1 + 0.8*rng.Float64()
		first, second := coefficient(rng), -coefficient(rng)
		if first*y[other]+second*y[later] < 0 {
			first, second = -first, -second
		}
		y[own] = first*y[other] + second*y[later]
		b.Add(0, []mrftest.Term{{Index: other, Coef: first}, {Index: own, Coef: -1}, {Index: later, Coef: second}}, nil)
	}
	b.Rule(1, mrf.Absolute, 1)
	for i := range n {
		b.Add(0, []mrftest.Term{{Index: i, Coef: 1}}, nil)
	}
	f := mrf.NewField(b.Model())
	f.SetWeights([]float64{1e6, 1e-6})
	return f, y
}

// Sums that hold but for the last digits of values hold to many more once these are chosen for it: to the last where
// coefficients and constants have few digits.
func TestValuesOnAGrid(t *testing.T) {
	for _, c := range []struct {
		name        string
		kind        mrf.Kind
		coefficient func(*rand.Rand) float64
		less        float64 // times what rounding may cost
	}{
		{"signs", mrf.Absolute, func(*rand.Rand) float64 { return 1 }, 0},
		{"numbers", mrf.Absolute, (*rand.Rand).Float64, 0.2},
		{"limits", mrf.Hinge, (*rand.Rand).Float64, 0},
	} {
		for seed := range uint64(5) {
			f, y := heavySums(seed, c.kind, c.coefficient)
			z := solve.OnGrid(f, y, 1e-7)
			if z == nil {
				t.Fatalf("%s, seed %d: no sums", c.name, seed)
			}
			for i, v := range z {
				if math.Abs(v-y[i]) > 1e-9 {
					t.Fatalf("%s, seed %d: variable %d went from %v to %v", c.name, seed, i, y[i], v)
				}
			}
			cost := solve.Certify(f, z, make([]float64, f.Model.Potentials())).Objective - guesses(z)
			if room := solve.Rounding(f, y); cost > c.less*room+1e-15 {
				t.Errorf("%s, seed %d: %g is left, where rounding costs about %g", c.name, seed, cost, room)
			}
		}
	}
	if f, y := heavySums(1, mrf.Absolute, (*rand.Rand).Float64); solve.OnGrid(f, y, 1) != nil {
		t.Error("values were moved where rounding costs next to nothing")
	}
}

// guesses is what those of heavySums cost.
func guesses(y []float64) (cost float64) {
	for _, v := range y {
		cost += 1e-6 * v
	}
	return cost
}
