package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/presolve"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
	"github.com/deeppsl/deeppsl/internal/solve/sgd"
)

// Answer is a MAP state with the proof of how good it is.
type Answer struct {
	// Status says how inference ended: "optimal" if the gap is proven. Explanation says it in a sentence.
	Status      string
	Explanation string
	// Method names the solver and Reason says why it was chosen.
	Method, Reason string
	// Objective is the weighted sum of the potentials, with the weights as given; no feasible state costs less than
	// DualBound. Gap is (Objective - DualBound) / max(unit, |Objective|), where the unit is the geometric mean of the
	// weights of soft ground rules: so it is the same for all weights times the same number.
	Objective, DualBound, Gap float64
	// MaxViolation is the largest violation of a hard rule. Violated tells whether that is more than what was to be
	// accepted: then there is no gap, which is +∞, and the values are those of a state that is not feasible. Where there
	// is no feasible state at all, the bound is +∞ too.
	MaxViolation float64
	Violated     bool
	// AtomError is what no atom's value can be further from its value at the optimum than; +∞ where that is not known.
	// It is known where each atom has a squared prior, so that the optimum is unique, and no hard rule is violated.
	AtomError  float64
	Iterations int
	Elapsed    time.Duration
	// Conflict prints hard ground rules that cannot hold together, if there is no feasible state; there may be others.
	Conflict []string
	// ConflictIn names the example that has the conflict, and its place; "" without examples.
	ConflictIn string
	// Presolve says how much smaller the problem was made before it was solved; nil if it was not. Everything else is
	// about the problem as it was ground.
	Presolve *presolve.Counts
	// Components are those of the problem after that; nil if they were not looked for, since all potentials are soft
	// squares, which are solved together.
	Components *solve.Components
	// Values holds the target atoms' values in [0,1], by variable number.
	Values []float64
	// Perceived holds the networks' outputs, and the given values, that the answer rests on, by input number.
	Perceived []float64
	// multipliers are those of the proof, one per ground rule; nil unless the grounding lives on.
	multipliers []float64
}

// Infer perceives with the current networks and finds the MAP state. An answer that is not proven optimal is no error:
// its Status says so. A context that is cancelled before is an error, but one that ends while a MAP state is looked for
// is not: the answer is then the best so far, with its proven gap, and the Status "cancelled". A deadline is a limit of
// time.
func (g *Grounding) Infer(ctx context.Context) (answer *Answer, err error) {
	return g.inferBy(ctx, &g.project.phases[Infer])
}

// inferBy is Infer with the options of another phase.
func (g *Grounding) inferBy(ctx context.Context, s *settings) (answer *Answer, err error) {
	err = g.guard(func() error {
		answer, err = g.infer(ctx, inference{settings: s})
		return err
	})
	return answer, err
}

// inference says how one is done.
type inference struct {
	settings *settings
	last     *Answer // to start from; nil for none
	lives    bool    // the answer keeps its multipliers, for the next one
}

// infer is Infer for ground rules that can be read.
func (g *Grounding) infer(ctx context.Context, how inference) (*Answer, error) {
	start := time.Now()
	if err := g.perceive(); err != nil {
		return nil, err
	}
	if how.settings.skip {
		return g.skipped(how.settings, start), nil
	}
	solver, err := how.settings.inference(g.field, g.options())
	if err != nil {
		return nil, err
	}
	solver.SetWeights(g.theta)
	solver.SetInputs(g.inputs)
	if how.last != nil {
		solver.WarmStart(slices.Clone(how.last.Values), slices.Clone(how.last.multipliers))
	}
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return nil, err
	}
	result, err := solver.Solve(ctx)
	if err != nil {
		return nil, err
	}
	answer := how.settings.answer(g.field, result, start)
	answer.Conflict = g.conflict(ctx, result.Conflict)
	if how.lives {
		answer.multipliers = result.Multipliers
	}
	return answer, nil
}

// answer is a solver's result as an answer, but for a conflict.
func (s *settings) answer(field *mrf.Field, result *solve.Result, start time.Time) *Answer {
	method, reason := s.methodFor(field.Model, result)
	answer := &Answer{
		Method: method, Reason: reason,
		Status: result.Status.String(), Explanation: result.Status.Sentence(),
		Objective: result.Objective, DualBound: result.DualBound, Gap: result.Gap, MaxViolation: result.MaxViolation,
		Iterations: result.Iterations, Elapsed: time.Since(start), Presolve: result.Presolve,
		Components: result.Components,
		Values:     append([]float64(nil), result.Y...),
		Perceived:  append([]float64(nil), field.Inputs()...),
	}
	answer.AtomError = math.Inf(1)
	if convexity := field.Convexity(); result.MaxViolation == 0 && result.Status != solve.Infeasible && convexity > 0 {
		gap := max(0, result.Gap) * max(field.Unit(), math.Abs(result.Objective))
		answer.AtomError = math.Sqrt(2 * gap / convexity)
	}
	answer.judge(s, result.Status)
	return answer
}

