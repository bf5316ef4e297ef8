// Package live lets a grounding change while it lives. A change of an atom is a difference: the ground rules that
// it has a part in are found by the rules' own machines, started from its row (ground.Tracer.Effect), before the
// change and after it; the first go, the second come. Potentials are a multiset, so that nothing about what they
// were made from needs to be kept. Where a rule counts the values of a predicate, all its ground rules go and
// come. What follows from a change is solved in its neighbourhood and proven as a whole by solve/local.
//
// Changes are made one after the other and count together: what is wrong with the ground rules is added up, and if
// in the end there is more of it, or if hard rules contradict each other that did not before, all is taken back.
// WhatIf does that always.
package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/bitset"
	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/local"
)

// Session is a grounding that changes. It is not safe for concurrent use, but answers of it may be read meanwhile.
type Session struct {
	grounding  *session.Grounding
	prog       *program.Program
	tracer     *ground.Tracer
	symbols    int // how many constants the tracer knows
	state      *local.State
	limits     solve.Settings
	off        []bool           // by rule
	ground     []int64          // ground rules, by rule
	absent     [3]bitset.Set    // variables and inputs that stand for no atom, by role
	graves     map[grave]handle // rows without atoms that had some
	log        []func()         // what takes the present changes back, last first
	infeasible bool             // there is no state
	last       settled          // the last solution of everything
	// room is how many bytes there are for ground rules that come, as of roomAt.
	room   int64
	roomAt time.Time
	// Journal gets all changes that are made; nil for none.
	Journal *Journal
}

// grave names an atom that is no more.
type grave struct {
	predicate int
	role      relation.Role
	tuple     string
}

// New lets a grounding change from its answer on. The grounding and its answers stay what they are.
func New(g *session.Grounding, answer *session.Answer) (*Session, error) {
	if g.Model.Paged() != nil {
		return nil, local.ErrPaged
	}
	living, variables, inputs := g.Living()
	y := make([]float64, living.Model.Variables)
	s := &Session{grounding: living, prog: &program.Program{Predicates: g.Program.Predicates,
		Rules: slices.Clone(g.Program.Rules)}, limits: g.Settings.Solve.WithDefaults(0), off: make([]bool, len(g.Theta)),
		graves: make(map[grave]handle)}
	s.absent[relation.Target] = slices.Repeat([]uint64{math.MaxUint64}, len(y)/64+1)
	s.absent[relation.Perceived] = slices.Repeat([]uint64{math.MaxUint64}, len(living.Inputs)/64+1)
	for i, number := range variables {
		y[number] = answer.Values[i]
		s.setAbsent(relation.Target, number, false)
	}
	for i, number := range inputs {
		living.Inputs[number] = answer.Perceived[i]
		s.setAbsent(relation.Perceived, number, false)
	}
	living.Field.SetWeights(g.Theta)
	living.Field.SetInputs(living.Inputs)
	for r, counts := range g.Counts() {
		s.ground, s.off[r] = append(s.ground, counts.Kept), g.Program.Rules[r].Inactive
	}
	s.infeasible = answer.Status == solve.Infeasible.String()
	s.last = settled{answer.Schedule, slices.Clone(g.Theta), 0, answer.Presolve.NearlyAll(g.Model)}
	mu := answer.Multipliers
	if s.infeasible {
		mu = nil // they go to infinity
	}
	var err error
	s.state, err = local.New(living.Field, y, mu, s.limits)
	living.Model, living.Field = nil, nil
	return s, err
}

// Grounding returns what the answers are about. It has no model: see Settled.
func (s *Session) Grounding() *session.Grounding { return s.grounding }

// Settled returns a grounding of what there is now as if it had been there from the start, to the last bit, for all
// that is not asked of a living one; the session must not be used any more.
func (s *Session) Settled(ctx context.Context) (*session.Grounding, error) {
	return s.grounding.Settled(ctx, s.written())
}

// refresh makes the tracer anew where constants have come.
func (s *Session) refresh() {
	if n := s.grounding.Tables.Store.Symbols.Len(); s.tracer == nil || n != s.symbols {
		s.tracer, s.symbols = ground.NewTracer(s.prog, s.grounding.Tables.Store), n
	}
}

func (s *Session) setAbsent(role relation.Role, number int32, absent bool) {
	if set, i := s.absent[role], int(number); set.Has(i) != absent {
		set.Flip(i)
	}
}

// mark says in an answer which variables and inputs stand for atoms.
func (s *Session) mark(a *session.Answer) {
	a.Absent, a.AbsentInputs = slices.Clone(s.absent[relation.Target]), slices.Clone(s.absent[relation.Perceived])
}

// Conflict is the error of changes that hard rules do not allow. It names some that cannot hold together then.
type Conflict struct{ GroundRules []string }

// Error names the conflict.
func (c *Conflict) Error() string {
	text := "the changes leave no state that hard rules allow; these cannot hold together:"
	for _, rule := range c.GroundRules {
		text += "\n  " + rule
	}
	return text
}

// Apply makes changes, all or, with an error, none.
func (s *Session) Apply(ctx context.Context, changes []change.Change) (*change.Applied, error) {
	s.begin()
	applied, err := s.make(ctx, changes)
	if errors.Is(err, errAnew) {
		s.rollback()
		return s.renew(ctx, changes)
	}
	if err == nil && applied.hard && !s.infeasible {
		err = s.admit(ctx)
	}
	if err == nil && s.Journal != nil {
		err = s.Journal.Append(Record{Changes: changes})
	}
	if err != nil {
		s.rollback()
		return nil, err
	}
	s.commit()
	return &applied.Applied, nil
}

