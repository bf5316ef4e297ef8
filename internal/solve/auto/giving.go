package auto

import (
	"context"
	"math"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/presolve"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/split"
)

// giving is a solver of problems, or parts of one, whose hard rules contradict each other by no more than is accepted,
// as bounds show: it first lets those of each contradiction give way by as much as they have to, and solves what is
// left to choose.
type giving struct {
	solve.Solver
	method   split.Method
	field    *mrf.Field
	settings solve.Settings
}

// Solve implements solve.Solver.
func (g *giving) Solve(ctx context.Context) (*solve.Result, error) {
	if r := g.give(ctx); r != nil {
		return r, nil
	}
	return g.Solver.Solve(ctx)
}

// give returns an answer that is proven for all points that violate no rule by more, or nil.
func (g *giving) give(ctx context.Context) *solve.Result {
	began, s := time.Now(), g.settings.WithDefaults(0)
	stop := func() bool {
		return ctx.Err() != nil || s.TimeLimit > 0 && time.Since(began) > s.TimeLimit
	}
	r := presolve.Yield(g.field, s.Feasibility, stop)
	if r == nil {
		return nil
	}
	small, err := g.method(r.Field, g.settings).Solve(ctx)
	if err != nil || small.Status != solve.Optimal {
		return nil
	}
	result := *small
	result.Y, result.Multipliers = r.Restore(small.Y, small.Multipliers)
	result.Certificate = solve.Certify(g.field, result.Y, result.Multipliers).Yielding(g.field)
	if !(math.Abs(result.Gap) <= s.Gap) || result.MaxViolation > s.Feasibility {
		return nil
	}
	result.Yields, result.Elapsed = true, time.Since(began)
	return &result
}
