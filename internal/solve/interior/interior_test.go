package interior_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/alloctest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// Steps that rounding spoils must not lose a point that proves the gap.
func TestEndsAtTheBestPoint(t *testing.T) {
	shape := mrftest.Shape{Variables: 30, Inputs: 6, Blocks: 8, Potentials: 20, Kinds: mrftest.All, Arity: 5, Scales: true}
	for _, seed := range []uint64{5, 57, 67, 72, 75, 76, 116, 135} { // after these, later points are worse
		field := mrftest.Field(mrftest.Random(rand.New(rand.NewPCG(seed, 11)), shape))
		r, err := interior.New(field, solve.Settings{Gap: 1e-11}).Solve(context.Background())
		if err != nil || r.Status != solve.Optimal || r.Gap > 1e-11 {
			t.Errorf("seed %d: %v, %+v, %v", seed, r.Status, r.Certificate, err)
		}
	}
}

// One more step than the gap asks for makes an answer better, or leaves it as it is.
func TestFurther(t *testing.T) {
	shape := mrftest.Shape{Variables: 90, Inputs: 6, Blocks: 8, Potentials: 40, Kinds: mrftest.All, Arity: 5, Scales: true}
	better := 0
	for seed := range uint64(20) {
		field := mrftest.Field(mrftest.Random(rand.New(rand.NewPCG(seed, 7)), shape))
		var gaps [2]float64
		for k, further := range []bool{false, true} {
			r, err := interior.New(field, solve.Settings{Gap: 1e-6, Further: further}).Solve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if gaps[k] = math.Abs(r.Gap); r.Status != solve.Optimal && r.Status != solve.Infeasible {
				t.Errorf("seed %d: %v, %+v", seed, r.Status, r.Certificate)
			}
		}
		if gaps[1] > gaps[0]+1e-15 {
			t.Errorf("seed %d: a gap of %g became %g", seed, gaps[0], gaps[1])
		}
		if gaps[1] < gaps[0]/10 {
			better++
		}
	}
	if better < 15 {
		t.Errorf("only %d of 20 answers are better", better)
	}
}

// shared makes groups of three variables with limits from above of all sizes, and from below, as hard rules with
// coefficients of their own. Each group has to add up to a part of its limits, and so much more.
func shared(groups int, part, more float64) *mrf.Field {
	rng := rand.New(rand.NewPCG(4, 4))
	b, limits := mrftest.New(3*groups, 0, 4).Rule(0, mrf.LessEqual, 0), make([]float64, groups)
	for i := range 3 * groups {
		limit, coef := math.Pow(10, -9*rng.Float64())/3, 0.5+rng.Float64()
		b.Add(-limit*coef, []mrftest.Term{{Index: i, Coef: coef}}, nil)
		b.Add(limit/4, []mrftest.Term{{Index: i, Coef: -1}}, nil)
		limits[i/3] += limit
	}
	b.Rule(1, mrf.LessEqual, 0)
	for g, limit := range limits {
		var row []mrftest.Term
		for k := range 3 {
			row = append(row, mrftest.Term{Index: 3*g + k, Coef: -1})
		}
		b.Add(part*limit+more, row, nil)
	}
	b.Rule(2, mrf.Linear, 1)
	for i := range 3 * groups {
		b.Add(0, []mrftest.Term{{Index: i, Coef: float64(1 + i%3)}}, nil)
	}
	b.Rule(3, mrf.Hinge, 1)
	for i := range 3*groups - 4 {
		b.Add(0, []mrftest.Term{{Index: i, Coef: 0.1}, {Index: i + 4, Coef: -0.1}}, nil)
	}
	return mrf.NewField(b.Model())
}

// Limits of single variables, of whatever size, must take no more steps than others, and have multipliers that are a
// proof, also of a contradiction.
func TestLimitsOfAllSizes(t *testing.T) {
	for _, c := range []struct {
		part, more float64
		want       solve.Status
		steps      int
	}{{0.5, 0, solve.Optimal, 30}, {1, 1e-8, solve.Optimal, 100}, {1, 1e-5, solve.Infeasible, 100}} {
		field := shared(30, c.part, c.more)
		r, err := interior.New(field, solve.Settings{Gap: 1e-6}).Solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != c.want || r.Iterations > c.steps {
			t.Errorf("%v of the limits and %v: %v after %d steps: %+v", c.part, c.more, r.Status, r.Iterations, r.Certificate)
		}
		proof := solve.Certify(field, r.Y, r.Multipliers)
		if r.Yields {
			proof = proof.Yielding(field)
		}
		if proven := math.Abs(proof.Gap) <= 1e-6; c.want == solve.Optimal && !proven ||
			c.want != solve.Optimal && proof.DualBound < proof.Objective {
			t.Errorf("%v of the limits and %v: %+v is no proof", c.part, c.more, proof)
		}
	}
}

// Of few variables with many rows, some of them hard, the matrix has the order of the variables and of the hard rows.
func TestManyRowsOfFewVariables(t *testing.T) {
	const n, relations = 12, 1500
	rng := rand.New(rand.NewPCG(3, 3))
	b := mrftest.New(n, 0, 3).Rule(0, mrf.Hinge, 2)
	for i := range n {
		b.Add(rng.Float64(), []mrftest.Term{{Index: i, Coef: -1}}, nil)
	}
	b.Rule(1, mrf.Hinge, 2)
	for range relations {
		i := rng.IntN(n)
		b.Add(0, []mrftest.Term{{Index: i, Coef: 1}, {Index: (i + 1 + rng.IntN(n-1)) % n, Coef: -1}}, nil)
	}
	b.Rule(2, mrf.Equal, 0)
	for i := 0; i < n; i += 4 {
		b.Add(-1, []mrftest.Term{{Index: i, Coef: 1}, {Index: i + 1, Coef: 1}, {Index: i + 2, Coef: 1}}, nil)
	}
	bytes := alloctest.Bytes(func() {
		r, err := interior.New(mrf.NewField(b.Model()), solve.Settings{Gap: 1e-6}).Solve(t.Context())
		if err != nil || r.Status != solve.Optimal {
			t.Fatal(r, err)
		}
	})
	if bytes > 8*relations*relations/2 {
		t.Errorf("%d bytes, as much as a matrix of all rows takes", bytes)
	}
}
