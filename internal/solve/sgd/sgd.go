// Package sgd is the paper's inference: gradient descent at a constant rate on the relaxation
//
//	f̃(y) = f(y) + Σ_i γ max(0, -y_i)² + Σ_i γ max(0, y_i - 1)²
//
// (eq. a_psl), until the loss changes by less than a threshold. A step follows one potential after the other in random
// order, or with Full all of them at once. It is here for faithful comparisons: with a constant learning rate it stops
// near the optimum of f̃, which itself is not that of f over the box. Its answers carry the same certificate as any
// other method's, computed for the point moved into the box.
package sgd

import (
	"cmp"
	"context"
	"math"
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
	// Full makes a pass one step along the gradient of all potentials, in place of a step for each.
	Full bool
	// Start, if above 0, is where all variables start in every Solve, whatever came before.
	Start float64
	// Seed determines the order of the potentials in each pass.
	Seed uint64
}

// Defaults are what the zero values of a field stand for.
func Defaults() Options {
	return Options{LearningRate: 5e-3, Threshold: 5e-3, Gamma: 20, HardWeight: 10}
}

func (o Options) withDefaults() Options {
	d := Defaults()
	o.LearningRate, o.Threshold = cmp.Or(o.LearningRate, d.LearningRate), cmp.Or(o.Threshold, d.Threshold)
	o.Gamma, o.HardWeight = cmp.Or(o.Gamma, d.Gamma), cmp.Or(o.HardWeight, d.HardWeight)
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
	descent  descent

	relaxed []float64 // the present point, not confined to the box
	y       []float64 // the same, confined
	mu      []float64
	result  solve.Result
}

// descent is a way to go down from the solver's point.
type descent interface {
	// begin prepares for the field's weights and inputs and returns f̃.
	begin() float64
	// pass moves the point and returns f̃ there.
	pass() float64
}

// New makes a solver for a field, whose weights and inputs it shares. It starts from y = 0 unless WarmStart says
// otherwise, and later from where it ended, or else always from Options.Start.
func New(field *mrf.Field, settings solve.Settings, options Options) *Solver {
	field.Threads = parallel.Threads(settings.Threads)
	n := field.Model.Variables
	s := &Solver{
		field: field, settings: settings.WithDefaults(passes), options: options.withDefaults(),
		certify: solve.NewCertifier(field), relaxed: make([]float64, n), y: make([]float64, n),
		mu: make([]float64, field.Model.Potentials()),
	}
	if s.options.Full {
		s.descent = newFull(s)
	} else {
		s.descent = newStochastic(s)
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
	if s.options.Start > 0 {
		for i := range s.relaxed {
			s.relaxed[i] = s.options.Start
		}
	}
	status, loss, pass := solve.IterationLimit, s.descent.begin(), 0
	for status == solve.IterationLimit && pass < s.settings.MaxIterations {
		before := loss
		loss = s.descent.pass()
		pass++
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

// differentiate replaces a span's slacks by the derivatives of f̃'s terms, and returns their sum: of the potentials,
// and of the penalties in place of constraints.
func (s *Solver) differentiate(sp *mrf.Span) float64 {
	if !sp.Block.Kind.Hard() {
		return sp.Differentiate()
	}
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

// outside is how far v is above 1, or, negative, below 0.
func outside(v float64) float64 { return max(0, v-1) - max(0, -v) }

// finish confines the point to the box, and proves how good that is.
func (s *Solver) finish(status solve.Status) {
	for i, v := range s.relaxed {
		s.y[i] = min(max(v, 0), 1)
		if math.IsNaN(v) {
			s.y[i] = 0
		}
	}
	s.field.Sweep(s.y, nil, func(sp *mrf.Span) float64 {
		s.differentiate(sp)
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
