// Package sgd is the paper's inference: stochastic gradient descent, a potential at a time, on the relaxation
//
//	f̃(y) = f(y) + Σ_i γ max(0, -y_i)² + Σ_i γ max(0, y_i - 1)²
//
// (eq. a_psl), until the loss changes by less than a threshold. It is here for faithful comparisons: with a constant
// learning rate it stops near the optimum of f̃, which itself is not that of f over the box. Its answers carry the same
// certificate as any other method's, computed for the point moved into the box.
package sgd

import (
	"context"
	"math"
	"math/rand/v2"
	"sort"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Options are the method's own settings. The zero value of a field means its default: what the paper's table of
// hyper-parameters has for T2.
type Options struct {
	// LearningRate is the constant step. Default 5e-3; the paper has 5e-3 for T1 and 1e-2 for T3 as well.
	LearningRate float64
	// Threshold is the absolute change of f̃ between two passes below which the method stops. Default 5e-3; the paper
	// has 1e-6 for T1 and 1e-1 for T3.
	Threshold float64
	// Gamma is γ, the weight of the box. Default 20.
	Gamma float64
	// HardWeight is the weight of the squared violation that stands for a hard constraint, which this method cannot
	// enforce. Default 10, what the paper gives to its summation rules.
	HardWeight float64
	// Seed determines the order of the potentials in each pass.
	Seed uint64
}

func (o Options) withDefaults() Options {
	for _, p := range []struct {
		value *float64
		is    float64
	}{{&o.LearningRate, 5e-3}, {&o.Threshold, 5e-3}, {&o.Gamma, 20}, {&o.HardWeight, 10}} {
		if *p.value == 0 {
			*p.value = p.is
		}
	}
	return o
}

// passes is the default limit of passes over the potentials; the paper has 5000 for T1 and T3.
const passes = 1000

// Solver implements solve.Solver.
type Solver struct {
	field    *mrf.Field
	settings solve.Settings
	options  Options
	certify  *solve.Certifier

	relaxed   []float64 // the present point, not confined to the box
	y         []float64 // the same, confined
	mu        []float64
	constants []float64 // c_j
	order     []int32   // potentials, then variables for their boxes
	row       mrf.RowBuffer
	result    solve.Result
}

// New makes a solver for a field, whose weights and inputs it shares. It starts from y = 0 unless WarmStart says
// otherwise, and later from where it ended.
func New(field *mrf.Field, settings solve.Settings, options Options) *Solver {
	field.Threads = parallel.Threads(settings.Threads)
	n, potentials := field.Model.Variables, field.Model.Potentials()
	s := &Solver{
		field: field, settings: settings.WithDefaults(passes), options: options.withDefaults(),
		certify: solve.NewCertifier(field), relaxed: make([]float64, n), y: make([]float64, n),
		mu: make([]float64, potentials), constants: make([]float64, potentials), order: make([]int32, potentials+n),
	}
	return s
}

// SetWeights implements solve.Solver.
func (s *Solver) SetWeights(theta []float64) { s.field.SetWeights(theta) }

// SetInputs implements solve.Solver.
func (s *Solver) SetInputs(x []float64) { s.field.SetInputs(x) }

// WarmStart implements solve.Solver; the multipliers are of no use here.
func (s *Solver) WarmStart(y, _ []float64) { copy(s.relaxed, y) }

// Solve implements solve.Solver. An iteration is a pass over all potentials.
func (s *Solver) Solve(ctx context.Context) (*solve.Result, error) {
	if err := s.field.Check(); err != nil {
		return nil, err
	}
	start := time.Now()
	s.begin()
	rng := rand.New(rand.NewPCG(s.options.Seed, 0))
	status, loss, pass := solve.IterationLimit, s.loss(s.relaxed), 0
	for status == solve.IterationLimit && pass < s.settings.MaxIterations {
		rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
		s.pass()
		pass++
		before := loss
		loss = s.loss(s.relaxed)
		s.trace(pass, loss)
		switch {
		case math.IsNaN(loss) || math.IsInf(loss, 0):
			status = solve.NumericalError
		case math.Abs(loss-before) < s.options.Threshold:
			status = solve.Stalled
		case ctx.Err() != nil:
			status = solve.Ended(ctx)
		case s.settings.TimeLimit > 0 && time.Since(start) > s.settings.TimeLimit:
			status = solve.TimeLimit
		}
	}
	s.finish(status)
	s.result.Iterations, s.result.Elapsed = pass, time.Since(start)
	return &s.result, nil
}

// begin computes the constants, which weights and inputs determine, and numbers the order anew.
func (s *Solver) begin() {
	s.field.Slacks(make([]float64, len(s.y)), s.constants)
	for k := range s.order {
		s.order[k] = int32(k)
	}
}

// pass takes a step for each potential and for each variable's box, in order.
func (s *Solver) pass() {
	blocks := s.field.Model.Blocks
	first := make([]int, len(blocks)+1)
	for k, b := range blocks {
		first[k+1] = first[k] + b.Len
	}
	for _, id := range s.order {
		j := int(id)
		if j >= len(s.constants) {
			s.boxStep(j - len(s.constants))
			continue
		}
		k := sort.SearchInts(first, j+1) - 1
		s.step(blocks[k], j-first[k], s.constants[j])
	}
}

// step moves the variables of a block's j-th potential, which has the constant c, against its gradient.
func (s *Solver) step(b *mrf.Block, j int, c float64) {
	vars := b.Ids(j, &s.row)
	d := c
	for k, i := range vars {
		d += b.Coefficient(j, k) * s.relaxed[i]
	}
	slope := s.options.LearningRate * s.slope(b, j, d)
	if slope == 0 {
		return
	}
	for k, i := range vars {
		s.relaxed[i] -= slope * b.Coefficient(j, k)
	}
}

// slope is the derivative of the potential, or of the penalty in place of a constraint, at d.
func (s *Solver) slope(b *mrf.Block, j int, d float64) float64 {
	w := s.field.Weights()[b.Rule]
	if b.Scale != nil {
		w *= float64(b.Scale[j])
	}
	switch {
	case b.Kind == mrf.LessEqual:
		return 2 * s.options.HardWeight * max(0, d)
	case b.Kind == mrf.Equal:
		return 2 * s.options.HardWeight * d
	case b.Kind == mrf.Linear:
		return w
	case b.Kind == mrf.Hinge && d <= 0 || d == 0:
		return 0
	case b.Exponent == 2:
		return 2 * w * d
	}
	return math.Copysign(w, d)
}

func (s *Solver) boxStep(i int) {
	y := s.relaxed[i]
	s.relaxed[i] -= s.options.LearningRate * 2 * s.options.Gamma * (max(0, y-1) - max(0, -y))
}

// loss is f̃.
func (s *Solver) loss(y []float64) float64 {
	total := s.field.Sweep(y, nil, func(sp *mrf.Span) float64 {
		if !sp.Block.Kind.Hard() {
			return sp.Differentiate()
		}
		return s.penalise(sp)
	})
	for _, v := range y {
		out := max(0, -v) + max(0, v-1)
		total += s.options.Gamma * out * out
	}
	return total
}

// penalise replaces the slacks of constraints by the derivatives of their penalties and returns the penalties.
func (s *Solver) penalise(sp *mrf.Span) float64 {
	total := 0.0
	for k, d := range sp.D {
		if sp.Block.Kind == mrf.LessEqual {
			d = max(0, d)
		}
		sp.D[k] = 2 * s.options.HardWeight * d
		total += s.options.HardWeight * d * d
	}
	return total
}

// finish confines the point to the box, and proves how good that is.
func (s *Solver) finish(status solve.Status) {
	for i, v := range s.relaxed {
		s.y[i] = min(max(v, 0), 1)
		if math.IsNaN(v) {
			s.y[i] = 0
		}
	}
	s.field.Sweep(s.y, nil, func(sp *mrf.Span) float64 {
		if sp.Block.Kind.Hard() {
			s.penalise(sp)
		} else {
			sp.Differentiate()
		}
		copy(s.mu[sp.First:], sp.D)
		return 0
	})
	s.result = solve.Result{Status: status, Y: s.y, Multipliers: s.mu, Certificate: s.certify.Certify(s.y, s.mu)}
	if math.Abs(s.result.Gap) <= s.settings.Gap && s.result.MaxViolation <= s.settings.Feasibility {
		s.result.Status = solve.Optimal
	}
}

func (s *Solver) trace(pass int, loss float64) {
	if s.settings.Trace != nil {
		s.settings.Trace(solve.Iteration{
			Number: pass, Objective: loss, DualBound: math.Inf(-1), Step: s.options.LearningRate,
		})
	}
}
