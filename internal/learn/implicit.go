package learn

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/reuse"
)

// boxCurvature is γ of the paper's relaxed box γ max(0, -y)² + γ max(0, y-1)². The implicit method takes it as the
// curvature of an active bound: with an exact bound a label inferred as 0 would have no gradient at all.
const boxCurvature = 20

// implicit is the surrogate whose gradient is the derivative of the loss at the MAP state itself.
type implicit struct {
	implicitSolver
	ridge  float64
	y, v   []float64 // the MAP state and its adjoint
	forced []float64 // by input: what equations add
}

func newImplicit(model *mrf.Model, ridge float64) *implicit {
	return &implicit{ridge: ridge, v: make([]float64, model.Variables), forced: make([]float64, model.Inputs)}
}

// implicitOf makes the objective of the implicit method.
func implicitOf(task Task, s Settings) (Objective, error) {
	return newLabelled(task, s.measure(), newImplicit(task.Field.Model, s.Ridge), task.Field), nil
}

func (s *implicit) aim(field *mrf.Field, y, multipliers, slope []float64) {
	s.y = y
	s.solve(field, y, multipliers, slope, s.ridge, s.v)
}

func (s *implicit) gradients(field *mrf.Field, inputs, weights []float64) {
	field.CrossInputs(s.y, s.v, inputs)
	field.EnvelopeInputs(s.forces, s.forced)
	for k, force := range s.forced {
		inputs[k] += force
	}
	field.CrossWeights(s.y, s.v, weights)
	negate(inputs)
	negate(weights)
}

func negate(values []float64) {
	for k := range values {
		values[k] = -values[k]
	}
}

// implicitSolver solves for the adjoint of the MAP state. What holds at y as an equation stays one as parameters move:
// hard constraints that bind, linear potentials at their kink, and bounds. With A their rows, H the curvature of the
// active squares and g = ∇L, it is the v and w of
//
//	(H + νI)v + Aᵀw = g,   A v = 0,
//
// and then dL/dp = -vᵀ ∂(∇_y f)/∂p - wᵀ ∂(A y + B x + c)/∂p. This derivative is exact for ν = 0 wherever the MAP state
// is unique and what binds does so with a force (strict complementarity): almost everywhere, if it is unique at all.
//
// The equations enter by the method of multipliers: with a stiffness that a few rounds of conjugate gradients make up
// for, so that nothing is factorised.
type implicitSolver struct {
	// exact leaves variables at their bounds where they are, with next to no ν; else they yield, with the curvature
	// boxCurvature.
	exact bool
	// rough has it end early: see roughTolerance. It then begins with what it has found before, of a state nearby.
	rough bool
	stop  func() bool // tells that there is no more time: what is solved until then is no derivative; nil for never

	conjugate mrf.Conjugate
	hessian   *mrf.Hessian
	free      []bool
	bound     []bool
	rigid     []bool    // by potential: whether it holds as an equation
	forces    []float64 // by potential: w, 0 of those that do not
	push      []float64 // by variable: Aᵀμ, then Aᵀw
	right     []float64 // by free variable: the right hand side
	part      []float64 // and what the solution changes by
	products  int       // with the matrix, that conjugate gradients took
}

const (
	// implicitTolerance is that of the adjoint, and coarseTolerance the one where it moves networks, whose gradients have
	// single precision; roughTolerance is that where it moves a few weights, and each product takes long.
	implicitTolerance, coarseTolerance, roughTolerance = 1e-10, 1e-7, 1e-3
	implicitIterations                                 = 500
	// stiffness is that of equations, in the field's unit, and rounds bounds how often their multipliers are improved.
	stiffness, rounds = 100, 30
	// smallestRidge, in the same unit, gives a direction without curvature no large derivative by rounding alone.
	smallestRidge = 1e-9
)

// solve writes v for the MAP state y with its multipliers, nil if they are not known, where the loss has the gradient
// slope.
func (s *implicitSolver) solve(field *mrf.Field, y, multipliers, slope []float64, ridge float64, v []float64) {
	s.prepare(field)
	s.classify(field, y, multipliers)
	if s.exact {
		ridge = smallestRidge * field.Unit()
	}
	s.assemble(field, y, ridge)
	equations := s.begin(field, v)
	for range rounds {
		s.improve(slope, v)
		if !equations || s.stop != nil && s.stop() || s.violated(field, v) <= s.tolerance()*largest(v) {
			return
		}
	}
}

// begin sets v, forces and their push to where the rounds begin, and tells whether there are equations.
func (s *implicitSolver) begin(field *mrf.Field, v []float64) (equations bool) {
	if !s.rough {
		clear(s.forces)
		clear(v)
	}
	for j, rigid := range s.rigid {
		if equations = equations || rigid; !rigid {
			s.forces[j] = 0
		}
	}
	if clear(s.push); s.rough && equations {
		s.violated(field, v)
	}
	return equations
}

