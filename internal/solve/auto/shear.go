package auto

import (
	"context"
	"math"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// shearer solves a field with hard constraints that are nearly multiples of equations written by what they have beside
// these, and as it is where that gives no proof: verdicts are those of what was written.
type shearer struct {
	solve.Solver // of the sheared field
	field        *mrf.Field
	sheared      *mrf.Field
	shears       []mrf.Shear
	settings     solve.Settings
	plain        func() solve.Solver
	y, mu        []float64 // WarmStart's
}

// shear makes a solver of a field by one of its sheared field, which mostly is the field itself.
func shear(field *mrf.Field, settings solve.Settings, make func(*mrf.Field) solve.Solver) solve.Solver {
	model, shears := field.Model.Sheared()
	if shears == nil {
		return make(field)
	}
	sheared := mrf.NewFieldOn(model, field.Threads)
	return &shearer{Solver: make(sheared), field: field, sheared: sheared, shears: shears,
		settings: settings.WithDefaults(0), plain: func() solve.Solver { return make(field) }}
}

// SetWeights implements solve.Solver.
func (s *shearer) SetWeights(theta []float64) { s.field.SetWeights(theta) }

// SetInputs implements solve.Solver.
func (s *shearer) SetInputs(x []float64) { s.field.SetInputs(x) }

// WarmStart implements solve.Solver.
func (s *shearer) WarmStart(y, multipliers []float64) {
	s.y, s.mu = y, multipliers
	if multipliers != nil {
		multipliers = s.turned(multipliers, 1)
	}
	s.Solver.WarmStart(y, multipliers)
}

// turned returns multipliers with those of equations more by so many times what constraints were sheared by.
func (s *shearer) turned(mu []float64, sign float64) []float64 {
	out := append([]float64(nil), mu...)
	for _, shear := range s.shears {
		out[shear.Equation] += sign * shear.Times * mu[shear.Row]
	}
	return out
}

// Solve implements solve.Solver.
func (s *shearer) Solve(ctx context.Context) (*solve.Result, error) {
	start := time.Now()
	s.sheared.SetWeights(s.field.Weights())
	s.sheared.SetInputs(s.field.Inputs())
	r, err := s.Solver.Solve(ctx)
	if err != nil {
		return nil, err
	}
	if r.Multipliers != nil && r.Status != solve.Infeasible && !stuck(r.Status) {
		result := *r
		result.Multipliers = s.turned(r.Multipliers, -1)
		result.Certificate = solve.Certify(s.field, result.Y, result.Multipliers)
		if result.Yields {
			result.Certificate = result.Certificate.YieldingBut(s.field, r.Excess)
		}
		if r.Status != solve.Optimal || math.Abs(result.Gap) <= s.settings.Gap &&
			result.MaxViolation <= s.settings.Feasibility {
			return &result, nil
		}
	}
	if left := s.settings.TimeLimit - time.Since(start); s.settings.TimeLimit > 0 {
		limited, cancel := context.WithTimeout(ctx, left)
		defer cancel()
		ctx = limited
	}
	plain := s.plain()
	if s.y != nil {
		plain.WarmStart(s.y, s.mu)
	}
	r, err = plain.Solve(ctx)
	if err == nil {
		r.Elapsed = time.Since(start)
	}
	return r, err
}
