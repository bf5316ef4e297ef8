package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/training"
)

// fewShare is the share of the things that networks alone and the labels would give a class below which it is said to
// be lost. It is more than lostShare: what is gone in part may be wrong, and is no reason to change weights.
const fewShare = 0.4

// warnOfAnswer warns of what an answer shows by itself beside the labels learned from, which learned has.
func (r *Report) warnOfAnswer(ctx context.Context, learned, g *session.Grounding, answer *session.Answer) error {
	if g.Project.Config.HasExamples() || r.Failed() {
		return nil
	}
	standing, err := contrasts(learned, g, answer)
	if err != nil {
		return err
	}
	warnings := alike(standing)
	if len(warnings) == 0 && usable(ctx, answer) {
		warnings, err = r.lost(ctx, learned, g, standing)
	}
	if len(warnings) == 0 {
		warnings = r.unseeing()
	}
	g.Project.Warn(warnings)
	r.Warnings = append(r.Warnings, warnings.Plain()...)
	if ctx.Err() != nil {
		err = nil // there is an answer
	}
	return err
}

// lost warns of classes that far fewer things get than by what networks see alone, and than the labels had.
func (r *Report) lost(ctx context.Context, learned, g *session.Grounding, standing []contrast) (
	warnings source.Diagnostics, err error) {
	tying := training.Tying(g)
	lacks := func(c contrast) bool { return c.lacks(nil) != "" }
	if g.Networks == nil || len(tying) == 0 || !slices.ContainsFunc(standing, lacks) {
		return nil, nil
	}
	theta := slices.Clone(g.Theta)
	for _, rule := range tying {
		g.Theta[rule] /= lastStep
	}
	answer, err := g.Infer(ctx)
	copy(g.Theta, theta)
	if err != nil || !usable(ctx, answer) {
		return nil, err
	}
	alone, err := contrasts(learned, g, answer)
	for k := range alone {
		c := standing[k]
		class := c.lacks(&alone[k])
		if class == "" {
			continue
		}
		share := float64(c.labels.of[class]) / float64(c.labels.things)
		what := "get " + class
		if c.sides {
			what = fmt.Sprintf("are %s, which is from %.3g on", class, c.threshold)
		}
		warnings.Warnf("learn-lost", g.Program.Rules[tying[0]].Span, "divide the weights of rules that relate things, such "+
			"as this one, by 1.5 and more, and compare how many are of each class; a run that learns and infers (-l -i) does "+
			"so where next to nothing is left of a class",
			"%d of the %d things that %s is inferred for %s, and %d would by what networks see alone; %.3g %% of the labels "+
				"say so", c.given.of[class], c.given.things, c.relation, what, alone[k].given.of[class], 100*share)
	}
	return warnings, err
}

// lacks is the class that least is left of, if that is far too little.
func (c *contrast) lacks(alone *contrast) (class string) {
	least := fewShare
	for _, one := range slices.Sorted(maps.Keys(c.labels.of)) {
		if expected := c.expected(one, alone); expected >= leastLost && float64(c.given.of[one]) < least*expected {
			class, least = one, float64(c.given.of[one])/expected
		}
	}
	return class
}

// expected is how many things would be of a class by its share of the labels, or by what networks tell alone if that
// is fewer.
func (c *contrast) expected(class string, alone *contrast) float64 {
	count := float64(c.labels.of[class]) / float64(c.labels.things) * float64(c.given.things)
	if alone != nil {
		count = min(count, float64(alone.given.of[class]))
	}
	return count
}
