package mrf

// Unit returns the unit of energy: the mean weight w_j of the potentials whose weight is not 0, or 1 if there are none.
// It is what a ground rule costs that is broken outright. Tolerances are in terms of it where the energy itself is
// smaller, so that no answer depends on what weights are measured in: a field with all weights times c has c times the
// unit, exactly so if c is a power of two.
func (f *Field) Unit() float64 {
	if f.unit == 0 {
		f.unit = f.meanWeight()
	}
	return f.unit
}

// SetUnit sets the unit, whatever weights are set later: for a field that stands for another one, which the proofs are
// to be about.
func (f *Field) SetUnit(unit float64) { f.unit, f.shared = unit, true }

func (f *Field) meanWeight() float64 {
	count := 0.0
	f.weighted(func(_, _, n float64) { count += n })
	if count == 0 {
		return 1
	}
	mean := 0.0 // the sum could overflow
	f.weighted(func(theta, scales, _ float64) { mean += theta * (scales / count) })
	return mean
}

// weighted calls visit with θ_r of each block that has one, the sum of its s_j, and how many of these are not 0.
func (f *Field) weighted(visit func(theta, scales, n float64)) {
	for k := range f.terms {
		t := &f.terms[k]
		if w := f.theta[t.Rule]; !t.Kind.Hard() && w != 0 {
			scales, n := t.totalScale()
			visit(w, scales, n)
		}
	}
}

// totalScale returns the sum of s_j and how many are not 0. It goes through the scales once.
func (t *term) totalScale() (sum, count float64) {
	if t.Scale == nil {
		return float64(t.Len), float64(t.Len)
	}
	if t.scaled == 0 {
		for _, s := range t.Scale {
			if s > 0 {
				t.scales, t.scaled = t.scales+float64(s), t.scaled+1
			}
		}
		t.Release(0, t.Len)
	}
	return t.scales, t.scaled
}
