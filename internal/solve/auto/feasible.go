package auto

import (
	"context"
	"math"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Feasible makes a solver that gives answers of another one that violate hard constraints a feasible point instead, if
// there is one close by. Answers that violate them by no more than is accepted and are not proven, as that gains more
// than the gap, are optimal if they are proven against all that violate them as little.
func Feasible(solver solve.Solver, field *mrf.Field, settings solve.Settings) solve.Solver {
	return &feasible{solver, field, settings.WithDefaults(0)}
}

type feasible struct {
	solve.Solver
	field    *mrf.Field
	settings solve.Settings
}

// leeway is by how much of the time that a solver took repairing may exceed a limit, and shortest the least of that.
const (
	leeway   = 10
	shortest = 100 * time.Millisecond
)

// Solve implements solve.Solver.
func (f *feasible) Solve(ctx context.Context) (*solve.Result, error) {
	r, err := f.nearest(ctx)
	if err == nil {
		f.atLeast(r)
	}
	return r, err
}

// atLeast has what ended early proven by multipliers of nought where its own prove less: that no energy is below 0.
func (f *feasible) atLeast(r *solve.Result) {
	if r.Status == solve.Optimal || r.Status == solve.Infeasible || r.DualBound >= 0 || f.field.Model.Paged() != nil {
		return
	}
	multipliers := make([]float64, f.field.Model.Potentials())
	if c := solve.Certify(f.field, r.Y, multipliers); c.DualBound > r.DualBound {
		r.Certificate, r.Multipliers = c, multipliers
	}
}

// nearest solves, and repairs an answer that violates too much.
func (f *feasible) nearest(ctx context.Context) (*solve.Result, error) {
	start := time.Now()
	r, err := f.Solver.Solve(ctx)
	if err != nil || r.Status == solve.Infeasible {
		return r, err
	}
	if r.MaxViolation <= f.settings.Feasibility {
		f.yield(r)
		return r, nil
	}
	if f.field.Model.Paged() != nil {
		return r, nil
	}
	until := time.Now().Add(max(shortest, r.Elapsed/leeway))
	stop := func() bool {
		over := ctx.Err() != nil || f.settings.TimeLimit > 0 && time.Since(start) > f.settings.TimeLimit
		return over && time.Now().After(until)
	}
	if solve.Repair(f.field, r.Y, f.settings.Feasibility, stop) {
		r.Certificate = solve.Certify(f.field, r.Y, r.Multipliers)
		if math.Abs(r.Gap) <= f.settings.Gap {
			r.Status = solve.Optimal
		}
	}
	r.Elapsed = time.Since(start)
	return r, nil
}

// yield makes an answer optimal that is, among those that violate no constraint by more. So is one that costs less than
// all that violate none, whose gap would be below nought.
func (f *feasible) yield(r *solve.Result) {
	yielding := r.Certificate.Yielding(f.field)
	if math.Abs(yielding.Gap) > f.settings.Gap || r.Status == solve.Optimal && r.Gap >= 0 {
		return
	}
	r.Status, r.Yields, r.Certificate = solve.Optimal, r.Yields || r.MaxViolation > 0, yielding
}
