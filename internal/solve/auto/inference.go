package auto

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/partition"
	"github.com/deeppsl/deeppsl/internal/presolve"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/split"
)

// Options say what Inference may do with a problem before it is solved. Whether it does is decided by what pays.
type Options struct {
	// Presolve makes the problem smaller, Split solves its connected components apart.
	Presolve, Split bool
	// Polish has small problems solved on, and others by a step where that is cheap.
	Polish bool
	// Own are the method's own.
	Own Own

	parts *partition.Components // of the model, if they are known
}

// Inference makes a solver as New does, which first simplifies each problem as the options allow, unless the method is
// the paper's own. Its results are those of the original problem.
func Inference(method string, field *mrf.Field, settings solve.Settings, options Options) (solve.Solver, error) {
	row, err := named(method, field.Model)
	switch {
	case err != nil:
		return nil, err
	case !row.Paged && field.Model.Paged() != nil:
		return nil, fmt.Errorf("the inference method %s keeps all ground rules in memory; newton need not", row.Name)
	case row.Plain:
		return Feasible(row.New(field, settings, options.Own), field, settings), nil
	}
	options.Split = options.Split && !row.Whole
	settings.Feasibility = solve.Contradiction(settings.WithDefaults(0).Feasibility)
	settings.Further = settings.Further || options.Polish && settings.WithDefaults(0).Gap <= fine
	settings.Bare = settings.Bare && !demanding(field.Model) // what is presolved or taken apart needs multipliers
	one := func(f *mrf.Field, s solve.Settings) solve.Solver { return row.New(f, s, options.Own) }
	chosen, paged := row.Name != method, field.Model.Paged() != nil
	small := chosen && paged && field.Model.Potentials() <= resident
	if chosen && !paged {
		one = func(f *mrf.Field, s solve.Settings) solve.Solver {
			h := newHybrid(f, s)
			h.Straighten() // learning begins from nothing but once
			return h
		}
	}
	// The solver is made at each Solve, and not here: its own vectors are as large as the problem.
	simplified := func(f *mrf.Field) solve.Solver {
		return Feasible(&inference{
			field: f, settings: settings, options: options, method: one, resident: small, parts: options.parts,
		}, f, settings)
	}
	return shear(field, settings, func(f *mrf.Field) solve.Solver { return balance(f, simplified) }), nil
}

// Apart makes a solver as With does, which solves connected components apart if that pays: for problems that are solved
// again and again, of so many ground rules that all others would wait long for the slowest component.
func Apart(method string, field *mrf.Field, settings solve.Settings, own Own) (solve.Solver, error) {
	row, err := named(method, field.Model)
	m := field.Model
	if err != nil || row.Plain || row.Whole || m.Paged() != nil || m.Potentials() > math.MaxInt32 || !demanding(m) {
		return With(method, field, settings, own)
	}
	parts := partition.Find(m)
	if !split.Pays(m, parts) {
		return With(method, field, settings, own)
	}
	return Inference(method, field, settings, Options{Split: true, Own: own, parts: parts})
}

// Part makes a solver for a part of a problem that rounds of agreeing change a little each time: with hard rules
// balanced, and nothing simplified. Methods are chosen as for inference.
func Part(field *mrf.Field, settings solve.Settings) solve.Solver {
	return balance(field, func(f *mrf.Field) solve.Solver { return newHybrid(f, settings) })
}

// inference is a solver that simplifies each problem. Weights and inputs decide what can go, so that every Solve starts
// anew: this is for inference, and not for learning.
type inference struct {
	field    *mrf.Field
	settings solve.Settings
	options  Options
	method   split.Method
	start    []float64 // WarmStart's, or nil
	duals    []float64
	began    time.Time // the present Solve
	// kept is the solver of the field as it is, once a Solve has begun with multipliers: then others will.
	kept  solve.Solver
	parts *partition.Components // of the field's model; nil until they were asked for
	// slight says that hard rules contradict each other by no more than is accepted, as bounds show.
	slight bool
	// resident says that the model is beyond memory, but so small that a copy can be there; it is made once.
	resident bool
	copied   *mrf.Model
}

// SetWeights implements solve.Solver.
func (p *inference) SetWeights(theta []float64) { p.field.SetWeights(theta) }

// SetInputs implements solve.Solver.
func (p *inference) SetInputs(x []float64) { p.field.SetInputs(x) }

// WarmStart implements solve.Solver. With multipliers nothing is presolved at first: from where an answer was, a
// problem that has changed little takes a few steps, and a presolved one has none of the multipliers.
func (p *inference) WarmStart(y, multipliers []float64) { p.start, p.duals = y, multipliers }

