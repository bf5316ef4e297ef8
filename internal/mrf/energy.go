package mrf

import "math"

// Energy returns f(y) = Σ_j w_j φ_j(y), the weighted sum of the potentials; constraints count nothing.
func (f *Field) Energy(y []float64) float64 { return f.Sweep(y, nil, (*Span).Differentiate) }

// EnergyGradient returns f(y) and sets g to ∇_y f, at kinks the derivative from the flat side.
func (f *Field) EnergyGradient(y, g []float64) float64 { return f.Sweep(y, g, (*Span).Differentiate) }

// byRule adds the spans' sums of the last sweep by rule.
func (f *Field) byRule(phi []float64) {
	clear(phi)
	for k, s := range f.spans {
		phi[s.term.Rule] += f.partial[k]
	}
}

// Slacks sets d[j] to d_j = a_jᵀy + c_j, for all potentials and constraints in the order of the blocks.
func (f *Field) Slacks(y, d []float64) {
	f.Sweep(y, nil, func(s *Span) float64 {
		copy(d[s.First:], s.D)
		return 0
	})
}

// CountActive adds, by rule, how many ground rules are active at y: equations, and hinges and inequalities whose
// argument is at least -margin.
func (f *Field) CountActive(y []float64, margin float64, count []float64) {
	f.Sweep(y, nil, func(s *Span) float64 { return s.active(margin) })
	for k, s := range f.spans {
		count[s.term.Rule] += f.partial[k]
	}
}

// active counts the span's potentials that are.
func (s *Span) active(margin float64) float64 {
	if s.Block.Kind != Hinge && s.Block.Kind != LessEqual {
		return float64(len(s.D))
	}
	active := 0
	for _, d := range s.D {
		if !(d < -margin) {
			active++
		}
	}
	return float64(active)
}

// Tally is GradientWeights and CountActive in one sweep, in which also looks at each span, unless it is nil.
func (f *Field) Tally(y []float64, margin float64, gtheta, count []float64, also func(s *Span)) {
	active := make([]float64, len(f.spans))
	f.Sweep(y, nil, func(s *Span) float64 {
		if also != nil {
			also(s)
		}
		active[s.Number], s.Weight = s.active(margin), 1
		return s.Differentiate()
	})
	f.byRule(gtheta)
	for k, s := range f.spans {
		count[s.term.Rule] += active[k]
	}
}

// MaxViolation returns the largest violation of a hard constraint at y, at least 0.
func (f *Field) MaxViolation(y []float64) float64 {
	if !f.Model.Hard() {
		return 0
	}
	f.Sweep(y, nil, func(s *Span) float64 { return s.Violation() })
	worst := 0.0
	for _, v := range f.partial {
		worst = max(worst, v)
	}
	return worst
}

// Violation returns the largest violation of the span's constraints, in terms of their magnitudes, or 0 if it holds
// potentials.
func (s *Span) Violation() float64 {
	worst := 0.0
	switch {
	case !s.Block.Kind.Hard():
	case s.term.magnitudes != nil:
		for k, m := range s.term.magnitudes[s.lo:s.hi] {
			worst = max(worst, s.Block.Kind.Violation(s.D[k])/m)
		}
		return worst
	case s.Block.Kind == LessEqual:
		for _, d := range s.D {
			worst = max(worst, d)
		}
	default:
		for _, d := range s.D {
			worst = max(worst, math.Abs(d))
		}
	}
	return worst / s.term.magnitude
}

// Violation is by how much a constraint of this kind with the slack d is violated.
func (k Kind) Violation(d float64) float64 {
	switch {
	case k == Equal:
		return math.Abs(d)
	case k == LessEqual && d > 0:
		return d
	}
	return 0
}

// Differentiate replaces the slacks by the potentials' derivatives w_j φ'_j(d_j) and returns Σ_j w_j φ_j(d_j). As φ is
// homogeneous of degree p, the value is φ'·d/p, and one pass serves for both.
func (s *Span) Differentiate() float64 {
	b, d := s.Block, s.D
	if b.Kind.Hard() {
		clear(d)
		return 0
	}
	value := 0.0
	switch {
	case b.Kind == Hinge && b.Exponent == 2:
		value = s.squaredHinge()
	case b.Kind == Hinge:
		for k, v := range d {
			value += max(0, v) * s.W(k)
			d[k] = step(v) * s.W(k)
		}
	case b.Kind == Absolute && b.Exponent == 2:
		for k, v := range d {
			m := 2 * v * s.W(k)
			value += m * v / 2
			d[k] = m
		}
	case b.Kind == Absolute:
		for k, v := range d {
			value += math.Abs(v) * s.W(k)
			d[k] = (step(v) - step(-v)) * s.W(k)
		}
	default:
		for k, v := range d {
			value += v * s.W(k)
			d[k] = s.W(k)
		}
	}
	return value
}

// squaredHinge is Differentiate for the potential that most models consist of.
func (s *Span) squaredHinge() float64 {
	value := 0.0
	if s.Scale != nil {
		for k, v := range s.D {
			h := max(0, v)
			m := 2 * s.Weight * float64(s.Scale[k]) * h
			value += m * h
			s.D[k] = m
		}
		return value / 2
	}
	w, d := s.Weight, s.D
	for k, v := range d {
		h := v + math.Abs(v) // 2·max(0, v), in fewer instructions
		value += h * h
		d[k] = w * h
	}
	return w * value / 4
}

// Curve replaces the slacks by the potentials' second derivatives w_j φ”_j(d_j), which exist almost everywhere: those
// of the active set, and 0 for linear potentials and constraints.
func (s *Span) Curve() {
	b, d := s.Block, s.D
	if b.Exponent != 2 || b.Kind != Hinge && b.Kind != Absolute {
		clear(d)
		return
	}
	curvature := math.Float64bits(2 * s.Weight)
	for k, v := range d {
		active := curvature
		if b.Kind == Hinge {
			active &= positive(v)
		}
		d[k] = math.Float64frombits(active)
	}
	for k, scale := range s.Scale {
		d[k] *= float64(scale)
	}
}

// positive has all bits set if v > 0, and none otherwise. Half of the hinges are active in no order that a processor
// could foresee: branches would take longer than everything else.
func positive(v float64) uint64 {
	bits := int64(math.Float64bits(v))
	return uint64((-bits &^ bits) >> 63)
}

// step is the derivative of max(0, v), with 0 at the kink.
func step(v float64) float64 {
	if v > 0 {
		return 1
	}
	return 0
}
