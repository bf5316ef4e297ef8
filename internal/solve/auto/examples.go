package auto

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/partition"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
	"github.com/deeppsl/deeppsl/internal/solve/split"
)

// Examples makes a solver for a field of examples side by side, for the method "auto" by a direct factorisation of each
// if that is fast.
func Examples(method string, field *mrf.Field, settings solve.Settings, own Own) (solve.Solver, error) {
	if method != "" && method != automatic {
		return With(method, field, settings, own)
	}
	if direct, _ := factored(field, settings); direct != nil {
		direct.Persist()
		return &examples{direct, field, settings}, nil
	}
	return newHybrid(field, settings), nil
}

// ChooseExamples names the method for examples side by side, and why in a sentence.
func ChooseExamples(method string, field *mrf.Field) (name, why string) {
	if method != "" && method != automatic {
		return method, "It was asked for."
	}
	if direct, why := factored(field, solve.Settings{Threads: field.Threads}); direct != nil {
		return "interior", why
	}
	return Choose(field.Model)
}

// factored makes a solver by direct factorisation, and says why, or nil if it is not plain that this is fast: examples
// are small, or they are demanding and their factors fill but little.
func factored(field *mrf.Field, settings solve.Settings) (direct *interior.Solver, why string) {
	direct = interior.New(field, settings)
	switch {
	case direct.Fits():
		return direct, "The examples are small: each is solved by direct factorisation."
	case demanding(field.Model) && direct.Cheap():
		return direct, "A direct factorisation of each example takes little time for its size."
	}
	return nil, ""
}

// examples falls back to Newton's method for those examples where a factorisation breaks down or hard rules contradict
// each other, which that can say more about.
type examples struct {
	*interior.Solver
	field    *mrf.Field
	settings solve.Settings
}

// Solve implements solve.Solver.
func (e *examples) Solve(ctx context.Context) (*solve.Result, error) {
	result, err := e.Solver.Solve(ctx)
	if err != nil || result.Status != solve.IterationLimit {
		return result, err
	}
	settings := e.settings
	if settings.TimeLimit > 0 {
		settings.TimeLimit = max(1, settings.TimeLimit-result.Elapsed)
	}
	again, err := split.Improve(ctx, e.field, partition.Find(e.field.Model), byNewton, settings, result)
	if err != nil {
		return nil, err
	}
	again.Iterations = max(again.Iterations, result.Iterations)
	again.Elapsed += result.Elapsed
	return again, nil
}

// byNewton makes a solver for a part of a model.
func byNewton(f *mrf.Field, s solve.Settings) solve.Solver { return newton.New(f, s) }
