package training

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/stat"
)

// referee compares states by labels.
type referee struct {
	g      *learner
	labels *label.Labels
	phase  load.Phase // of the labels
	guides []session.Guide
	// levels tells that from which value on atoms are true is still to be learned: then only what tells true from false
	// counts, wherever values lie.
	levels bool
}

// contestant is one of those that are compared: weights, and the state that they give.
type contestant struct {
	theta, y []float64
	settings *learn.Settings // of the method that has learned them
	sought   bool            // from there on by their score
	afresh   bool            // or from the weights written
	verdict  label.Verdict
	score    float64
}

// What the two are compared by.
const (
	byFit        = "learned from"
	byHeldOut    = "held out"
	byValidation = "validation"
)

// gather finds the labels to compare by, and says which they are.
func (c *referee) gather(l lesson) (by string, err error) {
	g := c.g
	by, c.phase = byFit, load.Learn
	if g.Project.SharesAtoms(g.Phase, load.Validation) {
		if c.labels, err = g.labels(load.Validation, relation.Target); err != nil {
			return by, err
		}
		if len(c.labels.Variables) > 0 {
			by, c.phase = byValidation, load.Validation
		}
	}
	if by == byFit {
		if c.labels, err = g.taught(l, relation.Target); err != nil {
			return by, err
		}
	}
	c.guides, err = g.Guides(c.phase)
	return by, err
}

// infer returns the state that weights give, found from nothing, as inference finds it: of several that cost the same,
// another may be found from elsewhere.
func (c *referee) infer(ctx context.Context, theta []float64) ([]float64, error) {
	return c.g.inferCold(ctx, c.g.Field, theta, c.g.Inputs)
}

// inferCold finds the state of a field as inference does, from nothing and with its options, but to its gap alone.
func (g *learner) inferCold(ctx context.Context, field *mrf.Field, theta, inputs []float64) ([]float64, error) {
	options := g.Options()
	options.OnIteration = nil
	solver, err := g.Project.Phases[load.Infer].Trial(field, options)
	if err != nil {
		return nil, err
	}
	solver.SetWeights(theta)
	solver.SetInputs(inputs)
	return learn.SolveFrom(ctx, solver, nil)
}

// gain is by how much the weights that were learned are better, with standard errors.
type gain struct {
	score, scoreError float64 // of the evaluations that guide learning; 0 without any
	loss, lossError   float64
}

// any tells whether they are better at all.
func (g gain) any() bool { return g.score > 0 || g.score == 0 && g.loss > 0 }

// plainScore is the number of standard errors from which on a score decides whatever the loss says.
const plainScore = 2

// wins tells whether they are better by more than chance would have it. What the task is evaluated by decides where it
// tells the two apart, by two standard errors, or by one where the loss does not say the opposite, and else the loss,
// which sees smaller differences. What was fitted is charged for that, in the unit of the loss.
func (g gain) wins(charge float64) bool {
	switch {
	case g.score < -g.scoreError:
		return false
	case charge == 0 && g.score > g.scoreError && (g.loss >= 0 || g.score > plainScore*g.scoreError):
		return true
	}
	return g.loss-charge > max(g.lossError, label.Trifle)
}

// prefers tells whether the middle of what rules leave free is better than an end, with so many more entities plainly
// right: by more than chance would have it, or by some, unless score or loss say the opposite. Which end is found is
// chance itself.
func (g gain) prefers(right int) bool {
	opposed := g.score < -g.scoreError || g.loss < -max(g.lossError, label.Trifle)
	return right >= 0 && g.wins(0) || right > 0 && !opposed
}

// charge is what the fit of an entity's labels owes to each weight having been fitted: one nat in all for each, as in
// Akaike's criterion.
func (c *referee) charge() float64 {
	entities := c.labels.Judge(make([]float64, c.g.Model.Variables)).Entities()
	return float64(c.weights()) / float64(max(1, entities))
}

// weights counts those that are learned.
func (c *referee) weights() (count int) {
	for _, learned := range c.g.learned() {
		if learned {
			count++
		}
	}
	return count
}

// verdict judges a state by some of the labels.
func (c *referee) verdict(labels *label.Labels, y []float64) label.Verdict {
	return c.verdictAs(labels, y, y)
}

// verdictAs judges a state, where a level is still to be learned by the one that suits another state.
func (c *referee) verdictAs(labels *label.Labels, other, y []float64) label.Verdict {
	if c.levels {
		y = c.calibrated(labels, other, y)
	}
	return labels.Judge(y)
}

// calibrated returns a state in which atoms with labels have the values that logistic curves give them, one for each
// predicate, as each has a threshold. The curves suit another state, or the same.
func (c *referee) calibrated(labels *label.Labels, other, y []float64) []float64 {
	y = slices.Clone(y)
	for _, part := range c.byPredicate(labels) {
		values := make([]float64, len(part.Variables))
		for k, i := range part.Variables {
			values[k] = other[i]
		}
		probability := eval.Calibrate(part.Truth, values)
		for _, i := range part.Variables {
			y[i] = probability(y[i])
		}
	}
	return y
}

