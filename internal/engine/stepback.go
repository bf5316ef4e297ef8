package engine

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/training"
)

// A class is lost if less than lostShare of the things get it that get it by what networks tell alone, and that would
// by its share of the labels, where these are at least leastLost. It is there if at least thereShare do.
const lostShare, thereShare, leastLost = 1.0 / 6, 3.0 / 4, 10

// A step back divides weights by backStep; divided by lastStep, rules say next to nothing, however great they are.
const backStep, lastStep = 1.5, 1e4

// inOther is what divides weights at most where inference is about another graph than learning.
const inOther = 100

// stepBack returns an answer by weaker rules where that by those learned loses a class. Rules that relate things do so
// beyond a weight that depends on the graph, and inference may be about another one than learning. No label is needed
// to see it: by what networks tell alone, and up to that weight, things are of that class. So the weights of such
// rules are divided until no class is lost. Where networks lose it, too, or weaker rules lead away from it step by
// step, these may be right: then all stays as it is, unless labels are of the very graph that inference is about, whose
// classes are there.
func (r *Report) stepBack(ctx context.Context, g *session.Grounding, answer *session.Answer) (*session.Answer, error) {
	learned := r.Learned
	if learned == nil || !usable(ctx, answer) || g.Project.Phases[load.Infer].Skip {
		return answer, nil
	}
	relating := training.Relating(learned)
	if len(relating) == 0 {
		return answer, nil
	}
	standing, err := contrasts(learned, g, answer)
	if err != nil || kept(standing, nil) >= lostShare {
		return answer, err
	}
	theta := slices.Clone(learned.Theta)
	weaker := func(by float64) (other *session.Answer, all []contrast, err error) {
		for _, rule := range relating {
			learned.Theta[rule] = theta[rule] / by
		}
		g.TakeWeights(learned)
		if other, err = g.Infer(ctx); err == nil && usable(ctx, other) {
			all, err = contrasts(learned, g, other)
		}
		return other, all, err
	}
	gone, last := lostShare, float64(inOther)
	if g.Project.SharesAtoms(load.Learn, load.Infer) {
		gone, last = thereShare, lastStep
	}
	_, alone, err := weaker(last)
	for by := backStep; alone != nil && kept(standing, alone) < gone && by < last; by *= backStep {
		var other *session.Answer
		if other, standing, err = weaker(by); standing == nil {
			break
		}
		if kept(standing, alone) >= thereShare {
			g.Project.Log.Warn("by the weights learned, next to nothing was of a class that labels and networks know: "+
				"rules that relate things are weaker", "divided by", by)
			return other, nil
		}
	}
	copy(learned.Theta, theta)
	g.TakeWeights(learned)
	if ctx.Err() != nil {
		err = nil // there is an answer
	}
	return answer, err
}

// usable tells whether an answer is one to go by.
func usable(ctx context.Context, answer *session.Answer) bool {
	return ctx.Err() == nil && answer.Status != solve.Infeasible.String() && answer.Status != solve.NumericalError.String()
}

// kept is what an answer leaves of the classes that the labels, and what networks tell alone, would have, of that of
// which it leaves least; of those of the labels where alone is nil. What is true or false may be so by a threshold that
// goes with the weights.
func kept(answer, alone []contrast) float64 {
	least := 1.0
	for k, c := range answer {
		if c.sides {
			continue
		}
		var seen *contrast
		if alone != nil {
			seen = &alone[k]
		}
		for class := range c.labels.of {
			if expected := c.expected(class, seen); expected >= leastLost {
				least = min(least, float64(c.given.of[class])/expected)
			}
		}
	}
	return least
}
