package mrf

import (
	"math"
	"slices"
)

// Unit returns the unit of energy: the geometric mean of the weights w_j of the potentials whose weight is not 0, or 1
// if there are none. It is what a ground rule costs that is broken outright, and the size of multipliers and
// curvatures. A field with all weights times c has c times the unit, exactly so if c is a power of two.
func (f *Field) Unit() float64 {
	if f.unit == 0 {
		all := f.weighed()
		f.unit, f.grain = all.Mean(), all.Grain()
	}
	return f.unit
}

// Grain returns the energy that gaps are relative to where the energy itself is smaller: what the weights of least size
// are about, see Weights.Grain. It, too, is c times as much if all weights are. In terms of a mean, what rules of small
// weight ask for would be hidden by those of large weight, which mostly cost nothing in the end.
func (f *Field) Grain() float64 {
	f.Unit()
	return f.grain
}

// Means are those of the weights of soft potentials.
func (f *Field) Means() Means { return f.weighed().Means() }

// Within says that the field is a part of another one, which has the unit if none of its own potentials has a weight:
// multipliers of hard constraints alone are then in the unit of those beside them.
func (f *Field) Within(whole *Field) { f.whole = whole }

// SetUnit sets unit and grain, whatever weights are set later: for a field that stands for another one, which the
// proofs are to be about.
func (f *Field) SetUnit(unit, grain float64) { f.unit, f.grain, f.shared = unit, grain, true }

// Twin returns a field of the same model, with the same weights, inputs and unit, which may be at work at the same
// time, even while this is made if the unit has been asked for.
func (f *Field) Twin(threads int) *Field {
	twin := NewFieldOn(f.Model, threads)
	twin.Follow(f)
	return twin
}

// Follow sets weights, inputs and unit to another field's, of a model with as many rules and inputs.
func (f *Field) Follow(other *Field) {
	f.SetUnit(other.Unit(), other.Grain())
	f.SetWeights(other.theta)
	f.SetInputs(other.x)
}

// weighed are the weights of all potentials, or those of the field that this one is a part of.
func (f *Field) weighed() *Weights {
	all := new(Weights)
	for k := range f.terms {
		t := &f.terms[k]
		if w := f.theta[t.Rule]; !t.Kind.Hard() && w > 0 {
			all.addTimes(w, t.scaleWeights())
		}
	}
	if all.logarithms.count == 0 && f.whole != nil {
		return f.whole.weighed()
	}
	return all
}

// scaleWeights are the s_j that are not 0. It goes through the scales once.
func (t *term) scaleWeights() Weights {
	if t.Scale == nil {
		n := float64(t.Len)
		return Weights{logarithms{count: t.Len}, n, n}
	}
	if t.scales.logarithms.count == 0 {
		for _, s := range t.Scale {
			if s > 0 {
				t.scales.add(float64(s))
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
