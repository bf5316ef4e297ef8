package training

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
)

// descent is training end to end, as held-out labels judge it.
type descent struct {
	curves     []curve       // by fold
	decay      float64       // of the networks' weights; 0 stands for the option's
	losses     []float64     // after each number of epochs
	epochs     int           // after which they are least
	calibrated bool          // descends on the loss at the temperature that suits what is inferred
	smooth     bool          // descends as if all rules were squared
	sight      label.Verdict // after these epochs, by what is descended on
	verdict    label.Verdict // and by the rules as they are written
}

// heldBack is the weight decay of epochs end to end that is tried beside the option's, where no label is of what
// networks see, as where the sum of several things decides: nothing else keeps them from learning labels by heart. With
// so much, weights are about as long as the slopes of the loss, where Adam's steps move all of them alike. With more,
// some networks come to say the same of everything.
const heldBack = 0.5

// descend trains the networks of each fold end to end, once begin has said how, and chooses how, by which weight decay,
// and the number of epochs after which, held-out labels are told best.
func (c *crossFitting) descend(ctx context.Context, patience int, begin func(k int, l *lesson) error) (descent, error) {
	best := descent{}
	c.squared = nil
	for k, by := range c.ways() {
		d, err := c.decaying(ctx, by, patience, begin)
		if err != nil {
			return best, err
		}
		if by.smooth && (c.squared == nil || d.sight.Loss() < c.squared.Loss()) {
			c.squared = &d.sight
		}
		if k == 0 || d.verdict.Loss() < best.verdict.Loss() {
			best = d
		}
	}
	return best, nil
}

// ways are those to descend between which held-out labels choose: by the loss of values as they are or at the
// temperature that suits them, and, where some rule is linear, as if all were squared. By linear rules, outputs that
// lie near each other may be drowned, so that the latter loss is for squares alone.
func (c *crossFitting) ways() []descent {
	ways, linear := []descent{{}}, c.smoothens()
	if linear {
		ways = append(ways, descent{smooth: true})
	}
	if c.calibrates() {
		ways = append(ways, descent{smooth: linear, calibrated: true})
	}
	return ways
}

// decaying is descend in one way, by the weight decay that suits it.
func (c *crossFitting) decaying(
	ctx context.Context, by descent, patience int, begin func(k int, l *lesson) error,
) (descent, error) {
	best, err := c.descendBy(ctx, by, patience, begin)
	if err != nil || !c.choosesEndDecay() {
		return best, err
	}
	by.decay = heldBack
	other, err := c.descendBy(ctx, by, patience, begin)
	if other.sight.Beats(best.sight, decayGain) {
		best = other
	}
	return best, err
}

// descendBy is descend in one way.
func (c *crossFitting) descendBy(ctx context.Context, d descent, patience int, begin func(k int, l *lesson) error) (
	descent, error) {
	d.curves = make([]curve, len(c.folds))
	epochs := 0
	for k := range c.folds {
		l := c.without(&c.folds[k])
		err := begin(k, &l)
		if err != nil {
			return d, err
		}
		l.decay, l.smooth, l.calibrated, epochs = d.decay, d.smooth, d.calibrated, l.epochs
		if d.curves[k], err = c.heldOut(ctx, k, l, patience); err != nil {
			return d, err
		}
	}
	d.losses, d.epochs, d.sight, d.verdict = least(d.curves, epochs)
	return d, nil
}

// choosesEndDecay tells whether held-out labels choose the weight decay end to end: where it is left to us, and no
// label is of what networks see.
func (c *crossFitting) choosesEndDecay() bool {
	return c.latent() && !c.g.large() && !c.g.Project.Learning.DecaySet
}

// smoothens tells whether held-out labels choose between the slopes of rules as they are written and those of squares:
// where no label is of what networks see, and some rule is linear.
func (c *crossFitting) smoothens() bool {
	return c.latent() && !c.g.large() && c.g.firstLinear() >= 0
}

// latent tells whether no label is of what networks see.
func (c *crossFitting) latent() bool { return !c.fitsAny || c.likely }

// linear notices rules without ^2 beside networks that nobody has labelled, by what was held out while these descended.
func (c *crossFitting) linear() {
	if c.squared != nil && c.g.notices != nil && c.squared.Beats(c.standing, squaredGain) {
		c.g.notices.linear(*c.squared, c.standing)
	}
}

// adopt makes what training end to end has come to the plan, and gives the folds what their networks see then.
func (c *crossFitting) adopt(d descent) {
	c.chosen.Curve, c.chosen.Epochs, c.chosen.EndDecay, c.standing = d.losses, d.epochs, d.decay, d.verdict
	c.chosen.Smooth, c.chosen.Calibrated = d.smooth, d.calibrated
	c.plan.epochs, c.plan.decay, c.plan.smooth, c.plan.calibrated = d.epochs, d.decay, d.smooth, d.calibrated
	for k, curve := range d.curves {
		if c.folds[k].ends = nil; len(curve.inputs) > 0 {
			c.folds[k].ends = curve.inputs[min(d.epochs, len(curve.inputs)-1)]
		}
	}
}

// mostSeen is the number of values up to which all is kept that folds see after each number of epochs: 128 MiB.
const mostSeen = 1 << 24

// heldOut trains the grounding's networks, and returns what a fold's labels say after each number of epochs.
func (c *crossFitting) heldOut(ctx context.Context, k int, l lesson, patience int) (found curve, err error) {
	g, f := c.g, &c.folds[k]
	trainer, err := g.trainer(ctx, l)
	if err != nil {
		return found, err
	}
	infer, err := g.inferring(l)
	if err != nil {
		return found, err
	}
	var last judgement
	var seen []float64
	keeps := g.Model.Inputs*(l.epochs+1)*len(c.folds) <= mostSeen
	trainer.Validate = func(ctx context.Context, y, x []float64) (float64, error) {
		last.sight = f.held.Judge(y)
		y, err := infer(ctx, y, x)
		if last.verdict = f.held.Judge(y); keeps {
			seen = slices.Clone(x)
		}
		return -last.sight.Loss(), err
	}
	trainer.Save, trainer.Patience = nil, patience
	trainer.OnEpoch = func(line learn.Epoch) {
		found.verdicts = append(found.verdicts, last)
		if keeps {
			found.inputs = append(found.inputs, seen)
		}
		if line.Fold = k + 1; g.Project.OnEpoch != nil {
			g.Project.OnEpoch(line)
		}
	}
	_, err = trainer.Run(ctx)
	return found, err
}
