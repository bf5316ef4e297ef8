package newton

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// model is the quadratic g·p + ½pᵀHp around a point, over the steps p that stay in the box. It is minimised by rounds
// of conjugate gradients on the face of the box that the round before ended on, each followed by a search along the
// projected path (Moré and Toraldo, 1991). Products with the compacted H are cheap against a sweep over all
// potentials, but more than a few rounds do not pay, as the active set changes with the next step.
type model struct {
	h        *mrf.Hessian
	cg       mrf.Conjugate
	p        []float64
	lo, hi   []float64 // bounds of p: the box's, and the radius
	residual []float64 // -(g + Hp)
	fixed    []bool    // at a bound and pushed against it
	step     []float64
	kept     []float64 // a step that others are compared with
	move     []float64 // of p, within the bounds
	product  []float64 // H·move
	products int       // by H that are not counted as work yet
	effort   int
	// brief keeps to few rounds and no effort: where all potentials are smooth, the active set settles so soon that more
	// exact steps never pay (measured on models of the size of Cora: a third of the time).
	brief bool
	// radius bounds how far a variable moves. A few that leave where the quadratic holds would cut the step of all others,
	// to a hundredth in models of a million linear potentials.
	radius float64
	stop   func() bool
}

// How hard a minimisation tries: at no effort, and what each further effort adds.
const (
	rounds, moreRounds      = 3, 2
	briefRounds             = 2
	forcing, tighterForcing = 0.1, 0.1 // the part of the residual that may remain
	most, timesMost         = 20, 2    // products in a round
	leastEffort, mostEffort = 0, 2
)

// learn adapts the effort to how the last step fared. If the function fell as the quadratic said, the active set is the
// right one and a more exact step is worth its products; if not, it is not (Eisenstat and Walker, 1996).
func (m *model) learn(predicted, actual float64) {
	if m.brief {
		return
	}
	if math.Abs(actual-predicted) <= 0.1*predicted {
		m.effort = min(m.effort+1, mostEffort)
	} else {
		m.effort = max(m.effort-1, leastEffort)
	}
}

// widen doubles the radius after a whole step of which it was the bound.
func (m *model) widen() {
	for _, d := range m.p {
		if math.Abs(d) > 0.9*m.radius {
			m.radius = min(2*m.radius, 1)
			return
		}
	}
}

// decrease is what the quadratic says that p gains, -(g·p + ½pᵀHp).
func (m *model) decrease(g []float64) float64 {
	total := 0.0
	for k, i := range m.h.Free {
		total += m.p[k] * (m.residual[k] - g[i])
	}
	return total / 2
}

// minimise sets p to an approximate minimiser.
func (m *model) minimise(y, g []float64) {
	e := float64(m.effort)
	forcing := forcing * math.Pow(tighterForcing, e)
	most := most * int(math.Pow(timesMost, e))
	m.begin(y, g)
	first, limit := 0.0, rounds+m.effort*moreRounds
	if m.brief {
		limit = briefRounds
	}
	for round := range limit {
		m.fix()
		m.h.Restrict(m.fixed)
		norm := m.norm()
		if round == 0 {
			first = norm
		}
		if norm <= forcing*forcing*first || m.stop() {
			return
		}
		m.products += m.cg.Solve(m.h, m.residual, m.step, forcing, most, m.stop)
		if !m.search(1, 0.25, 0.0625) && !m.fallBack() {
			return
		}
	}
}

// work is what products took that are not counted yet, in about nanoseconds of a core: each with six passes over
// vectors.
func (m *model) work() float64 {
	return float64(m.products) * (2*float64(m.h.Entries()) + 6*float64(len(m.p)))
}

// begin sets p to 0.
func (m *model) begin(y, g []float64) {
	n := len(m.h.Free)
	for _, v := range []*[]float64{&m.p, &m.lo, &m.hi, &m.residual, &m.step, &m.move, &m.product} {
		if cap(*v) < n {
			*v = make([]float64, n)
		}
		*v = (*v)[:n]
	}
	if cap(m.fixed) < n {
		m.fixed = make([]bool, n)
	}
	m.fixed = m.fixed[:n]
	clear(m.p)
	for k, i := range m.h.Free {
		m.lo[k], m.hi[k] = max(-y[i], -m.radius), min(1-y[i], m.radius)
		m.residual[k] = -g[i]
	}
}

