package training

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/learn"
)

// Linear rules make poor slopes: where several pull at a label, the best state lies where as many pull each way, and
// only the one that decides has a derivative. Networks that nobody has labelled begin with outputs that are all alike,
// and learn from a few of them at a time, whatever the others see. If the same rules were squared, all that pull would
// have a share in the state. So such networks also descend along squares, and what they learn is judged by the rules as
// they are written.

// firstLinear is the first rule with ground rules that are neither squared nor hard; -1 without any.
func (g *learner) firstLinear() int {
	if _, rules := g.Model.Squared(); len(rules) > 0 {
		return rules[0]
	}
	return -1
}

// squaredGain is by how many standard errors squared rules have to be better than those written.
const squaredGain = 2

// inferring returns what gives the MAP state by the rules as they are written, of a lesson's state and what networks
// see there: the same one, unless it was found by squares.
func (g *learner) inferring(l lesson) (func(ctx context.Context, y, x []float64) ([]float64, error), error) {
	if !l.smooth {
		return func(_ context.Context, y, _ []float64) ([]float64, error) { return y, nil }, nil
	}
	solver, err := g.whileLearning(g.Field)
	last := learn.Solution{Y: make([]float64, g.Model.Variables)}
	return func(ctx context.Context, _, x []float64) (_ []float64, err error) {
		solver.SetWeights(g.Theta)
		solver.SetInputs(x)
		last, err = learn.SolveNear(ctx, solver, last)
		return last.Y, err
	}, err
}
