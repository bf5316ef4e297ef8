package learn

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/solve"
)

// solveFrom finds a MAP state. The start is set explicitly, not left to the solver's memory, so that a resumed run
// finds the same bits. A context that has ended is an error, and so are contradictory rules.
func solveFrom(ctx context.Context, solver solve.Solver, y, multipliers []float64) (*solve.Result, error) {
	solver.WarmStart(y, multipliers)
	result, err := solver.Solve(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if result.Status == solve.Infeasible {
		return nil, &InfeasibleError{Conflict: result.Conflict}
	}
	return result, nil
}

// SolveFrom returns the MAP state of a solver's field, found from a given one.
func SolveFrom(ctx context.Context, solver solve.Solver, y []float64) ([]float64, error) {
	result, err := solveFrom(ctx, solver, y, nil)
	if err != nil {
		return nil, err
	}
	return result.Y, nil
}

// Solution is a MAP state with its multipliers, where the search for another one may begin, and how many iterations it
// took; the zero one is nowhere.
type Solution struct {
	Y, Multipliers []float64
	Iterations     int
}

// SolveNear returns the MAP state of a solver's field, found from another one: of other weights and inputs, or of as
// many ground rules in the same order.
func SolveNear(ctx context.Context, solver solve.Solver, from Solution) (Solution, error) {
	result, err := solveFrom(ctx, solver, from.Y, from.Multipliers)
	if err != nil {
		return from, err
	}
	return Solution{result.Y, result.Multipliers, result.Iterations}.clone(), nil
}

// clone returns a copy that no solver writes over.
func (s Solution) clone() Solution {
	return Solution{slices.Clone(s.Y), slices.Clone(s.Multipliers), s.Iterations}
}

// InfeasibleError says that the hard rules contradict each other, so that there is no MAP state to learn from.
type InfeasibleError struct {
	Conflict []int // hard constraints that cannot hold together, by their place among all potentials
	// Labelled says that they can, but not with the labels at their true values.
	Labelled bool
}

// Error says what it means for learning.
func (e *InfeasibleError) Error() string {
	if e.Labelled {
		return "learning stopped: No assignment has the labels' values and satisfies all hard rules."
	}
	return "learning stopped: " + solve.Infeasible.Sentence()
}