// byPredicate divides labels by the predicates of their atoms.
func (c *referee) byPredicate(labels *label.Labels) map[*relation.Relation]*label.Labels {
	parts := make(map[*relation.Relation]*label.Labels)
	for k, i := range labels.Variables {
		atoms, _ := c.g.Tables.Store.Locate(relation.Target, i)
		part := parts[atoms]
		if part == nil {
			part = new(label.Labels)
			parts[atoms] = part
		}
		part.Variables, part.Truth = append(part.Variables, i), append(part.Truth, labels.Truth[k])
	}
	return parts
}

// learnsLevels tells whether it will be learned from which value on atoms are true, of all predicates with labels.
func (c *referee) learnsLevels() (bool, error) {
	if c.g.Project.Phases[load.Infer].Skip || !c.labels.OfSides() {
		return false, nil
	}
	for atoms, part := range c.byPredicate(c.labels) {
		learns, err := c.g.LearnsThreshold(c.phase, slices.Index(c.g.Tables.Store.Relations, atoms))
		if !learns || err != nil || !eval.TellsThreshold(part.Truth) {
			return false, err
		}
	}
	return true, nil
}

// judge compares the states of two by some of the labels, and returns the gain of the second. The score does not count
// where a level is still to be learned: it is that from a half on.
func (c *referee) judge(labels *label.Labels, first, second *contestant) (gain, error) {
	first.verdict, second.verdict = c.verdict(labels, first.y), c.verdict(labels, second.y)
	var gain gain
	gain.loss, gain.lossError = second.verdict.Gain(first.verdict)
	if len(c.guides) == 0 {
		first.score, second.score = math.NaN(), math.NaN()
		return gain, nil
	}
	err := c.judgeScores(labels, first, second, &gain)
	if c.levels {
		gain.score, gain.scoreError = 0, 0
	}
	return gain, err
}

// resamples is the number of parts of the labels that are left out in turn to find the standard error of a score.
const resamples = 20

// judgeScores compares the scores. Their difference's standard error is the jackknife's, which holds for any smooth
// score (Efron 1982): parts of the entities are left out in turn.
func (c *referee) judgeScores(labels *label.Labels, first, second *contestant, gain *gain) error {
	part, count := c.parts(labels)
	differences := make([]float64, 0, count)
	for without := range count {
		d, err := c.difference(part, without, first, second)
		if err != nil {
			return err
		}
		if !math.IsNaN(d) {
			differences = append(differences, d)
		}
	}
	all, err := c.difference(part, noPart, first, second)
	if n := float64(len(differences)); err == nil && n > 1 && !math.IsNaN(all) {
		gain.score, gain.scoreError = all, stat.StandardError(differences)*(n-1)
	}
	return err
}

// noPart is the place of no part of the labels that are judged by, and notJudged that of all other labels.
const noPart, notJudged = -1, session.NotJudged

// parts deals the entities of labels out, and returns the part of each variable with a label, and the number of parts.
func (c *referee) parts(labels *label.Labels) (part map[int32]int, count int) {
	part = make(map[int32]int, len(c.labels.Variables))
	for _, i := range c.labels.Variables {
		part[i] = notJudged
	}
	entities := make(map[int32]int) // in the order of the labels
	for k, i := range labels.Variables {
		entity := labels.Entities[k]
		if _, seen := entities[entity]; !seen {
			entities[entity] = len(entities) % resamples
		}
		part[i] = entities[entity]
	}
	return part, min(resamples, len(entities))
}

// difference scores both without a part of the labels, and returns by how much the second is better.
func (c *referee) difference(part map[int32]int, without int, first, second *contestant) (float64, error) {
	takes := func(i int32) bool {
		at, labelled := part[i]
		return !labelled || at != without && at != notJudged
	}
	for _, one := range []*contestant{first, second} {
		var err error
		answer := &session.Answer{Values: one.y, Perceived: c.g.Inputs}
		if one.score, err = c.g.GuidedBy(answer, c.phase, c.guides, takes); err != nil {
			return 0, err
		}
	}
	return second.score - first.score, nil
}

const (
	// wide is how far apart the ends of what a value may be are where that matters.
	wide = 0.1
	// mostFree is the number of ground rules up to which another state is looked for.
	mostFree = 100_000
)

// free returns another state that costs the same as what inference finds, where some labels' values are far apart in
// the two; nil where there is none. All between the two costs that, too.
func (c *referee) free(ctx context.Context, theta, inputs, y []float64) ([]float64, error) {
	g := c.g
	if g.Field.Convexity() > 0 || g.Model.Potentials() > mostFree {
		return nil, nil
	}
	solver, err := g.SolverOf(g.Field, g.Project.Learning.WhileLearning())
	if err != nil {
		return nil, err
	}
	solver.SetWeights(theta)
	solver.SetInputs(inputs)
	start := slices.Repeat([]float64{1}, g.Model.Variables)
	random := rand.New(rand.NewPCG(g.Seed, 0x66726565))
	for range 2 { // from where all is alike, it may go to where all is alike
		other, err := learn.SolveFrom(ctx, solver, start)
		apart := func(i int32) bool { return math.Abs(other[i]-y[i]) > wide }
		if err != nil || slices.ContainsFunc(c.labels.Variables, apart) {
			return other, err
		}
		for i := range start {
			start[i] = float64(random.IntN(2))
		}
	}
	return nil, nil
}
