package training

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
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

// freeGain is by how many standard errors the middle has to be better.
const freeGain = 2

// free notices values that rules leave free between two ends, where the labels are told better by the middle and it was
// not for learning to have that taken.
func (n *notices) free(ctx context.Context, cold *session.Answer) error {
	g := n.g
	if g.middled || !g.Project.Phases[load.Infer].TakesEnds() {
		return nil
	}
	c := referee{g: g, phase: load.Learn}
	var err error
	if c.labels, err = g.labels(load.Learn, relation.Target); err != nil || len(c.labels.Variables) < fewLabels {
		return err
	}
	if c.levels, err = c.learnsLevels(); err != nil {
		return err
	}
	other, err := c.free(ctx, g.Theta, cold.Perceived, cold.Values)
	if other == nil || err != nil {
		return err
	}
	middle, apart := slices.Clone(cold.Values), 0
	for _, i := range c.labels.Variables {
		if middle[i] = (cold.Values[i] + other[i]) / 2; math.Abs(other[i]-cold.Values[i]) > wide {
			apart++
		}
	}
	kept, best := c.verdict(c.labels, cold.Values), c.verdict(c.labels, middle)
	if best.Beats(kept, freeGain) {
		n.see("learn-free", source.Span{}, "", "set inference.method=interior, which takes the middle; or write rules that "+
			"say what a value is, and not only what it is at least or at most",
			"rules leave %d of %d values with labels free between two ends, and inference takes one of these; the middle would "+
				"tell the labels better: a loss of %.3f in place of %.3f", apart, len(c.labels.Variables), best.Loss(), kept.Loss())
	}
	return nil
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
		hint := "look at AUROC, which tells whether only the threshold is wrong; compare with the weights as written (-i)"
		if _, linear := n.g.Model.Squared(); len(linear) > 0 {
			hint = "write ^2 behind rules that have none, whose states are often not unique; " + hint
		}
		if guess == 1 {
			hint = "give labels that differ, too: these are all the same, and teach nothing"
		}
		n.see("learn-blind", source.Span{}, e.Predicate, hint, "%s, %s of %s is %.4g for the %d %s; an answer "+
			"that looks at nothing has %.4g", n.when, e.Primary, e.Predicate, e.PrimaryValue(), e.Count, which, guess)
	}
	return err
}

// worse notices weights, learned by a method that was asked for, by which labels are told worse than by those written:
// what a method minimises need not be what weights are wanted for. Weights that compete with these anyway, and those
// beside networks, which have learned with them, are left out, and so is inference that knows labels: it answers
// otherwise.
func (n *notices) worse(ctx context.Context, training *Training) error {
	g := n.g
	s, r := &g.Project.Learning, training.Rehearsed
	if g.Networks != nil || s.Auto || s.Compared || r != nil && r.Known || !slices.Contains(g.learned(), true) ||
		g.Model.Potentials() > mostFree {
		return nil
	}
	c := referee{g: g}
	by, err := c.gather(lesson{})
	if err != nil || len(c.labels.Variables) < fewLabels {
		return err
	}
	if c.levels, err = c.learnsLevels(); err != nil {
		return err
	}
	learned, written := contestant{theta: g.Theta}, contestant{theta: g.written()}
	for _, one := range []*contestant{&learned, &written} {
		if one.y, err = c.infer(ctx, one.theta); err != nil {
			return err
		}
	}
	if gain, err := c.judge(c.labels, &learned, &written); err != nil || !gain.wins(0) {
		return err
	}
	which := "labels learned from"
	if by == byValidation {
		which = "labels of validation"
	}
	scores := ""
	if !c.levels && !math.IsNaN(written.score) {
		scores = fmt.Sprintf(", a score of %.4g in place of %.4g", learned.score, written.score)
	}
	n.see("learn-worse", source.Span{}, "", "leave learn.method to its default, which keeps the weights that tell labels "+
		"better, or keep those written (-i)", "%s, the %s are told worse than by the weights as written: a loss of %.3f in "+
		"place of %.3f%s", n.when, which, learned.verdict.Loss(), written.verdict.Loss(), scores)
	return nil
}

// ranked tells whether a predicate is scored by nothing but the order of its values, whatever side of a half these
// are on.
func ranked(p *load.Predicate) bool {
	other := func(e load.Evaluation) bool { return e.Evaluator != "auc" }
	return len(p.Evaluations) > 0 && !slices.ContainsFunc(p.Evaluations, other)
}

// oneSided notices answers that are all on the same side of a half, though labels, each of them 0 or 1, are on both.
func (n *notices) oneSided(what string, scored *eval.Scored) {
	labels, above := make(map[bool]int), 0
	for k, truth := range scored.Truth {
		switch {
		case math.IsNaN(truth):
			continue
		case truth != 0 && truth != 1:
			return
		}
		labels[truth == 1]++
		if scored.Prediction[k] > 0.5 {
			above++
		}
	}
	t := label.Count(labels)
	if t.Labels < fewLabels || t.Classes < 2 || above > 0 && above < t.Labels {
		return
	}
	side := "below"
	if above > 0 {
		side = "above"
	}
	n.see("learn-one-side", source.Span{}, what,
		"compare with the weights as written (-i), with learn.method=likelihood, and with the best threshold of run's scores",
		"%s, all answers to the %d labels of %s are %s a half, though %d of these are true", n.when, t.Labels, what, side,
		labels[true])
}
