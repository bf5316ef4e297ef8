package training

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/training/doubt"
)

// teaching lets networks learn what is inferred about things that nobody has labelled. In each round, a MAP state is
// found with the labels at their true values, from which relations spread them to other things, and new networks are
// fitted to it: they learn from all things in place of the few that have labels, and what they see there replaces what
// the ones before had guessed (as in Qu, Bengio and Tang, GMNN, ICML 2019, with MAP states for expectations).
type teaching struct {
	g      *learner
	lesson lesson
	groups []learn.TeacherGroup
	labels *label.Labels // of targets
	own    *label.Labels // of what networks see
	field  *mrf.Field    // with the labels at their true values
	solver solve.Solver
	last   learn.Solution
}

// newTeaching prepares it; nil if no network has a counterpart to learn from.
func (g *learner) newTeaching(l lesson) (*teaching, error) {
	teacher, err := g.ties.Teacher()
	if s := &g.Project.Learning; teacher == nil || err != nil || s.Freeze || s.Learn.NetworkRate == 0 {
		return nil, err
	}
	t := &teaching{g: g, lesson: l, groups: teacher.Groups}
	if t.last = l.near; t.last.Y == nil {
		t.last.Y = make([]float64, g.Model.Variables)
	}
	if t.labels, err = g.taught(l, relation.Target); err != nil {
		return nil, err
	}
	t.lesson.fitEpochs = min(l.fitEpochs, taughtEpochs)
	if t.own, err = g.taught(l, relation.Perceived); err != nil {
		return nil, err
	}
	t.own = t.own.Join(g.ties.Carried(t.labels))
	t.field = mrf.NewFieldOn(g.Model.Clamp(t.labels.Variables, t.labels.Truth), g.Field.Threads)
	t.solver, err = g.judging(t.field)
	return t, err
}

// round infers with the grounding's networks and the given weights, and replaces the networks by such as have learned
// that.
func (t *teaching) round(ctx context.Context, theta []float64) error {
	g := t.g
	if err := g.Perceive(); err != nil {
		return err
	}
	t.solver.SetWeights(theta)
	t.solver.SetInputs(g.Inputs)
	last, err := learn.SolveNear(ctx, t.solver, t.last)
	if infeasible := (*learn.InfeasibleError)(nil); errors.As(err, &infeasible) {
		return nil // labels that hard rules contradict teach nothing
	}
	if err != nil {
		return err
	}
	t.last = last
	for k, i := range t.labels.Variables {
		t.last.Y[i] = t.labels.Truth[k]
	}
	if err := g.begin(); err != nil {
		return err
	}
	_, err = g.fitTo(ctx, t.lesson, t.own.Join(learn.Imitated(t.groups, t.last.Y)))
	return err
}

// learnRounds are the rounds of a lesson whose networks have been fitted.
func (g *learner) learnRounds(ctx context.Context, l lesson) error {
	t, err := g.newTeaching(l)
	for round := 0; err == nil && round < l.rounds; round++ {
		err = t.round(ctx, l.theta)
	}
	return err
}

const (
	// mostRounds of teaching are tried, and vainRounds are those without a smaller loss after which no more are.
	mostRounds, vainRounds = 6, 2
	// weightsGain is by how many standard errors over the entities weights have to be better than those written.
	weightsGain = 1
	// taughtEpochs bounds how long networks are fitted to what is inferred: it changes with the next round.
	taughtEpochs = 100
	// finalists are the weights by which teaching goes on after the first round.
	finalists = 2
	// mostLeftOut bounds how many rules are left out in turn, and faint is what is left of one's weight.
	mostLeftOut, faint = 4, 0.01
)

// course is teaching by certain weights: how far it has come with each fold's networks.
type course struct {
	theta   []float64
	folds   []fold
	lessons []*teaching
	rounds  int
	verdict label.Verdict
	state   learn.Solution // of the first fold
}

// teach chooses how often networks learn what is inferred, and by which weights, which may be not at all. No standard
// error has to be gained: networks that have seen all things are more often the better ones. Where no rule relates
// things, they would only learn from themselves, and get surer without being righter; and where what is inferred is no
// better than a guess, there is nothing to learn.
func (c *crossFitting) teach(ctx context.Context) error {
	if len(c.folds) == 0 {
		return nil
	}
	courses, err := c.courses(ctx)
	if err != nil {
		return err
	}
	best := *courses[0]
	c.take(best)
	if len(best.lessons) == 0 || !c.g.relatesBy(best.theta) || best.verdict.Guesses() || c.g.satisfied(c.standing) {
		return nil
	}
	vainRounds := vainRounds
	if c.g.large() { // a round takes long
		courses, vainRounds = courses[:1], 1
	}
	told := c.g.stage(toTeach, len(courses)+min(finalists, len(courses))*(mostRounds-1))
	defer told.end()
	for _, course := range courses {
		if err := c.advance(ctx, course); err != nil {
			return err
		}
		told.next()
	}
	slices.SortStableFunc(courses, byLoss)
	best = *courses[0]
	for _, course := range courses[:min(finalists, len(courses))] {
		for vain := 0; course.rounds < mostRounds && vain < vainRounds; vain++ {
			if err := c.advance(ctx, course); err != nil {
				return err
			}
			told.next()
			if course.verdict.Loss() < best.verdict.Loss() {
				vain, best = -1, *course
			}
		}
	}
	if best.verdict.Loss() < c.standing.Loss() && !areBlind(best.folds, isBlind) {
		c.take(best)
	}
	return nil
}

