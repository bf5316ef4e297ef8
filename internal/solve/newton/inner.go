package newton

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// inner minimises an envelope plus (shift/2)·‖y - centre‖² over the box by semismooth Newton steps: each minimises the
// quadratic model with the present active set over the box, and searches along the segment to that minimiser.
type inner struct {
	env    *envelope
	shift  float64
	unit   float64   // of the curvature
	grain  float64   // of the values
	centre []float64 // nil if shift is always 0

	y, g            []float64 // the present point and gradient
	value, gap      float64   // and its gap, relative
	trial, gradient []float64 // the search's
	free            []bool
	model           model

	// at are the squared hinges that are above 0 at y, or where the part of a segment begins that is searched, beyond
	// those at its end, and tried those at the trial; nil if there is nothing to be known.
	at, beyond, tried *mrf.Active

	steps, limit int
	// work is what was done since reset, in about nanoseconds of a core; sweep is that of a sweep over all potentials.
	work, sweep float64
	stop        func() bool
	trace       func(step float64)
}

// outcome says how an inner solve ended.
type outcome uint8

const (
	done   outcome = iota // within the tolerance
	stuck                 // no step decreases the function any more
	spent                 // the iterations are used up, or stop said so
	broken                // a value is not a number
)

func newInner(env *envelope) *inner {
	n := env.field.Model.Variables
	vector := func() []float64 { return make([]float64, n) }
	f := env.field
	return &inner{
		env: env, y: vector(), g: vector(), trial: vector(), gradient: vector(),
		free: make([]bool, n), model: model{h: f.NewHessian()},
		at: f.NewActive(), beyond: f.NewActive(), tried: f.NewActive(),
	}
}

// reset prepares for a new solve of at most limit steps.
func (in *inner) reset(limit int, stop func() bool) {
	in.steps, in.limit, in.stop, in.trace, in.work = 0, limit, stop, nil, 0
	in.model.stop, in.model.effort = stop, leastEffort
}

// minimise runs until the function is proven to be within tolerance·max(grain, |value|) of its minimum.
func (in *inner) minimise(tolerance float64) outcome {
	return in.minimiseUntil(func(value, gap float64) bool { return gap <= tolerance*max(in.grain, math.Abs(value)) })
}

// minimiseUntil runs until enough says so of the value and a bound on its distance from the minimum.
func (in *inner) minimiseUntil(enough func(value, gap float64) bool) outcome {
	in.value = in.evaluate(in.y, in.g, in.at)
	in.model.radius = in.env.radius()
	if in.env.kinked {
		in.model.effort = leastEffort // the first steps after a change of the terms are seldom the last ones
	}
	least, still := math.Inf(1), 0
	for {
		gap := solve.BoxGap(in.y, in.g)
		in.gap = gap / max(in.grain, math.Abs(in.value))
		switch {
		case math.IsNaN(gap) || math.IsInf(in.value, 0):
			return broken
		case enough(in.value, gap):
			return done
		case in.steps >= in.limit || in.stop():
			return spent
		}
		in.steps++
		in.direction()
		before, predicted := in.value, in.model.decrease(in.g)
		step, ok := in.search()
		in.model.learn(predicted, before-in.value)
		if step == 1 {
			in.model.widen()
		}
		if still++; gap < least || before-in.value > rounding*math.Abs(before) {
			least, still = min(least, gap), 0
		}
		if !ok || still > standing {
			return stuck
		}
		if in.trace != nil {
			in.trace(step)
		}
	}
}

// evaluate returns the function at y, sets g to its gradient, and found to what is above 0 there, which is looked for
// among some sets, or everywhere if there is none.
func (in *inner) evaluate(y, g []float64, found *mrf.Active, among ...*mrf.Active) float64 {
	in.work += in.sweep
	value := in.env.field.SweepActive(y, g, among, found, in.env.differentiate)
	if in.shift > 0 {
		for i, c := range in.centre {
			d := y[i] - c
			value += in.shift / 2 * d * d
			g[i] += in.shift * d
		}
	}
	return value
}

// gapOfPull is the gap over the box that the gradient leaves without the pull to the last point.
func (in *inner) gapOfPull() float64 {
	gap := 0.0
	for i, g := range in.g {
		g -= in.shift * (in.y[i] - in.centre[i])
		gap += g*in.y[i] - min(0, g)
	}
	return gap
}

// regular times the unit is added to the Hessian's diagonal where no pull to the last point makes it definite.
const regular = 1e-9

// direction minimises the quadratic model of the variables that are not pushed against a bound.
func (in *inner) direction() {
	for i, g := range in.g {
		y := in.y[i]
		in.free[i] = !(y <= 0 && g >= 0 || y >= 1 && g <= 0)
	}
	in.model.h.AssembleActive(in.y, in.free, max(in.shift, regular*in.unit), in.env.curve, in.at)
	in.model.minimise(in.y, in.g)
	in.work = in.spent() + 2*in.sweep
	in.model.products = 0
}

// spent is the work so far, that of a minimisation of the model that has not ended included.
func (in *inner) spent() float64 { return in.work + in.model.work() }

// Constants of the line search: the part of the slope that may be left (between the kinks of steep terms, less exact
// searches jump back and forth across them), the relative growth of the value that is but rounding, and how many points
// to try.
const (
	flat     = 0.3
	rounding = 1e-14
	searches = 25
	// standing is how many steps may change nothing but by rounding.
	standing = 20
)

// search moves along the segment to the model's minimiser, all of it in the box, to where the function is nearly flat,
// and returns how far that is. The function is convex and piecewise quadratic, so that the slopes at the ends of a
// bracket give the next point to try by the secant rule.
func (in *inner) search() (step float64, ok bool) {
	slope := in.slope(in.g)
	if !(slope < 0) {
		return 0, false
	}
	lo, below := 0.0, slope
	hi, above := 1.0, 0.0
	step = 1
	var among []*mrf.Active
	for k := range searches {
		if in.stop() {
			break // a sweep over a large model takes seconds
		}
		in.move(step)
		value := in.evaluate(in.trial, in.gradient, in.tried, among...)
		after := in.slope(in.gradient)
		level := math.Abs(after) <= -flat*slope || k == 0 && after < 0 || k == searches-1
		if level && value <= in.value+rounding*math.Abs(in.value) {
			in.accept(value)
			return step, true
		}
		if after < 0 {
			lo, below, in.at, in.tried = step, after, in.tried, in.at
		} else {
			hi, above, in.beyond, in.tried = step, after, in.tried, in.beyond
		}
		among = []*mrf.Active{in.at, in.beyond} // in between, what is above 0 is so at one of the ends
		step = lo + (hi-lo)*min(max(below/(below-above), 0.1), 0.9)
	}
	return 0, false
}

// accept makes the point tried the present one.
func (in *inner) accept(value float64) {
	in.y, in.trial = in.trial, in.y
	in.g, in.gradient = in.gradient, in.g
	in.at, in.tried = in.tried, in.at
	in.value = value
}

func (in *inner) slope(g []float64) float64 {
	slope := 0.0
	for k, i := range in.model.h.Free {
		slope += g[i] * in.model.p[k]
	}
	return slope
}

func (in *inner) move(step float64) {
	copy(in.trial, in.y)
	for k, i := range in.model.h.Free {
		in.trial[i] = min(max(in.y[i]+step*in.model.p[k], 0), 1)
	}
}
