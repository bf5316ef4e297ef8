package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/bitset"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/presolve"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/local"
)

// Answer is a MAP state with the proof of how good it is.
type Answer struct {
	// Status says how inference ended: "optimal" if the gap is proven. Explanation says it in a sentence.
	Status      string
	Explanation string
	// Method names the solver and Reason says why it was chosen.
	Method, Reason string
	// Objective is the weighted sum of the potentials, with the weights as given; no feasible state costs less than
	// DualBound. Gap is (Objective - DualBound) / max(grain, |Objective|), where the grain is about the least of the
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
	// Pages are the Values of an answer of a grounding that lives, which then are nil.
	Pages local.Pages
	// Perceived holds the networks' outputs, and the given values, that the answer rests on, by input number.
	Perceived []float64
	// Multipliers are those of the proof, one per ground rule; nil if the solver has none, and perhaps if the answer is
	// Infer's and not InferAgain's.
	Multipliers []float64
	// Schedule is where the solver was at the end, for who goes on from here.
	Schedule solve.Schedule

	clash []HardRule // of the conflict
	// Absent and AbsentInputs have a bit for each variable and each input that stands for no atom; nil if all do.
	Absent, AbsentInputs bitset.Set
}

// Done tells whether nothing is left to be proven: the answer is optimal, or there is none.
func (a *Answer) Done() bool {
	return a.Status == solve.Optimal.String() || a.Status == solve.Infeasible.String()
}

// Infer perceives with the current networks and finds the MAP state. An answer that is not proven optimal is no error:
// its Status says so. A context that is cancelled before is an error, but one that ends while a MAP state is looked for
// is not: the answer is then the best so far, with its proven gap, and the Status "cancelled". A deadline is a limit of
// time.
func (g *Grounding) Infer(ctx context.Context) (answer *Answer, err error) {
	return g.InferBy(ctx, &g.Project.Phases[load.Infer])
}

// InferBy is Infer with the options of another phase.
func (g *Grounding) InferBy(ctx context.Context, s *project.Settings) (answer *Answer, err error) {
	err = g.Guard(func() error {
		answer, err = g.infer(ctx, inference{settings: s, bare: true})
		return err
	})
	return answer, err
}

// inference says how one is done.
type inference struct {
	settings *project.Settings
	last     *Answer // to start from; nil for none
	bare     bool    // nobody asks for multipliers
}

// Known are targets whose values inference knows, such as labels that were learned from: relations spread them.
// Objective and bound are those of the same ground rules.
type Known struct {
	Variables []int32
	Values    []float64 // of each variable
}

// EachKnown calls visit for what inference knows, in the order of the tables.
func (g *Grounding) EachKnown(visit func(Atom)) {
	chosen := make(map[int32]float64, len(g.Known.Variables))
	for k, i := range g.Known.Variables {
		chosen[i] = g.Known.Values[k]
	}
	for k, atoms := range g.Tables.Store.Relations {
		for row := int32(atoms.Observed); atoms.Free == relation.Target && int(row) < atoms.Len(); row++ {
			if value, ok := chosen[atoms.Number(row)]; ok {
				visit(Atom{g.Project.Config.Predicates[k].Name, g.arguments(atoms, row), value})
			}
		}
	}
}

// infer is Infer for ground rules that can be read. What is known and contradicts hard rules is forgotten.
func (g *Grounding) infer(ctx context.Context, how inference) (*Answer, error) {
	answer, err := g.inferOnce(ctx, how)
	if len(g.Known.Variables) == 0 || err != nil ||
		!answer.Violated && answer.Status != solve.Infeasible.String() {
		return answer, err
	}
	g.Known, how.last = Known{}, nil
	return g.inferOnce(ctx, how)
}

func (g *Grounding) inferOnce(ctx context.Context, how inference) (*Answer, error) {
	start := time.Now()
	if err := g.Perceive(); err != nil {
		return nil, err
	}
	if how.settings.Skip {
		return g.skipped(how.settings, start), nil
	}
	solver, err := g.solver(how)
	if err != nil {
		return nil, err
	}
	g.Field.SetWeights(g.Theta)
	g.Field.SetInputs(g.Inputs)
	solver.SetWeights(g.Theta)
	solver.SetInputs(g.Inputs)
	if how.last != nil {
		solver.WarmStart(slices.Clone(how.last.Values), slices.Clone(how.last.Multipliers))
	}
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return nil, err
	}
	result, err := solver.Solve(ctx)
	if err != nil {
		return nil, err
	}
	answer := NewAnswer(how.settings, g.Field, result, start)
	for k, i := range g.Known.Variables {
		answer.Values[i] = g.Known.Values[k]
	}
	if len(g.Known.Variables) > 0 { // hard rules about nothing else have not been looked at
		answer.MaxViolation = g.Field.MaxViolation(answer.Values)
		answer.Judge(how.settings, result.Status)
	}
	answer.clash = g.conflicting(ctx, result.Conflict)
	answer.Conflict = g.printed(answer.clash)
	if answer.Multipliers = result.Multipliers; solver == g.warm {
		answer.Multipliers = slices.Clone(result.Multipliers) // they are the solver's, which is kept
	}
	return answer, nil
}

// solver makes the solver of an inference. One that goes on from the last answer takes that of the one before, if that
// depends on nothing but the start that it is given.
func (g *Grounding) solver(how inference) (solver solve.Solver, err error) {
	options := g.Options()
	options.Bare = how.bare
	if len(g.Known.Variables) > 0 {
		return how.settings.Inference(g.Knowing(), options)
	}
	if how.last == nil || !how.settings.Restarts() {
		g.warm = nil
		return how.settings.Inference(g.Field, options)
	}
	if g.warm == nil || g.warmOf != g.Field {
		g.warmOf = g.Field
		g.warm, err = how.settings.Inference(g.Field, options)
	}
	return g.warm, err
}

