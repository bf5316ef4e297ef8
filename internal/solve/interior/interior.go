// Package interior finds MAP states by a primal-dual interior point method (Mehrotra 1992) with a direct factorisation:
// of each connected component, dense if it is small, sparse otherwise. A step moves all variables at once, however far
// apart they are that have to do with each other, so that some tens of steps are enough where iterative methods crawl:
// along chains, cycles and flows, under budgets that overlap, with weights of all sizes. What a step costs, the pattern
// of the factor says beforehand. It is also for examples of one shape, of which batches are solved thousands of times
// while networks learn: there is nothing to warm-start from.
//
// Before, hard rows fix what they can: in an example whose label is known, that is most of it. Hard rows that
// contradict each other show by multipliers that grow without end, which are a proof of that (Farkas).
package interior

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/partition"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Solver implements solve.Solver.
type Solver struct {
	field      *mrf.Field
	settings   solve.Settings
	components []component
	loose      []int32 // potentials without variables
	blocks     []int32 // of each potential
	constants  []float64
	weights    []float64 // in terms of unit, the field's
	unit       float64
	ended      []outcome
	attempts   int     // to solve components to smaller gaps
	budget     float64 // Try's, or 0
	tried      *work   // what Try has left, or nil
	certify    *solve.Certifier
	memory     sync.Pool
	result     solve.Result
}

// outcome is how the solution of a component ended.
type outcome struct {
	iterations int
	converged  bool
	infeasible bool
	yields     bool // by as much as is accepted
}

// grain is the number of components that a goroutine takes at once.
const grain = 2

// defaultIterations bounds the steps of a component. About ten are usual.
const defaultIterations = 200

// few is a number of potentials of which a direct factorisation is fast whatever they are.
const few = 1000

// Fits tells whether the components are small enough for direct factorisations to be fast.
func (s *Solver) Fits() bool {
	large := func(c component) bool { return len(c.potentials) > few }
	return len(s.components) > 0 && !slices.ContainsFunc(s.components, large)
}

// New makes a solver for a field, whose weights and inputs it shares.
func New(field *mrf.Field, settings solve.Settings) *Solver {
	m := field.Model
	s := &Solver{field: field, settings: settings.WithDefaults(defaultIterations), certify: solve.NewCertifier(field),
		blocks: make([]int32, m.Potentials()), constants: make([]float64, m.Potentials()),
		weights: make([]float64, m.Potentials()), attempts: usualAttempts}
	field.Threads = parallel.Threads(settings.Threads)
	s.components, s.loose = takeApart(m, partition.Find(m))
	s.ended = make([]outcome, len(s.components))
	s.result.Y = make([]float64, m.Variables)
	s.result.Multipliers = make([]float64, m.Potentials())
	j := 0
	for k, b := range m.Blocks {
		for range b.Len {
			s.blocks[j] = int32(k)
			j++
		}
	}
	return s
}

// SetWeights implements solve.Solver.
func (s *Solver) SetWeights(theta []float64) { s.field.SetWeights(theta) }

// SetInputs implements solve.Solver.
func (s *Solver) SetInputs(x []float64) { s.field.SetInputs(x) }

// WarmStart implements solve.Solver. Only variables that are in no potential keep their start.
func (s *Solver) WarmStart(y, _ []float64) {
	for i, v := range y {
		s.result.Y[i] = min(max(v, 0), 1)
	}
}

// Persist has Solve go on to smaller gaps where rules cost next to nothing, in place of an end at a limit: for small
// components, which take no time.
func (s *Solver) Persist() { s.attempts = allAttempts }

// Within replaces the limit of time; 0 means none.
func (s *Solver) Within(limit time.Duration) { s.settings.TimeLimit = limit }