// simplify solves the problem, a smaller one if that pays. A conflict of hard constraints, and its proof, are told in
// terms of the original problem, whose ground rules the user knows, and found there if rounding forbids that; and so
// is, from where the smaller problem ends, what rounding keeps from being proven.
func (p *inference) simplify(ctx context.Context) (*solve.Result, error) {
	if p.field.Model.Paged() != nil {
		return p.solvePaged(ctx)
	}
	start := p.start
	if p.duals != nil {
		settings := p.settings
		settings.Alone = p.presolves()
		result, err := p.solveBy(ctx, settings, p.field, start, p.duals)
		if err != nil || !settings.Alone || !stuck(result.Status) {
			return result, err
		}
		start = result.Y
	}
	r, contradiction, slight := p.reduce(ctx)
	p.slight = slight
	switch {
	case contradiction != nil:
		return p.infeasible(contradiction), nil
	case r == nil:
		return p.solve(ctx, p.field, start, nil)
	}
	small, err := p.solve(ctx, r.Field, start, nil)
	if err != nil {
		return nil, err
	}
	if small.Status == solve.Infeasible {
		if c := r.Contradiction(small.Y, small.Multipliers); c != nil {
			return p.contradicted(small, c, &r.Counts), nil
		}
		return p.solve(ctx, p.field, start, nil)
	}
	result := *small
	result.Y, result.Multipliers = r.Restore(small.Y, small.Multipliers)
	result.Certificate = solve.Certify(p.field, result.Y, result.Multipliers)
	if result.Yields {
		result.Certificate = result.Certificate.YieldingBut(p.field, small.Excess)
	}
	if result.Status == solve.Optimal && !p.proven(result.Certificate) {
		return p.solve(ctx, p.field, result.Y, result.Multipliers)
	}
	result.Presolve, result.Elapsed = &r.Counts, time.Since(p.began)
	return &result, nil
}

// solvePaged solves a model beyond memory as it is: presolving and taking apart would make copies of it, which only
// those have that are next to nothing. No answer comes from a file that was damaged meanwhile.
func (p *inference) solvePaged(ctx context.Context) (result *solve.Result, err error) {
	file := p.field.Model.Paged()
	err = file.Guard(func() error {
		solver, err := p.paged()
		if err != nil {
			return err
		}
		if p.start != nil {
			solver.WarmStart(p.start, nil)
		}
		if result, err = solver.Solve(ctx); err != nil {
			return err
		}
		return file.Verify(p.settings.Threads)
	})
	if err != nil {
		return nil, err
	}
	_, why := Choose(p.field.Model)
	result.Reason = why + " The ground rules lie in a temporary file, as they do not fit in the given memory."
	return result, nil
}

// presolves tells whether the problem is presolved.
func (p *inference) presolves() bool { return p.options.Presolve && demanding(p.field.Model) }

// reduce presolves, or returns nil if that is not wanted or would not pay: a model of soft squares alone is solved in
// few sweeps, of which variables at a bound cost next to nothing. Where time is over, the method says so.
func (p *inference) reduce(ctx context.Context) (_ *presolve.Reduction, _ *presolve.Contradiction, slight bool) {
	if !p.presolves() {
		return nil, nil, false
	}
	p.field.Threads = parallel.Threads(p.settings.Threads)
	violation := solve.Contradiction(p.settings.WithDefaults(0).Feasibility)
	return presolve.Reduce(p.field, violation, func() bool { return p.over(ctx) })
}

// over tells whether the context has ended or the time limit is over.
func (p *inference) over(ctx context.Context) bool {
	return ctx.Err() != nil || p.settings.TimeLimit > 0 && time.Since(p.began) > p.settings.TimeLimit
}

// resident is the number of ground rules up to which a model beyond memory is copied into it: some kilobytes.
const resident = 1000

// paged makes a solver of the field, or of a copy of it.
func (p *inference) paged() (solve.Solver, error) {
	if !p.resident {
		return p.method(p.field, p.settings), nil
	}
	if p.copied == nil {
		p.copied = p.field.Model.Resident()
	}
	field := mrf.NewFieldOn(p.copied, p.field.Threads)
	field.SetWeights(p.field.Weights())
	field.SetInputs(p.field.Inputs())
	return Inference(automatic, field, p.settings, p.options)
}

// infeasible is the answer to constraints that contradict each other. The dual bound grows without limit along the
// multipliers; those of the answer are a place where it exceeds the energy of the point.
func (p *inference) infeasible(c *presolve.Contradiction) *solve.Result {
	result := &solve.Result{Conflict: c.Places(),
		Reason: "Bounds that follow from the hard rules contradict each other."}
	p.refute(result, c)
	return result
}

// negligible is the part of the largest multiplier below which a constraint has no part in a conflict that a method
// found.
const negligible = 1e-4

// contradicted is the answer where a method found that the hard constraints of the smaller problem contradict each
// other.
func (p *inference) contradicted(small *solve.Result, c *presolve.Contradiction,
	counts *presolve.Counts) *solve.Result {
	result := *small
	result.Conflict, result.Presolve = c.Above(negligible), counts
	p.refute(&result, c)
	return &result
}

