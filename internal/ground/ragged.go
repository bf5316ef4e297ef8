package ground

import (
	"cmp"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
)

// term is one free atom of the ground rule at hand, with its coefficient.
type term struct {
	number int32
	input  bool
	coef   float64
}

// order puts variables before inputs, each by number, so that terms of one atom lie side by side.
func (t *term) order() int64 {
	if t.input {
		return 1<<32 + int64(t.number)
	}
	return int64(t.number)
}

// emitRagged makes a potential of the current grounding of a rule whose shape differs from grounding to grounding: one
// with summations, or with more atoms than a mask has bits.
func emitRagged(m *machine) {
	for k := range m.sums {
		m.expand(k)
	}
	d, ok := m.coefficient(m.rule.Constant, m.constant)
	bias := d - m.constant
	m.terms = m.terms[:0]
	for k := range m.atoms {
		a, rows := &m.atoms[k], m.rowsOf(k)
		if len(rows) == 0 {
			continue // an empty sum is 0, and its coefficient need not exist
		}
		if rows[0] < 0 && a.nonexistent(m) {
			m.counts.Missing++
			return
		}
		if rows[0] < 0 && a.open {
			m.reportMissing(k)
			return
		}
		coef, exists := m.coefficient(a.expr, a.coef)
		ok = ok && exists
		bias += m.collect(a, coef, rows)
	}
	if !ok {
		m.reportBroken()
		return
	}
	m.mergeTerms()
	m.addRagged(bias)
}

// rowsOf returns the rows of atom k in the grounding at hand: one, or those of its sum.
func (m *machine) rowsOf(k int) []int32 {
	if s := m.atoms[k].sum; s >= 0 {
		return m.sums[s].rows
	}
	return m.rows[k : k+1]
}

// addRagged appends the terms at hand to the machine's one ragged batch, if they are worth it.
func (m *machine) addRagged(bias float64) {
	low, high, vars := m.constant+bias, m.constant+bias, 0
	for _, t := range m.terms {
		low, high = low+min(t.coef, 0), high+max(t.coef, 0)
		if !t.input {
			vars++
		}
	}
	if m.keep(vars, low, high) {
		m.addTerms(bias)
	}
}

// coefficient evaluates an expression for the sizes of the current sums; value is what it is if it is a plain number.
func (m *machine) coefficient(e program.Expr, value float64) (coef float64, ok bool) {
	if e.Op != program.Number {
		value = e.Eval(m.sizeOf)
	}
	return value, finite(value)
}

// collect appends the free ones among an atom's rows to the terms and returns what the observed ones add to the bias.
func (m *machine) collect(a *atom, coef float64, rows []int32) (bias float64) {
	if coef == 0 {
		return 0
	}
	for _, row := range rows {
		if row >= a.observed {
			m.terms = append(m.terms, term{number: row + a.shift, input: a.perceived, coef: coef})
		} else if row >= 0 {
			bias += coef * a.value(row)
		}
	}
	return bias
}

// mergeTerms adds the coefficients of repeated atoms and drops those that cancel out. Sums are long, so this sorts
// where emitMerged compares pairs; most rules cannot repeat an atom and keep the order in which the terms were found.
func (m *machine) mergeTerms() {
	if len(m.repeats) == 0 {
		return
	}
	slices.SortStableFunc(m.terms, func(a, b term) int {
		return cmp.Compare(a.order(), b.order())
	})
	kept := m.terms[:0]
	for _, t := range m.terms {
		if n := len(kept); n > 0 && kept[n-1].order() == t.order() {
			kept[n-1].coef += t.coef
		} else {
			kept = append(kept, t)
		}
	}
	m.terms = slices.DeleteFunc(kept, func(t term) bool { return math.Abs(t.coef) < vanishing })
}

// addTerms appends the terms at hand, and remembers where they end.
func (m *machine) addTerms(bias float64) {
	if len(m.batches) == 0 {
		m.newBatch(0, nil).ragged = true
	}
	b := m.batches[0]
	b.compare(m.terms)
	for _, t := range m.terms {
		if t.input {
			b.inputs = append(b.inputs, t.number)
			b.inputValue.Append(t.coef)
		} else {
			b.vars = append(b.vars, t.number)
			b.varCoef.Append(t.coef)
		}
	}
	b.varEnd = append(b.varEnd, int32(len(b.vars)))
	b.inputEnd = append(b.inputEnd, int32(len(b.inputs)))
	b.measure(bias, m.scale)
	if m.full != nil && len(b.vars)+len(b.inputs) > portion/8 {
		m.crowded()
	}
}

// compare notes whether a potential of these terms, which is yet to be added, has the coefficients of the first one.
func (b *batch) compare(terms []term) {
	if b.len == 0 {
		b.regular, b.pattern, b.inputPattern = true, b.pattern[:0], b.inputPattern[:0]
		for _, t := range terms {
			if t.input {
				b.inputPattern = append(b.inputPattern, t.coef)
			} else {
				b.pattern = append(b.pattern, t.coef)
			}
		}
		return
	}
	if !b.regular {
		return
	}
	v, x := 0, 0
	for _, t := range terms {
		pattern, at := b.pattern, &v
		if t.input {
			pattern, at = b.inputPattern, &x
		}
		if *at == len(pattern) || pattern[*at] != t.coef {
			b.regular = false
			return
		}
		*at++
	}
	b.regular = v == len(b.pattern) && x == len(b.inputPattern)
}
