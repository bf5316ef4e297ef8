package auto

import (
	"context"
	"math"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/presolve"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// presolved makes each problem smaller before another method solves it, where that pays. Weights and inputs decide what
// can go, so that every Solve presolves anew: this is for inference, and not for learning.
type presolved struct {
	field    *mrf.Field
	settings solve.Settings
	method   func(*mrf.Field, solve.Settings) solve.Solver
	start    []float64 // WarmStart's, or nil
	duals    []float64
}

// SetWeights implements solve.Solver.
func (p *presolved) SetWeights(theta []float64) { p.field.SetWeights(theta) }

// SetInputs implements solve.Solver.
func (p *presolved) SetInputs(x []float64) { p.field.SetInputs(x) }

// WarmStart implements solve.Solver. The multipliers are of use only where nothing is presolved.
func (p *presolved) WarmStart(y, multipliers []float64) { p.start, p.duals = y, multipliers }

// Solve implements solve.Solver. A conflict of hard constraints is found in the original problem, whose ground rules
// the user knows; and so is, from where the smaller problem ends, what rounding keeps from being proven.
func (p *presolved) Solve(ctx context.Context) (*solve.Result, error) {
	if err := p.field.Check(); err != nil {
		return nil, err
	}
	start := time.Now()
	var r *presolve.Reduction
	if presolvable(p.field.Model) {
		r = presolve.Reduce(p.field)
	}
	if r == nil {
		return p.solve(ctx, start, p.field, p.duals)
	}
	small, err := p.solve(ctx, start, r.Field, nil)
	if err != nil {
		return nil, err
	}
	if small.Status == solve.Infeasible {
		return p.solve(ctx, start, p.field, p.duals)
	}
	result := *small
	result.Presolve = &r.Counts
	result.Y, result.Multipliers = r.Restore(small.Y, small.Multipliers)
	result.Certificate = solve.Certify(p.field, result.Y, result.Multipliers)
	if result.Status == solve.Optimal && !p.proven(result.Certificate) {
		p.start = result.Y
		return p.solve(ctx, start, p.field, result.Multipliers)
	}
	result.Elapsed = time.Since(start)
	return &result, nil
}

// solve is what the method does for a field, in the time that is left.
func (p *presolved) solve(ctx context.Context, start time.Time, field *mrf.Field, duals []float64) (*solve.Result,
	error) {
	settings := p.settings
	if settings.TimeLimit > 0 {
		settings.TimeLimit = max(1, settings.TimeLimit-time.Since(start))
	}
	solver := p.method(field, settings)
	if p.start != nil {
		solver.WarmStart(p.start, duals)
	}
	return solver.Solve(ctx)
}

// proven tells whether a certificate shows what was asked for.
func (p *presolved) proven(c solve.Certificate) bool {
	s := p.settings.WithDefaults(0)
	return math.Abs(c.Gap) <= s.Gap && c.MaxViolation <= s.Feasibility
}

// presolvable tells whether presolving may pay: in a model of soft squares alone it does not, since that is solved in
// few sweeps, of which variables at a bound cost next to nothing.
func presolvable(m *mrf.Model) bool {
	for _, b := range m.Blocks {
		if b.Kind.Hard() || b.Kind == mrf.Linear || b.Exponent == 1 {
			return true
		}
	}
	return false
}