// WhatIf returns what Infer would answer after changes, which it does not make, and the grounding that it is about.
func (s *Session) WhatIf(ctx context.Context, changes []change.Change) (*session.Answer, *session.Grounding, error) {
	s.begin()
	_, err := s.make(ctx, changes)
	if errors.Is(err, errAnew) {
		s.rollback()
		g, answer, err := s.renewed(ctx, changes)
		return answer, g, err
	}
	defer s.rollback()
	if err != nil {
		return nil, nil, err
	}
	answer, err := s.infer(ctx, true)
	return answer, s.grounding, err
}

// Infer returns the state of what there is now. Where little has changed since the last one, only its neighbourhood is
// solved; the proof is that of the whole. If the context ends, the answer is the best so far, with the gap proven so
// far.
func (s *Session) Infer(ctx context.Context) (*session.Answer, error) { return s.infer(ctx, false) }

// InferNear is Infer of what is near to what has changed since the last inference alone, in the time of the context:
// the answer has the gap proven so far.
func (s *Session) InferNear(ctx context.Context) (*session.Answer, error) {
	answer, _, err := s.inferNear(ctx, (*local.State).Near)
	return answer, err
}

// InferLocally is InferNear of all that has not been done, for as long as the context lasts. The answer is far from
// proven if that takes the whole: see Refine.
func (s *Session) InferLocally(ctx context.Context) (answer *session.Answer, far bool, err error) {
	return s.inferNear(ctx, (*local.State).Update)
}

func (s *Session) inferNear(ctx context.Context, by func(*local.State, context.Context) (local.Outcome, error)) (
	answer *session.Answer, far bool, err error) {
	if s.infeasible {
		answer, err = s.Infer(ctx)
		return answer, false, err
	}
	start := time.Now()
	out, err := by(s.state, ctx)
	if err != nil {
		return nil, false, err
	}
	if out.Status == solve.Infeasible { // which takes the whole to say
		answer, err = s.Infer(ctx)
		return answer, false, err
	}
	far = out.Status == solve.Stalled
	if out.Status != solve.Optimal {
		out.Status = solve.TimeLimit
	}
	return s.answer(start, out), far, nil
}

// begin starts changes that can be taken back.
func (s *Session) begin() {
	s.state.Begin()
	theta, ground, off, prog := slices.Clone(s.grounding.Theta), slices.Clone(s.ground), slices.Clone(s.off), *s.prog
	infeasible, room := s.infeasible, s.room
	s.log = append(s.log[:0], func() {
		s.grounding.Theta, s.ground, s.off, s.infeasible = theta, ground, off, infeasible
		s.room = room
		if len(prog.Rules) != len(s.prog.Rules) {
			*s.prog, s.tracer = prog, nil
		}
	})
}

func (s *Session) commit() { s.state.Commit(); s.log = nil }

// rollback takes back what has changed since begin.
func (s *Session) rollback() {
	s.grounding.Alter(func() {
		for _, undo := range slices.Backward(s.log) {
			undo()
		}
	})
	s.state.Rollback()
	s.log = nil
}

// admit finds out whether hard rules allow a state, unless the context ends before.
func (s *Session) admit(ctx context.Context) error {
	out, err := s.state.Solve(ctx)
	if err != nil || out.Status != solve.Infeasible {
		return err
	}
	answer, _, err := s.whole(ctx, time.Now())
	if err != nil || answer.Status != solve.Infeasible.String() {
		return err
	}
	return &Conflict{answer.Conflict}
}

// infer is Infer, which leaves no trace if it is passing.
func (s *Session) infer(ctx context.Context, passing bool) (*session.Answer, error) {
	start := time.Now()
	out := local.Outcome{Status: solve.Stalled}
	if !s.infeasible {
		var err error
		update := s.state.Update
		if passing {
			update = s.state.Solve
		}
		if out, err = update(ctx); err != nil {
			return nil, err
		}
	}
	if out.Status == solve.Stalled || out.Status == solve.Infeasible {
		answer, adopt, err := s.whole(ctx, start)
		if err != nil || passing {
			return answer, err
		}
		s.infeasible = answer.Status == solve.Infeasible.String()
		return answer, adopt()
	}
	return s.answer(start, out), nil
}

// answer is the state as it is.
func (s *Session) answer(start time.Time, out local.Outcome) *session.Answer {
	proof := s.state.Certificate()
	a := &session.Answer{
		Status: out.Status.String(), Explanation: out.Status.Sentence(), Method: "local", Reason: fmt.Sprintf(
			"%d of %d atoms, around what has changed, were solved; the proof is that of all.", out.Variables, s.atoms()),
		Objective: proof.Objective, DualBound: proof.DualBound, Gap: proof.Gap, MaxViolation: proof.MaxViolation,
		AtomError: math.Inf(1), Iterations: out.Rounds, Pages: s.state.Pages(),
		Perceived: slices.Clone(s.grounding.Inputs),
	}
	s.mark(a)
	a.Judge(s.grounding.Settings, out.Status)
	a.Elapsed = time.Since(start)
	return a
}

// atoms counts the variables that stand for atoms.
func (s *Session) atoms() (n int) {
	for _, r := range s.grounding.Tables.Store.Relations {
		if r.Free == relation.Target {
			n += r.FreeLen() - r.Room()
		}
	}
	return n
}
