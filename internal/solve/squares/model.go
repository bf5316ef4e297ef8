package squares

import "github.com/deeppsl/deeppsl/internal/reuse"

// model is the quadratic g·p + ½pᵀHp around a point, over the steps p of some variables that stay in the box. H is that
// of the potentials which count at the point, and never assembled.
type model struct {
	free   []int32 // the variables
	number []int32 // of each variable among the free ones, or -1
	active [Longest + 1]squares

	diagonal, own                    []float64 // of H, and what of it is of potentials that no other free variable is in
	inverse                          []float64 // of the diagonal, 0 where a variable is fixed
	p, lo, hi                        []float64 // the step, and its bounds
	residual                         []float64 // -(g + Hp)
	step, move, product, r, z, along []float64
}

// squares are those of (Σ c·p)² / 2 of as many variables each.
type squares struct {
	vars []int32
	coef []float64
}

// How hard a minimisation tries, and what part of the residual may remain after it: see package newton.
const (
	rounds  = 2
	forcing = 0.1
	most    = 20
)

// direction minimises the quadratic model of the variables that are not pushed against a bound, nearly.
func (p *Problem) direction() {
	m := &p.model
	m.begin(p)
	first := 0.0
	for round := range rounds {
		norm := m.fix()
		if round == 0 {
			first = norm
		}
		if norm <= forcing*forcing*first {
			return
		}
		m.conjugate(forcing, most)
		if m.search(1, 0.25, 0.0625) {
			continue
		}
		for k, r := range m.residual {
			m.step[k] = r * m.inverse[k]
		}
		if !m.search(smaller...) {
			return
		}
	}
}

// smaller parts of the steepest step decrease what it decreases at all, but for rounding.
var smaller = []float64{1, 0.25, 0.0625, 0x1p-6, 0x1p-8, 0x1p-10, 0x1p-14, 0x1p-20, 0x1p-30}

// begin makes the model at the point, with no step.
func (m *model) begin(p *Problem) {
	m.free, m.number = m.free[:0], reuse.More(m.number[:0], len(p.Y))
	for i, g := range p.Slopes {
		y := p.Y[i]
		if m.number[i] = -1; y > 0 && y < 1 || y <= 0 && g < 0 || y >= 1 && g > 0 {
			m.number[i] = int32(len(m.free))
			m.free = append(m.free, int32(i))
		}
	}
	n := len(m.free)
	for _, v := range []*[]float64{&m.diagonal, &m.own, &m.inverse, &m.p, &m.lo, &m.hi, &m.residual, &m.step, &m.move,
		&m.product, &m.r, &m.z, &m.along} {
		*v = reuse.More((*v)[:0], n)
	}
	clear(m.p)
	clear(m.diagonal)
	clear(m.own)
	for k, i := range m.free {
		m.lo[k], m.hi[k], m.residual[k] = -p.Y[i], 1-p.Y[i], -p.Slopes[i]
	}
	for k := range m.active {
		a := &m.active[k]
		a.vars, a.coef = a.vars[:0], a.coef[:0]
	}
	for arity := range p.rows {
		m.gather(&p.rows[arity], arity)
	}
}

// gather takes the rows of a number of variables that count.
func (m *model) gather(r *rows, arity int) {
	var vars [Longest]int32
	var coef [Longest]float64
	number, diagonal, floor := m.number, m.diagonal, r.floor[:len(r.slack)]
	for n, d := range r.slack {
		if !(d > floor[n]) {
			continue
		}
		free, root := 0, r.root[n]
		of := r.vars[arity*n : arity*(n+1)]
		for e, a := range r.coef[arity*n : arity*(n+1)] {
			if k := number[of[e]]; k >= 0 {
				a *= root
				diagonal[k] += a * a
				vars[free], coef[free] = k, a
				free++
			}
		}
		switch a := &m.active[free]; free {
		case 0:
		case 1:
			m.own[vars[0]] += coef[0] * coef[0]
		default:
			a.vars, a.coef = append(a.vars, vars[:free]...), append(a.coef, coef[:free]...)
		}
	}
}

