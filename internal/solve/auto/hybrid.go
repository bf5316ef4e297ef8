package auto

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/face"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
	"github.com/deeppsl/deeppsl/internal/solve/twofold"
)

// hybrid is Newton's method, which hands a problem over to the interior point method once it has worked on it for about
// as long as that would take: so neither problems that the one crawls along nor those that the other fills memory for
// take much longer than by the better one. What both have done is counted, and not timed, so that the answer is the
// same whatever the machine.
type hybrid struct {
	*newton.Solver
	field    *mrf.Field
	settings solve.Settings
	analysis float64
	hope     float64
	patient  float64          // how much of the other method's work is done first
	warm     float64          // how many times as long the other method waits
	interior *interior.Solver // nil until its cost was of interest
	cost     interior.Cost
	foreseen *interior.Cost // about the least that it is; nil until that was of interest
	// hard says that there are hard rules, and equations that some of them are; turn is the work of Newton's method before
	// the other is tried once more, without factors, for the budget, which is 0 before its cost is known.
	hard      bool
	equations bool
	turn      float64
	tries
	former *solve.Result // Newton's, which may go on from there, or nil
	passed float64       // the work of all tries, if they are not solved anew
	ahead  float64       // the part of a solution that is ahead after them
	beside *beside       // what works at the same time, or nil
	twin   *mrf.Field    // the interior point method's own field if it began beside, or nil
}

// tries are what the interior point method has come to without factorisations.
type tries struct {
	budget    float64       // of the next
	remaining float64       // what was left of the last one, by its own count
	tried     *solve.Result // what that has found, or nil
	tired     bool          // no more of it
}

const (
	// patience is how much of the interior point method's work Newton's does first, by its own count, which is about half
	// of what it takes, and hope how much of what it takes to find out what that is: a soft model of squares is nearly
	// always solved in some tens of steps. Linear potentials have less of it, unless some is gained.
	patience, squaresPatience = 0.1, 0.25
	patienceNearer            = 0.2
	hope                      = 0.25
	smoothHope                = 1
	// impatience is that for as long as next to nothing is gained where equations tie variables: Newton's method has to
	// move all their multipliers. Eager is the part of a first try of the other without factors that it works before,
	// eagerNearer if it has gained something, eagerLimits where limits alone are hard, and eagerFree where these have
	// gained something, or nothing is hard. A try takes up to generous times what is expected, and sparing times that
	// with limits alone: if it is not to be, less is lost.
	impatience, eager, generous                  = 0.05, 0.1, 2
	eagerNearer, eagerLimits, eagerFree, sparing = 0.2, 0.15, 0.5, 0.5
	// closing is how many times as long the other's turn waits where Newton's method is near its end, or gains something
	// where nothing is hard.
	closing = 2
	// again is the part of what tries have done, and of what is left of the last one, that Newton's method works before
	// another one where no equations are hard.
	again = 0.5
	// promising is how many times what Newton's method has done what is left of a try may be for it to go on, and invested
	// how many times what the try was given.
	promising, invested = 12, 2
	// warm is how many times as long the other method waits where a problem is solved again and again, as learning does:
	// Newton's begins with the last answer, which is mostly near the next one. Where equations are hard, warmEquations:
	// then it works for up to about as long as the other takes, so that no more than twice that is spent.
	warm, warmEquations = 16, 4
	// atLast is the work that Newton's method may do at least where nothing else has a proof, about half a second, unless
	// the problem is one of many, as in learning.
	atLast = 5e8
	// roomy is the memory that a factorisation may take, in bytes.
	roomy = 4 << 30
)

func newHybrid(field *mrf.Field, settings solve.Settings) *hybrid {
	settings.Bare = settings.Bare && !within(field.Model, twofold.Most)
	h := &hybrid{Solver: newton.New(field, settings), field: field, settings: settings, hope: hope,
		patient: squaresPatience, warm: 1, hard: field.Model.Hard()}
	if !demanding(field.Model) {
		h.hope = smoothHope
	}
	entries := field.Model.Potentials()
	for _, b := range field.Model.Blocks {
		entries += len(b.Vars)
		h.equations = h.equations || b.Len > 0 && b.Kind == mrf.Equal
		if b.Len > 0 && !b.Kind.Hard() && (b.Kind == mrf.Linear || b.Exponent == 1) {
			h.patient = patience
		}
	}
	h.analysis = interior.Analysis(entries)
	return h
}