// judge sees to it that an answer claims no more than it has: one that violates hard rules has no gap, and where there
// is no feasible state there is no bound either.
func (a *Answer) judge(s *settings, status solve.Status) {
	switch {
	case status == solve.Infeasible:
		a.DualBound, a.Gap = math.Inf(1), math.Inf(1)
	case a.MaxViolation > s.solve.WithDefaults(0).Feasibility:
		a.Violated, a.Gap = true, math.Inf(1)
		a.Explanation = fmt.Sprintf("No feasible state was found before the end (%s): hard rules are violated by up to %.1e.",
			status, a.MaxViolation)
	}
}

// skipped answers with the values that the tables give the targets, without inference.
func (g *Grounding) skipped(s *settings, start time.Time) *Answer {
	y := make([]float64, g.model.Variables)
	for _, atoms := range g.tables.Store.Relations {
		for row := int32(atoms.Observed); atoms.Free == relation.Target && int(row) < atoms.Len(); row++ {
			y[atoms.Number(row)] = atoms.GivenValue(row)
		}
	}
	g.field.SetWeights(g.theta)
	g.field.SetInputs(g.inputs)
	proof := solve.NewCertifier(g.field).CertifyWith(y, func(*mrf.Span) []float64 { return nil },
		func(*mrf.Span, []float64) bool { return false })
	answer := &Answer{
		Status: "skipped", Explanation: "Inference was skipped; these are the values in the tables.",
		Method: "none", Reason: "It was asked for.", Objective: proof.Objective, DualBound: proof.DualBound,
		Gap: proof.Gap, MaxViolation: proof.MaxViolation, AtomError: math.Inf(1), Elapsed: time.Since(start),
		Values: y, Perceived: append([]float64(nil), g.inputs...),
	}
	if proof.MaxViolation > s.solve.WithDefaults(0).Feasibility {
		answer.Gap = math.Inf(1)
	}
	return answer
}

// perceive runs the networks, without dropout.
func (g *Grounding) perceive() error {
	if g.perception == nil {
		return nil
	}
	return g.perception.Forward(g.inputs, false, 0)
}

// learningGap is what is proven of each of the many inferences of learning, unless something else is asked for.
const learningGap = 1e-4

// whileLearning are the limits of inferences while learning.
func (s *settings) whileLearning() solve.Settings {
	limits := s.solve
	if limits.Gap == 0 {
		limits.Gap = learningGap
	}
	return limits
}

// solverOf makes the solver of a field that the project's options ask for, with the given limits.
func (g *Grounding) solverOf(field *mrf.Field, settings solve.Settings) (solve.Solver, error) {
	return g.settings.solver(field, settings, g.options())
}

// solver makes a solver of the chosen method, with the given limits.
func (s *settings) solver(field *mrf.Field, limits solve.Settings, o *Options) (solve.Solver, error) {
	limits.Threads = o.Threads
	if s.method == "sgd" {
		options := s.sgd
		options.Seed = o.Seed
		return sgd.New(field, limits, options), nil
	}
	return auto.New(s.method, field, limits)
}

// batchSolver is solver for examples side by side.
func (s *settings) batchSolver(field *mrf.Field, limits solve.Settings, o *Options) (solve.Solver, error) {
	if s.method == "sgd" {
		return s.solver(field, limits, o)
	}
	limits.Threads = o.Threads
	return auto.Examples(s.method, field, limits)
}

// inference makes a solver for one inference, which simplifies the problem first as the options allow.
func (s *settings) inference(field *mrf.Field, o *Options) (solve.Solver, error) {
	limits := s.solve
	limits.Threads, limits.Trace = o.Threads, o.OnIteration
	if s.method == "sgd" && field.Model.Paged() == nil {
		solver, err := s.solver(field, limits, o)
		return auto.Feasible(solver, field, limits), err
	}
	return auto.Inference(s.method, field, limits, s.simplify)
}

// methodFor names the solver of a result and says why it was chosen.
func (s *settings) methodFor(m *mrf.Model, result *solve.Result) (name, reason string) {
	if s.method != "auto" {
		return s.method, "It was asked for."
	}
	name, reason = auto.Choose(m)
	if result.Reason != "" {
		reason = result.Reason
	}
	if result.Method != "" {
		name = result.Method
	}
	return name, reason
}

// Atom is a ground atom with its value in an answer.
type Atom struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments"`
	Value     float64  `json:"value"`
}

// Each calls visit for every target atom, and every perceived one if perceived is set, in the order of the tables.
func (g *Grounding) Each(answer *Answer, perceived bool, visit func(Atom)) {
	for k, atoms := range g.tables.Store.Relations {
		if atoms.FreeLen() == 0 || atoms.Free == relation.Perceived && !perceived {
			continue
		}
		name := g.project.config.Predicates[k].Name
		for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
			arguments := make([]string, atoms.Arity)
			for i, column := range atoms.Columns {
				arguments[i] = g.tables.Store.Symbols.Name(column[row])
			}
			visit(Atom{Predicate: name, Arguments: arguments, Value: value(answer, atoms, row)})
		}
	}
}

// value returns the value of a free row's atom.
func value(answer *Answer, atoms *relation.Relation, row int32) float64 {
	if atoms.Free == relation.Perceived {
		return answer.Perceived[atoms.Number(row)]
	}
	return answer.Values[atoms.Number(row)]
}