// Solve implements solve.Solver.
func (s *Solver) Solve(ctx context.Context) (*solve.Result, error) {
	if err := s.field.Check(); err != nil {
		return nil, err
	}
	start := time.Now()
	late := func() bool { return s.settings.TimeLimit > 0 && time.Since(start) > s.settings.TimeLimit }
	s.load()
	t := target{gap: s.settings.Gap / 4, feasibility: s.settings.Feasibility, limit: s.settings.MaxIterations,
		further: s.settings.Further, stop: func() bool { return ctx.Err() != nil || late() }, trace: s.tracer()}
	for range s.attempts {
		t.least = t.gap * (s.field.Grain() / s.unit) / float64(max(1, len(s.components)))
		s.each(t)
		if s.tried != nil {
			break
		}
		s.finish(ctx, late())
		if s.result.Status != solve.IterationLimit || !s.converged() {
			break
		}
		t.gap /= 100 // parts' objectives of both signs or next to nothing, or rounding
	}
	s.result.Elapsed = time.Since(start)
	return &s.result, nil
}

// Try solves the problem, if most of it is one component or small, for as long as conjugate gradients are less work
// in each step than a factorisation, and until so much work is done in all, in about nanoseconds of a core. It returns
// nil if it has no proof then, and about how much work is left, infinite if more of the same will find none; another
// Try, and Solve, go on from there.
func (s *Solver) Try(ctx context.Context, work float64) (r *solve.Result, left float64) {
	if s.main() < 0 {
		return nil, math.Inf(1)
	}
	s.budget = work
	r, err := s.Solve(ctx)
	s.budget = 0
	late := s.settings.TimeLimit > 0 && s.result.Elapsed >= s.settings.TimeLimit
	switch {
	case ctx.Err() != nil || late:
		return nil, math.Inf(1) // what is paused has no time to go on
	case err == nil && s.tried != nil:
		return nil, s.tried.left()
	case err != nil || r.Status != solve.Optimal && r.Status != solve.Infeasible:
		return nil, math.Inf(1)
	}
	return r, 0
}

// Forget has the next Try or Solve begin anew, as weights or inputs have changed.
func (s *Solver) Forget() { s.tried = nil }

// Spent is the work of the tries so far that Solve goes on from, in about nanoseconds.
func (s *Solver) Spent() float64 {
	if s.tried == nil {
		return 0
	}
	return s.tried.spent
}

// Ahead is the part of a solution that Solve has left to do, by the digits that its products have yet to lose: 1 if
// there was no try that it goes on from.
func (s *Solver) Ahead() float64 {
	if s.tried == nil {
		return 1
	}
	return s.tried.ahead()
}

// tracer returns what a target's trace does, or nil.
func (s *Solver) tracer() func(step int, gap, violation float64) {
	if s.settings.Trace == nil {
		return nil
	}
	return func(step int, gap, violation float64) {
		s.settings.Trace(solve.Iteration{Number: step, Objective: math.NaN(), DualBound: math.NaN(), Gap: gap,
			Violation: violation})
	}
}

// usualAttempts bounds how often the components are solved to a smaller gap, and allAttempts how often if it is to
// persist: what rules that all but hold come to may be a millionth of their weights.
const usualAttempts, allAttempts = 3, 6

// each solves all components: one that is most of the model by all threads, others side by side and without a word.
func (s *Solver) each(t target) {
	main := s.main()
	tried := s.budget > 0 || s.tried != nil
	if tried && s.try(t, main) {
		return
	}
	chunks := (len(s.components) + grain - 1) / grain
	threads := 1
	if len(s.components) < s.field.Threads*grain {
		threads = s.field.Threads
	}
	parallel.For(s.field.Threads, chunks, func(chunk int) {
		w, _ := s.memory.Get().(*work)
		if w == nil {
			w = &work{solver: s}
		}
		defer s.memory.Put(w)
		w.target, w.threads = t, threads
		for k := chunk * grain; k < min((chunk+1)*grain, len(s.components)); k++ {
			if t.stop() {
				w.target.limit = 0
			}
			if w.target.trace = nil; k == main {
				w.target.trace = t.trace
			}
			if k != main || !tried {
				s.ended[k] = w.solve(&s.components[k])
			}
		}
	})
}

// main is the component that is most of those that are not small, or -1 if there is none.
func (s *Solver) main() int {
	main, most, all := -1, 0, 0
	for k := range s.components {
		n := len(s.components[k].potentials)
		if s.components[k].order() <= small {
			continue
		}
		if all += n; n > most {
			main, most = k, n
		}
	}
	if float64(most) < mostOf*float64(all) {
		return -1
	}
	return main
}

