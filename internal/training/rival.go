package training

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/mrf"
)

// rival is weights that compete with those that are once inference knows labels.
type rival struct {
	theta []float64
	// found says that they were found by the labels that they are compared by, and charge is what their fit owes to that.
	found  bool
	charge float64
}

// knowBest knows by the weights that are, or by others, if they are better.
func (r *rehearsal) knowBest(ctx context.Context, theta []float64, p *plan) (contestant, error) {
	known, err := r.answer(ctx, true, theta)
	if err != nil {
		return known, err
	}
	if r.g.satisfied(r.labels.Judge(known.y)) {
		return known, nil
	}
	rivals, err := r.rivals(ctx, theta, p)
	if err != nil {
		return known, err
	}
	var written contestant
	for k, rival := range rivals {
		other, err := r.answer(ctx, true, rival.theta)
		if err != nil {
			return known, err
		}
		other.theta = rival.theta
		gain, err := r.judge(r.labels, &known, &other)
		if err != nil {
			return known, err
		}
		if k == 0 {
			if written = known; !rival.found {
				written = other
			}
		}
		if !gain.wins(rival.charge) {
			continue
		}
		if learned := &known; r.g.Perception == nil {
			if rival.found {
				learned = &other
			}
			r.compared = &Comparison{Labels: byHeldOut, Learned: rival.found,
				Reason:      "labels held out are told better, with the others known",
				WrittenLoss: written.verdict.Loss(), LearnedLoss: learned.verdict.Loss(),
				WrittenScore: written.score, LearnedScore: learned.score}
		}
		known = other
	}
	return known, nil
}

// rivals returns the weights that compete with those that are once labels are known. Beside networks, they are found
// for that: a thing whose neighbours are known need not rely as much on what networks see of it. Without, they are
// those written, as what labels follow from is not to be seen while nothing is known, and others that are found, from
// either: where all follows from what is known, weights were learned from nothing before.
func (r *rehearsal) rivals(ctx context.Context, theta []float64, p *plan) (rivals []rival, err error) {
	g, s := r.g, &r.g.Project.Learning
	finds := s.Learn.RuleRate != 0 && slices.Contains(g.learned(), true)
	if g.Perception != nil {
		if finds = finds && p.theta != nil && p.epochs == 0; finds {
			return r.found(ctx, 0, p.theta)
		}
		return nil, nil
	}
	if r.written != nil {
		rivals = append(rivals, rival{theta: r.written})
	}
	if !finds || !s.Compared || r.folds == nil || g.Model.Potentials() > mostRehearsed {
		return rivals, nil
	}
	for _, start := range [][]float64{nil, theta} { // from those written, no derivative may lead away
		found, err := r.found(ctx, r.charge(), start)
		if err != nil {
			return nil, err
		}
		rivals = append(rivals, found...)
	}
	return rivals, nil
}

// found returns the weights that are found with all other labels known, from some others on.
func (r *rehearsal) found(ctx context.Context, charge float64, start []float64) ([]rival, error) {
	theta, err := r.weigh(ctx, start)
	return []rival{{theta, true, charge}}, err
}

// weigh finds the weights of the rules with all other labels known.
func (r *rehearsal) weigh(ctx context.Context, start []float64) ([]float64, error) {
	g, s := r.g, &r.g.Project.Learning
	w := learn.Weigher{Field: g.Field, Theta: g.presumes(), Start: start, Learned: g.learned(), Ridge: s.Learn.Ridge,
		Rough: g.large(), Most: g.mostWeighed(), OnStep: g.steps(toWeigh)}
	for k, shift := range r.shifts {
		variables, values := r.others(k)
		fold := learn.Fold{Inputs: shift.inputs, Labels: r.labels, Start: shift.last,
			Field: mrf.NewFieldOn(g.Model.Clamp(variables, values), g.Field.Threads)}
		if r.folds != nil {
			fold.Labels = r.labels.Where((&division{r.folds, k}).holds)
		}
		var err error
		if fold.Solver, err = g.exact(fold.Field); err != nil {
			return nil, err
		}
		w.Folds = append(w.Folds, fold)
	}
	_, _, err := w.Run(ctx)
	return w.Theta, err
}

// tell has a training say which weights have won once labels were known.
func (r *rehearsal) tell(training *Training) {
	switch {
	case r.compared.Learned:
		r.compared.Method = learn.Implicit.String()
	case training.Compared != nil:
		r.compared.Method = training.Compared.Method
	}
	training.Compared = r.compared
	if training.Kept = 0; r.compared.Learned {
		training.Kept = len(training.Epochs) - 1
	}
}
