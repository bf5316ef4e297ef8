package training

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
)

// linear notices rules without ^2 that would tell the labels better with it, the weights being those kept or those
// written: of linear rules, many states cost the same.
func (c *comparison) linear(ctx context.Context) error {
	g := c.g
	model, rules := g.Model.Squared()
	if len(rules) == 0 || g.notices == nil || model.Potentials() > mostCompared {
		return nil
	}
	kept := c.verdict(c.labels, c.training.Chosen.Values)
	// Of states that cost the same, inference over other things may find another one.
	y, err := c.inferFrom(ctx, g.Theta, slices.Repeat([]float64{1}, g.Model.Variables))
	if err != nil {
		return err
	}
	if other := c.verdictAs(c.labels, c.training.Chosen.Values, y); other.Loss() > kept.Loss() {
		kept = other
	}
	best := kept
	field := mrf.NewFieldOn(model, g.Field.Threads)
	for _, theta := range [][]float64{g.Theta, c.written.theta} {
		y, err := g.inferCold(ctx, field, theta, g.Inputs)
		if err != nil {
			return err
		}
		if other := c.verdictAs(c.labels, c.training.Chosen.Values, y); other.Loss() < best.Loss() {
			best = other
		}
	}
	if best.Beats(kept, squaredGain) {
		g.notices.linear(best, kept)
	}
	return nil
}

// linear tells of linear rules, by the loss with squares and without.
func (n *notices) linear(squared, kept label.Verdict) {
	n.see("learn-linear", n.g.Program.Rules[n.g.firstLinear()].Span, "",
		"write ^2 behind it, and behind other rules that have none",
		"with squares, the rules would tell the labels better: a loss of %.3f in place of %.3f; without, many states cost "+
			"the same", squared.Loss(), kept.Loss())
}
