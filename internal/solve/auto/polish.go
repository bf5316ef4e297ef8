package auto

import (
	"context"
	"math"

	"github.com/deeppsl/deeppsl/internal/solve"
)

// A problem of at most so many ground rules is solved in a millisecond or so, and a few more steps of Newton's method
// take no more. A gap of polished is tried for in these, where one of fine or less was asked for.
const (
	smallest = 200
	few      = 30
	fine     = 1e-6
	polished = 1e-12
)

// polish goes on from a proven answer of a small problem: a gap of 1e-6 may leave a value of a flat energy 0.001 from
// where it would be. What is not better stays. It takes milliseconds, and is not interrupted: an answer that is proven
// has to be the same one whenever somebody loses patience.
func (p *inference) polish(ctx context.Context, result *solve.Result) {
	s := p.settings.WithDefaults(0)
	if !p.options.Polish || result.Status != solve.Optimal || s.Gap > fine || math.Abs(result.Gap) <= polished ||
		p.field.Model.Paged() != nil || p.field.Model.Potentials() > smallest || len(result.Y) > smallest {
		return
	}
	s.Gap, s.MaxIterations, s.TimeLimit, s.Trace = polished, few, 0, nil
	solver := p.method(p.field, s)
	solver.WarmStart(result.Y, result.Multipliers)
	better, err := solver.Solve(context.WithoutCancel(ctx))
	if err != nil || better.Status == solve.Infeasible || better.Yields || math.IsNaN(better.Gap) ||
		math.Abs(better.Gap) >= math.Abs(result.Gap) || better.MaxViolation > max(result.MaxViolation, polished) {
		return
	}
	result.Certificate, result.Y, result.Multipliers = better.Certificate, better.Y, better.Multipliers
}
