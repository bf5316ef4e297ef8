package training

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
)

// oneValue is how far apart values are at most that are one to whoever reads them.
const oneValue = 1e-3

// tellMost takes the weights that tell most by what the task is evaluated by, by more than some standard errors, and of
// these, or where that sees no difference, by a logistic curve of the values; nil where none does.
func (r *rehearsal) tellMost(ctx context.Context, standing *contestant, errors float64, rivals [][]float64) (
	best []float64, err error) {
	told := r.g.stage(toCompare, len(rivals))
	defer told.end()
	var most gain
	for _, theta := range rivals {
		rival, err := r.answer(ctx, false, theta)
		if err != nil {
			return nil, err
		}
		gain, err := r.judge(r.labels, standing, &rival)
		if err == nil && len(r.guides) > 0 {
			err = r.judgeScores(r.labels, standing, &rival, &gain)
		}
		if err != nil {
			return nil, err
		}
		// What is true of little is told by few labels: that of the greatest gain counts, too.
		gain.loss = standing.verdict.Loss() - rival.verdict.Loss()
		if gain.score >= errors*gain.scoreError &&
			(gain.score > most.score || gain.score == most.score && gain.loss > most.loss) {
			most, best = gain, theta
		}
		told.next()
	}
	return best, nil
}

// isOneValue tells whether all that has a label has one value in a state.
func isOneValue(labels *label.Labels, y []float64) bool {
	values := make([]float64, len(labels.Variables))
	for k, i := range labels.Variables {
		values[k] = y[i]
	}
	return areOne(values)
}

// areOne tells whether values are one, but for one in a hundred on either side. It sorts them.
func areOne(values []float64) bool {
	slices.Sort(values)
	few := len(values) / 100
	return len(values) == 0 || values[len(values)-1-few]-values[few] < oneValue
}

// isBlind tells whether a state says the same whatever a label is about: all one value, or of each class one, though
// labels differ in what they say of it.
func isBlind(labels *label.Labels, y []float64) bool {
	if isOneValue(labels, y) {
		return true
	}
	if labels.Classes == nil {
		return false
	}
	values, truths := make(map[int32][]float64), make(map[int32][]float64)
	for k, i := range labels.Variables {
		c := labels.Classes[k]
		values[c], truths[c] = append(values[c], y[i]), append(truths[c], labels.Truth[k])
	}
	differ := false
	for class, of := range values {
		if !areOne(of) {
			return false
		}
		differ = differ || !areOne(truths[class])
	}
	return differ
}

// areBlind tells whether the states of all folds are so, as to what they hold out.
func areBlind(folds []fold, blind func(*label.Labels, []float64) bool) bool {
	return !slices.ContainsFunc(folds, func(f fold) bool { return !blind(f.held, f.last.Y) })
}
