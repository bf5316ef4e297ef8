package training

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
)

// The middle takes factorisations in each inference that follows: where ties make these much work, it is not looked
// for, though squares are no large problem without.
func TestMiddleOfMuchWork(t *testing.T) {
	const variables, ties = 3000, 12_000
	random, pairs := rand.New(rand.NewPCG(1, 1)), new(mrf.Model)
	pairs.Variables, pairs.Rules = variables, 1
	for k := range ties {
		i, j := k%variables, random.IntN(variables)
		if k < variables {
			j = (k + 1) % variables // a chain, whose factors do not fill
		}
		pairs.AppendPotential(&mrf.Potential{Kind: mrf.Hinge, Exponent: 2, Vars: []int32{int32(i), int32(j)},
			Coef: []float64{1, -1}, Scale: 1})
		if open := k == variables-1; open || k == ties-1 {
			rules := []*program.Rule{{Weight: program.Weight{Value: 1}}}
			g := &learner{Grounding: &session.Grounding{Project: new(project.Project), Model: pairs,
				Field: mrf.NewField(pairs), Program: &program.Program{Rules: rules}}}
			g.Project.Learning.Auto = true
			g.Project.Phases[load.Infer].Method = auto
			if g.mayTakeMiddle() != open {
				t.Errorf("of %d ties, the middle is open: %v", k+1, !open)
			}
		}
	}
}
