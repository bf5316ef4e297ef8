// Package solve states MAP inference in a hinge-loss Markov random field (the paper's eq. psl) and what an answer to it
// is: a point, what it costs, and a proof of how good that is. Each method has a folder of its own below this one.
package solve

import (
	"context"
	"errors"
	"time"

	"github.com/deeppsl/deeppsl/internal/presolve"
)

// Solver finds a MAP state of one model, again and again: learning sets new weights and inputs thousands of times on
// the same structure. Set-up is the constructor's; the other steps may be called in any order, and Solve uses what was
// set last. A Solver is not safe for concurrent use.
type Solver interface {
	// SetWeights replaces θ, one weight ≥ 0 per rule.
	SetWeights(theta []float64)
	// SetInputs replaces the perceived inputs x.
	SetInputs(x []float64)
	// WarmStart gives a point to start from, and multipliers if the caller has them (nil otherwise).
	WarmStart(y, multipliers []float64)
	// Solve runs until the settings' gap is proven, a limit is reached or the context ends. The error is for broken
	// input only (a weight that is not a number); not converging is a Status.
	Solve(ctx context.Context) (*Result, error)
}

// Settings are the knobs that every method understands. The zero value of a field means its default.
type Settings struct {
	// Gap is the relative duality gap to prove: (primal - dual) ≤ Gap · max(grain, |primal|), see mrf.Field.Grain.
	// Default 1e-6.
	Gap float64
	// Feasibility is the largest violation of a hard constraint to accept. Default 1e-6.
	Feasibility float64
	// MaxIterations bounds the method's outer iterations. Default: the method's own.
	MaxIterations int
	// TimeLimit bounds the wall time of one Solve. Default: none.
	TimeLimit time.Duration
	// Threads bounds the goroutines at work. Results have the same bits for any number. Default: GOMAXPROCS.
	Threads int
	// Trace, if set, is called once per outer iteration.
	Trace func(Iteration)
	// Bare says that nobody asks for the answer's multipliers: a method need not keep them, where they follow from the
	// point. They are as many numbers as there are ground rules.
	Bare bool
	// Further has a method go on from a proven answer by a step or so where that is cheap: values are nearer to those of
	// the optimum than the gap says.
	Further bool
	// Cursory has a method not ask why a problem could not be solved: whether hard rules contradict each other, or have to
	// be violated by a little, is then left open.
	Cursory bool
	// Alone has a method end where it would hand a problem over to another one that has no use for its start.
	Alone bool
	// Begin is where the last solution ended of a problem that differs in little, for a start with its multipliers.
	Begin Schedule
}

// Schedule is where a method of multipliers is: how steep the terms are that stand for what has kinks, and how strong
// the pull to the last point, both in units of the weights. 0 means nowhere.
type Schedule struct{ Steepness, Pull float64 }

// WithDefaults fills in the defaults; the method gives that of MaxIterations.
func (s Settings) WithDefaults(iterations int) Settings {
	if s.Gap == 0 {
		s.Gap = 1e-6
	}
	if s.Feasibility == 0 {
		s.Feasibility = 1e-6
	}
	if s.MaxIterations == 0 {
		s.MaxIterations = iterations
	}
	return s
}

// rounding is a violation of hard constraints that may be the arithmetic's.
const rounding = 1e-11

// Contradiction is the violation beyond which hard constraints contradict each other: what is accepted, and what may be
// rounding. Data that leave exactly what is accepted get one verdict whatever order they are added up in.
func Contradiction(feasibility float64) float64 { return feasibility + rounding }

// Iteration is a line of a solver's progress.
type Iteration struct {
	Number    int
	Objective float64
	DualBound float64
	// Gap is DualBound's of the interior point method, relative, which goes without constants and so without the two
	// others: these are NaN then.
	Gap       float64
	Violation float64
	Step      float64
}