// fix finds the variables that sit at a bound and are pushed against it.
func (m *model) fix() {
	for k, r := range m.residual {
		p := m.p[k] // which is seldom at a bound, while residuals have either sign
		m.fixed[k] = p <= m.lo[k] && r <= 0 || p >= m.hi[k] && r >= 0
	}
}

// norm is the squared residual of the variables that are not fixed, in the diagonal's metric.
func (m *model) norm() float64 {
	total := 0.0
	for k, r := range m.residual {
		if !m.fixed[k] {
			total += r * (r / m.h.Diagonal[k]) // a square could overflow
		}
	}
	return total
}

// steepest sets the step to the scaled residual, whose projected path decreases the quadratic for sure.
func (m *model) steepest() {
	for k, r := range m.residual {
		m.step[k] = 0
		if !m.fixed[k] {
			m.step[k] = r / m.h.Diagonal[k]
		}
	}
}

// search moves p along the step's projected path by the first of some parts of it that decreases the quadratic.
func (m *model) search(parts ...float64) bool {
	for _, part := range parts {
		if change, ok := m.try(part); ok && change < 0 {
			m.take()
			return true
		}
	}
	return false
}

// fallBack moves p where the projected path of a step is cut too soon for the quadratic to decrease, as along valleys
// without curvature. Then a decrease is certain only as far as the first bound on the way; but to stop there may mean
// to fix one variable in twenty thousand. So the scaled residual, the steepest step, is tried too: where a step would
// leave the box at once, and many variables share a sum, only a small part of that decreases anything.
func (m *model) fallBack() bool {
	m.kept = append(m.kept[:0], m.step...)
	part := m.reach()
	least, _ := m.try(part)
	m.steepest()
	for _, part := range []float64{1, 0.25, 0.0625, m.reach()} {
		if change, ok := m.try(part); ok && change < least {
			m.take()
			return true
		}
	}
	m.step, m.kept = m.kept, m.step
	if m.search(part) {
		return true
	}
	m.step, m.kept = m.kept, m.step
	return m.search(smallParts...)
}

// smallParts of a step decrease what it decreases at all, but for rounding.
var smallParts = []float64{0x1p-6, 0x1p-8, 0x1p-10, 0x1p-12, 0x1p-14, 0x1p-16, 0x1p-20, 0x1p-24, 0x1p-30}

// try makes the move for a part of the step, and returns by how much the quadratic changes; the move is good if that is
// not much less than its slope promises.
func (m *model) try(part float64) (change float64, good bool) {
	linear := m.project(part)
	m.h.Mul(m.move, m.product)
	m.products++
	curved := 0.0
	for k, d := range m.move {
		curved += d * m.product[k]
	}
	change = linear + curved/2
	return change, change < 0.01*linear
}

// take makes the move that was tried.
func (m *model) take() {
	for k, d := range m.move {
		m.p[k] += d
		m.residual[k] -= m.product[k]
	}
}

// reach is the part of the step, at most 1, that keeps within the bounds.
func (m *model) reach() float64 {
	part := 1.0
	for k, s := range m.step {
		switch to := m.p[k] + part*s; {
		case to > m.hi[k]:
			part = (m.hi[k] - m.p[k]) / s
		case to < m.lo[k]:
			part = (m.lo[k] - m.p[k]) / s
		}
	}
	return part
}

// project sets move to a part of the step, cut at the bounds, and returns the quadratic's slope along it.
func (m *model) project(part float64) float64 {
	slope := 0.0
	for k, s := range m.step {
		m.move[k] = min(max(m.p[k]+part*s, m.lo[k]), m.hi[k]) - m.p[k]
		slope -= m.residual[k] * m.move[k]
	}
	return slope
}
