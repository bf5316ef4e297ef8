package mrf

import (
	"math"
	"slices"
)

// Unit returns the unit of energy: the geometric mean of the weights w_j of the potentials whose weight is not 0, or 1
// if there are none. It is what a ground rule costs that is broken outright. Tolerances are in terms of it where the
// energy itself is smaller, so that no answer depends on what weights are measured in: a field with all weights times c
// has c times the unit, exactly so if c is a power of two. The arithmetic mean would let a few large weights, of rules
// that cost nothing in the end, hide what all others ask for.
func (f *Field) Unit() float64 {
	if f.unit == 0 {
		f.unit = f.meanWeight()
	}
	return f.unit
}

// Within says that the field is a part of another one, which has the unit if none of its own potentials has a weight:
// multipliers of hard constraints alone are then in the unit of those beside them.
func (f *Field) Within(whole *Field) { f.whole = whole }

// SetUnit sets the unit, whatever weights are set later: for a field that stands for another one, which the proofs are
// to be about.
func (f *Field) SetUnit(unit float64) { f.unit, f.shared = unit, true }

func (f *Field) meanWeight() float64 {
	var all logarithms
	for k := range f.terms {
		t := &f.terms[k]
		if w := f.theta[t.Rule]; !t.Kind.Hard() && w > 0 {
			scales := t.scaleLogarithms()
			all.add(w, scales.count)
			all.exponents += scales.exponents
			all.fractions += scales.fractions
		}
	}
	if all.count == 0 && f.whole != nil {
		return f.whole.Unit()
	}
	return all.mean()
}

// scaleLogarithms returns those of s_j that are not 0. It goes through the scales once.
func (t *term) scaleLogarithms() logarithms {
	if t.Scale == nil {
		return logarithms{count: t.Len}
	}
	if t.scales.count == 0 {
		for _, s := range t.Scale {
			if s > 0 {
				t.scales.add(float64(s), 1)
			}
		}
		t.Release(0, t.Len)
	}
	return t.scales
}

// Convexity returns an m such that f(y) - Σ_i m/2 y_i² is convex over the box: the least that squares of one variable
// each, as priors are, curve along any variable. The energy of a feasible point y exceeds the least by m/2 ‖y - y*‖² or
// more. It is 0 where some variable has no such square.
func (f *Field) Convexity() float64 {
	curvature := make([]float64, f.Model.Variables)
	f.eachSingle(func(i int32, m member) {
		a, c := m.term.vars.coef[0], m.term.constant(int(m.j))
		if m.term.Kind == Absolute || c+min(a, 0) >= 0 { // a hinge is a square where it never ends
			curvature[i] += 2 * m.weight(f.theta) * a * a
		}
	})
	if len(curvature) == 0 {
		return math.Inf(1)
	}
	return slices.Min(curvature)
}
