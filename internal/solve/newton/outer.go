package newton

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// The schedule of the outer iterations, in units of the model's weights: the terms get steeper and the pull to the last
// point weaker. A cold start begins with gentle terms, of which a Newton step moves many at once. Slow growth is the
// faster in the end: on linear models of the size of Cora, steps of 2 take three times the Newton steps that 1.3 takes.
const (
	coldSteepness, warmSteepness = 5, 30
	steeper, steepest            = 1.3, 1e9
	coldPull, warmPull           = 1, 0.2
	// back is how many times as gentle the terms are, and as strong the pull is, as where the last solution ended of a
	// problem that differs in little. Where all inputs differ by some hundredths, that is too late in the schedule.
	back            = 10
	weaker, weakest = 0.85, 1e-6
	// coldTolerance is the first inner tolerance, relative to the energy.
	coldTolerance = 1e-2
	// finest is the least inner tolerance, in terms of the gap: what more exact inner solves would move is less than what
	// rounding does.
	finest = 1e-5
	// patience is the number of outer iterations in which the violation must fall by half, or feasibility is doubted.
	patience = 8
	// ended is the number of outer iterations without a step after which none will come: the schedule is over by then.
	ended = 150
)

// solveByMultipliers runs the proximal method of multipliers: minimise the envelope plus a pull to the last point, take
// the envelope's derivatives for new multipliers, and check what they prove.
//
// A start that needs many more steps than none would is given up: where nearly all of many classes are at 0, those that
// are not quite leave the box with every step.
func (s *Solver) solveByMultipliers() {
	limit := s.inner.limit
	if slices.ContainsFunc(s.inner.y, func(v float64) bool { return v != 0 }) {
		s.inner.limit = min(limit, s.allowance())
		proven := s.outerIterations()
		if proven || s.result.Status == solve.Infeasible || s.inner.steps >= limit || s.interrupted() {
			return
		}
		clear(s.inner.y)
		s.result, s.warm, s.inner.limit = solve.Result{}, false, limit
	}
	before := s.inner.steps
	if s.outerIterations() {
		s.cold = s.inner.steps - before
	}
}

// allowance is how many steps are made from a start until it is given up.
func (s *Solver) allowance() int {
	if s.cold == 0 {
		return unknownSteps
	}
	return max(fewSteps, 3*s.cold)
}

// fewSteps are made from a start in any case, and unknownSteps where it is not known how many one from nothing takes.
const fewSteps, unknownSteps = 20, 500

// outerIterations minimises until there is a proof, or nothing more can be done. It tells whether there is one.
func (s *Solver) outerIterations() (proven bool) {
	scale := weightScale(s.field)
	s.begin(scale)
	s.unrepaired = math.Inf(1)
	tolerance := max(coldTolerance, s.settings.Gap/4)
	doubt, certified, idle := doubt{best: math.Inf(1)}, false, 0
	for {
		copy(s.inner.centre, s.inner.y)
		steps, before := s.inner.steps, s.result.Certificate
		end := s.inner.minimise(tolerance)
		s.check()
		if (end == spent || end == broken) && certified && !(s.merit(s.result.Certificate) <= s.merit(before)) {
			s.goBack(before)
		}
		s.trace(solve.Iteration{
			Objective: s.result.Objective, DualBound: s.result.DualBound, Violation: s.result.MaxViolation,
			Step: s.env.steepness,
		})
		if s.proven() || s.repair() {
			s.warm = true
			s.result.Schedule = solve.Schedule{Steepness: s.env.steepness, Pull: s.inner.shift / scale}
			copy(s.env.mu.values, s.nu.values)
			return true
		}
		if idle++; s.inner.steps > steps {
			idle = 0
		}
		switch {
		case end != done:
		case s.interrupted():
			end = spent // an inner solve that is done at once has not asked
		case idle > ended:
			s.result.Status = s.why(stuck)
			return false
		}
		if end == spent || end == broken {
			s.result.Status = s.why(end)
			return false
		}
		certified = true
		if s.result.MaxViolation > s.settings.Feasibility && doubt.grows(s.result.MaxViolation) {
			if s.contradictory() {
				return false
			}
			certified = s.interrupted()
		}
		copy(s.env.mu.values, s.nu.values)
		s.adapt(scale)
		tolerance = s.tighten(tolerance, s.inner.steps > steps)
	}
}

// repair takes the nearest point that satisfies the constraints, where that is easy to find and proven by the present
// multipliers: near the end the violation is often all that is left, and falls by less than the gap in each iteration.
func (s *Solver) repair() bool {
	violation := s.result.MaxViolation
	if !s.whole || math.Abs(s.result.Gap) > s.settings.Gap || !(violation < s.unrepaired) {
		return false
	}
	sweeps := 0
	stop := func() bool {
		sweeps++
		s.inner.work += s.inner.sweep
		return sweeps > repairs || s.interrupted()
	}
	y := append([]float64(nil), s.inner.y...)
	if solve.Repair(s.field, y, s.settings.Feasibility, stop) {
		c := s.certify.CertifyWith(y, s.nu.of, nil)
		if math.Abs(c.Gap) <= s.settings.Gap && c.MaxViolation <= s.settings.Feasibility {
			copy(s.inner.y, y)
			s.result.Certificate = c
			return true
		}
	}
	s.unrepaired = violation / repairable
	return false
}

