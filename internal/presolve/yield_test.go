package presolve_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/presolve"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// growing has a chain of so many steps, each at least by a factor, from a value that leads to 0.9 to one that is at
// most that less so much, and linear wishes of both signs. The links are inequalities, or equations.
func growing(steps int, factor, less float64, kind mrf.Kind, seed uint64) *mrf.Field {
	rng := rand.New(rand.NewPCG(seed, uint64(steps)))
	b := mrftest.New(steps+1, 0, 3).Rule(0, kind, 0)
	for i := range steps {
		b.Add(0, two(i, factor, i+1, -1), nil)
	}
	limits := mrf.LessEqual
	if kind == mrf.Equal {
		limits = kind
	}
	b.Rule(1, limits, 0).Add(0.9*math.Pow(factor, -float64(steps)), one(0, -1), nil).Add(less-0.9, one(steps, 1), nil)
	b.Rule(2, mrf.Linear, 1)
	for i := range steps + 1 {
		b.Add(0, one(i, rng.Float64()-0.7), nil)
	}
	field := mrf.NewField(b.Model())
	field.SetWeights([]float64{1, 1, 1})
	return field
}

// A chain that is longer than fits by less than is accepted gives way by what it has to, and no more, and nothing is
// left to choose; what is proven is for all points that violate no constraint by more.
func TestYield(t *testing.T) {
	for _, c := range []struct {
		steps        int
		factor, less float64
	}{{100, 1.01, 1e-6}, {300, 1.001, 1e-5}, {1000, 1.01, 1e-3}, {3000, 1.001, 1e-7}} {
		for seed := range uint64(3) {
			field := growing(c.steps, c.factor, c.less, mrf.LessEqual, seed)
			if r, found, _ := presolve.Reduce(field, 1e-6, nil); r != nil || found != nil {
				t.Fatalf("%+v: reduced to %v, contradiction %v", c, r, found)
			}
			r := presolve.Yield(field, 1e-6, nil)
			if r == nil {
				t.Fatalf("%+v: no answer", c)
			}
			small, err := newton.New(r.Field, solve.Settings{}).Solve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			y, multipliers := r.Restore(small.Y, small.Multipliers)
			proof := solve.Certify(field, y, multipliers).Yielding(field)
			least := c.less / links(c.factor, c.steps)
			if math.Abs(proof.Gap) > 1e-9 || proof.MaxViolation > least*(1+1e-3)+1e-9 || r.Fixed != c.steps+1 {
				t.Errorf("%+v: %+v, of at least %v, with %d fixed", c, proof, least, r.Fixed)
			}
		}
	}
}

// links is the sum of the multipliers of a growing chain's constraints where the last one's is 1.
func links(factor float64, steps int) float64 {
	sum, power := 1.0, 1.0
	for range steps {
		sum += power
		power *= factor
	}
	return sum + power
}

// Nothing gives way where constraints hold, where they would have to give way by more than is accepted, or where they
// are equations.
func TestYieldsNot(t *testing.T) {
	for name, field := range map[string]*mrf.Field{
		"holds":     growing(100, 1.01, -1e-6, mrf.LessEqual, 1),
		"more":      growing(100, 1.01, 1e-2, mrf.LessEqual, 1),
		"equations": growing(100, 1.01, 1e-6, mrf.Equal, 1),
	} {
		if r := presolve.Yield(field, 1e-6, nil); r != nil {
			t.Errorf("%s: %d of %d fixed", name, r.Fixed, field.Model.Variables)
		}
	}
}
