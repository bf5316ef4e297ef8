package training

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
)

// cold returns the answer of inference where several states may cost the same: it may find another one than learning.
func (n *notices) cold(ctx context.Context, chosen *session.Answer) (*session.Answer, error) {
	g := n.g
	if g.Field.Convexity() > 0 {
		return chosen, nil
	}
	y, err := g.inferCold(ctx, g.Field, g.Theta, chosen.Perceived)
	return &session.Answer{Values: y, Perceived: chosen.Perceived}, err
}

// blind notices answers that what they are evaluated by tells no better than one that looks at nothing.
func (n *notices) blind(chosen *session.Answer) error {
	phase, which := load.Learn, "labels learned from"
	if n.g.Project.SharesAtoms(n.g.Phase, load.Validation) {
		guides, err := n.g.Guides(load.Validation)
		if err != nil {
			return err
		}
		if len(guides) > 0 {
			phase, which = load.Validation, "labels of validation"
		}
	}
	evaluations, err := n.g.Evaluate(chosen, phase)
	for _, e := range evaluations {
		told := slices.ContainsFunc(n.signs, func(s sign) bool { return s.about == e.Predicate })
		if told || e.Count < fewLabels {
			continue
		}
		guess, blind := e.Blind()
		if !blind {
			continue
		}
		hint := "write ^2 behind rules that have none, whose states are often not unique; look at AUROC, which tells " +
			"whether only the threshold is wrong; compare with the weights as written (-i)"
		if guess == 1 {
			hint = "give labels that differ, too: these are all the same, and teach nothing"
		}
		n.see("learn-blind", source.Span{}, e.Predicate, hint, "%s, %s of %s is %.4g for the %d %s; an answer "+
			"that looks at nothing has %.4g", n.when, e.Primary, e.Predicate, e.PrimaryValue(), e.Count, which, guess)
	}
	return err
}