// repairs bounds the sweeps of a repair, and repairable is by how much the violation has to fall until the next one.
const repairs, repairable = 20, 3

// merit measures a certificate by what was asked for: the less the better, and 1 is enough.
func (s *Solver) merit(c solve.Certificate) float64 {
	return max(math.Abs(c.Gap)/s.settings.Gap, c.MaxViolation/s.settings.Feasibility)
}

// goBack returns to where the present outer iteration began, with what was proven there: in the middle of one, points
// and multipliers can be worse.
func (s *Solver) goBack(before solve.Certificate) {
	copy(s.inner.y, s.inner.centre)
	copy(s.nu.values, s.env.mu.values)
	s.result.Certificate = before
}

// tighten returns the next inner tolerance, given whether the last inner solve moved at all. It need not be less than
// the gap asks for: steeper terms, rather than more exact solves, make constraints hold. Where nothing moved and all
// soft potentials are smooth, multipliers alone bring little, and the gap says at once how exact the next one is to be.
func (s *Solver) tighten(tolerance float64, moved bool) float64 {
	next := max(min(tolerance/2, math.Abs(s.result.Gap)/4), min(tolerance, s.settings.Gap/4))
	if moved {
		return next
	}
	still := max(tolerance/4, min(tolerance, finest*s.settings.Gap))
	if s.env.kinked {
		return still
	}
	return min(still, next)
}

// adapt goes on in the schedule, faster with what the larger part of the gap comes from.
func (s *Solver) adapt(scale float64) {
	gap := s.result.Gap * max(s.inner.grain, math.Abs(s.result.Objective))
	pull := s.inner.gapOfPull()
	if pull < gap*3/4 || s.result.MaxViolation > s.settings.Feasibility {
		s.env.steepness = min(s.env.steepness*steeper, steepest)
	}
	if pull > gap/2 {
		s.inner.shift *= weaker
	}
	s.inner.shift = max(s.inner.shift*weaker, weakest*min(scale, s.inner.grain))
}

// begin sets the schedule's start.
func (s *Solver) begin(scale float64) {
	s.env.hardness, s.env.kinked = scale, kinked(s.field.Model)
	s.env.steepness, s.inner.shift = coldSteepness, coldPull*scale
	switch {
	case squared(s.field.Model):
		s.inner.shift = weakest * scale
	case s.warm:
		s.env.steepness, s.inner.shift = warmSteepness, warmPull*scale
		if last := s.settings.Begin; last.Steepness > 0 {
			s.env.steepness = max(warmSteepness, last.Steepness/back)
			s.inner.shift = min(warmPull, last.Pull*back) * scale
		}
	}
	if !s.warm {
		clear(s.env.mu.values)
		s.env.kinked = s.env.kinked && (!s.straight || s.straighten() > 0)
	}
}

// straighten gives potentials that have no bend within the box the multipliers that they have all over it, and returns
// how many others are not exact.
func (s *Solver) straighten() (bent float64) {
	return s.field.Sweep(s.inner.y, nil, func(span *mrf.Span) (bent float64) {
		if exact(span.Block) || span.Block.Kind.Hard() {
			return 0
		}
		mu, constants := s.env.mu.of(span), span.Spare
		span.Constants(constants)
		var row mrf.RowBuffer
		for k, c := range constants {
			_, coef := span.Block.Row(span.At(k), &row)
			least, most := c, c
			for _, a := range coef {
				least, most = least+min(0, a), most+max(0, a)
			}
			if slope, ok := span.Block.Straight(least, most); ok {
				mu[k] = slope * span.W(k)
			} else {
				bent++
			}
		}
		return bent
	})
}

// squared tells whether all soft potentials are squared: they have curvature enough to do without the pull, and warm
// starts go best with gentle terms.
func squared(m *mrf.Model) bool {
	for _, b := range m.Blocks {
		if !b.Kind.Hard() && (b.Kind == mrf.Linear || b.Exponent != 2) {
			return false
		}
	}
	return true
}

// weightScale is the average over the variables of the weights around them: the size of a multiplier, and so of ρ.
func weightScale(f *mrf.Field) float64 {
	total := 0.0
	for _, b := range f.Model.Blocks {
		if b.Kind.Hard() {
			continue
		}
		for j := range b.Len {
			total += f.Weights()[b.Rule] * b.Factor(j) * float64(b.Arity(j))
		}
		b.Release(0, b.Len)
	}
	if total == 0 {
		return f.Unit()
	}
	return total / float64(f.Model.Variables)
}

// doubt watches the violation.
type doubt struct {
	best float64
	age  int
}

// grows tells, once every few iterations, that the violation has not fallen by half meanwhile.
func (d *doubt) grows(violation float64) bool {
	d.age++
	if violation <= d.best/2 {
		d.best, d.age = violation, 0
	}
	if d.age < patience {
		return false
	}
	d.age = 0
	return true
}