// Status says how a Solve ended. The statuses are in the order of their severity: that of several problems together is
// the largest.
type Status uint8

const (
	// Optimal: the gap and the feasibility that were asked for are proven.
	Optimal Status = iota
	// Stalled: the method's own stopping rule was met (the paper's loss-change threshold) without a proof.
	Stalled
	// IterationLimit: the best point so far is returned, with its gap.
	IterationLimit
	// TimeLimit: as IterationLimit, for time, also if it is the context's deadline.
	TimeLimit
	// Cancelled: the context was cancelled.
	Cancelled
	// NumericalError: the arithmetic broke down.
	NumericalError
	// Infeasible: the hard constraints contradict each other.
	Infeasible
)

// LeftOff tells whether a method has ended by itself without a proof: another one may go on.
func (s Status) LeftOff() bool { return s == Stalled || s == IterationLimit }

var statusNames = [...]string{
	"optimal", "stalled", "iteration limit", "time limit", "cancelled", "numerical error", "infeasible",
}

// Ended is the status of a Solve whose context has ended.
func Ended(ctx context.Context) Status {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return TimeLimit
	}
	return Cancelled
}

// String returns the status in lower case, as reports print it.
func (s Status) String() string { return statusNames[s] }

// Sentence explains the status to a user.
func (s Status) Sentence() string {
	return [...]string{
		"The answer is optimal to the gap that was asked for, and proven so.",
		"The method's own stopping rule was met; the gap says how far the answer can be from the optimum.",
		"The iteration limit came first; the gap says how far this answer can be from the optimum.",
		"The time limit came first; the gap says how far this answer can be from the optimum.",
		"Inference was cancelled; this is the best answer so far.",
		"The arithmetic broke down; check the weights and data for extreme values.",
		"No assignment satisfies all hard rules.",
	}[s]
}

// Result is an answer with its proof.
type Result struct {
	Status Status
	// Y is the answer, in [0,1]ⁿ. The Solver owns it until its next Solve.
	Y []float64
	// Multipliers holds one dual multiplier per potential, in the order of the model's blocks; nil for a paged model, for
	// which they would take too much memory, and perhaps where the settings say Bare.
	Multipliers []float64
	Certificate
	// Conflict lists, if the status is Infeasible, hard constraints that contradict each other, by their place among all
	// potentials in the order of the model's blocks.
	Conflict []int
	// Yields tells that the certificate is for all points that violate no constraint by more than this one does (see
	// Certificate.Yielding): there may be none that violates none.
	Yields bool
	// Presolve says how much smaller the problem was made first; nil if it was not.
	Presolve *presolve.Counts
	// Components are those of the problem after that; nil if they were not looked for.
	Components *Components
	// Method names the method that the answer is from, and Reason says why the problem was solved this way; "" if there
	// was no choice.
	Method string
	Reason string
	// Schedule is where the method was that found the answer, for who solves nearly the same problem next.
	Schedule   Schedule
	Iterations int
	Elapsed    time.Duration
}

// Components says how a problem falls into parts that have no variable in common.
type Components struct {
	Count int `json:"count"`
	// Largest is the number of ground rules of the largest one.
	Largest int `json:"largest_ground_rules"`
	// Apart tells whether they were solved apart.
	Apart bool `json:"solved_apart"`
}

// Certificate is a proof of how good a point is. Its numbers follow from the point and the multipliers alone.
type Certificate struct {
	// Objective is the plain weighted sum of the potentials at the point.
	Objective float64
	// DualBound is a lower bound on every feasible point's objective.
	DualBound float64
	// Gap is (Objective - DualBound) / max(grain, |Objective|), for the field's grain.
	Gap float64
	// MaxViolation is the largest violation of a hard constraint at the point.
	MaxViolation float64
	// Excess bounds by how much less than every feasible point this one may cost as it violates constraints: Σ_j |μ_j|
	// times what j is violated by.
	Excess float64
}
