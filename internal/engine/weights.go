package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/search"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Trial is a line of a search's table: weights with the score that they gave.
type Trial = search.Trial

// parseLevels reads positive numbers with colons between them.
func parseLevels(value string) ([]float64, error) {
	var levels []float64
	for field := range strings.SplitSeq(value, ":") {
		level, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil || !(level > 0) || math.IsInf(level, 0) {
			return nil, fmt.Errorf("want numbers above 0, with colons between them")
		}
		levels = append(levels, level)
	}
	return levels, nil
}

// search learns rule weights by trying them. The networks stay as they are. Of a search that is cut short, the best
// trial counts, or without any the weights as written.
func (g *Grounding) search(ctx context.Context, training *Training) error {
	start := slices.Clone(g.theta)
	err := g.try(ctx, start, training)
	early, cut := learn.CutShort(ctx, err)
	if !cut {
		return err
	}
	training.Ended, training.Chosen = early, nil
	copy(g.theta, start)
	if len(training.Trials) > 0 {
		copy(g.theta, search.Best(training.Trials).Weights)
	}
	return err
}

// try is search while the context lasts.
func (g *Grounding) try(ctx context.Context, start []float64, training *Training) error {
	if g.project.config.Examples[Learn] != nil {
		return fmt.Errorf("%s: learn.method %v tries weights on one world, and not on examples; "+
			"energy, perceptron, implicit and deeppsl learn from these", g.project.config.Name, g.project.settings.learn.Method)
	}
	judge, err := g.judge(ctx)
	if err != nil {
		return err
	}
	problem := search.Problem{Start: start, Learned: g.learned(), Relative: g.relative(), Score: judge.score}
	settings := g.project.settings.search
	settings.Seed = g.seed
	settings.OnTrial = func(trial Trial) {
		line := judge.line(trial)
		training.Trials, training.Epochs = append(training.Trials, trial), append(training.Epochs, line)
		training.Steps = len(training.Trials)
		if g.project.OnEpoch != nil {
			g.project.OnEpoch(line)
		}
	}
	trials, err := search.Run(ctx, g.project.settings.learn.Method, problem, settings)
	if err != nil {
		return fmt.Errorf("%s: %w", g.project.config.Name, err)
	}
	best := search.Best(trials)
	copy(g.theta, best.Weights)
	// The learning curve ends with the state that learning leaves behind, as after a descent.
	if best.Score, err = judge.score(ctx, best.Weights, 1); err != nil {
		return err
	}
	best.Number = len(trials)
	training.Epochs = append(training.Epochs, judge.line(best))
	return nil
}

// learned tells which rules have a weight to learn.
func (g *Grounding) learned() []bool {
	learned := make([]bool, len(g.program.Rules))
	for r, rule := range g.program.Rules {
		learned[r] = !rule.Weight.Hard && !rule.Weight.Fixed
	}
	return learned
}

// relative tells whether the MAP state depends on the ratios of the learned weights alone.
func (g *Grounding) relative() bool {
	for _, rule := range g.program.Rules {
		if rule.Weight.Fixed && !rule.Weight.Hard {
			return false
		}
	}
	return true
}

// judge scores weights: by the evaluation that guides learning on the validation phase's truth, without that on the
// learning phase's, and without any evaluator by the loss.
type judge struct {
	learning *Grounding
	scored   *Grounding    // the grounding whose answer is scored
	phase    Phase         // of the truth
	guides   []guide       // what is scored, if anything is
	labels   *learn.Labels // of the learning phase's truth, if that is scored
	solvers  map[float64]solve.Solver
	last     *solve.Result
}

func (g *Grounding) judge(ctx context.Context) (*judge, error) {
	j := &judge{learning: g, scored: g, phase: Validation, solvers: make(map[float64]solve.Solver)}
	var err error
	if !g.project.sharesAtoms(g.phase, Validation) {
		if j.scored, err = g.project.groundWith(ctx, Validation, g.networks); err != nil {
			return nil, err
		}
	}
	if j.guides, err = j.scored.guides(Validation); err != nil {
		return nil, err
	}
	if len(j.guides) == 0 {
		j.scored, j.phase = g, Learn
		if j.guides, err = g.guides(Learn); err != nil {
			return nil, err
		}
	}
	if j.labels, err = j.scored.labels(j.phase, relation.Target); err != nil {
		return nil, err
	}
	if len(j.guides) == 0 && len(j.labels.Variables) == 0 {
		return nil, fmt.Errorf("%s: nothing to learn from: no target has a label", g.project.config.Name)
	}
	return j, j.scored.perceive()
}

// score infers with the weights and scores the answer; higher is better. A smaller budget proves a wider gap.
func (j *judge) score(ctx context.Context, weights []float64, budget float64) (float64, error) {
	g := j.scored
	copy(j.learning.theta, weights)
	if g != j.learning {
		g.adopt(j.learning)
	}
	solver, err := j.solver(budget)
	if err != nil {
		return 0, err
	}
	solver.SetWeights(g.theta)
	solver.SetInputs(g.inputs)
	if j.last != nil {
		solver.WarmStart(slices.Clone(j.last.Y), slices.Clone(j.last.Multipliers))
	}
	if j.last, err = solver.Solve(ctx); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if j.last.Status == solve.Infeasible {
		return 0, g.explainInfeasible(ctx, &learn.InfeasibleError{Conflict: j.last.Conflict})
	}
	if len(j.guides) == 0 {
		return -j.loss(), nil
	}
	return g.guided(&Answer{Values: j.last.Y, Perceived: g.inputs}, j.phase, j.guides)
}

// solver returns the one for a budget. The gap widens with its square, as few iterations more make it much smaller.
func (j *judge) solver(budget float64) (solve.Solver, error) {
	if known, ok := j.solvers[budget]; ok {
		return known, nil
	}
	settings := j.learning.project.settings.whileLearning().WithDefaults(0)
	settings.Gap = math.Min(settings.Gap/(budget*budget), 0.1)
	made, err := j.scored.solverOf(j.scored.field, settings)
	j.solvers[budget] = made
	return made, err
}

// loss is that of the labels at the last answer.
func (j *judge) loss() float64 {
	return j.learning.project.settings.learn.Loss.Value(j.labels, j.last.Y)
}

// line is the last trial as a line of a learning curve.
func (j *judge) line(trial Trial) Epoch {
	return Epoch{Number: trial.Number, Loss: j.loss(), Validation: trial.Score, Gap: j.last.Gap,
		Inference: j.last.Elapsed.Seconds(), Theta: trial.Weights}
}
