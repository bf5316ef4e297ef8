package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// CrossFit says what learning by default chose by labels that the networks had not seen. Losses are means over what was
// held out.
type CrossFit struct {
	// Folds counts the parts of the labels that were held out in turn; 0 means that the validation phase's truth was.
	Folds int `json:"folds"`
	// Fitted is the loss with the networks fitted alone and the rules' weights as written, Weighed that with the weights
	// that were found.
	Fitted  float64 `json:"loss_fitted"`
	Weighed float64 `json:"loss_weighed"`
	// Curve has the loss after each number of epochs end to end, the least of which was chosen, Epochs; nil if the
	// validation phase chooses.
	Curve  []float64 `json:"curve,omitempty"`
	Epochs int       `json:"epochs"`
}

// division says which entities' labels a lesson leaves out: those of one fold.
type division struct {
	folds map[int32]int
	held  int
}

// learns tells whether the lesson learns from an entity's labels; holds tells whether they are held out.
func (d *division) learns(entity int32) bool { return d.folds[entity] != d.held }

func (d *division) holds(entity int32) bool { return d.folds[entity] == d.held }

// crossFitting learns with nothing but defaults, in three stages: networks are fitted alone; the weights of rules are
// found on labels that the networks have not seen; then all is trained end to end, for as many epochs as do held-out
// labels good, which may be none. Held out is the validation phase's truth, or else each of some folds of the labels in
// turn, and then all is learned once more from all of them.
//
// Rules and networks cannot simply be learned from the same labels: a network that fits them is right about all that is
// asked, so that rules come to trust it blindly, and relations among entities without labels count for nothing.
type crossFitting struct {
	g      *Grounding
	lesson lesson
	folds  []fold
	chosen CrossFit
}

// fold is a part of the labels that is held out, and the networks that were fitted without it.
type fold struct {
	division *division // nil if validation truth is held out
	held     *learn.Labels
	networks *networks
	inputs   []float64
}

// cautious is the number of epochs end to end where nothing can be held out to choose it.
const cautious = 5

// crossFit is the method "auto".
func (g *Grounding) crossFit(ctx context.Context, l lesson) (*Training, error) {
	c := &crossFitting{g: g, lesson: l}
	labels, err := g.taught(l, relation.Target)
	if err != nil {
		return nil, err
	}
	if len(labels.Variables) == 0 && g.perception != nil {
		return g.fitOnly(ctx, l)
	}
	if !l.anew { // else the first lesson has chosen all there is
		for _, stage := range []func(context.Context) error{c.divide, c.fit, c.weigh, c.chooseEpochs} {
			if err := stage(ctx); err != nil {
				ended, _ := learn.CutShort(ctx, err)
				return &Training{Ended: ended}, g.explainInfeasible(ctx, err)
			}
		}
		g.found = c.lesson.theta
	}
	c.lesson.theta = g.found
	training, err := c.learn(ctx)
	if training != nil && len(c.folds) > 0 {
		training.CrossFit = &c.chosen
	}
	return training, err
}

// fitOnly learns where the networks' own predicates have truth, and nothing that is inferred does.
func (g *Grounding) fitOnly(ctx context.Context, l lesson) (*Training, error) {
	training, err := g.fitNetworks(ctx, l)
	if err == nil && training.FitEpochs == 0 {
		return nil, fmt.Errorf("%s: nothing to learn from: no target has a label, and no network's output has",
			g.project.config.Name)
	}
	return training, err
}

// divide chooses what is held out.
func (c *crossFitting) divide(context.Context) error {
	g := c.g
	if g.project.sharesAtoms(g.phase, Validation) {
		held, err := g.labels(Validation, relation.Target)
		if err != nil {
			return err
		}
		if len(held.Variables) > 0 {
			c.folds = []fold{{held: held}}
			return nil
		}
	}
	labels, err := g.labels(Learn, relation.Target)
	if err != nil {
		return err
	}
	divided := learn.Divide(labels, g.project.settings.folds, g.seed)
	if divided == nil {
		c.lesson.epochs = min(c.lesson.epochs, cautious)
		g.project.Log.Warn("too few labels to hold any out: weights stay as written, and training is short",
			"labels", len(labels.Variables))
		return nil
	}
	c.chosen.Folds = g.project.settings.folds
	for k := range c.chosen.Folds {
		d := &division{divided, k}
		c.folds = append(c.folds, fold{division: d, held: labels.Where(d.holds)})
	}
	return nil
}

