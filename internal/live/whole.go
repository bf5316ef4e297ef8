package live

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/local"
)

// Whole is all of a session's problem as it was at a time, to be solved from the state that it had.
type Whole struct {
	state  *local.State // of the session then
	all    *local.Whole
	ground session.Grounding
	solver solve.Solver
	result *solve.Result
}

// Refine returns the whole problem as it is, which may be solved beside changes and inferences. Adopt then makes the
// session's state what has come of it; until then, inferences leave to it what is not new.
func (s *Session) Refine() (*Whole, error) { return s.gather(s.state.Lend()) }

// Solve solves it, as far as the context lasts.
func (w *Whole) Solve(ctx context.Context) (err error) {
	if w.result, err = w.solver.Solve(ctx); err != nil {
		return err
	}
	if w.solved() {
		w.all.Solved(w.ground.Field, w.result)
	}
	return nil
}

// solved tells whether there is a state with a proof.
func (w *Whole) solved() bool {
	return w.result != nil && w.result.Status != solve.Infeasible && w.result.Multipliers != nil
}

// Adopt makes what has been solved the session's state, but for what has changed since, which the next inference
// solves. Where all was solved or ground anew meanwhile, it does nothing.
func (s *Session) Adopt(w *Whole) error {
	switch {
	case s.state != w.state || !s.state.Lent(w.all):
		return nil
	case !w.solved():
		s.state.Return(w.all)
		return nil
	}
	return s.adopt(w)
}

func (s *Session) adopt(w *Whole) (err error) {
	if !w.solved() {
		return nil
	}
	s.last = settled{w.result.Schedule, w.ground.Theta, w.all.Changed, w.result.Presolve.NearlyAll(w.all.Model)}
	if s.state, err = s.state.Adopt(w.all); s.state != w.state {
		s.last.changed = 0 // a new one counts anew
	}
	return err
}

// settled is where a solution of everything ended, with what weights, how many ground rules had changed then, and
// whether next to nothing of it was left by presolving: as it is, it would take longer, even from its multipliers on,
// which a smaller problem has no use for.
type settled struct {
	schedule solve.Schedule
	theta    []float64
	changed  int
	simple   bool
}

// little is the part of the ground rules up to which so few have come or gone since everything was solved that its next
// solution begins near where that ended. With more, or other weights, it takes fewer steps from multipliers alone.
const little = 0.002

// schedule is where a solution of everything begins.
func (s *Session) schedule(all *local.Whole) solve.Schedule {
	changed := float64(all.Changed - s.last.changed)
	if changed > little*float64(all.Model.Potentials()) || !slices.Equal(s.last.theta, s.grounding.Theta) {
		return solve.Schedule{}
	}
	return s.last.schedule
}

// gather makes the solver of a problem.
func (s *Session) gather(all *local.Whole) (*Whole, error) {
	w := &Whole{state: s.state, all: all, ground: *s.grounding}
	g := &w.ground
	g.Model, g.Program, g.Field = all.Model, s.prog, mrf.NewFieldOn(all.Model, g.Project.Threads)
	g.Theta, g.Inputs = slices.Clone(g.Theta), slices.Clone(g.Inputs)
	g.Field.SetWeights(g.Theta)
	g.Field.SetInputs(g.Inputs)
	settings := *g.Settings
	settings.Solve = s.limits
	settings.Solve.Gap, settings.Solve.Begin = local.Spare(s.limits.Gap), s.schedule(all)
	var err error
	if w.solver, err = settings.Inference(g.Field, g.Options()); err != nil {
		return nil, err
	}
	w.solver.SetWeights(g.Theta)
	w.solver.SetInputs(g.Inputs)
	switch {
	case s.infeasible:
	case s.last.simple:
		w.solver.WarmStart(slices.Clone(s.state.Values()), nil)
	default:
		w.solver.WarmStart(slices.Clone(s.state.Values()), all.Multipliers)
	}
	return w, nil
}

// whole solves everything, from where it is, and returns what makes the session's state the one that was found.
func (s *Session) whole(ctx context.Context, start time.Time) (answer *session.Answer, adopt func() error, err error) {
	w, err := s.gather(s.state.Gather())
	if err != nil {
		return nil, nil, err
	}
	if err := w.Solve(ctx); err != nil {
		return nil, nil, err
	}
	if s.enough(w.result) {
		w.result.Status = solve.Optimal
	}
	answer = session.NewAnswer(w.ground.Settings, w.ground.Field, w.result, start)
	answer.Conflict = w.ground.Conflict(ctx, w.result.Conflict)
	s.mark(answer)
	return answer, func() error { return s.adopt(w) }, nil
}

// enough tells whether a result is what was asked for: whole problems are solved to more, so that there is room for
// changes.
func (s *Session) enough(r *solve.Result) bool {
	return r.Status != solve.Infeasible && math.Abs(r.Gap) <= s.limits.Gap && r.MaxViolation <= s.limits.Feasibility
}