// Solve implements solve.Solver. Small problems that rounding keeps from a proof are finished on a face, or in numbers
// of twice the length, unless there are thousands of them to solve.
func (h *hybrid) Solve(ctx context.Context) (*solve.Result, error) {
	began := time.Now()
	r, err := h.solve(ctx)
	if err != nil || !h.finishes() || !stuck(r.Status) || r.Multipliers == nil {
		return r, err
	}
	stop := func() bool {
		return ctx.Err() != nil || h.settings.TimeLimit > 0 && time.Since(began) > h.settings.TimeLimit
	}
	s := h.settings.WithDefaults(0)
	if h.improve(r, r, s, stop) {
		return r, nil
	}
	finer, ok := twofold.Solve(h.field, s, stop)
	switch {
	case ok || finer.Y != nil && h.onGrid(&finer):
		finer.Iterations, finer.Elapsed, finer.Method = r.Iterations, time.Since(began), r.Method
		return &finer, nil
	case finer.Y != nil && h.improve(r, &finer, s, stop) || h.former == nil:
		return r, nil
	}
	if r, err = h.goOn(ctx, began, h.former, r); err == nil && stuck(r.Status) && !h.improve(r, r, s, stop) {
		r.Reason += h.digits(r)
	}
	return r, err
}

// finishes tells whether the problem is one that is finished on a face, or in numbers of twice the length.
func (h *hybrid) finishes() bool {
	return h.warm <= 1 && !h.settings.Alone && within(h.field.Model, twofold.Most)
}

// improve makes a result one that is proven on a face near another one's point, if it can.
func (h *hybrid) improve(r, near *solve.Result, s solve.Settings, stop func() bool) bool {
	if !within(h.field.Model, face.Most) {
		return false
	}
	c, y, mu, ok := face.Improve(h.field, near.Y, near.Multipliers, s, stop)
	if ok {
		r.Status, r.Certificate, r.Y, r.Multipliers, r.Yields = solve.Optimal, c, y, mu, false
	}
	return ok
}

// within tells whether a problem has no more potentials, and no more variables, than most.
func within(m *mrf.Model, most int) bool { return m.Potentials() <= most && m.Variables <= most }

// solve solves the problem by the two methods.
func (h *hybrid) solve(ctx context.Context) (*solve.Result, error) {
	began := time.Now()
	handed := false
	h.turn, h.passed, h.ahead, h.tries, h.former = 0, 0, 1, tries{}, nil
	if h.interior != nil {
		h.interior.Forget()
	}
	if h.twin != nil {
		h.twin.Follow(h.field)
	}
	defer h.endBeside()
	p, idle := newPace(demanding(h.field.Model)), h.mayWorkBeside()
	h.Limit(func(work float64) bool {
		off := p.see(work, h.Off())
		if idle && work > sooner*h.hope*h.analysis && work > sooner*h.soonest(&p, off) {
			idle = false
			h.workBeside(ctx, began)
		}
		handed = handed || work > h.hope*h.analysis && work > h.soonest(&p, off) &&
			(h.try(ctx, began, &p, work, off) || h.affordable() && h.due(&p, work, off))
		return !handed
	})
	result, err := h.Solver.Solve(ctx)
	if err != nil || h.settings.Alone || !handed && !(stuck(result.Status) && h.affordable()) || ctx.Err() != nil {
		if err == nil && ended(result.Status) && h.interior != nil {
			result.Reason = h.whyNot()
		}
		return result, err
	}
	second, err := h.takeOver(ctx, began, result)
	if err == nil && h.warm > 1 && second.Status == solve.Optimal && second.Multipliers != nil {
		h.WarmStart(second.Y, second.Multipliers)
	}
	return second, err
}

// soonest is about the least work after which the other method can have a turn: before that, nobody need know what it
// takes.
func (h *hybrid) soonest(p *pace, off float64) float64 {
	if h.foreseen == nil {
		h.foreseen = &interior.Cost{}
		if demanding(h.field.Model) {
			*h.foreseen = interior.Foreseen(h.field.Model)
		}
	}
	return min(h.patience(p, off)*h.foreseen.Work, h.haste(p, off)*h.foreseen.Early)
}

// haste is the part of what steps without factorisations take that Newton's method works before they have a turn. From
// an answer to nearly the same problem it moves the multipliers of equations that changed alone, and works longer. What
// is far off after so little is solved sooner by the other, whether hard rules are equations or limits; near its end,
// or at a steady pace, Newton's method is nearly always the first where equations tie variables. Elsewhere it can be
// either, and half of what the other takes is no great loss.
func (h *hybrid) haste(p *pace, off float64) float64 {
	switch {
	case h.equations && off > far:
		return min(1, h.warm*eager)
	case h.equations && off > nearly && !p.steady(off):
		return min(1, h.warm*eagerNearer)
	case h.hard && off > far:
		return min(1, h.warm*eagerLimits)
	case h.equations:
		return 1
	}
	return min(1, h.warm*eagerFree)
}

