// Package split solves the connected components of a problem apart: small ones in batches, large ones alone. A part
// ends as soon as it is proven, while in the whole all others would wait for the slowest; and small parts are solved at
// the same time, each on one goroutine, with sweeps that stay in the cache. The gap of the whole is the sum of theirs.
package split

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/partition"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Method makes a solver for a part.
type Method func(*mrf.Field, solve.Settings) solve.Solver

// Batch is the number of potentials from which a batch of components is full. Larger batches share the fate of their
// slowest component; in smaller ones, setting up a solver is a good part of the work.
const Batch = 1000

// large is the part of all potentials from which one in so many is solved by all threads together.
const large = 8

// Pays tells whether there are components to speak of. Solving them apart is for models whose multipliers take many
// sweeps: one of soft squares takes a few only, which cost less than dealing out its potentials.
func Pays(m *mrf.Model, c *partition.Components) bool {
	return len(c.Potentials) > 1 && c.Largest() <= m.Potentials()*3/4
}

// run is one solve.
type run struct {
	ctx      context.Context
	field    *mrf.Field
	settings solve.Settings
	method   Method
	start    time.Time
	parts    []*partition.Part
	results  []*solve.Result // without points and multipliers, which are in y and mu
	y, mu    []float64
}

// Solve finds the MAP state of a field from the given point and multipliers; both, or the latter, may be nil. Variables
// that are in no potential keep their start.
func Solve(ctx context.Context, field *mrf.Field, c *partition.Components, method Method, s solve.Settings,
	y, multipliers []float64) (*solve.Result, error) {
	r := newRun(ctx, field, c, Batch, method, s, y, multipliers)
	return r.finish(r.all(), multipliers != nil)
}

// Improve finds the MAP state of a field from an answer that is good but for some components: it solves those that the
// answer's own multipliers do not prove, and leaves the others as they are. Where that gives nothing better, the answer
// stays too.
func Improve(ctx context.Context, field *mrf.Field, c *partition.Components, method Method, s solve.Settings,
	answer *solve.Result) (*solve.Result, error) {
	r := newRun(ctx, field, c, 1, method, s, answer.Y, answer.Multipliers)
	return r.finish(r.unproven(), true)
}

// newRun prepares a solve of batches of so many potentials.
func newRun(ctx context.Context, field *mrf.Field, c *partition.Components, batch int, method Method, s solve.Settings,
	y, multipliers []float64) *run {
	batchOf, batches := c.Batches(batch)
	r := &run{ctx: ctx, field: field, settings: s.WithDefaults(0), method: method, start: time.Now(),
		parts:   partition.Split(field.Model, c, batchOf, batches),
		results: make([]*solve.Result, batches),
		y:       make([]float64, field.Model.Variables), mu: make([]float64, field.Model.Potentials())}
	r.settings.Trace = nil
	field.Unit() // is found now, as parts may ask for it side by side
	for i, v := range y {
		r.y[i] = min(max(v, 0), 1)
	}
	copy(r.mu, multipliers)
	return r
}

// all returns the numbers of all parts.
func (r *run) all() []int {
	todo := make([]int, len(r.parts))
	for k := range todo {
		todo[k] = k
	}
	return todo
}

// unproven certifies each part as it is, and returns the numbers of those that need to be solved.
func (r *run) unproven() (todo []int) {
	parallel.For(parallel.Threads(r.settings.Threads), len(r.parts), func(k int) {
		y, mu := r.gather(r.parts[k])
		field := r.parts[k].Condition(r.field)
		field.Threads = 1
		r.results[k] = &solve.Result{Status: solve.Optimal, Certificate: solve.Certify(field, y, mu)}
	})
	for k, part := range r.results {
		if math.Abs(part.Gap) > r.settings.Gap || part.MaxViolation > r.settings.Feasibility {
			todo = append(todo, k)
		}
	}
	return todo
}

// gather returns the point and the multipliers of a part.
func (r *run) gather(p *partition.Part) (y, mu []float64) {
	y, mu = make([]float64, len(p.Variables)), make([]float64, len(p.Potentials))
	for n, i := range p.Variables {
		y[n] = r.y[i]
	}
	for n, j := range p.Potentials {
		mu[n] = r.mu[j]
	}
	return y, mu
}

// finish solves the parts that are to be done, and joins all.
func (r *run) finish(todo []int, warm bool) (*solve.Result, error) {
	if err := r.solve(todo, warm); err != nil {
		return nil, err
	}
	result := r.join()
	result.Elapsed = time.Since(r.start)
	return result, nil
}

// attempts bounds how often parts are solved to smaller gaps because theirs add up to too much.
const attempts = 5

