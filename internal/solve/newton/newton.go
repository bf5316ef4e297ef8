// Package newton finds MAP states by a proximal method of multipliers whose inner problems are solved by a projected
// semismooth Newton method.
//
// Squared potentials are smooth, with a Hessian that changes only with the active set; a model of nothing else takes a
// single inner solve. Linear hinges, absolute values and hard constraints are replaced by smooth terms around their
// multipliers (see envelope), which the outer iterations improve. The box is exact throughout. Two choices come from
// measurements: the inner steps minimise their quadratic model over the box rather than cut the Newton step at its
// bounds, which saves most of the line searches, and the preconditioner inverts sums and constraints exactly.
package newton

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Solver implements solve.Solver.
type Solver struct {
	field    *mrf.Field
	settings solve.Settings
	inner    *inner
	env      *envelope
	certify  *solve.Certifier
	absorb   *absorber
	smooth   bool        // nothing is to be dualised
	nu       multipliers // at the present point
	start    []float64   // WarmStart's point, until it is used
	warm     bool        // multipliers are those of an earlier solve or the caller's
	straight bool        // Straighten was called
	whole    bool        // all multipliers are kept
	cold     int         // steps that the last proof from nothing took; 0 before there is one
	// unrepaired is the violation from which on it is not worth another repair.
	unrepaired float64

	ctx      context.Context
	deadline time.Time
	goOn     func(work float64) bool // Limit's, or nil
	handed   bool                    // that it said no
	result   solve.Result
}

// New makes a solver for a field, whose weights and inputs it shares: setting them in either sets them in both. It
// starts from y = 0 unless WarmStart says otherwise, and later from where it ended.
func New(field *mrf.Field, settings solve.Settings) *Solver {
	settings = settings.WithDefaults(defaultIterations)
	field.Threads = parallel.Threads(settings.Threads)
	env, soft := &envelope{field: field, kinked: kinked(field.Model)}, smooth(field.Model)
	whole := field.Model.Paged() == nil && !(settings.Bare && soft)
	if !soft {
		env.mu = newMultipliers(field.Model, whole)
	}
	in := newInner(env)
	in.model.brief = soft
	in.sweep = sweep(field.Model)
	s := &Solver{
		field: field, settings: settings, env: env, inner: in, certify: solve.NewCertifier(field),
		absorb: newAbsorber(field), smooth: soft, nu: newMultipliers(field.Model, whole),
		whole: whole,
	}
	if !soft {
		in.centre = make([]float64, field.Model.Variables)
	}
	return s
}

// sweep is the work of a sweep, in about nanoseconds of a core.
func sweep(m *mrf.Model) float64 {
	entries := 0
	for _, b := range m.Blocks {
		entries += b.Len
		if len(b.Vars) > 0 {
			entries += len(b.Vars)
		}
	}
	return 2*float64(entries) + float64(m.Variables)
}

// defaultIterations bounds the Newton steps of one Solve.
const defaultIterations = 3000

// smooth tells whether all potentials are exact, and kinked whether any soft one is not.
func smooth(m *mrf.Model) bool { return !kinked(m) && !m.Hard() }

func kinked(m *mrf.Model) bool {
	return slices.ContainsFunc(m.Blocks, func(b *mrf.Block) bool { return b.Len > 0 && !b.Kind.Hard() && !exact(b) })
}

// SetWeights implements solve.Solver.
func (s *Solver) SetWeights(theta []float64) { s.field.SetWeights(theta) }

// SetInputs implements solve.Solver.
func (s *Solver) SetInputs(x []float64) { s.field.SetInputs(x) }

// WarmStart implements solve.Solver. Points outside the box are moved into it.
func (s *Solver) WarmStart(y, multipliers []float64) {
	s.start = append(s.start[:0], y...)
	s.warm = multipliers != nil
	copy(s.env.mu.values, multipliers)
}

// Straighten has solutions from nothing begin with the multipliers of what is linear within the box. Where answers are
// not unique, which of them is found depends on it.
func (s *Solver) Straighten() { s.straight = true }