// refute writes a proof that the hard constraints contradict each other.
func (p *inference) refute(result *solve.Result, c *presolve.Contradiction) {
	result.Status, result.Y, result.Multipliers = solve.Infeasible, c.Point, c.Multipliers
	length := 2 * (p.field.Unit() + max(0, p.field.Energy(c.Point)))
	for j := range c.Multipliers {
		c.Multipliers[j] *= length
	}
	result.Certificate = solve.Certify(p.field, result.Y, result.Multipliers)
	result.Elapsed = time.Since(p.began)
}

// demanding tells whether a model has anything but soft squares, and so takes many sweeps.
func demanding(m *mrf.Model) bool {
	for _, b := range m.Blocks {
		if b.Len > 0 && (b.Kind.Hard() || b.Kind != mrf.Linear && b.Exponent == 1) {
			return true
		}
	}
	return false
}

// solve is what the method does for a field, in the time that is left; apart, if that pays.
func (p *inference) solve(ctx context.Context, field *mrf.Field, y, duals []float64) (*solve.Result, error) {
	return p.solveBy(ctx, p.settings, field, y, duals)
}

// solveBy is solve with other settings.
func (p *inference) solveBy(ctx context.Context, settings solve.Settings, field *mrf.Field, y, duals []float64) (
	*solve.Result, error,
) {
	if settings.TimeLimit > 0 {
		settings.TimeLimit = max(1, settings.TimeLimit-time.Since(p.began))
	}
	_, why := Choose(field.Model)
	var found *solve.Components
	if p.options.Split && !p.over(ctx) && demanding(field.Model) && field.Model.Potentials() <= math.MaxInt32 {
		c := p.components(field)
		found = &solve.Components{Count: len(c.Potentials), Largest: c.Largest()}
		found.Apart = split.Pays(field.Model, c) && !p.over(ctx)
		if found.Apart {
			result, err := split.Solve(ctx, field, c, p.make, settings, y, duals)
			if err == nil {
				result.Components = found
				result.Reason = fmt.Sprintf("%s The %d components are solved apart: each ends when it is proven.%s", why,
					found.Count, result.Reason)
			}
			return result, err
		}
	}
	result, err := p.whole(ctx, field, settings, y, duals)
	if err == nil {
		result.Components = found
		if result.Reason == "" {
			result.Reason = why
		}
	}
	return result, err
}

// whole is what the method does for a field in one piece; without multipliers, which others will follow, with the
// variables in an order that is faster to go through, if there is one.
func (p *inference) whole(ctx context.Context, field *mrf.Field, settings solve.Settings, y, duals []float64) (
	*solve.Result, error,
) {
	var variables []int32
	if duals == nil {
		field.Threads = parallel.Threads(settings.Threads)
		if packed, numbers := field.Packed(); packed != nil {
			field, variables = packed, numbers
		}
	}
	solver := p.solver(field, settings)
	switch {
	case y == nil:
	case variables == nil:
		solver.WarmStart(y, duals)
	default:
		solver.WarmStart(taken(y, variables), nil)
	}
	result, err := solver.Solve(ctx)
	if err == nil && variables != nil {
		result.Y = p.spread(result.Y, y, variables)
	}
	return result, err
}

// taken returns the values of some variables.
func taken(y []float64, variables []int32) []float64 {
	out := make([]float64, len(variables))
	for k, i := range variables {
		out[k] = y[i]
	}
	return out
}

// spread returns the values of all variables, given those of some: others, which are in no potential, stay where they
// start.
func (p *inference) spread(values, start []float64, variables []int32) []float64 {
	out := make([]float64, p.field.Model.Variables)
	for i, v := range start {
		out[i] = min(max(v, 0), 1)
	}
	for k, i := range variables {
		out[i] = values[k]
	}
	return out
}

// solver makes the method's solver of a field, or takes the one that is kept for starts with multipliers. One with a
// limit of time is made anew, as what is left of it differs.
func (p *inference) solver(field *mrf.Field, settings solve.Settings) solve.Solver {
	if field != p.field || p.duals == nil || settings.TimeLimit > 0 || settings.Alone != p.presolves() {
		return p.make(field, settings)
	}
	if p.kept == nil {
		p.kept = p.make(field, settings)
	}
	return p.kept
}

// make makes the method's solver of a field.
func (p *inference) make(field *mrf.Field, settings solve.Settings) solve.Solver {
	solver := p.method(field, settings)
	if p.slight {
		return &giving{solver, p.method, field, settings}
	}
	return solver
}

// components finds those of a field; of the one that does not change, once.
func (p *inference) components(field *mrf.Field) *partition.Components {
	if field != p.field {
		return partition.Find(field.Model)
	}
	if p.parts == nil {
		p.parts = partition.Find(field.Model)
	}
	return p.parts
}

// proven tells whether a certificate shows what was asked for.
func (p *inference) proven(c solve.Certificate) bool {
	s := p.settings.WithDefaults(0)
	return math.Abs(c.Gap) <= s.Gap && c.MaxViolation <= s.Feasibility
}