// try has the interior point method work without factorisations when it is its turn, for twice as long each time, and
// longer if it seems to end soon, and tells whether that has solved the problem. Where equations are hard, its turn
// comes soon if Newton's method has next to nothing, and late if it is near its end: what is but hundreds of times off
// is often solved before the other has taken its first steps. With limits alone Newton's method often does well, and
// the other has a second turn only if next to nothing is gained, or Newton's has worked half of what was left of the
// first, and it works for about as long as that. Where nothing is hard it waits twice as long, unless next to nothing
// is gained.
func (h *hybrid) try(ctx context.Context, began time.Time, p *pace, work, off float64) (solved bool) {
	h.analyse()
	turn := max(h.turn, h.haste(p, off)*h.cost.Early)
	if off <= nearly {
		turn *= closing
	}
	if !h.hard {
		turn *= h.warm
		if off <= far {
			turn *= closing
		}
	}
	if work < turn || h.cost.EarlyBytes > roomy ||
		!h.equations && (off <= nearly || off <= far && work < again*h.remaining) {
		return false
	}
	if h.settings.Alone {
		return true // by another, from what this one leaves
	}
	if h.budget == 0 {
		h.budget = h.first(h.cost)
	}
	h.persist(work, func(budget float64) (*solve.Result, float64) { return h.attempt(ctx, began, budget) })
	if h.turn, h.budget = h.budget, 2*h.budget; h.tired {
		h.turn = math.Inf(1)
	} else {
		h.endBeside()
	}
	if !h.equations {
		h.turn = max(again*h.turn, 2*work)
	}
	return h.tried != nil
}

// first is the budget of the first try.
func (h *hybrid) first(c interior.Cost) float64 {
	switch {
	case h.equations:
		return generous * c.Early
	case h.hard:
		return sparing * c.Early
	}
	return c.Early
}

// persist tries for as long as the end seems near, and says whether more is no use. What seems to be done twice and
// has no proof will have none: its solutions are not good enough for one.
func (t *tries) persist(work float64, try func(budget float64) (*solve.Result, float64)) {
	for done := false; ; {
		var left float64
		t.tried, left = try(t.budget)
		if done && left == 0 && t.tried == nil {
			left = math.Inf(1)
		}
		if done = left == 0; t.tried != nil || !(left <= max(promising*work, invested*t.budget)) {
			t.tired, t.remaining = math.IsInf(left, 1), left
			return
		}
		t.budget += max(left, t.budget/4)
	}
}

// due tells whether it is the turn of factorisations. Where tries have ended for good these go on from there, and wait
// for what the rest takes; where Newton's method has next to nothing, what tries have done counts, too.
func (h *hybrid) due(p *pace, work, off float64) bool {
	done := work
	if h.tired && off > far {
		done += h.passed
	}
	rest := h.cost.Work
	if h.tired {
		rest *= h.ahead
	}
	return done > h.patience(p, off)*rest && !(p.left(work, off) < rest)
}

// patience is how much of the work with factorisations Newton's method does first. What was done without them is done.
// Where equations tie variables it is far off for long: how fast it comes nearer tells more than where it is.
func (h *hybrid) patience(p *pace, off float64) float64 {
	if h.equations && (h.tired || off > far && !p.steady(off)) {
		return h.warm * impatience
	}
	if off <= nearer {
		return h.warm * max(h.patient, patienceNearer)
	}
	return h.warm * h.patient
}

// whyNot says, of a problem that Newton's method did not solve in time, what the other method would have taken.
func (h *hybrid) whyNot() string {
	const both = "Newton's method was not in time, and an interior point method did not take over: "
	if math.IsInf(h.cost.Flops, 1) {
		return both + fmt.Sprintf("a step would cost more than %.2g flops.", interior.Hopeless)
	}
	return both + fmt.Sprintf("that would take about %.0f s on a core, as a step costs %.2g flops.",
		math.Ceil(h.cost.Work/1e9), h.cost.Flops)
}

// left is the time that is left of the limit; 0 means no limit.
func (h *hybrid) left(began time.Time) time.Duration {
	if h.settings.TimeLimit == 0 {
		return 0
	}
	return max(1, h.settings.TimeLimit-time.Since(began))
}

// off measures an answer by what was asked for: 1 is enough. Where hard rules have to give way by nearly as much as is
// accepted, that is a proof against all points that violate them as little.
func (h *hybrid) off(r *solve.Result) float64 {
	s := h.settings.WithDefaults(0)
	gap := math.Abs(r.Gap)
	if r.MaxViolation <= s.Feasibility {
		gap = min(gap, math.Abs(r.Certificate.Yielding(h.field).Gap))
	}
	return max(gap/s.Gap, r.MaxViolation/s.Feasibility)
}

// analyse finds out what the interior point method takes.
func (h *hybrid) analyse() {
	b := h.beside
	switch {
	case h.interior != nil:
	case b != nil:
		b.await(b.analysed)
		h.interior, h.cost, h.twin = b.interior, b.cost, b.field
	default:
		h.interior = interior.New(h.field, h.settings)
		h.cost = h.interior.Cost()
	}
}

// affordable tells whether the interior point method has the memory that factorisations take.
func (h *hybrid) affordable() bool {
	h.analyse()
	return h.cost.Bytes <= roomy
}

// ended tells whether a method was ended before it could prove anything.
func ended(s solve.Status) bool { return s != solve.Optimal && s != solve.Infeasible && !stuck(s) }

// stuck tells whether a method has ended without what was asked for, though there was time.
func stuck(s solve.Status) bool {
	return s.LeftOff() || s == solve.NumericalError
}