// Limit makes a Solve end, with the best point that it has, when goOn, which is asked again and again with the work
// that was done, in about nanoseconds of a core, says no. The work is the same for any number of threads.
func (s *Solver) Limit(goOn func(work float64) bool) { s.goOn = goOn }

// Off is how many times the gap, or the violation, that was asked for the last proof's is; infinite before there is
// one.
func (s *Solver) Off() float64 {
	switch {
	case s.smooth:
		return s.inner.gap / s.settings.Gap
	case s.result.Certificate == solve.Certificate{}:
		return math.Inf(1)
	}
	return s.merit(s.result.Certificate)
}

// Solve implements solve.Solver.
func (s *Solver) Solve(ctx context.Context) (*solve.Result, error) {
	if err := s.field.Check(); err != nil {
		return nil, err
	}
	start := time.Now()
	s.ctx, s.deadline, s.handed = ctx, time.Time{}, false
	if s.settings.TimeLimit > 0 {
		s.deadline = start.Add(s.settings.TimeLimit)
	}
	s.inner.reset(s.settings.MaxIterations, s.interrupted)
	s.inner.unit, s.inner.grain = s.field.Unit(), s.field.Grain()
	s.result = solve.Result{}
	for i, v := range s.start {
		s.inner.y[i] = min(max(v, 0), 1)
	}
	s.start = s.start[:0]
	if s.smooth {
		s.solveSmooth()
	} else {
		s.solveByMultipliers()
	}
	s.result.Y, s.result.Multipliers = s.inner.y, s.nu.all()
	s.result.Iterations, s.result.Elapsed = s.inner.steps, time.Since(start)
	return &s.result, nil
}

// solveSmooth minimises the energy itself. Its gap over the box is the duality gap.
func (s *Solver) solveSmooth() {
	s.inner.shift = 0
	s.inner.trace = func(step float64) {
		gap := solve.BoxGap(s.inner.y, s.inner.g)
		s.trace(solve.Iteration{Objective: s.inner.value, DualBound: s.inner.value - gap, Step: step})
	}
	in, tolerance, end := s.inner, s.settings.Gap, done
	for range hopes {
		end = in.minimiseUntil(func(value, gap float64) bool {
			return s.absorb.enough(in.y, in.g, value, gap, tolerance)
		})
		s.check()
		if end != done || s.proven() || !finite(s.result.Gap) {
			break
		}
		// What the absorber expects is not always what the certificate finds: then the point must be better.
		tolerance /= 10
	}
	if !s.proven() {
		s.result.Status = s.why(end)
	}
}

// hopes bounds how often a better point is asked for. Where weights overflow, none would do.
const hopes = 12

// check computes the multipliers at the present point and what they prove.
func (s *Solver) check() {
	multiply := s.env.multiply
	if s.smooth {
		multiply = s.absorb.multiply
	}
	s.result.Certificate = s.certify.CertifyWith(s.inner.y, s.nu.of, multiply)
}

// proven tells whether the last check shows what the settings ask for; where the arithmetic overflows, it does not.
func (s *Solver) proven() bool {
	return math.Abs(s.result.Gap) <= s.settings.Gap && s.result.MaxViolation <= s.settings.Feasibility
}

// why names the status of a solve that ended without a proof.
func (s *Solver) why(end outcome) solve.Status {
	switch {
	case s.ctx.Err() != nil:
		return solve.Ended(s.ctx)
	case s.late():
		return solve.TimeLimit
	case end == broken, (end == stuck || end == done) && !(finite(s.result.Gap) && finite(4*s.inner.unit)):
		return solve.NumericalError
	case end == stuck:
		return solve.Stalled
	}
	return solve.IterationLimit
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func (s *Solver) late() bool { return !s.deadline.IsZero() && time.Now().After(s.deadline) }

func (s *Solver) interrupted() bool {
	s.handed = s.handed || s.goOn != nil && !s.goOn(s.inner.spent())
	return s.handed || s.ctx.Err() != nil || s.late()
}

func (s *Solver) trace(it solve.Iteration) {
	if s.settings.Trace != nil {
		it.Number = s.inner.steps
		s.settings.Trace(it)
	}
}