// Knowing is the field of ground rules in which what is known is constant; the grounding's own if nothing is.
func (g *Grounding) Knowing() *mrf.Field {
	if len(g.Known.Variables) == 0 {
		return g.Field
	}
	return mrf.NewFieldOn(g.Model.Clamp(g.Known.Variables, g.Known.Values), g.Field.Threads)
}

// NewAnswer is a solver's result as an answer, but for a conflict.
func NewAnswer(s *project.Settings, field *mrf.Field, result *solve.Result, start time.Time) *Answer {
	method, reason := s.MethodFor(field.Model, result)
	answer := &Answer{
		Method: method, Reason: reason,
		Status: result.Status.String(), Explanation: result.Status.Sentence(),
		Objective: result.Objective, DualBound: result.DualBound, Gap: result.Gap, MaxViolation: result.MaxViolation,
		Iterations: result.Iterations, Elapsed: time.Since(start), Presolve: result.Presolve,
		Components: result.Components, Schedule: result.Schedule,
		Values:    append([]float64(nil), result.Y...),
		Perceived: append([]float64(nil), field.Inputs()...),
	}
	answer.AtomError = math.Inf(1)
	if convexity := field.Convexity(); result.MaxViolation == 0 && result.Status != solve.Infeasible && convexity > 0 {
		gap := max(0, result.Gap) * max(field.Grain(), math.Abs(result.Objective))
		answer.AtomError = math.Sqrt(2 * gap / convexity)
	}
	answer.Judge(s, result.Status)
	if result.Yields && result.Status == solve.Optimal {
		answer.Explanation += fmt.Sprintf(" Hard rules are violated by up to %.1e, which is accepted, and the proof is "+
			"against all states that violate none by more.", result.MaxViolation)
	}
	return answer
}

// Judge sees to it that an answer claims no more than it has: one that violates hard rules has no gap, and where there
// is no feasible state there is no bound either.
func (a *Answer) Judge(s *project.Settings, status solve.Status) {
	switch {
	case status == solve.Infeasible:
		a.DualBound, a.Gap = math.Inf(1), math.Inf(1)
	case a.MaxViolation > solve.Contradiction(s.Solve.WithDefaults(0).Feasibility):
		a.Violated, a.Gap = true, math.Inf(1)
		a.Explanation = fmt.Sprintf("No feasible state was found before the end (%s): hard rules are violated by up to %.1e.",
			status, a.MaxViolation)
	}
}

// skipped answers with the values that the tables give the targets, without inference.
func (g *Grounding) skipped(s *project.Settings, start time.Time) *Answer {
	y := make([]float64, g.Model.Variables)
	for _, atoms := range g.Tables.Store.Relations {
		for row := int32(atoms.Observed); atoms.Free == relation.Target && int(row) < atoms.Len(); row++ {
			y[atoms.Number(row)] = atoms.GivenValue(row)
		}
	}
	g.Field.SetWeights(g.Theta)
	g.Field.SetInputs(g.Inputs)
	proof := solve.NewCertifier(g.Field).CertifyWith(y, func(*mrf.Span) []float64 { return nil },
		func(*mrf.Span, []float64) bool { return false })
	answer := &Answer{
		Status: "skipped", Explanation: "Inference was skipped; these are the values in the tables.",
		Method: "none", Reason: "It was asked for.", Objective: proof.Objective, DualBound: proof.DualBound,
		Gap: proof.Gap, MaxViolation: proof.MaxViolation, AtomError: math.Inf(1), Elapsed: time.Since(start),
		Values: y, Perceived: append([]float64(nil), g.Inputs...),
	}
	if proof.MaxViolation > solve.Contradiction(s.Solve.WithDefaults(0).Feasibility) {
		answer.Gap = math.Inf(1)
	}
	return answer
}

// Perceive runs the networks, without dropout.
func (g *Grounding) Perceive() error {
	if g.Perception == nil {
		return nil
	}
	return g.Perception.Forward(g.Inputs, false, 0)
}

// SolverOf makes the solver of a field that the project's options ask for, with the given limits.
func (g *Grounding) SolverOf(field *mrf.Field, settings solve.Settings) (solve.Solver, error) {
	return g.Settings.Solver(field, settings, g.Options())
}

// Atom is a ground atom with its value in an answer.
type Atom struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments"`
	Value     float64  `json:"value"`
}

// Each calls visit for every target atom, and every perceived one if perceived is set, in the order of the tables.
func (g *Grounding) Each(answer *Answer, perceived bool, visit func(Atom)) {
	for k, atoms := range g.Tables.Store.Relations {
		if atoms.FreeLen() == 0 || atoms.Free == relation.Perceived && !perceived {
			continue
		}
		name := g.Project.Config.Predicates[k].Name
		for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
			arguments := make([]string, atoms.Arity)
			for i, column := range atoms.Columns {
				arguments[i] = g.Tables.Store.Symbols.Name(column[row])
			}
			visit(Atom{Predicate: name, Arguments: arguments, Value: FreeValue(answer, atoms, row)})
		}
	}
}

// value is that of a variable.
func (a *Answer) value(number int32) float64 {
	if a.Pages != nil {
		return a.Pages.At(number)
	}
	return a.Values[number]
}

// FreeValue returns the value of a free row's atom.
func FreeValue(answer *Answer, atoms *relation.Relation, row int32) float64 {
	if atoms.Free == relation.Perceived {
		return answer.Perceived[atoms.Number(row)]
	}
	return answer.value(atoms.Number(row))
}
