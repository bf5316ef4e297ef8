package training

import (
	"context"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/search"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/stat"
)

// mostSought is the number of ground rules up to which weights are tried one after another, an inference each, and
// mostTuned that of weights, each of which takes two.
const mostSought, mostTuned = 100_000, 50

// seek goes on by what the task is evaluated by, from the weights that were learned and from those written, either of
// which may lead to a maximum of its own, and takes what is better. Likelihood compares the values 0 and 1 of an atom,
// between which its MAP state lies: of W (s-y)₊² against w y² likelihood changes sides at s = √(w/W), and the state is
// above a half from (1+w/W)/2 on. So what is true may be told apart well and yet all lie below a half.
func (c *comparison) seek(ctx context.Context) error {
	if !c.seeks() {
		return nil
	}
	learned := c.learned
	for _, start := range []*contestant{&learned, &c.written} {
		sought := contestant{settings: learned.settings, sought: true, afresh: start == &c.written}
		var err error
		if sought.theta, sought.y, err = c.improve(ctx, start.theta, nil); err != nil {
			return err
		}
		gain, err := c.fit.judge(c.fit.labels, &c.learned, &sought)
		if err != nil {
			return err
		}
		if gain.wins(0) {
			c.learned = sought
		}
	}
	return nil
}

// seeks tells whether weights are tried one after another.
func (c *comparison) seeks() bool {
	return len(c.fit.guides) > 0 && c.g.Model.Potentials() <= mostSought && c.weights() <= mostTuned
}

// looseWork bounds the ground rules of all inferences together where several states may cost the same: each trial then
// takes two inferences, and each of these longer.
const looseWork = 1_000_000

// aboutHalf is how much the loss of values as they are counts where a level is still to be learned: of weights that
// tell as much apart, those whose values lie about a half are better to read, and farther from what is rounded.
const aboutHalf = 0.03

// improve searches for weights of a better score, maybe without a fold, and returns the best with their state. The loss
// of the labels counts as well: few labels give many weights the same score, which may not change until several weights
// have. It alone counts where a level is still to be learned: a score from a half on would lift what is true above
// that, and not tell it apart.
func (c *comparison) improve(ctx context.Context, theta []float64, without *division) (best, y []float64, err error) {
	g := c.g
	labels, held := c.fit.labels, make(map[int32]bool)
	if without != nil {
		for _, i := range c.fit.labels.Where(without.holds).Variables {
			held[i] = true
		}
		labels = c.fit.labels.Where(func(entity int32) bool { return !without.holds(entity) })
	}
	rate := func(theta, y []float64) (float64, error) {
		if c.levels {
			return -c.verdict(labels, y).Loss() - aboutHalf*labels.Judge(y).Loss() - c.prior(theta), nil
		}
		score, err := g.GuidedBy(&session.Answer{Values: y, Perceived: g.Inputs}, c.fit.phase, c.fit.guides,
			func(i int32) bool { return !held[i] })
		return score - labels.Judge(y).Loss() - c.prior(theta), err
	}
	return c.climb(ctx, theta, rate)
}

// centre moves the weights that were sought to where values tell labels by a half, too, as far as that costs what a
// level can tell nothing that counts: whoever reads values, reads them so.
func (c *comparison) centre(ctx context.Context) error {
	y, err := c.infer(ctx, c.learned.theta)
	if err != nil {
		return err
	}
	labels := c.fit.labels
	most := c.verdict(labels, y).Loss() + label.Trifle/2
	c.learned.theta, c.learned.y, err = c.climb(ctx, c.learned.theta, func(theta, y []float64) (float64, error) {
		if c.verdict(labels, y).Loss() > most {
			return math.Inf(-1), nil
		}
		return -labels.Judge(y).Loss() - c.prior(theta), nil
	})
	c.training.Chosen.Values = c.learned.y
	return err
}

// prior is what weights owe for how far they are from those written, as a Weigher has it: of few labels, most of what
// weights farther away would fit better is chance. Where all of them can move, only ratios mean anything.
func (c *comparison) prior(theta []float64) float64 {
	var logs []float64
	for r, learned := range c.g.learned() {
		if learned && theta[r] > 0 && c.written.theta[r] > 0 {
			logs = append(logs, math.Log(theta[r]/c.written.theta[r]))
		}
	}
	middle := 0.0
	if c.g.relative() && len(logs) > 0 {
		middle = stat.Mean(logs)
	}
	sum := 0.0
	for _, log := range logs {
		sum += (log - middle) * (log - middle)
	}
	return learn.WeightPrior / float64(max(1, c.fit.labels.Judge(c.written.y).Entities())) * sum
}

// climb tries weights one after another, each by the state that it gives, and returns the best with theirs.
func (c *comparison) climb(ctx context.Context, theta []float64, rate func(theta, y []float64) (float64, error)) (
	best, y []float64, err error) {
	g := c.g
	y = make([]float64, g.Model.Variables)
	most := math.Inf(-1)
	score := func(ctx context.Context, weights []float64, _ float64) (value float64, err error) {
		if y, err = c.inferFrom(ctx, weights, y); err != nil {
			return 0, err
		}
		if value, err = rate(weights, y); err == nil && value > most && g.Field.Convexity() == 0 {
			// Several states may cost the same, and inference may find another one.
			if y, err = c.infer(ctx, weights); err == nil {
				value, err = rate(weights, y)
			}
		}
		most = max(most, value)
		return value, err
	}
	settings := g.Project.Learning.Search
	settings.Seed = g.Seed
	if most := looseWork / max(1, g.Model.Potentials()); settings.Trials == 0 && most < 100 && g.Field.Convexity() == 0 {
		settings.Trials = max(1, most)
	}
	trials, err := search.Run(ctx, learn.Climb, search.Problem{Start: slices.Clone(theta), Learned: g.learned(),
		Relative: g.relative(), Score: score}, settings)
	if err != nil {
		return nil, nil, err
	}
	best = search.Best(trials).Weights
	y, err = c.infer(ctx, best)
	return best, y, err
}
