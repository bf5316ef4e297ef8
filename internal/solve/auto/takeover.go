package auto

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// takeOver solves what Newton's method has left. If rounding forbids that too, Newton's goes on from the better answer,
// unless it is the rounding of values, which no method can do without, or the problem is finished otherwise before: in
// numbers of twice the length, a small one takes a tenth of the time.
func (h *hybrid) takeOver(ctx context.Context, began time.Time, first *solve.Result) (*solve.Result, error) {
	second := h.tried
	if second == nil {
		var err error
		if second, err = h.conclude(ctx, began); err != nil {
			return nil, err
		}
	}
	second.Method = "interior"
	second.Reason = fmt.Sprintf("After %d steps of Newton's method, with a gap of %.1e and a violation of %.1e, an "+
		"interior point method took over: a step costs %.2g flops.", first.Iterations, first.Gap, first.MaxViolation,
		h.cost.Flops)
	if h.tried != nil {
		second.Reason += " It did without."
	}
	if stuck(second.Status) && !h.onGrid(second) {
		digits := h.digits(second)
		if digits == "" && h.finishes() {
			h.former = first
		} else if digits == "" {
			var err error
			if second, err = h.goOn(ctx, began, first, second); err != nil {
				return nil, err
			}
			if stuck(second.Status) {
				digits = h.digits(second)
			}
		}
		second.Reason += digits
	}
	if ended(second.Status) && h.off(first) < h.off(second) {
		best := *first
		best.Status, best.Reason = second.Status, second.Reason+" It ended before it had anything better."
		second = &best
	}
	second.Elapsed = time.Since(began)
	return second, nil
}

// goOn has Newton's method go on from the better of two answers, and if it gets nowhere from the other one's, where
// multipliers may be of any size, from its own. It returns the best of all.
func (h *hybrid) goOn(ctx context.Context, began time.Time, first, second *solve.Result) (*solve.Result, error) {
	best, starts := second, []*solve.Result{second, first}
	if h.off(first) < h.off(second) {
		best, starts = first, starts[1:]
	}
	most := 2 * h.cost.Work
	if h.warm <= 1 {
		most = max(most, atLast)
	}
	for _, start := range starts {
		settings := h.settings
		settings.TimeLimit = h.left(began)
		again := newton.New(h.field, settings)
		again.Limit(func(work float64) bool { return work < most })
		again.WarmStart(start.Y, start.Multipliers)
		third, err := again.Solve(ctx)
		if err != nil {
			return nil, err
		}
		if third.Status == solve.Infeasible || h.off(third) < h.off(best) {
			third.Method, third.Reason = "newton", second.Reason+" Rounding kept it from a proof, and Newton's went on."
			best = third
		}
		if !stuck(third.Status) {
			break
		}
	}
	return best, nil
}

// digits says, of an answer without a proof, if values of more digits are what it lacks.
func (h *hybrid) digits(r *solve.Result) string {
	rounding := solve.Relative(h.field, solve.Rounding(h.field, r.Y), r.Objective)
	if rounding <= h.settings.WithDefaults(0).Gap {
		return ""
	}
	return fmt.Sprintf(" Rounding values to 53 bits makes up about %.1g of the gap, by rules of far greater weights: "+
		"much less can hardly be proven.", rounding)
}

// onGrid makes a result one that is proven of values at which rules of far greater weights hold to the last digit, if
// it can.
func (h *hybrid) onGrid(r *solve.Result) bool {
	s := h.settings.WithDefaults(0)
	y := solve.OnGrid(h.field, r.Y, s.Gap)
	if y == nil {
		return false
	}
	c := solve.Certify(h.field, y, r.Multipliers)
	if !(math.Abs(c.Gap) <= s.Gap && c.MaxViolation <= s.Feasibility) {
		return false
	}
	r.Status, r.Certificate, r.Y = solve.Optimal, c, y
	return true
}
