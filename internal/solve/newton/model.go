package newton

import "github.com/deeppsl/deeppsl/internal/mrf"

// model is the quadratic g·p + ½pᵀHp around a point, over the steps p that stay in the box. It is minimised by rounds of
// conjugate gradients on the face of the box that the round before ended on, each followed by a search along the
// projected path (Moré and Toraldo, 1991). Products with the compacted H are cheap against a sweep over all potentials,
// but more than a few rounds do not pay, as the active set changes with the next step.
type model struct {
	h        *mrf.Hessian
	cg       mrf.Conjugate
	p        []float64
	lo, hi   []float64 // bounds of p
	residual []float64 // -(g + Hp)
	fixed    []bool    // at a bound and pushed against it
	step     []float64
	move     []float64 // of p, within the bounds
	product  []float64 // H·move
	stop     func() bool
}

const (
	rounds = 3
	// forcing is the part of the residual that may remain in each round, and products bounds what it may cost.
	forcing  = 0.1
	products = 20
)

// minimise sets p to an approximate minimiser.
func (m *model) minimise(y, g []float64) {
	m.begin(y, g)
	first := 0.0
	for round := range rounds {
		m.fix()
		m.h.Restrict(m.fixed)
		norm := m.norm()
		if round == 0 {
			first = norm
		}
		if norm <= forcing*forcing*first || m.stop() {
			return
		}
		m.cg.Solve(m.h, m.residual, m.step, forcing, products, nil)
		if m.search(1e-2) {
			continue
		}
		if round > 0 {
			return
		}
		m.steepest()
		m.search(1e-9)
	}
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
		m.lo[k], m.hi[k] = -y[i], 1-y[i]
		m.residual[k] = -g[i]
	}
}

// fix finds the variables that sit at a bound and are pushed against it.
func (m *model) fix() {
	for k, r := range m.residual {
		m.fixed[k] = r <= 0 && m.p[k] <= m.lo[k] || r >= 0 && m.p[k] >= m.hi[k]
	}
}

// norm is the squared residual of the variables that are not fixed, in the diagonal's metric.
func (m *model) norm() float64 {
	total := 0.0
	for k, r := range m.residual {
		if !m.fixed[k] {
			total += r * r / m.h.Diagonal[k]
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

// search moves p along the step's projected path, as far as decreases the quadratic, but not if that is less than the
// smallest part of the step.
func (m *model) search(smallest float64) bool {
	for part := 1.0; part > smallest; part /= 4 {
		linear := m.project(part)
		m.h.Mul(m.move, m.product)
		curved := 0.0
		for k, d := range m.move {
			curved += d * m.product[k]
		}
		if linear+curved/2 < 0.01*linear {
			for k, d := range m.move {
				m.p[k] += d
				m.residual[k] -= m.product[k]
			}
			return true
		}
	}
	return false
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
