package presolve_test

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/presolve"
)

// around makes soft rules of n variables, and hard ones that lead from each to the next, and from the last to the first
// if they are to be a circle.
func around(n int, exponent int, closed bool) *mrf.Field {
	rng := rand.New(rand.NewPCG(uint64(n), 9))
	b := mrftest.New(n, 0, 2).Rule(0, mrf.Absolute, exponent)
	for i := range n {
		b.Add(-rng.Float64(), one(i, 1), nil)
	}
	b.Rule(1, mrf.LessEqual, 0)
	for i := range n - 1 {
		b.Add(0, two(i, 3, i+1, -3), nil)
	}
	if closed {
		b.Add(0, two(n-1, 1, 0, -1), nil)
	}
	return mrf.NewField(b.Model())
}

// The variables of a circle of orders are one; along a chain they are not.
func TestCirclesAreTied(t *testing.T) {
	for exponent, want := range map[int]presolve.Counts{1: {Tied: 39, Dropped: 40}, 2: {Fixed: 40, Dropped: 80}} {
		r, _, _ := presolve.Reduce(around(40, exponent, true), 1e-8, nil)
		if r == nil || r.Counts != want {
			t.Fatalf("exponent %d: %+v", exponent, r)
		}
		same(t, around(40, exponent, true), r)
		if r, _, _ := presolve.Reduce(around(40, exponent, false), 1e-8, nil); r != nil && r.Tied > 0 {
			t.Errorf("exponent %d: %d of a chain are tied", exponent, r.Tied)
		}
	}
}

// Circles that share variables, and equalities and limits beside them, keep the optimum and its proof.
func TestRandomOrdersKeepTheirOptimum(t *testing.T) {
	tied := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		shape := mrftest.Shape{Variables: 6 + rng.IntN(12), Inputs: 3, Blocks: 3, Potentials: 8,
			Kinds: [][]mrftest.Form{mrftest.Squared, mrftest.Soft}[seed%2], Arity: 3, Scales: true}
		m, theta, x := mrftest.Random(rng, shape)
		orders := mrftest.New(m.Variables, m.Inputs, m.Rules+1)
		pair := func() (int, int) {
			i := rng.IntN(m.Variables)
			return i, (i + 1 + rng.IntN(m.Variables-1)) % m.Variables
		}
		for range rng.IntN(3) {
			i, k := pair()
			orders.Rule(m.Rules, mrf.Equal, 0).Add(0, two(i, 2, k, -2), nil)
		}
		for n := range 3 * m.Variables / 2 {
			i, k := pair()
			a := float64(1 + rng.IntN(3))
			orders.Rule(m.Rules, mrf.LessEqual, 0).Add(-0.1*float64(n%5/4), two(i, a, k, -a), nil)
		}
		orders.Add(-0.6, one(rng.IntN(m.Variables), 1), nil).Add(0.3, one(rng.IntN(m.Variables), -1), nil)
		m.Blocks = append(m.Blocks, orders.Model().Blocks...)
		m.Rules++
		field := mrf.NewField(m)
		field.SetWeights(append(theta, 1))
		field.SetInputs(x)
		if r, _, _ := presolve.Reduce(field, 1e-8, nil); r != nil {
			tied += r.Tied
			same(t, field, r)
		}
	}
	if tied < 500 {
		t.Errorf("only %d variables were tied", tied)
	}
}

// Orders along a circle that ask for more each time contradict each other, and are shown to.
func TestCirclesThatContradict(t *testing.T) {
	b := mrftest.New(4, 0, 1).Rule(0, mrf.LessEqual, 0).Add(0, two(0, 1, 1, -1), nil).Add(0, two(1, 2, 2, -2), nil).
		Add(0, two(2, 1, 0, -1), nil).Add(0.01, two(2, 1, 1, -1), nil)
	if r, c, _ := presolve.Reduce(mrf.NewField(b.Model()), 1e-8, nil); r != nil || c == nil || c.Violation < 0.002 {
		t.Errorf("%+v, %+v", r, c)
	}
}
