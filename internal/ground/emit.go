package ground

import (
	"math"
	"math/bits"

	"github.com/deeppsl/deeppsl/internal/program"
)

// infeasible is the template value from which a hard ground rule without variables counts as violated: what inference
// accepts, and what rounding may add to that.
const infeasible = 1e-6 + 1e-11

// vanishing is the part of a repeated atom's coefficients below which their sum counts as 0.
const vanishing = 1e-12

// together is the sum of two coefficients of an atom, 0 if only rounding is left of them. Either may be any size.
func together(a, b float64) float64 {
	if sum := a + b; math.Abs(sum) >= vanishing*max(math.Abs(a), math.Abs(b)) {
		return sum
	}
	return 0
}

// emitUniform makes a potential of the current grounding of a rule whose coefficients are numbers. All potentials in
// which the same atoms are free share one batch.
func emitUniform(m *machine) {
	vars, inputs := m.vars[:0], m.inputs[:0]
	mask, bias, missing := uint64(0), 0.0, -1
	for k := range m.atoms {
		a, row := &m.atoms[k], m.rows[k]
		switch {
		case a.coef == 0:
		case row >= a.observed && a.perceived:
			mask |= 1 << k
			inputs = append(inputs, row+a.shift)
		case row >= a.observed:
			mask |= 1 << k
			vars = append(vars, row+a.shift)
		case row >= 0:
			bias += a.coef * a.value(row)
		case a.nonexistent(m):
			m.counts.Missing++
			return
		case a.open && missing < 0:
			missing = k
		}
	}
	m.vars, m.inputs = vars, inputs
	switch {
	case m.repeated():
		m.emitMerged(mask, bias, missing)
	case missing >= 0:
		m.reportMissing(missing)
	case m.worthKeeping(len(vars), mask, m.constant+bias):
		b := m.last
		if b == nil || b.mask != mask || b.merged {
			b = m.batchOf(mask)
		}
		b.add(vars, inputs, bias, m.scale)
	}
}

// worthKeeping decides what becomes of a ground rule with so many variables, the free atoms in mask, and the value d
// without them. Pruning has seen to it already that the template of a hinge can be above 0, so that only hard rules,
// and ground rules without variables, need the exact interval of their template.
func (m *machine) worthKeeping(vars int, mask uint64, d float64) bool {
	if vars > 0 && !m.rule.Weight.Hard {
		m.counts.Potentials++
		return true
	}
	low, high := m.interval(mask, d)
	return m.keep(vars, low, high)
}

// interval returns between which values a template lies that is d without the free atoms in mask.
func (m *machine) interval(mask uint64, d float64) (low, high float64) {
	low, high = d, d
	for ; mask != 0; mask &= mask - 1 {
		coef := m.natural[bits.TrailingZeros64(mask)]
		low, high = low+min(coef, 0), high+max(coef, 0)
	}
	return low, high
}

// impossible tells whether a hard rule is violated for every template value in [low, high].
func (m *machine) impossible(low, high float64) bool {
	return low > infeasible || !oneSided(m.rule) && high < -infeasible
}

// always tells whether a ground rule whose template is in [low, high] costs nothing whatever the variables are. A
// linear potential costs its template, also where that is small.
func (m *machine) always(low, high float64) bool {
	if oneSided(m.rule) {
		return high <= m.dust
	}
	linear := m.rule.Form == program.Linear && !m.rule.Weight.Hard
	return !linear && low >= -m.dust && high <= m.dust
}

// repeated tells whether one free atom occurs twice in the current grounding.
func (m *machine) repeated() bool {
	for _, pair := range m.repeats {
		if row := m.rows[pair[0]]; row == m.rows[pair[1]] && row >= m.atoms[pair[0]].observed {
			return true
		}
	}
	return false
}

// emitMerged adds the coefficients of repeated atoms, which changes the shape and may make the ground rule trivial, as
// in T(X) & S(X) -> T(X); with an atom missing that is all that can be said of it. Java PSL drops every hinge in which
// an atom occurs with both signs, trivial or not (compatibility facts, section 1.2); here the sum decides.
func (m *machine) emitMerged(mask uint64, bias float64, missing int) {
	coef := append(m.coef[:0], m.natural...)
	m.coef = coef
	for _, pair := range m.repeats {
		if i, j := pair[0], pair[1]; m.rows[i] == m.rows[j] && (mask>>i)&(mask>>j)&1 == 1 {
			coef[i] = together(coef[i], coef[j])
			mask &^= 1 << j
		}
	}
	low, high, vars := m.constant+bias, m.constant+bias, 0
	for rest := mask; rest != 0; rest &= rest - 1 {
		k := bits.TrailingZeros64(rest)
		if coef[k] == 0 {
			mask &^= 1 << k
			continue
		}
		low, high = low+min(coef[k], 0), high+max(coef[k], 0)
		if !m.atoms[k].perceived {
			vars++
		}
	}
	switch {
	case missing >= 0 && m.always(low, high):
		m.counts.Trivial++
	case missing >= 0:
		m.reportMissing(missing)
	case m.keep(vars, low, high):
		m.addMerged(mask, coef, bias)
	}
}

// keep decides what becomes of a ground rule with so many variables whose template lies in [low, high], and counts it.
func (m *machine) keep(vars int, low, high float64) bool {
	switch {
	case m.rule.Weight.Hard && m.impossible(low, high):
		m.reportViolated()
	case m.always(low, high):
		m.counts.Trivial++
	case vars == 0:
		m.counts.Constant++
	default:
		m.counts.Potentials++
		return true
	}
	return false
}

// addMerged puts the potential with these atoms and coefficients into the batch of its shape.
func (m *machine) addMerged(mask uint64, coef []float64, bias float64) {
	m.vars, m.inputs = m.vars[:0], m.inputs[:0]
	for rest := mask; rest != 0; rest &= rest - 1 {
		k := bits.TrailingZeros64(rest)
		if a := &m.atoms[k]; a.perceived {
			m.inputs = append(m.inputs, m.rows[k]+a.shift)
		} else {
			m.vars = append(m.vars, m.rows[k]+a.shift)
		}
	}
	m.mergedBatch(mask, coef).add(m.vars, m.inputs, bias, m.scale)
}

// emitBroken reports a grounding whose coefficients are not finite numbers whatever the data are.
func emitBroken(m *machine) { m.reportBroken() }
