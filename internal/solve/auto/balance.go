package auto

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// balancer solves a field whose hard constraints are multiplied by powers of two, so that the largest coefficients of
// all are of about the same size. What a rule is multiplied by means nothing, but methods that add what constraints
// push by would lose the digits of some of them.
type balancer struct {
	solve.Solver // of the balanced field
	field        *mrf.Field
	balanced     *mrf.Field
	powers       []float64 // by potential
}

// balance makes a solver of a field by one of its balanced field, which mostly is the field itself.
func balance(field *mrf.Field, make func(*mrf.Field) solve.Solver) solve.Solver {
	model, powers := field.Model.Balanced()
	if powers == nil {
		return make(field)
	}
	balanced := mrf.NewFieldOn(model, field.Threads)
	return &balancer{make(balanced), field, balanced, powers}
}

// SetWeights implements solve.Solver.
func (b *balancer) SetWeights(theta []float64) { b.field.SetWeights(theta) }

// SetInputs implements solve.Solver.
func (b *balancer) SetInputs(x []float64) { b.field.SetInputs(x) }

// WarmStart implements solve.Solver.
func (b *balancer) WarmStart(y, multipliers []float64) {
	if multipliers != nil {
		own := make([]float64, len(multipliers))
		for j, mu := range multipliers {
			own[j] = mu / b.powers[j]
		}
		multipliers = own
	}
	b.Solver.WarmStart(y, multipliers)
}

// Solve implements solve.Solver.
func (b *balancer) Solve(ctx context.Context) (*solve.Result, error) {
	b.balanced.SetWeights(b.field.Weights())
	b.balanced.SetInputs(b.field.Inputs())
	r, err := b.Solver.Solve(ctx)
	if err != nil {
		return nil, err
	}
	result := *r
	result.Multipliers = make([]float64, len(r.Multipliers))
	for j, mu := range r.Multipliers {
		result.Multipliers[j] = mu * b.powers[j]
	}
	if result.MaxViolation > 0 {
		result.MaxViolation = b.field.MaxViolation(result.Y)
	}
	return &result, nil
}