// mostOf is the part that the main component has of the potentials of all that are not small: others are solved as they
// are, beside it.
const mostOf = 0.9

// try solves a component, or goes on where it was left, and tells whether it is left again.
func (s *Solver) try(t target, k int) (left bool) {
	w := s.tried
	if w == nil {
		w = &work{solver: s}
	}
	w.target, w.threads, w.budget = t, s.field.Threads, s.budget
	if s.tried == nil {
		s.ended[k] = w.solve(&s.components[k])
	} else {
		s.ended[k] = w.conclude(w.goOn(t, s.ended[k]))
	}
	if s.tried = nil; w.paused {
		s.tried = w
	}
	return w.paused
}

// converged tells whether all components were solved to what was asked for.
func (s *Solver) converged() bool {
	return !slices.ContainsFunc(s.ended, func(o outcome) bool { return !o.converged })
}

// load reads the weights and constants of all potentials.
func (s *Solver) load() {
	theta, first := s.field.Weights(), 0
	s.unit = s.field.Unit()
	for k, b := range s.field.Model.Blocks {
		s.field.Constants(k, 0, b.Len, s.constants[first:first+b.Len])
		for j := range b.Len {
			s.weights[first+j] = theta[b.Rule] / s.unit * b.Factor(j)
		}
		first += b.Len
	}
	for _, j := range s.loose {
		s.result.Multipliers[j] = s.unit * s.subgradient(int(j), s.constants[j])
	}
}

// subgradient is the multiplier of a potential whose slack is known to be d, in terms of the unit.
func (s *Solver) subgradient(j int, d float64) float64 {
	_, slope := s.field.Model.Blocks[s.blocks[j]].Potential(d)
	return s.weights[j] * slope
}

// finish proves what the components' solutions are together.
func (s *Solver) finish(ctx context.Context, late bool) {
	r := &s.result
	r.Status, r.Iterations, r.Conflict, r.Yields = solve.Optimal, 0, nil, false
	for _, e := range s.ended {
		r.Iterations, r.Yields = max(r.Iterations, e.iterations), r.Yields || e.yields
	}
	if s.contradict() {
		return
	}
	r.Certificate = s.certify.Certify(r.Y, r.Multipliers)
	if r.Yields {
		r.Certificate = r.Certificate.YieldingBut(s.field, s.held())
	}
	switch {
	case math.Abs(r.Gap) <= s.settings.Gap && r.MaxViolation <= s.settings.Feasibility:
	case ctx.Err() != nil:
		r.Status = solve.Ended(ctx)
	case late:
		r.Status = solve.TimeLimit
	default:
		r.Status = solve.IterationLimit
	}
}

// held is what violating the hard rows of components is worth that do not yield: by next to nothing, but their
// multipliers may be large.
func (s *Solver) held() (excess float64) {
	for k, e := range s.ended {
		if e.yields {
			continue
		}
		c := &s.components[k]
		for j, number := range c.potentials {
			kind, d := s.field.Model.Blocks[s.blocks[number]].Kind, s.constants[number]
			vars, coef := c.row(j)
			for at, i := range vars {
				d += coef[at] * s.result.Y[c.variables[i]]
			}
			if kind == mrf.Equal || kind == mrf.LessEqual && d > 0 {
				excess += math.Abs(s.result.Multipliers[number] * d)
			}
		}
	}
	return excess
}

// negligible is the part of the largest multiplier below which a constraint has no part in a conflict.
const negligible = 1e-4

