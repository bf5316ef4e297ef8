package training

import (
	"context"
	"errors"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// rehearsal infers as inference will, from nothing and with its options, about labels that nothing but the weights of
// rules has learned from. So it finds out what inference had best do: whether to take the middle of what rules leave
// free, to know what was learned from, or else from which value on an atom had best count as true.
type rehearsal struct {
	referee
	shifts []shift
	// folds are those of the entities, nil if one shift is about all labels; about is each variable's entity.
	folds map[int32]int
	about []int32
	// known are variables that inference may know, and values theirs.
	known  []int32
	values []float64
	// truths are the phases whose truth is that of the labels.
	truths []load.Phase
	// written are the weights over which those that were learned have won, while nothing was known; nil if they have
	// not. Once labels are known, others compete with these, and compared says how, if one won.
	written  []float64
	compared *Comparison
}

// shift is what is seen while a part of the labels is held out.
type shift struct {
	inputs []float64
	last   learn.Solution // that was found, where the next one is looked for if there are many ground rules
}

// rehearse rehearses inference, if it may be told anything by that.
func (g *learner) rehearse(ctx context.Context, training *Training) error {
	s := &g.Project.Phases[load.Infer]
	if g.Project.Config.HasExamples() || s.Skip || training.Ended.Early() {
		return nil
	}
	r := &rehearsal{referee: referee{g: g}, about: g.entities(), written: training.written}
	if err := r.schedule(training.folds); err != nil || r.shifts == nil {
		return err
	}
	if seen := ends(training.folds); training.plan.epochs > 0 && r.folds != nil && seen != nil {
		r.shifts = seen
	}
	// Where a threshold will be learned, weights may have been chosen by what tells true from false, wherever values lie.
	var err error
	if r.levels, err = r.learnsLevels(); err != nil {
		return err
	}
	forgotten, err := r.answer(ctx, false, g.Theta)
	if err != nil {
		return err
	}
	if forgotten, err = r.takeMiddle(ctx, g.Theta, forgotten); err != nil {
		return err
	}
	if !r.mayKnow() {
		return r.finish(ctx, training, false, forgotten.y)
	}
	known, rehearsed, err := r.know(ctx, &forgotten, g.Theta, &training.plan)
	if err != nil {
		return err
	}
	training.Rehearsed, training.unseen = rehearsed, forgotten.verdict
	if rehearsed.Known {
		training.unseen = known.verdict
	}
	if known.theta != nil && (rehearsed.Known || s.Known != nil) {
		copy(g.Theta, known.theta)
		g.plan.theta, training.plan.theta = known.theta, known.theta
		if r.compared != nil {
			r.tell(training)
		}
	}
	if rehearsed.Known || s.Known != nil {
		return r.finish(ctx, training, true, known.y)
	}
	return r.finish(ctx, training, false, forgotten.y)
}

// finish does what is left once it is found out how inference answers.
func (r *rehearsal) finish(ctx context.Context, training *Training, knowing bool, y []float64) error {
	training.heldOut = &heldOut{labels: r.labels, folds: r.folds, parts: len(r.shifts), levels: r.levels, y: y}
	return r.decide(ctx, training, knowing, y)
}

// mayTakeMiddle tells whether it is open if the middle of what rules leave free is taken.
func (g *learner) mayTakeMiddle() bool {
	p, s := &g.Project.Learning, &g.Project.Phases[load.Infer]
	return (p.Auto || p.Compared) && s.Method == auto && s.TakesEnds() && g.Field.Convexity() == 0 &&
		!g.large() && !g.laborious()
}

// takeMiddle has inference take the middle of what rules leave free between two ends, as where one says when an atom is
// true and another when it is not, if labels are told better by it, and no fewer of them right: by default it finds an
// end, at which what is a little likelier and what is a little less likely may look the same. It returns the answer to
// go on from.
func (r *rehearsal) takeMiddle(ctx context.Context, theta []float64, end contestant) (contestant, error) {
	g := r.g
	if !g.mayTakeMiddle() {
		return end, nil
	}
	free, err := r.free(ctx, theta, r.shifts[0].inputs, end.y)
	if free == nil || err != nil {
		return end, err
	}
	g.middled = true
	g.Project.TakeMiddle(true)
	middle, err := r.answer(ctx, false, theta)
	var better gain
	if err == nil {
		better, err = r.judge(r.labels, &end, &middle)
	}
	if err == nil && better.prefers(middle.verdict.Right()-end.verdict.Right()) {
		return middle, nil
	}
	g.Project.TakeMiddle(false)
	return end, err
}

// mayKnow tells whether inference may know some of the labels.
func (r *rehearsal) mayKnow() bool {
	asked := r.g.Project.Phases[load.Infer].Known
	return (asked == nil || *asked) && len(r.known) > 0
}

// nothing is the verdict on a state that tells nothing from anything: against it, knowing cannot lose.
func (r *rehearsal) nothing() label.Verdict {
	return r.labels.Judge(slices.Repeat([]float64{0.5}, r.g.Model.Variables))
}

// mostRehearsed is the number of ground rules up to which so many more inferences are made.
const mostRehearsed = 100_000

// decide finds from which value on atoms count as true, by an answer that knows the other labels or not.
func (r *rehearsal) decide(ctx context.Context, training *Training, knowing bool, y []float64) error {
	g := r.g
	if learns, err := g.LearnsThresholds(r.phase); !learns || err != nil {
		return err
	}
	if g.Perception != nil && r.folds != nil && training.plan.epochs > 0 { // end to end, values become sharper
		if r.shifts = ends(training.folds); r.shifts == nil {
			return nil
		}
		if !knowing {
			answer, err := r.answer(ctx, false, g.Theta)
			if err != nil {
				return err
			}
			y = answer.y
		}
	}
	part, _ := r.parts(r.labels)
	if knowing && r.folds != nil {
		// Inference will know more labels than a fold leaves, and values lie elsewhere then.
		if g.Model.Potentials() > mostRehearsed {
			return nil
		}
		fine := r.finer()
		answer, err := fine.answer(ctx, true, g.Theta)
		if infeasible := (*learn.InfeasibleError)(nil); errors.As(err, &infeasible) {
			return nil // what hard rules contradict tells no threshold
		}
		if err != nil {
			return err
		}
		y = answer.y
		for i := range part {
			part[i] = fine.folds[r.about[i]]
		}
	}
	return g.LearnThresholds(&session.Answer{Values: y, Perceived: g.Inputs}, r.truths, func(i int32) int {
		p, labelled := part[i]
		switch {
		case labelled:
			return p
		case len(r.shifts) < g.Project.Learning.Folds && r.folds != nil:
			return session.NotJudged // networks have learned from it
		}
		return noPart
	})
}

// ends are what folds see after the epochs end to end; nil where that is not known.
func ends(folds []fold) (shifts []shift) {
	for _, f := range folds {
		if f.ends == nil {
			return nil
		}
		shifts = append(shifts, shift{f.ends, f.last})
	}
	return shifts
}

// finer holds less out at a time: each fold in parts, about as many as resamples in all.
func (r *rehearsal) finer() *rehearsal {
	fine := *r
	fine.folds = make(map[int32]int, len(r.folds))
	each := (resamples + len(r.shifts) - 1) / len(r.shifts)
	fine.shifts = slices.Repeat(r.shifts, each)
	dealt := make([]int, len(r.shifts))
	for _, entity := range r.labels.Entities {
		fold, divided := r.folds[entity]
		if _, seen := fine.folds[entity]; seen || !divided {
			continue
		}
		fine.folds[entity] = fold + len(r.shifts)*(dealt[fold]%each)
		dealt[fold]++
	}
	r.g.dealCopies(fine.folds)
	return &fine
}

// schedule finds what is held out in turn: no shift if networks have seen it all, or there is too little.
func (r *rehearsal) schedule(folds []fold) error {
	g := r.g
	by, err := r.gather(lesson{})
	if err != nil || len(r.labels.Variables) == 0 {
		return err
	}
	r.truths = []load.Phase{r.phase}
	if by == byValidation && g.Perception == nil {
		// A few weights have learned next to nothing by heart: all labels are as good, and more than validation's.
		if r.labels, err = g.taught(lesson{anew: true}, relation.Target); err != nil {
			return err
		}
		by, r.truths = byFit, []load.Phase{load.Learn, load.Validation}
	}
	if g.Project.SharesAtoms(load.Learn, load.Infer) {
		if r.known, r.values, err = g.knownOf(load.Learn); err != nil {
			return err
		}
		if !g.Model.Joins(r.known) {
			r.known = nil
		}
	}
	if err := g.Perceive(); err != nil {
		return err
	}
	switch {
	case by == byValidation:
		r.shifts = []shift{{inputs: g.Inputs}}
	case g.Perception == nil:
		if r.folds = label.DivideForRules(r.labels, g.Project.Learning.Folds, g.Seed); r.folds != nil {
			r.shifts = slices.Repeat([]shift{{inputs: g.Inputs}}, g.Project.Learning.Folds)
		}
	default:
		for _, f := range folds {
			r.folds = f.division.folds
			r.shifts = append(r.shifts, shift{f.inputs, f.last})
		}
		if r.folds != nil { // where inferences take long, not all are held out
			r.labels = r.labels.Where(func(entity int32) bool { return r.folds[entity] < len(r.shifts) })
		}
	}
	return nil
}

// know returns the answer with all other labels known, and whether it is better than one with nothing known.
func (r *rehearsal) know(ctx context.Context, forgotten *contestant, theta []float64, p *plan) (contestant, *Rehearsed,
	error) {
	known, err := r.knowBest(ctx, theta, p)
	if infeasible := (*learn.InfeasibleError)(nil); errors.As(err, &infeasible) {
		known, err = *forgotten, nil // what hard rules contradict is not known
	}
	if err != nil {
		return known, nil, err
	}
	gain, err := r.judge(r.labels, forgotten, &known)
	charge := 0.0
	if r.levels && r.written != nil { // weights were sought by these very labels while nothing was known
		charge = -r.charge()
	}
	wins := gain.wins(charge) || gain.any() && !forgotten.verdict.Beats(r.nothing(), 0)
	return known, &Rehearsed{wins, forgotten.verdict.Loss(), known.verdict.Loss(), forgotten.score, known.score}, err
}

// answer returns the answer to what each shift holds out.
func (r *rehearsal) answer(ctx context.Context, knowing bool, theta []float64) (whole contestant, err error) {
	g := r.g
	var y []float64
	told := g.stage(toKnow, len(r.shifts))
	defer told.end()
	for k := range r.shifts {
		field := g.Field
		if knowing {
			variables, values := r.others(k)
			field = mrf.NewFieldOn(g.Model.Clamp(variables, values), g.Field.Threads)
		}
		if k == 0 || knowing || g.Perception != nil {
			if y, err = r.inferShift(ctx, field, theta, k); err != nil {
				return whole, err
			}
			told.next()
		}
		if k == 0 {
			whole.y = slices.Clone(y)
			continue
		}
		for i, entity := range r.about {
			if fold, held := r.folds[entity]; held && fold == k {
				whole.y[i] = y[i]
			}
		}
	}
	return whole, nil
}

// inferShift infers as inference will, from nothing; but where that takes long, from what was found before.
func (r *rehearsal) inferShift(ctx context.Context, field *mrf.Field, theta []float64, k int) ([]float64, error) {
	g, s := r.g, &r.shifts[k]
	if !g.large() {
		return g.inferCold(ctx, field, theta, s.inputs)
	}
	solver, err := g.judging(field)
	if err != nil {
		return nil, err
	}
	solver.SetWeights(theta)
	solver.SetInputs(s.inputs)
	if s.last.Y == nil {
		s.last.Y = make([]float64, g.Model.Variables)
	}
	s.last, err = learn.SolveNear(ctx, solver, s.last)
	return s.last.Y, err
}

// others are the variables that may be known while a shift holds others out, with their values.
func (r *rehearsal) others(k int) (variables []int32, values []float64) {
	for at, i := range r.known {
		if fold, divided := r.folds[r.about[i]]; !divided || fold != k {
			variables, values = append(variables, i), append(values, r.values[at])
		}
	}
	return variables, values
}

// entities returns what each variable is about, as labels of it would be.
func (g *learner) entities() []int32 {
	about := make([]int32, g.Model.Variables)
	for k, atoms := range g.Tables.Store.Relations {
		if atoms.FreeLen() == 0 || atoms.Free != relation.Target {
			continue
		}
		subject := g.about(k)
		tuple := make([]symbol.ID, 0, atoms.Arity)
		for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
			tuple = atoms.Tuple(tuple[:0], row)
			about[atoms.Number(row)], _ = subject.of(tuple)
		}
	}
	return about
}
