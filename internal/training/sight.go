package training

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
)

// weighedGain is by how many standard errors weights that are found have to be better than those written.
const weighedGain = 1

// sighting is all examples that were left out side by side, as networks that have not learned from them see them.
type sighting struct {
	*learn.Weigher
	g      *learner
	juries []part          // which are in which fold
	alone  []label.Verdict // on what networks see, whatever rules say beside
}

// weigh takes weights that are found by all folds, and returns them; nil if others are no better told by such weights.
func (t *sighting) weigh(ctx context.Context) ([]float64, error) {
	w := t.Weigher
	if len(w.Folds) < 2 || !slices.Contains(w.Learned, true) || t.g.Project.Learning.Learn.RuleRate == 0 {
		return nil, nil
	}
	written := slices.Clone(w.Theta)
	before, after, err := w.Run(ctx)
	found := w.Theta
	w.Theta = written
	if err != nil || before-after < label.Trifle {
		return nil, err
	}
	if better, err := t.borneOut(ctx); err != nil || !better {
		return nil, err
	}
	w.Theta = found
	return found, nil
}

// borneOut tells whether weights that are found by the other folds tell the labels of each better than those written,
// and no fewer of them right as they are predicted: MAP states may lie between answers that what these cost tells
// apart.
func (t *sighting) borneOut(ctx context.Context) (bool, error) {
	w := t.Weigher
	verdicts, right := [2][]label.Verdict{}, [2]int{}
	for k := range w.Folds {
		others := *w
		others.Folds, others.Theta = slices.Delete(slices.Clone(w.Folds), k, k+1), slices.Clone(w.Theta)
		if _, _, err := others.Run(ctx); err != nil {
			return false, err
		}
		for found, theta := range [][]float64{w.Theta, others.Theta} {
			verdict, count, err := t.judge(ctx, k, theta)
			if err != nil {
				return false, err
			}
			verdicts[found], right[found] = append(verdicts[found], verdict), right[found]+count
		}
	}
	before, after := label.Together(verdicts[0]...), label.Together(verdicts[1]...)
	return after.Beats(before, weighedGain) && right[1] >= right[0], nil
}

// judge returns what the labels of a fold say of weights, and how many of them are predicted right.
func (t *sighting) judge(ctx context.Context, k int, theta []float64) (label.Verdict, int, error) {
	one := *t.Weigher
	one.Folds, one.Theta = slices.Clone(one.Folds[k:k+1]), theta
	verdict, err := one.Judge(ctx)
	if err != nil {
		return verdict, 0, err
	}
	t.g.takeBack(t.juries[k].parameters)
	copy(t.g.Theta, theta)
	count, err := t.juries[k].rightLabels(ctx, t.g)
	return verdict, count, err
}

// sighting prepares one of such parts. Examples that are held out for good are divided.
func (g *learner) sighting(ctx context.Context, parts []part) (*sighting, error) {
	w := &learn.Weigher{Theta: g.written(), Learned: g.learned(), Ridge: g.Project.Learning.Learn.Ridge}
	made := &sighting{Weigher: w, g: g}
	var members []int32
	for _, p := range parts {
		members = append(members, p.members...)
	}
	for _, p := range parts {
		g.takeBack(p.parameters)
		lessons := batch.NewLessons(g.Grounding, p.examples, members, g.exact, g.ties.Teacher, g.ties.Counterparts)
		lessons.Widen()
		scene, err := lessons.Show(ctx, 0)
		if err != nil {
			return nil, err
		}
		x, alone := make([]float64, scene.Field.Model.Inputs), make([]float64, scene.Field.Model.Variables)
		if err := scene.Perception.Forward(x, false, 0); err != nil {
			return nil, err
		}
		for _, group := range scene.Counterparts.Groups {
			for c, i := range group.Variables {
				alone[i] = x[group.Inputs[c]]
			}
		}
		w.Field, w.Solver = scene.Field, scene.Solver
		for _, fold := range divided(p, len(parts)) {
			labels := scene.Labels.Where(func(entity int32) bool {
				return slices.Contains(fold.members, lessons.Example(entity))
			})
			if len(labels.Variables) > 0 {
				w.Folds, made.juries = append(w.Folds, learn.Fold{Inputs: x, Labels: labels}), append(made.juries, fold)
				made.alone = append(made.alone, labels.Judge(alone))
			}
		}
	}
	return made, nil
}

// divided divides the only part; of several, each is a fold.
func divided(p part, count int) []part {
	if count > 1 {
		return []part{p}
	}
	folds := make([]part, heldShare)
	for k := range folds {
		folds[k] = part{p.parameters, jury{examples: p.examples}}
	}
	for k, example := range p.members {
		to := &folds[k%heldShare]
		to.members = append(to.members, example)
	}
	return folds
}
