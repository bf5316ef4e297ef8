package interior_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

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