func byLoss(a, b *course) int { return cmp.Compare(a.verdict.Loss(), b.verdict.Loss()) }

// take makes what a course has come to the plan.
func (c *crossFitting) take(best course) {
	c.folds, c.standing, c.state = best.folds, best.verdict, best.state
	c.plan.theta, c.plan.rounds = best.theta, best.rounds
	c.chosen.Rounds, c.chosen.Taught = best.rounds, best.verdict.Loss()
}

// courses returns what is worth a try, before its first round, the best first: the weights presumed and those found,
// whatever they are like, those written, and those without some rules. What is not as presumed has to be better by more
// than chance, unless what is presumed tells nothing.
func (c *crossFitting) courses(ctx context.Context) (courses []*course, err error) {
	presumed := &course{theta: c.g.presumes(), folds: c.folds}
	if c.g.large() && c.written != nil {
		presumed.verdict = *c.written
	} else if presumed, err = c.course(ctx, presumed.theta); err != nil {
		return nil, err
	}
	courses = append(courses, presumed)
	best, needed := 0, float64(weightsGain)
	if c.blank {
		needed = 0 // there is nothing to lose
	}
	const asWritten = 1
	others := append([][]float64{c.plan.theta, asWritten: c.g.written()}, c.leftOut()...)
	if c.evenly != nil {
		others = append(others, c.evenly)
	}
	if c.bySquares != nil {
		others = append(others, c.bySquares)
	}
	told := c.g.stage(toCompare, len(others))
	defer told.end()
	for k, theta := range others {
		if slices.Equal(theta, presumed.theta) {
			continue
		}
		other, err := c.course(ctx, theta)
		if err != nil {
			return nil, err
		}
		better := other.verdict.Beats(presumed.verdict, needed)
		if k == asWritten && !c.blank {
			better = better && c.outweighs(other.verdict, presumed.verdict)
		}
		if better || k == 0 {
			courses = append(courses, other)
		}
		if better && other.verdict.Loss() < courses[best].verdict.Loss() {
			best = len(courses) - 1
		}
		told.next()
	}
	courses[0], courses[best] = courses[best], courses[0]
	for _, course := range courses {
		if err := c.prepare(course); err != nil {
			return nil, err
		}
	}
	return courses, nil
}

// outweighs tells whether what is written tells labels so much better than what is presumed that this makes up for what
// ties say against it.
func (c *crossFitting) outweighs(written, presumed label.Verdict) bool {
	gain, _ := written.Gain(presumed)
	return gain*float64(written.Entities()) > c.chance
}

// course is the one by certain weights, before its first round. With linear rules it is judged from nothing, as
// inference begins: several states cost the same then, and the one that others have led to says nothing of these.
func (c *crossFitting) course(ctx context.Context, theta []float64) (*course, error) {
	folds := c.folds
	if slices.ContainsFunc(c.g.Model.Blocks, linear) {
		folds = slices.Clone(folds)
		for k := range folds {
			folds[k].last = learn.Solution{}
		}
	}
	verdict, err := c.judge(ctx, theta, folds)
	return &course{theta: theta, folds: folds, verdict: verdict, state: folds[0].last}, err
}

// prepare makes the lessons of a course.
func (c *crossFitting) prepare(course *course) error {
	for k := range c.folds {
		lesson, err := c.g.newTeaching(c.without(&c.folds[k]))
		if err != nil {
			return err
		}
		if lesson != nil {
			course.lessons = append(course.lessons, lesson)
		}
	}
	return nil
}

// presume has learning begin with next to nothing of the rules that are doubted: their weights as written have to be
// better by labels, and not the other way round.
func (c *crossFitting) presume(context.Context) (err error) {
	g := c.g
	if g.presumed = g.written(); !c.fitsAny || g.Project.Learning.Learn.RuleRate == 0 {
		return nil
	}
	held := make([]*label.Labels, len(c.folds))
	for k := range held {
		if held[k], err = c.unseen(&c.folds[k]); err != nil {
			return err
		}
	}
	e := doubt.Evidence{Grounding: g.Grounding, Ties: g.ties, Learned: g.learned(), Exclusive: g.sole, Held: held}
	for _, f := range c.folds {
		e.Inputs = append(e.Inputs, f.inputs)
	}
	if e.Targets, err = g.taught(c.lesson, relation.Target); err != nil {
		return err
	}
	if e.Own, err = g.taught(c.lesson, relation.Perceived); err != nil {
		return err
	}
	rules, chance := e.Rules()
	c.chance = chance
	for _, r := range rules {
		g.presumed[r] = g.leave(g.presumed[r])
		c.chosen.Doubted = append(c.chosen.Doubted, r+1)
	}
	return nil
}

