package training

import (
	"context"
	"errors"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// cautious is the number of epochs end to end where nothing can be held out to choose it, and networks cannot be fitted
// alone. Where they can, there are none: nothing tells whether they help, and with so few labels they often end at one
// class.
const cautious = 5

// crossFit is the method "auto".
func (g *learner) crossFit(ctx context.Context, l lesson) (*Training, error) {
	c := &crossFitting{g: g, lesson: l, plan: plan{epochs: l.epochs}}
	repeats, err := g.repeated()
	if err != nil {
		return nil, err
	}
	g.repeats = repeats
	labels, err := g.taught(l, relation.Target)
	if err != nil {
		return nil, err
	}
	if len(labels.Variables) == 0 && g.Perception != nil {
		return g.fitOnly(ctx, l)
	}
	if !l.anew { // else the first lesson has chosen all there is, but for the epochs
		if err := g.asWritten(); err != nil {
			return nil, err
		}
		if err := c.stages(ctx); err != nil {
			ended, cut := learn.CutShort(ctx, err)
			if cut {
				err = errors.Join(err, c.settle())
			}
			return &Training{Ended: ended, Last: c.last()}, g.explainInfeasible(ctx, err)
		}
		g.plan = c.plan
		c.lesson.epochs = c.plan.epochs
		if g.notices != nil {
			g.notices.chosen = len(c.folds) > 0
		}
	}
	c.lesson.plan, c.lesson.near = g.plan, g.near(c.state)
	training, err := c.learn(ctx)
	c.linear()
	if training != nil {
		training.plan = g.plan
		if c.chosen.Folds > 0 && (!g.plan.afresh || c.folds[0].ends != nil) {
			training.folds = c.folds
		}
		if c.chosen.Folds > 0 {
			training.unseen = c.standing
		}
	}
	if training != nil && len(c.folds) > 0 {
		training.CrossFit = &c.chosen
	}
	if training != nil && training.Ended.Early() && training.Last == nil {
		training.Last = c.last()
	}
	return training, err
}

// stages goes through the stages, until nothing more need be tried. The last one is not left out.
func (c *crossFitting) stages(ctx context.Context) error {
	for _, stage := range []func(context.Context) error{
		c.divide, c.fit, c.middle, c.presume, c.weigh, c.teach, c.chooseEpochs, c.afresh, c.propagate} {
		if c.g.satisfied(c.standing) && c.chosen.Folds > 0 {
			c.plan.epochs = 0
			break
		}
		if err := stage(ctx); err != nil {
			return err
		}
	}
	if err := c.unblind(ctx); err != nil {
		return err
	}
	return c.steady(ctx)
}

// last is the MAP state of what settle keeps; nil before there is one.
func (c *crossFitting) last() *session.Answer { return reached(c.state.Y, c.state.Multipliers) }

// settle keeps what is best until now, where there is no time for more.
func (c *crossFitting) settle() error {
	if c.plan.theta != nil {
		copy(c.g.Theta, c.plan.theta)
	}
	if len(c.folds) == 0 || c.folds[0].networks == nil {
		return nil
	}
	return c.g.seeWith(c.folds[0].networks)
}

// fitOnly learns where the networks' own predicates have truth, and nothing that is inferred does.
func (g *learner) fitOnly(ctx context.Context, l lesson) (*Training, error) {
	training, err := g.fitNetworks(ctx, l)
	if err == nil && training.FitEpochs == 0 {
		return nil, g.unlabelled("no target has a label, and no network's output has")
	}
	return training, err
}

// divide chooses what is held out.
func (c *crossFitting) divide(context.Context) error {
	g := c.g
	if g.Project.SharesAtoms(g.Phase, load.Validation) {
		held, err := g.labels(load.Validation, relation.Target)
		if err != nil {
			return err
		}
		if len(held.Variables) > 0 {
			c.folds = []fold{{held: held}}
			return nil
		}
	}
	labels, err := g.taught(c.lesson, relation.Target)
	if err != nil {
		return err
	}
	divided := g.deal(labels)
	if divided == nil {
		return c.beCautious(len(labels.Variables))
	}
	g.dealCopies(divided)
	if err := g.dealOthers(divided); err != nil {
		return err
	}
	held, anywhere := 0, make([]float64, g.Model.Variables)
	for k := range g.Project.Learning.Folds {
		d := &division{divided, k}
		f := fold{division: d, held: labels.Where(d.holds)}
		c.folds = append(c.folds, f)
		if held += f.held.Judge(anywhere).Entities(); g.large() && held >= enoughHeld {
			break
		}
	}
	c.chosen.Folds = len(c.folds)
	return nil
}

// beCautious learns little, since nothing can be held out that would tell what helps.
func (c *crossFitting) beCautious(labels int) error {
	fitted, err := c.fits()
	if err != nil {
		return err
	}
	c.plan.epochs = min(c.plan.epochs, cautious)
	how := "training is short"
	if fitted {
		c.plan.epochs, how, c.plan.shared = 0, "networks are fitted alone", c.g.relates()
		if c.plan.together, err = c.lacks(); err != nil {
			return err
		}
	}
	c.g.Project.Log.Warn("too few labels to hold any out: weights stay as written, and "+how, "labels", labels)
	return nil
}

// fits tells whether networks can be fitted alone.
func (c *crossFitting) fits() (bool, error) {
	labels, err := c.g.fitLabels(c.lesson)
	return err == nil && len(labels.Variables) > 0 && c.lesson.fitEpochs > 0, err
}

// without is the lesson of a fold.
func (c *crossFitting) without(f *fold) lesson {
	return lesson{fitEpochs: c.lesson.fitEpochs, epochs: c.lesson.epochs, division: f.division, held: f.held,
		near: c.g.near(f.last), plan: c.plan}
}

// middle has learning, too, take the middle of what the rules as written leave free, if labels that the networks have
// not seen are told better by it.
func (c *crossFitting) middle(ctx context.Context) error {
	g := c.g
	if !g.mayTakeMiddle() || len(c.folds) == 0 || !c.fitsAny {
		return nil
	}
	r := &rehearsal{referee: referee{g: g}, about: g.entities()}
	if err := r.schedule(c.folds); err != nil || r.shifts == nil {
		return err
	}
	var err error
	if r.levels, err = r.learnsLevels(); err != nil {
		return err
	}
	end, err := r.answer(ctx, false, g.written())
	if err == nil {
		_, err = r.takeMiddle(ctx, g.written(), end)
	}
	return err
}

// weigh finds the weights of the rules, unless they are to stay.
func (c *crossFitting) weigh(ctx context.Context) error {
	g := c.g
	if len(c.folds) == 0 {
		return nil
	}
	c.plan.theta = g.presumes()
	if !slices.Contains(g.learned(), true) || g.Project.Learning.Learn.RuleRate == 0 {
		return nil
	}
	solver, err := g.exact(g.Field)
	if err != nil {
		return err
	}
	start, err := c.start(ctx)
	if err != nil {
		return err
	}
	if g.satisfied(start.verdict) {
		if start.theta != nil {
			c.folds, c.plan.theta, c.state = start.folds, start.theta, start.folds[0].last
		}
		c.chosen.Fitted, c.chosen.Weighed = c.written.Loss(), start.verdict.Loss()
		return nil
	}
	if start.theta != nil && c.blank { // weights that tell nothing hold back none
		c.folds, c.plan.theta, start.theta = start.folds, start.theta, nil
	}
	w := c.weigher(g.Field, solver, c.plan.theta, start)
	c.chosen.Fitted, c.chosen.Weighed, err = w.Run(ctx)
	for k := range w.Folds {
		c.folds[k].last = w.Folds[k].Start
	}
	c.plan.theta, c.state = w.Theta, w.Found
	if theta := g.even(); err == nil && theta != nil {
		w = c.weigher(g.Field, solver, theta, beginning{folds: c.folds})
		_, _, err = w.Run(ctx)
		c.evenly = w.Theta
	}
	if err != nil {
		return err
	}
	return c.weighSquares(ctx)
}

// weighSquares finds weights as if all rules were squared, where some are linear: what is inferred by linear rules
// stays the same until a weight outgrows others, so that no derivative leads there.
func (c *crossFitting) weighSquares(ctx context.Context) error {
	g := c.g
	model, rules := g.Model.Squared()
	if len(rules) == 0 || g.large() {
		return nil
	}
	field := mrf.NewFieldOn(model, g.Field.Threads)
	solver, err := g.exact(field)
	if err != nil {
		return err
	}
	w := c.weigher(field, solver, g.presumes(), beginning{folds: c.folds})
	_, _, err = w.Run(ctx)
	c.bySquares = w.Theta
	return err
}

// weigher searches for weights near some, from a beginning on.
func (c *crossFitting) weigher(
	field *mrf.Field, solver solve.Solver, theta []float64, start beginning,
) *learn.Weigher {
	g := c.g
	w := &learn.Weigher{Field: field, Solver: solver, Theta: slices.Clone(theta), Start: start.theta,
		Learned: g.learned(), Ridge: g.Project.Learning.Learn.Ridge, Rough: g.large(), Most: g.mostWeighed(),
		OnStep: g.steps(toWeigh)}
	for k, f := range c.folds {
		w.Folds = append(w.Folds, learn.Fold{Inputs: f.inputs, Labels: f.held, Start: f.last, Next: start.folds[k].last})
	}
	return w
}

// judge returns what held-out labels say of weights and the networks of each fold. It looks for MAP states near those
// that were judged before, which takes a small part of the time: what the networks of a fold see does not change much.
func (c *crossFitting) judge(ctx context.Context, theta []float64, folds []fold) (label.Verdict, error) {
	g := c.g
	solver, err := g.judging(g.Field)
	if err != nil {
		return label.Verdict{}, err
	}
	solver.SetWeights(theta)
	verdicts := make([]label.Verdict, len(folds))
	for k := range folds {
		f := &folds[k]
		solver.SetInputs(f.inputs)
		switch {
		case f.last.Y == nil && k > 0: // what networks of different folds see differs little
			f.last = folds[k-1].last
		case f.last.Y == nil:
			f.last.Y = make([]float64, g.Model.Variables)
		}
		if f.last, err = learn.SolveNear(ctx, solver, f.last); err != nil {
			return label.Verdict{}, err
		}
		verdicts[k] = f.held.Judge(f.last.Y)
	}
	return label.Together(verdicts...), nil
}

// impatience is how many epochs a fold goes on without a smaller loss.
const impatience = 6

// clearGain is how many standard errors over the entities a stage has to gain.
const clearGain = 1.5

// chooseEpochs trains the networks of each fold end to end, and chooses the number of epochs after which held-out
// labels are told best. Validation truth chooses for itself, later.
func (c *crossFitting) chooseEpochs(ctx context.Context) error {
	if c.chosen.Folds == 0 {
		return nil
	}
	if c.endless() {
		c.plan.epochs = 0
		return nil
	}
	patience := impatience
	if c.g.large() {
		patience = largeImpatience
	}
	begun := make([]func(), len(c.folds)) // give each fold's networks what they began with
	for k, f := range c.folds {
		if begun[k] = func() {}; f.networks != nil {
			begun[k] = perception.Keep(f.networks.System.Parameters())
		}
	}
	found, err := c.descend(ctx, patience, func(k int, _ *lesson) error {
		begun[k]()
		return c.g.seeWith(c.folds[k].networks)
	})
	if err != nil {
		return err
	}
	c.chosen.Curve, c.plan.epochs = found.losses, 0
	if found.epochs > 0 && found.verdict.Beats(c.standing, clearGain) {
		c.adopt(found)
	}
	return nil
}

// endless tells whether inferences of many ground rules end before they are proven: epochs would take long, and be
// judged by states of which it is not known how near they are.
func (c *crossFitting) endless() bool {
	unproven := func(f fold) bool { return f.last.Iterations >= looseIterations }
	return c.g.large() && slices.ContainsFunc(c.folds, unproven)
}

const (
	// afreshEpochs is how long learning afresh goes on at most.
	afreshEpochs = 75
	// afreshPatience is how many epochs it goes on without a smaller loss.
	afreshPatience = 20
	// fittedGain is by how many standard errors fitting has to be better than nothing, or there is another beginning.
	fittedGain = 3
)

// afresh learns end to end from the beginning, where nothing could be fitted before, or what was tells little more than
// nothing, and takes that if it is better.
func (c *crossFitting) afresh(ctx context.Context) error {
	g := c.g
	if s := &g.Project.Learning; len(c.folds) == 0 || g.Perception == nil || s.Freeze || s.Learn.NetworkRate == 0 {
		return nil
	}
	nothing := c.nothing()
	if c.fitsAny && c.standing.Beats(nothing, fittedGain) {
		return nil
	}
	found, err := c.descend(ctx, afreshPatience, func(_ int, l *lesson) error {
		l.epochs, l.plan = afreshEpochs, plan{afresh: true}
		return g.begin()
	})
	if err != nil {
		return err
	}
	needed := 1.0
	if !c.standing.Beats(nothing, 0) {
		needed = 0 // what was fitted is no better than no network at all
	}
	more := found.verdict.Right() - c.standing.Right() // of many epochs, one is always right about one more
	if found.epochs > 0 && more > 1 && found.verdict.Beats(c.standing, needed) {
		if known, err := c.knowing(ctx); err != nil || known != nil && known.Loss() <= found.verdict.Loss() {
			return err
		}
		c.chosen.Afresh, c.chosen.Rounds = true, 0
		c.plan = plan{afresh: true}
		c.adopt(found)
		for k := range c.folds {
			c.folds[k].inputs = c.folds[k].ends
		}
	}
	return nil
}

const (
	// margin is by how many times stronger rules that relate things have to be able to become without a plainly worse
	// answer, where inference is about other things than learning.
	margin = 1.5
	// mostSteps is how many times their weights are divided by it at most.
	mostSteps = 2
	// plainlyWorse is how many standard errors over the entities that is.
	plainlyWorse = 3
)

// steady steps back from an edge where inference is about other things. Linear rules that relate things have one:
// beyond a weight that depends on what is tied to what, all that is tied is of one class in a best state. Weights that
// tell most of some things lie right before it, and other things, tied a little more closely, may be beyond. Where
// held-out labels see the edge near, these rules get weaker, unless that tells plainly less; and where they do not,
// unless that tells any less: of weights that tell the same, weaker ones are farther from the edge of other things.
func (c *crossFitting) steady(ctx context.Context) error {
	g, relating := c.g, c.g.relating()
	if len(c.folds) == 0 || c.plan.theta == nil || len(relating) == 0 || g.Project.Learning.Learn.RuleRate == 0 ||
		!slices.ContainsFunc(g.Model.Blocks, linear) || g.Project.SharesAtoms(g.Phase, load.Infer) {
		return nil
	}
	folds := slices.Clone(c.folds)
	for k := range folds {
		if folds[k].ends != nil {
			folds[k].inputs = folds[k].ends
		}
	}
	multiply := func(by float64) (theta []float64, verdict label.Verdict, err error) {
		theta = slices.Clone(c.plan.theta)
		for _, r := range relating {
			theta[r] *= by
		}
		verdict, err = c.judge(ctx, theta, slices.Clone(folds))
		return theta, verdict, err
	}
	_, stronger, err := multiply(margin)
	if err != nil {
		return err
	}
	near := c.standing.Beats(stronger, plainlyWorse)
	for range mostSteps {
		theta, weaker, err := multiply(1 / margin)
		if err != nil || near && c.standing.Beats(weaker, plainlyWorse) || !near && weaker.Loss() > c.standing.Loss() {
			return err
		}
		c.plan.theta = theta
	}
	return nil
}

// knowing is the verdict on what stands once inference knows the labels that are not held out; nil where it would not.
func (c *crossFitting) knowing(ctx context.Context) (*label.Verdict, error) {
	g := c.g
	if c.chosen.Folds == 0 || g.Project.Phases[load.Infer].Skip {
		return nil, nil
	}
	r := &rehearsal{referee: referee{g: g}, about: g.entities()}
	if err := r.schedule(c.folds); err != nil || !r.mayKnow() {
		return nil, err
	}
	forgotten, err := r.answer(ctx, false, c.weights())
	if err != nil {
		return nil, err
	}
	known, rehearsed, err := r.know(ctx, &forgotten, c.weights(), &c.plan)
	if err != nil || !rehearsed.Known {
		return nil, err
	}
	return &known.verdict, nil
}

// nothing is the verdict on a state that tells nothing from anything.
func (c *crossFitting) nothing() label.Verdict {
	same := slices.Repeat([]float64{0.5}, c.g.Model.Variables)
	verdicts := make([]label.Verdict, len(c.folds))
	for k, f := range c.folds {
		verdicts[k] = f.held.Judge(same)
	}
	return label.Together(verdicts...)
}

// learn learns from all labels.
func (c *crossFitting) learn(ctx context.Context) (*Training, error) {
	if err := c.g.begin(); err != nil {
		return nil, err
	}
	return c.g.train(ctx, c.lesson)
}
