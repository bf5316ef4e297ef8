// Package interior finds the MAP states of many small components by a primal-dual interior point method (Mehrotra
// 1992), each with a direct factorisation. It is for examples of one shape, of which batches are solved thousands of
// times while networks learn: there is nothing to warm-start from, and tens of variables are no work for an iterative
// method. Before, hard rules fix what they can: in an example whose label is known, that is most of it.
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
	certify    *solve.Certifier
	memory     sync.Pool
	result     solve.Result
}

// outcome is how the solution of a component ended.
type outcome struct {
	iterations int
	converged  bool
}

// grain is the number of components that a goroutine takes at once.
const grain = 2

// defaultIterations bounds the steps of a component. About ten are usual.
const defaultIterations = 80

// Fits tells whether the components of a model are small enough for a direct factorisation to be fast.
func Fits(c *partition.Components) bool { return len(c.Potentials) > 0 && c.Largest() <= 1000 }

// New makes a solver for a field, whose weights and inputs it shares.
func New(field *mrf.Field, settings solve.Settings) *Solver {
	m := field.Model
	s := &Solver{field: field, settings: settings.WithDefaults(defaultIterations), certify: solve.NewCertifier(field),
		blocks: make([]int32, m.Potentials()), constants: make([]float64, m.Potentials()),
		weights: make([]float64, m.Potentials())}
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

// Solve implements solve.Solver.
func (s *Solver) Solve(ctx context.Context) (*solve.Result, error) {
	if err := s.field.Check(); err != nil {
		return nil, err
	}
	start := time.Now()
	late := func() bool { return s.settings.TimeLimit > 0 && time.Since(start) > s.settings.TimeLimit }
	s.load()
	// What rounding and fixed variables add to the gap is usually far below the products' sum, but not always.
	tolerance := s.settings.Gap / float64(4*max(1, len(s.components)))
	for range attempts {
		s.each(ctx, late, tolerance)
		s.finish(ctx, late())
		if s.result.Status != solve.IterationLimit || !s.converged() {
			break
		}
		tolerance /= 100
	}
	s.result.Elapsed = time.Since(start)
	return &s.result, nil
}

// attempts bounds how often the components are solved to a smaller tolerance.
const attempts = 3

// each solves all components.
func (s *Solver) each(ctx context.Context, late func() bool, tolerance float64) {
	chunks := (len(s.components) + grain - 1) / grain
	parallel.For(s.field.Threads, chunks, func(chunk int) {
		w, _ := s.memory.Get().(*work)
		if w == nil {
			w = &work{solver: s}
		}
		defer s.memory.Put(w)
		w.tolerance = tolerance
		for k := chunk * grain; k < min((chunk+1)*grain, len(s.components)); k++ {
			w.limit = s.settings.MaxIterations
			if ctx.Err() != nil || late() {
				w.limit = 0
			}
			s.ended[k] = w.solve(&s.components[k])
		}
	})
}

// converged tells whether all components were solved to the tolerance.
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
			s.weights[first+j] = theta[b.Rule] / s.unit
			if b.Scale != nil {
				s.weights[first+j] *= float64(b.Scale[j])
			}
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
	r.Certificate = s.certify.Certify(r.Y, r.Multipliers)
	r.Status, r.Iterations = solve.Optimal, 0
	for _, e := range s.ended {
		r.Iterations = max(r.Iterations, e.iterations)
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

// component is a connected part of the model, in numbers of its own.
type component struct {
	variables  []int32 // their numbers in the model
	potentials []int32 // likewise
	start      []int32 // row j has the entries start[j]..start[j+1]
	index      []int32 // of the component's variables
	coef       []float64
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
	for k := range components {
		components[k].start = []int32{0}
	}
	var buffer mrf.RowBuffer
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