// multiply sets out to H·v.
func (m *model) multiply(v, out []float64) {
	out = out[:len(m.own)]
	v = v[:len(out)]
	for k, own := range m.own {
		out[k] = own * v[k]
	}
	for size := 2; size < len(m.active); size++ {
		if a := &m.active[size]; len(a.vars) > 0 {
			a.multiply(v, out, size)
		}
	}
}

// multiply adds the product with squares of a number of variables.
func (a *squares) multiply(v, out []float64, size int) {
	vars, coef := a.vars, a.coef
	switch size {
	case 2:
		for n := 0; n+2 <= len(vars); n += 2 {
			i, j, c, d := vars[n], vars[n+1], coef[n], coef[n+1]
			s := c*v[i] + d*v[j]
			out[i] += c * s
			out[j] += d * s
		}
	case 3:
		for n := 0; n+3 <= len(vars); n += 3 {
			i, j, k, c, d, e := vars[n], vars[n+1], vars[n+2], coef[n], coef[n+1], coef[n+2]
			s := c*v[i] + d*v[j] + e*v[k]
			out[i] += c * s
			out[j] += d * s
			out[k] += e * s
		}
	default:
		for n := 0; n < len(vars); n += size {
			s := 0.0
			for e := n; e < n+size; e++ {
				s += coef[e] * v[vars[e]]
			}
			for e := n; e < n+size; e++ {
				out[vars[e]] += coef[e] * s
			}
		}
	}
}

// fix keeps those variables where they are that sit at a bound and are pushed against it, and returns the squared
// residual of the others in the diagonal's metric.
func (m *model) fix() (norm float64) {
	n := len(m.residual)
	p, lo, hi, diagonal, inverse := m.p[:n], m.lo[:n], m.hi[:n], m.diagonal[:n], m.inverse[:n]
	for k, r := range m.residual {
		inverse[k] = 0
		if p[k] <= lo[k] && r <= 0 || p[k] >= hi[k] && r >= 0 || !(diagonal[k] > 0) {
			continue
		}
		inverse[k] = 1 / diagonal[k]
		norm += r * (r * inverse[k])
	}
	return norm
}

// conjugate sets the step to a solution of H·step = residual for the variables that are not fixed, but for a
// part of the residual, in at most so many iterations.
func (m *model) conjugate(forcing float64, limit int) {
	n := len(m.residual)
	step, residual, z, along, product, inverse := m.step[:n], m.r[:n], m.z[:n], m.along[:n], m.product[:n], m.inverse[:n]
	clear(step)
	rz := 0.0
	for k, r := range m.residual {
		residual[k], z[k] = r, r*inverse[k]
		along[k] = z[k]
		rz += r * z[k]
	}
	goal := forcing * forcing * rz
	for n := 0; n < limit && rz > goal; n++ {
		m.multiply(along, product)
		curvature := 0.0
		for k, d := range along {
			curvature += d * product[k]
		}
		if !(curvature > 0) {
			return
		}
		before, part := rz, rz/curvature
		rz = 0
		for k, d := range along {
			step[k] += part * d
			r := residual[k] - part*product[k]
			residual[k], z[k] = r, r*inverse[k]
			rz += r * z[k]
		}
		onward := rz / before
		for k, z := range z {
			along[k] = z + onward*along[k]
		}
	}
}

// search moves p along the step, cut at the bounds, by the first of some parts of it that decreases the quadratic.
func (m *model) search(parts ...float64) bool {
	n := len(m.step)
	p, lo, hi, residual, move, product := m.p[:n], m.lo[:n], m.hi[:n], m.residual[:n], m.move[:n], m.product[:n]
	for _, part := range parts {
		linear, curved := 0.0, 0.0
		for k, s := range m.step {
			move[k] = min(max(p[k]+part*s, lo[k]), hi[k]) - p[k]
			linear -= residual[k] * move[k]
		}
		m.multiply(move, product)
		for k, d := range move {
			curved += d * product[k]
		}
		if change := linear + curved/2; change < 0 && change < 0.01*linear {
			for k, d := range move {
				p[k] += d
				residual[k] -= product[k]
			}
			return true
		}
	}
	return false
}
