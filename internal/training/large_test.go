package training

import (
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn"
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

// Where inferences of many ground rules end before they are proven, networks are not trained end to end: no epoch could
// be judged.
func TestNoEpochsByUnprovenStates(t *testing.T) {
	c := &crossFitting{g: &learner{Grounding: &session.Grounding{Model: hinges(mostExact + 1)}}, plan: plan{epochs: 40},
		folds: make([]fold, 3)}
	c.chosen.Folds = len(c.folds)
	if c.endless() {
		t.Error("what is proven has no end")
	}
	c.folds[1].last.Iterations = looseIterations
	if err := c.chooseEpochs(t.Context()); err != nil || c.plan.epochs != 0 {
		t.Errorf("%d epochs, %v", c.plan.epochs, err)
	}
}

// hinges is a model of so many squared hinges of a variable each.
func hinges(count int) *mrf.Model {
	model := &mrf.Model{Variables: count, Rules: 1}
	for i := range count {
		model.AppendPotential(&mrf.Potential{Kind: mrf.Hinge, Exponent: 2, Vars: []int32{int32(i)}, Coef: []float64{1},
			Scale: 1})
	}
	return model
}

// Of many ground rules, MAP states are searched for from the last one that a fold has; of few, from nothing.
func TestManyRulesBeginNear(t *testing.T) {
	for _, count := range []int{mostExact, mostExact + 1} {
		c := &crossFitting{g: &learner{Grounding: &session.Grounding{Model: hinges(count)}}}
		last := learn.Solution{Y: make([]float64, count), Multipliers: make([]float64, count)}
		if near := c.without(&fold{last: last}).near; (near.Y != nil) != (count > mostExact) {
			t.Errorf("of %d ground rules, %d values", count, len(near.Y))
		}
	}
}