// leftOut are the weights written with one of the rules that do not just pass on what networks see, or all, next to
// left out: where rules contradict each other, small steps do not tell which one is wrong. Of many rules or ground
// rules, only all together are left out, so that what networks see is not drowned by rules that no label bears out.
func (c *crossFitting) leftOut() (thetas [][]float64) {
	g := c.g
	if g.Project.Learning.Learn.RuleRate == 0 {
		return nil
	}
	free, alone := g.relating(), g.presumes()
	few := len(free) <= mostLeftOut && !g.large()
	for _, r := range free {
		without := g.presumes()
		without[r], alone[r] = g.leave(without[r]), g.leave(alone[r])
		if few && len(free) > 1 {
			thetas = append(thetas, without)
		}
	}
	if len(free) > 0 {
		thetas = append(thetas, alone)
	}
	return thetas
}

// leave returns what is left of a weight where its rule is left out: next to nothing beside what is written, and beside
// the rules that just pass on what networks see, however large it is written.
func (g *learner) leave(weight float64) float64 {
	passing := 0.0
	for r, rule := range g.Program.Rules {
		if g.ties.PassesOn(r) && !rule.Weight.Hard {
			passing = max(passing, rule.Weight.Value)
		}
	}
	if passing > 0 {
		weight = min(weight, passing)
	}
	return faint * weight
}

// unblind finds weights that tell something where those that stand have one value for all that is held out. A strong
// prior of linear rules does so, or rules that drown what networks see: no derivative leads away from there, and where
// little is true, there is next to nothing to gain by the cross-entropy of values as they are. So weaker rules are
// compared by what the task is evaluated by, and by a logistic curve of the values: wherever these lie, they tell what
// is likelier. There is nothing to lose, and any gain is taken, or one by a standard error over an answer that tells
// something once labels are known.
func (c *crossFitting) unblind(ctx context.Context) error {
	g := c.g
	relating := g.relating()
	if len(c.folds) == 0 || c.plan.theta == nil || c.plan.epochs > 0 || len(relating) == 0 || g.Perception == nil ||
		g.Project.Learning.Learn.RuleRate == 0 {
		return nil
	}
	r := &rehearsal{referee: referee{g: g, levels: true}, about: g.entities()}
	if err := r.schedule(c.folds); err != nil || r.shifts == nil || !r.labels.OfSides() {
		return err
	}
	standing, err := r.answer(ctx, false, c.plan.theta)
	if err != nil || !isOneValue(r.labels, standing.y) {
		return err
	}
	needed := 0.0
	if r.mayKnow() {
		known, err := r.answer(ctx, true, c.plan.theta)
		if infeasible := (*learn.InfeasibleError)(nil); errors.As(err, &infeasible) {
			known, err = standing, nil // what hard rules contradict is not known
		}
		if err != nil {
			return err
		}
		if !isOneValue(r.labels, known.y) {
			standing, needed = known, 1
		}
	}
	theta, err := r.tellMost(ctx, &standing, needed, append(c.leftOut(), c.beginnings(relating)...))
	if theta != nil {
		c.plan.theta = theta
	}
	return err
}

// Relating returns the rules whose weights are learned and that do not just pass on what networks see.
func Relating(g *session.Grounding) []int {
	if g.Project.Learning.Learn.RuleRate == 0 {
		return nil
	}
	return newLearner(g).relating()
}

// Tying returns the soft rules that relate targets to each other, whether their weights are learned or not.
func Tying(g *session.Grounding) (rules []int) {
	for r, rule := range g.Program.Rules {
		inferred, seen := 0, 0
		for _, atom := range rule.Atoms {
			switch p := g.Program.Predicates[atom.Predicate]; {
			case p.Perceived:
				seen++
			case !p.Closed:
				inferred++
			}
		}
		if !rule.Weight.Hard && len(rule.Sums) == 0 && seen == 0 && inferred > 1 {
			rules = append(rules, r)
		}
	}
	return rules
}

// relating are the rules with a weight to learn that do not just pass on what networks see.
func (g *learner) relating() (rules []int) {
	for r, learned := range g.learned() {
		if learned && !g.ties.PassesOn(r) && len(g.Program.Rules[r].Sums) == 0 {
			rules = append(rules, r)
		}
	}
	return rules
}

// advance takes a course's next round.
func (c *crossFitting) advance(ctx context.Context, course *course) (err error) {
	g := c.g
	course.folds = slices.Clone(course.folds)
	for k := range course.folds {
		f := &course.folds[k]
		if err := g.seeWith(f.networks); err != nil {
			return err
		}
		if err := course.lessons[k].round(ctx, course.theta); err != nil {
			return err
		}
		f.networks, f.inputs = g.Networks, slices.Clone(g.Inputs)
	}
	course.rounds++
	course.verdict, err = c.judge(ctx, course.theta, course.folds)
	course.state = course.folds[0].last
	return err
}
