package auto_test

import (
	"context"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
)

// Examples whose rules all but hold cost next to nothing, as where networks are sure, and are solved by factorisations
// all the same: Newton's method took a hundred times as long.
func TestExamplesWhoseRulesHold(t *testing.T) {
	const examples = 16
	b := mrftest.New(2*examples, 0, 2)
	for k := range examples {
		first, second := 2*k, 2*k+1
		b.Rule(0, mrf.Hinge, 1)
		b.Add(1, []mrftest.Term{{Index: first, Coef: -1}}, nil)
		b.Add(-float64(k)/examples, []mrftest.Term{{Index: first, Coef: 1}, {Index: second, Coef: -1}}, nil)
		b.Rule(1, mrf.Hinge, 1)
		b.Add(0, []mrftest.Term{{Index: second, Coef: 1}}, nil)
	}
	solver, err := auto.Examples("auto", mrftest.Field(b.Model(), []float64{1, 1e-8}, nil), solve.Settings{}, auto.Own{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := solver.Solve(context.Background())
	if err != nil || r.Status != solve.Optimal || r.Iterations > 20 {
		t.Errorf("%v, %v after %d steps: gap %g of %g", err, r.Status, r.Iterations, r.Gap, r.Objective)
	}
}