// tolerance is how small, beside what they were, residuals and violations are to become.
func (s *implicitSolver) tolerance() float64 {
	switch {
	case s.exact:
		return implicitTolerance
	case s.rough:
		return roughTolerance
	}
	return coarseTolerance
}

// prepare makes the solver's memory.
func (s *implicitSolver) prepare(field *mrf.Field) {
	if n, m := field.Model.Variables, field.Model.Potentials(); s.hessian == nil {
		s.hessian = field.NewHessian()
		s.free, s.bound, s.push = make([]bool, n), make([]bool, n), make([]float64, n)
		s.rigid, s.forces = make([]bool, m), make([]float64, m)
	}
}

// classify finds the variables at bounds and the potentials that hold as equations. Of two complementary numbers, a
// distance and a force in the field's unit, the larger one says which it is.
func (s *implicitSolver) classify(field *mrf.Field, y, multipliers []float64) {
	unit := field.Unit()
	field.Sweep(y, s.push, func(span *mrf.Span) float64 {
		if multipliers == nil {
			for k := range span.D {
				s.rigid[span.First+k] = span.Block.Kind == mrf.Equal
			}
			return span.Differentiate()
		}
		mu := multipliers[span.First : span.First+len(span.D)]
		for k, d := range span.D {
			s.rigid[span.First+k] = binds(span.Block, span.W(k)/unit, d, mu[k]/unit)
		}
		copy(span.D, mu)
		return 0
	})
	for i, g := range s.push {
		s.bound[i] = y[i] < g/unit || 1-y[i] < -g/unit
		s.free[i] = !s.exact || !s.bound[i]
	}
}

// binds tells whether a potential of weight w holds as d = 0 when parameters move, given its slack and multiplier.
func binds(b *mrf.Block, w, d, mu float64) bool {
	switch {
	case b.Kind == mrf.Equal:
		return true
	case b.Kind == mrf.LessEqual:
		return mu > -d
	case b.Exponent == 1 && b.Kind == mrf.Hinge && w > 0:
		return mu > -d && w-mu > d
	case b.Exponent == 1 && b.Kind == mrf.Absolute && w > 0:
		return w+mu > -d && w-mu > d
	}
	return false
}

// assemble sets the matrix up: curvature of squares, stiffness of equations, and what bounds yield by.
func (s *implicitSolver) assemble(field *mrf.Field, y []float64, ridge float64) {
	stiff := stiffness * field.Unit()
	s.hessian.Assemble(y, s.free, ridge, func(span *mrf.Span) {
		span.Curve()
		for k := range span.D {
			if s.rigid[span.First+k] {
				span.D[k] = stiff
			}
		}
	})
	if !s.exact {
		for i, bound := range s.bound {
			if bound {
				s.hessian.Diagonal[i] += 2 * boxCurvature
			}
		}
	}
	s.right = reuse.Len(s.right, len(s.hessian.Free))
	s.part = reuse.Len(s.part, len(s.hessian.Free))
}

// improve solves for v with the present forces, from what it was with those before. These differ less from round to
// round, and so the residual needs less and less work to be as small beside the first right hand side.
func (s *implicitSolver) improve(slope, v []float64) {
	free := s.hessian.Free
	for k, i := range free {
		s.right[k] = v[i]
	}
	s.hessian.Mul(s.right, s.part)
	whole, rest := 0.0, 0.0
	for k, i := range free {
		s.right[k] = slope[i] - s.push[i] - s.part[k]
		whole += slope[i] * slope[i]
		rest += s.right[k] * s.right[k]
	}
	tolerance := s.tolerance()
	if rest > 0 {
		tolerance *= math.Max(1, math.Sqrt(whole/rest))
	}
	s.products += s.conjugate.Solve(s.hessian, s.right, s.part, tolerance, implicitIterations, s.stop)
	for k, i := range free {
		v[i] += s.part[k]
	}
}

// violated adds to the forces what the equations' violation by v calls for, and returns the largest violation.
func (s *implicitSolver) violated(field *mrf.Field, v []float64) float64 {
	stiff, worst := stiffness*field.Unit(), make([]float64, field.Spans())
	field.Sweep(v, s.push, func(span *mrf.Span) float64 {
		span.Constants(span.Spare)
		for k, d := range span.D {
			at := span.First + k
			if span.D[k] = 0; s.rigid[at] {
				along := d - span.Spare[k]
				worst[span.Number] = math.Max(worst[span.Number], math.Abs(along))
				s.forces[at] += stiff * along
				span.D[k] = s.forces[at]
			}
		}
		return 0
	})
	return largest(worst)
}

// largest is the maximum norm.
func largest(values []float64) float64 {
	norm := 0.0
	for _, v := range values {
		norm = math.Max(norm, math.Abs(v))
	}
	return norm
}