// solve solves parts, until the gaps of all add up to what was asked for or some part cannot be proven.
func (r *run) solve(todo []int, warm bool) error {
	gap := r.settings.Gap
	for range attempts {
		if err := r.each(todo, gap, warm); err != nil {
			return err
		}
		warm = true
		excess := r.excess()
		if excess <= 1 || r.status() != solve.Optimal {
			return nil
		}
		gap, todo = r.tighten(excess)
	}
	return nil
}

// each solves some parts to a relative gap: first the large ones, by all threads, then the others side by side.
func (r *run) each(todo []int, gap float64, warm bool) error {
	errs := make([]error, len(r.parts))
	threads := parallel.Threads(r.settings.Threads)
	var small []int
	for _, k := range todo {
		if len(r.parts[k].Potentials)*large < r.field.Model.Potentials() {
			small = append(small, k)
			continue
		}
		errs[k] = r.part(k, gap, warm, threads)
	}
	parallel.For(threads, len(small), func(task int) {
		k := small[task]
		errs[k] = r.part(k, gap, warm, 1)
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// part solves part k from where its variables are.
func (r *run) part(k int, gap float64, warm bool, threads int) error {
	p, s := r.parts[k], r.settings
	s.Gap, s.Threads = gap, threads
	if s.TimeLimit > 0 {
		s.TimeLimit = max(1, s.TimeLimit-time.Since(r.start))
	}
	y, mu := r.gather(p)
	if !warm {
		mu = nil
	}
	field := p.Condition(r.field)
	field.Threads = threads
	solver := r.method(field, s)
	solver.WarmStart(y, mu)
	result, err := solver.Solve(r.ctx)
	if err != nil {
		return err
	}
	kept := *result
	kept.Y, kept.Multipliers = nil, nil
	if was := r.results[k]; was != nil && !better(result, was) {
		kept.Certificate = was.Certificate
	} else {
		r.scatter(p, result)
	}
	r.results[k] = &kept
	return nil
}

// better tells whether a part's result is to take the place of the one before: unless it ended without a proof and with
// a certificate that shows less.
func better(result, was *solve.Result) bool {
	off := func(c solve.Certificate) float64 { return max(math.Abs(c.Gap), c.MaxViolation) }
	return result.Status == solve.Optimal || result.Status == solve.Infeasible ||
		off(result.Certificate) < off(was.Certificate)
}

// scatter writes the point and the multipliers of a part.
func (r *run) scatter(p *partition.Part, result *solve.Result) {
	for n, i := range p.Variables {
		r.y[i] = result.Y[n]
	}
	for n, j := range p.Potentials {
		r.mu[j] = result.Multipliers[n]
	}
}

// excess is how many times too large the sum of the gaps is.
func (r *run) excess() float64 {
	gap, objective := 0.0, 0.0
	for _, part := range r.results {
		gap += max(0, part.Objective-part.DualBound)
		objective += part.Objective
	}
	return solve.Relative(r.field, gap, objective) / r.settings.Gap
}

// tighten returns a smaller gap, and the parts whose gap is larger.
func (r *run) tighten(excess float64) (gap float64, todo []int) {
	for _, part := range r.results {
		gap = max(gap, math.Abs(part.Gap))
	}
	gap /= 2 * excess
	for k, part := range r.results {
		if math.Abs(part.Gap) > gap {
			todo = append(todo, k)
		}
	}
	return gap, todo
}

// status is the worst of any part.
func (r *run) status() solve.Status {
	worst := solve.Optimal
	for _, part := range r.results {
		worst = max(worst, part.Status)
	}
	return worst
}

// handed says how many parts were solved by another method than the first.
func (r *run) handed() (method, reason string) {
	count := 0
	for _, part := range r.results {
		if part.Method != "" {
			count, method = count+1, part.Method
		}
	}
	if count == 0 {
		return "", ""
	}
	return method, fmt.Sprintf(" In %d of %d problems the method %s took over from Newton's.", count,
		len(r.results), method)
}

// join makes the result of the whole, with a certificate of its own.
func (r *run) join() *solve.Result {
	result := &solve.Result{Status: r.status(), Y: r.y, Multipliers: r.mu}
	result.Certificate = solve.Certify(r.field, r.y, r.mu)
	held := 0.0
	for k, part := range r.results {
		result.Iterations, result.Yields = max(result.Iterations, part.Iterations), result.Yields || part.Yields
		held += part.Excess
		for _, j := range part.Conflict {
			result.Conflict = append(result.Conflict, int(r.parts[k].Potentials[j]))
		}
	}
	slices.Sort(result.Conflict)
	if result.Yields {
		result.Certificate = result.Certificate.YieldingBut(r.field, held)
	}
	result.Method, result.Reason = r.handed()
	if result.Status == solve.Optimal && !(result.Gap <= r.settings.Gap) {
		result.Status = solve.IterationLimit
	}
	return result
}
