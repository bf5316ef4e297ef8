package mrf

// The derivatives of the energy in the perceived inputs x and the rule weights θ, which learning chains to the
// networks'. All of them set, rather than add to, their last argument.

// GradientWeights sets gtheta to ∂f/∂θ_r = Σ_{j∈r} s_j φ_j at y: the unweighted potentials of each rule.
func (f *Field) GradientWeights(y, gtheta []float64) {
	mustLen("rules", len(gtheta), f.Model.Rules)
	f.Sweep(y, nil, func(s *Span) float64 {
		s.Weight = 1
		return s.Differentiate()
	})
	f.byRule(gtheta)
}

// EnvelopeInputs sets gx to Bᵀμ = Σ_j μ_j b_j, for multipliers of all potentials and constraints: at an optimum, the
// derivative of the optimal energy in x (the envelope theorem), hard constraints included.
func (f *Field) EnvelopeInputs(multipliers, gx []float64) {
	mustLen("inputs", len(gx), f.Model.Inputs)
	f.sweep(inputs, make([]float64, f.Model.Variables), gx, func(s *Span) float64 {
		copy(s.D, multipliers[s.First:])
		return 0
	})
}

// SwitchInputs sets gx to what the energy at y is more with each input at 1 than with it at 0, the other inputs being
// what they are; of hard constraints, with multipliers of all potentials and constraints, to what EnvelopeInputs does.
// Where inputs are 0 or 1 it is what an expectation over one of them has for a derivative, also of classes that are not
// the case, of which a hinge has no slope.
func (f *Field) SwitchInputs(y, multipliers, gx []float64) {
	mustLen("inputs", len(gx), f.Model.Inputs)
	clear(gx)
	for _, t := range f.terms {
		if t.inputs.empty() {
			continue
		}
		d := make([]float64, t.Len)
		t.constants(0, t.Len, d)
		t.vars.addProduct(0, t.Len, y, d)
		for j, slack := range d {
			weight := f.theta[t.Rule]
			if t.Scale != nil {
				weight *= float64(t.Scale[j])
			}
			for k, i := range t.inputs.row(j) {
				b := t.inputs.coefficient(j, k)
				if t.Kind.Hard() {
					gx[i] += multipliers[t.first+j] * b
					continue
				}
				off, _ := t.Potential(slack - b*f.x[i])
				on, _ := t.Potential(slack - b*f.x[i] + b)
				gx[i] += weight * (on - off)
			}
		}
	}
}

// CrossInputs sets gx to ∂/∂x (∇_y f · v) = Σ_j w_j φ”_j (a_jᵀv) b_j at y, with the active set there. It is the right
// hand side's part of implicit differentiation; linear potentials have no part in it.
func (f *Field) CrossInputs(y, v, gx []float64) {
	mustLen("inputs", len(gx), f.Model.Inputs)
	f.sweepAlong(inputs, y, v, gx, func(s *Span, av []float64) float64 {
		s.Curve()
		for k := range s.D {
			s.D[k] *= av[k]
		}
		return 0
	})
}

// CrossWeights sets gtheta to ∂/∂θ_r (∇_y f · v) = Σ_{j∈r} s_j φ'_j (a_jᵀv) at y.
func (f *Field) CrossWeights(y, v, gtheta []float64) {
	mustLen("rules", len(gtheta), f.Model.Rules)
	f.sweepAlong(variables, y, v, nil, func(s *Span, av []float64) float64 {
		s.Weight = 1
		s.Differentiate()
		total := 0.0
		for k, m := range s.D {
			total += m * av[k]
		}
		return total
	})
	f.byRule(gtheta)
}

// DifferenceInputs sets gx to what ∂/∂x (f + mu Σ_j d_j²) = Σ_j (w_j φ'_j + 2 mu d_j) b_j, squares of potentials alone,
// is more at y + step than at y: in one sweep, and exact where the difference is small.
func (f *Field) DifferenceInputs(y, step []float64, mu float64, gx []float64) {
	mustLen("inputs", len(gx), f.Model.Inputs)
	f.sweepAlong(inputs, y, step, gx, func(s *Span, along []float64) float64 {
		s.difference(along)
		if !s.Block.Kind.Hard() {
			for k, v := range along {
				s.D[k] += 2 * mu * v
			}
		}
		return 0
	})
}

// DifferenceWeights sets gtheta to what GradientWeights at y + step is more than at y.
func (f *Field) DifferenceWeights(y, step, gtheta []float64) {
	mustLen("rules", len(gtheta), f.Model.Rules)
	f.sweepAlong(variables, y, step, nil, func(s *Span, along []float64) float64 {
		s.Weight = 1
		return s.difference(along)
	})
	f.byRule(gtheta)
}

// difference replaces the slacks by what the derivatives of the potentials are more at d + along than at d, and returns
// what the potentials are more.
func (s *Span) difference(along []float64) float64 {
	slacks, moved := s.D, s.Spare
	for k, d := range slacks {
		moved[k] = d + along[k]
	}
	s.D = moved
	value := s.Differentiate()
	s.D = slacks
	value -= s.Differentiate()
	for k, m := range moved {
		slacks[k] = m - slacks[k]
	}
	return value
}

// sweepAlong is sweep with the products a_jᵀv of the span's potentials as the visitor's second argument.
func (f *Field) sweepAlong(to side, y, v, g []float64, visit func(s *Span, av []float64) float64) {
	mustLen("components of a direction", len(v), f.Model.Variables)
	f.sweep(to, y, g, func(s *Span) float64 {
		var memory [spanLen]float64
		av := memory[:len(s.D)]
		s.term.vars.addProduct(s.lo, s.hi, v, av)
		return visit(s, av)
	})
}