// fit fits the networks of each fold alone.
func (c *crossFitting) fit(ctx context.Context) error {
	g := c.g
	for k := range c.folds {
		f := &c.folds[k]
		if err := g.Reset(g.seed); err != nil {
			return err
		}
		if _, err := g.fitNetworks(ctx, lesson{fitEpochs: c.lesson.fitEpochs, division: f.division}); err != nil {
			return err
		}
		if err := g.perceive(); err != nil {
			return err
		}
		f.networks, f.inputs = g.networks, slices.Clone(g.inputs)
	}
	return nil
}

// weigh finds the weights of the rules, unless they are to stay.
func (c *crossFitting) weigh(ctx context.Context) error {
	g, learned := c.g, c.g.learned()
	s := &g.project.settings
	if len(c.folds) == 0 || !slices.Contains(learned, true) || s.learn.RuleRate == 0 {
		return nil
	}
	solver, err := g.solverOf(g.field, s.solve)
	if err != nil {
		return err
	}
	w := learn.Weigher{Field: g.field, Solver: solver, Theta: g.theta, Learned: learned, Loss: s.learn.Loss,
		Ridge: s.learn.Ridge}
	for _, f := range c.folds {
		w.Folds = append(w.Folds, learn.Fold{Inputs: f.inputs, Labels: f.held})
	}
	c.chosen.Fitted, c.chosen.Weighed, err = w.Run(ctx)
	c.lesson.theta = slices.Clone(g.theta)
	return err
}

// chooseEpochs trains the networks of each fold end to end, and chooses the number of epochs whose mean loss of what is
// held out is least. Validation truth chooses for itself, later.
func (c *crossFitting) chooseEpochs(ctx context.Context) error {
	if c.chosen.Folds == 0 {
		return nil
	}
	curves := make([][]float64, len(c.folds))
	for k := range c.folds {
		var err error
		if curves[k], err = c.heldOut(ctx, k); err != nil {
			return err
		}
	}
	c.chosen.Curve, c.chosen.Epochs = leastLoss(curves, c.lesson.epochs)
	c.lesson.epochs = c.chosen.Epochs
	return nil
}

// clearGain is how many standard errors over the folds epochs have to gain.
const clearGain = 1.5

// leastLoss returns the mean over the folds of the loss after each number of epochs, and the number whose mean is
// least; 0 if that does not gain clearly.
func leastLoss(curves [][]float64, epochs int) (mean []float64, best int) {
	mean = make([]float64, epochs+1)
	after := func(curve []float64, t int) float64 { return curve[min(t, len(curve)-1)] }
	for t := range mean {
		for _, curve := range curves {
			mean[t] += after(curve, t) / float64(len(curves))
		}
		if mean[t] < mean[best] {
			best = t
		}
	}
	gains := make([]float64, len(curves))
	for k, curve := range curves {
		gains[k] = curve[0] - after(curve, best)
	}
	if gain, deviation := stat.MeanStdDev(gains, nil); gain <= clearGain*deviation/math.Sqrt(float64(len(gains))) {
		return mean, 0
	}
	return mean, best
}

// impatience is how many epochs a fold goes on without a smaller loss.
const impatience = 6

// heldOut returns the loss of what a fold holds out after each number of epochs.
func (c *crossFitting) heldOut(ctx context.Context, k int) (curve []float64, err error) {
	g, f := c.g, &c.folds[k]
	g.networks = f.networks
	if err := g.rebind(); err != nil {
		return nil, err
	}
	trainer, err := g.trainer(ctx, lesson{epochs: c.lesson.epochs, division: f.division, held: f.held,
		theta: c.lesson.theta})
	if err != nil {
		return nil, err
	}
	trainer.Save, trainer.Patience = nil, impatience
	trainer.OnEpoch = func(line Epoch) {
		curve = append(curve, -line.Validation)
		if line.Fold = k + 1; g.project.OnEpoch != nil {
			g.project.OnEpoch(line)
		}
	}
	_, err = trainer.Run(ctx)
	return curve, err
}

// learn learns from all labels.
func (c *crossFitting) learn(ctx context.Context) (*Training, error) {
	if err := c.g.Reset(c.g.seed); err != nil {
		return nil, err
	}
	return c.g.train(ctx, c.lesson)
}

// rebind connects the networks to the atoms that they had been connected to before.
func (g *Grounding) rebind() (err error) {
	if g.perception == nil {
		return nil
	}
	g.perception, err = g.networks.bind(g.project, g.tables.Store, len(g.inputs))
	return err
}

// heldLoss scores a MAP state by what it says about held-out labels, higher being better.
func heldLoss(held *learn.Labels) func(ctx context.Context, y, x []float64) (float64, error) {
	return func(_ context.Context, y, _ []float64) (float64, error) { return -held.Refined(y), nil }
}
