package interior_test

import (
	"context"
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
