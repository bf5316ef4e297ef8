package solve_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// A point near the feasible ones must be moved to one, and no other point at all where there is no time.
func TestRepair(t *testing.T) {
	never, at := func() bool { return false }, func() bool { return true }
	repaired := 0
	for seed := range uint64(40) {
		f := randomField(seed, shapes[4])
		y := run(t, ways[0].make(f, tight)).Y
		rng := rand.New(rand.NewPCG(seed, 1))
		for i := range y {
			y[i] = min(max(y[i]+0.01*rng.NormFloat64(), 0), 1)
		}
		before := slices.Clone(y)
		if solve.Repair(f, y, 1e-6, at) || !slices.Equal(y, before) {
			t.Fatal("a point changed without time")
		}
		switch solve.Repair(f, y, 1e-6, never) {
		case true:
			repaired++
			if v := f.MaxViolation(y); v > 1e-6 || slices.Min(y) < 0 || slices.Max(y) > 1 {
				t.Errorf("seed %d: violation %v at %v", seed, v, y)
			}
		case false:
			if !slices.Equal(y, before) {
				t.Errorf("seed %d: no feasible point, but another one", seed)
			}
		}
	}
	if repaired < 30 {
		t.Errorf("%d of 40 points were repaired", repaired)
	}
	f := mrftest.Field(mrftest.New(1, 0, 0).Model(), nil, nil)
	if !solve.Repair(f, []float64{0.5}, 1e-6, never) {
		t.Error("a problem without constraints")
	}
}

// Of several problems the worst status counts, and none is worse than having no answer at all.
func TestSeverity(t *testing.T) {
	order := []solve.Status{solve.Optimal, solve.Stalled, solve.IterationLimit, solve.TimeLimit, solve.Cancelled,
		solve.NumericalError, solve.Infeasible}
	if !slices.IsSorted(order) {
		t.Error("the statuses are not in the order of their severity")
	}
}