// contradict makes the result say so if hard rows contradict each other. The dual bound grows without limit along their
// multipliers; those of the answer are a place where it exceeds the energy of the point.
func (s *Solver) contradict() bool {
	r, mu := &s.result, make([]float64, len(s.blocks))
	for k, e := range s.ended {
		if !e.infeasible {
			continue
		}
		most := 0.0
		for _, j := range s.components[k].potentials {
			mu[j] = r.Multipliers[j]
			most = max(most, math.Abs(mu[j]))
		}
		for _, j := range s.components[k].potentials {
			if math.Abs(mu[j]) > negligible*most {
				r.Conflict = append(r.Conflict, int(j))
			}
		}
	}
	for _, j := range s.loose {
		kind, c, most := s.field.Model.Blocks[s.blocks[j]].Kind, s.constants[j], solve.Contradiction(s.settings.Feasibility)
		if kind == mrf.Equal && math.Abs(c) > most || kind == mrf.LessEqual && c > most {
			mu[j] = math.Copysign(1, c)
			r.Conflict = append(r.Conflict, int(j))
		}
	}
	if r.Conflict == nil {
		return false
	}
	slices.Sort(r.Conflict)
	length := 2 * (s.unit + max(0, s.field.Energy(r.Y))) / s.bound(mu)
	for j := range mu {
		mu[j] *= length
	}
	r.Status, r.Multipliers = solve.Infeasible, mu
	r.Certificate = s.certify.Certify(r.Y, r.Multipliers)
	return true
}

// bound returns the Lagrangian's minimum over the box of constraints alone, which grows with their multipliers.
func (s *Solver) bound(mu []float64) (least float64) {
	g := make([]float64, s.field.Model.Variables)
	for j, m := range mu {
		if m != 0 {
			least += m * s.constants[j]
		}
	}
	for k := range s.components {
		c := &s.components[k]
		for j, number := range c.potentials {
			vars, coef := c.row(j)
			for e, i := range vars {
				g[c.variables[i]] += mu[number] * coef[e]
			}
		}
	}
	for _, v := range g {
		least += min(0, v)
	}
	return least
}

// component is a connected part of the model, in numbers of its own.
type component struct {
	variables  []int32 // their numbers in the model
	potentials []int32 // likewise
	start      []int32 // row j has the entries start[j]..start[j+1]
	index      []int32 // of the component's variables
	coef       []float64
	sparse     *sparse // the matrix of the last program that was not small, or nil
}

// takeApart deals out a model's potentials to the components, in their order.
func takeApart(m *mrf.Model, parts *partition.Components) (components []component, loose []int32) {
	components = make([]component, len(parts.Potentials))
	local := make([]int32, m.Variables)
	for i, k := range parts.Of {
		if k != partition.None {
			local[i] = int32(len(components[k].variables))
			components[k].variables = append(components[k].variables, int32(i))
		}
	}
	var buffer mrf.RowBuffer
	entries := make([]int, len(components))
	for _, b := range m.Blocks {
		for j := range b.Len {
			if vars := b.Ids(j, &buffer); len(vars) > 0 {
				entries[parts.Of[vars[0]]] += len(vars)
			}
		}
	}
	for k, n := range parts.Potentials {
		components[k].room(n, entries[k])
	}
	number := int32(0)
	for _, b := range m.Blocks {
		for j := range b.Len {
			vars, coef := b.Row(j, &buffer)
			if len(vars) == 0 {
				loose = append(loose, number)
			} else {
				components[parts.Of[vars[0]]].add(number, vars, coef, local)
			}
			number++
		}
	}
	return components, loose
}

// order is that of its matrix if that is dense.
func (c *component) order() int { return min(len(c.variables), len(c.potentials)) }

// room makes room for so many potentials with so many entries.
func (c *component) room(potentials, entries int) {
	c.potentials, c.start = make([]int32, 0, potentials), append(make([]int32, 0, potentials+1), 0)
	c.index, c.coef = make([]int32, 0, entries), make([]float64, 0, entries)
}

func (c *component) add(number int32, vars []int32, coef []float64, local []int32) {
	c.potentials = append(c.potentials, number)
	for _, i := range vars {
		c.index = append(c.index, local[i])
	}
	c.coef = append(c.coef, coef...)
	c.start = append(c.start, int32(len(c.index)))
}

// row returns the variables of row j and their coefficients.
func (c *component) row(j int) ([]int32, []float64) {
	return c.index[c.start[j]:c.start[j+1]], c.coef[c.start[j]:c.start[j+1]]
}
