package training

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/search"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// search learns rule weights by trying them. The networks stay as they are. Of a search that is cut short, the best
// trial counts, or without any the weights as written.
func (g *learner) search(ctx context.Context, training *Training) error {
	start := slices.Clone(g.Theta)
	err := g.try(ctx, start, training)
	early, cut := learn.CutShort(ctx, err)
	if !cut {
		return err
	}
	training.Ended, training.Chosen = early, nil
	copy(g.Theta, start)
	if len(training.Trials) > 0 {
		copy(g.Theta, search.Best(training.Trials).Weights)
	}
	return err
}

// try is search while the context lasts.
func (g *learner) try(ctx context.Context, start []float64, training *Training) error {
	if g.Project.Config.Examples[load.Learn] != nil {
		return fmt.Errorf("%s: learn.method %v tries weights on one world, and not on examples; "+
			"energy, perceptron, implicit and deeppsl learn from these", g.Project.Config.Name, g.Project.Learning.Learn.Method)
	}
	judge, err := g.judge(ctx)
	if err != nil {
		return err
	}
	problem := search.Problem{Start: start, Learned: g.learned(), Relative: g.relative(), Score: judge.score}
	settings := g.Project.Learning.Search
	settings.Seed = g.Seed
	settings.OnTrial = func(trial search.Trial) {
		line := judge.line(trial)
		training.Trials, training.Epochs = append(training.Trials, trial), append(training.Epochs, line)
		training.Steps = len(training.Trials)
		if g.Project.OnEpoch != nil {
			g.Project.OnEpoch(line)
		}
	}
	trials, err := search.Run(ctx, g.Project.Learning.Learn.Method, problem, settings)
	if err != nil {
		return fmt.Errorf("%s: %w", g.Project.Config.Name, err)
	}
	best := search.Best(trials)
	copy(g.Theta, best.Weights)
	// The learning curve ends with the state that learning leaves behind, as after a descent.
	if best.Score, err = judge.score(ctx, best.Weights, 1); err != nil {
		return err
	}
	best.Number = len(trials)
	training.Epochs = append(training.Epochs, judge.line(best))
	return nil
}

// judge scores weights: by the evaluation that guides learning on the validation phase's truth, without that on the
// learning phase's, and without any evaluator by the loss.
type judge struct {
	learning *learner
	scored   *learner        // the grounding whose answer is scored
	phase    load.Phase      // of the truth
	guides   []session.Guide // what is scored, if anything is
	labels   *label.Labels   // of the learning phase's truth, if that is scored
	solvers  map[float64]solve.Solver
	last     *solve.Result
}

func (g *learner) judge(ctx context.Context) (*judge, error) {
	j := &judge{learning: g, scored: g, phase: load.Validation, solvers: make(map[float64]solve.Solver)}
	var err error
	if !g.Project.SharesAtoms(g.Phase, load.Validation) {
		other, err := session.Ground(ctx, g.Project, load.Validation, g.Networks, nil)
		if err != nil {
			return nil, err
		}
		j.scored = newLearner(other)
	}
	if j.guides, err = j.scored.Guides(load.Validation); err != nil {
		return nil, err
	}
	if len(j.guides) == 0 {
		j.scored, j.phase = g, load.Learn
		if j.guides, err = g.Guides(load.Learn); err != nil {
			return nil, err
		}
	}
	if j.labels, err = j.scored.labels(j.phase, relation.Target); err != nil {
		return nil, err
	}
	if len(j.guides) == 0 && len(j.labels.Variables) == 0 {
		return nil, j.scored.unlabelled("no target has a label")
	}
	return j, j.scored.Perceive()
}

// score infers with the weights and scores the answer; higher is better. A smaller budget proves a wider gap.
func (j *judge) score(ctx context.Context, weights []float64, budget float64) (float64, error) {
	g := j.scored
	copy(j.learning.Theta, weights)
	if g != j.learning {
		g.TakeWeights(j.learning.Grounding)
	}
	solver, err := j.solver(budget)
	if err != nil {
		return 0, err
	}
	solver.SetWeights(g.Theta)
	solver.SetInputs(g.Inputs)
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
	return g.Guided(&session.Answer{Values: j.last.Y, Perceived: g.Inputs}, j.phase, j.guides)
}

// solver returns the one for a budget. The gap widens with its square, as few iterations more make it much smaller.
func (j *judge) solver(budget float64) (solve.Solver, error) {
	if known, ok := j.solvers[budget]; ok {
		return known, nil
	}
	settings := j.learning.Project.Learning.WhileLearning().WithDefaults(0)
	settings.Gap = math.Min(settings.Gap/(budget*budget), 0.1)
	made, err := j.scored.SolverOf(j.scored.Field, settings)
	j.solvers[budget] = made
	return made, err
}

// loss is that of the labels at the last answer.
func (j *judge) loss() float64 {
	return j.learning.Project.Learning.Learn.Loss.Value(j.labels, j.last.Y)
}

// line is the last trial as a line of a learning curve.
func (j *judge) line(trial search.Trial) learn.Epoch {
	return learn.Epoch{Number: trial.Number, Loss: j.loss(), Validation: trial.Score, Gap: j.last.Gap,
		Inference: j.last.Elapsed.Seconds(), Theta: trial.Weights}
}
