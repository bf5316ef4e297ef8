package interior

import "math"

// curvature computes the stiffness of the rows and the diagonal of the box and of rows with a single variable.
func (p *program) curvature() {
	for i, y := range p.y {
		p.diagonal[i] = p.zl[i]/y + p.zu[i]/(1-y) + proximal + p.firm
	}
	for k := range p.rows {
		r := &p.rows[k]
		give := r.compliance + soft + p.firm
		if !math.IsInf(r.hi, 0) {
			give += r.t / (r.hi - r.mu)
		}
		if !math.IsInf(r.lo, 0) {
			give += r.s / (r.mu - r.lo)
		}
		r.stiffness = 1 / give
		if r.last-r.first == 1 {
			a := p.coef[r.first]
			p.diagonal[p.index[r.first]] += r.stiffness * a * a
		}
	}
}

// direct computes the step to where all products are mu, with the second-order terms of the step before if correct is
// set (Mehrotra's corrector).
func (p *program) direct(mu float64, correct bool) {
	second := 0.0
	if correct {
		second = 1
	}
	for i, y := range p.y {
		lower, upper := mu-second*p.dy[i]*p.dzl[i], mu+second*p.dy[i]*p.dzu[i]
		p.dzl[i], p.dzu[i] = lower/y-p.zl[i], upper/(1-y)-p.zu[i]
		p.rhs[i] = p.zl[i] + p.dzl[i] - p.zu[i] - p.dzu[i] - p.linear[i]
	}
	for k := range p.rows {
		r := &p.rows[k]
		r.lift = r.d - r.compliance*r.mu
		if !math.IsInf(r.hi, 0) {
			r.dt = (mu+second*r.dt*r.dmu)/(r.hi-r.mu) - r.t
			r.lift -= r.t + r.dt
		}
		if !math.IsInf(r.lo, 0) {
			r.ds = (mu-second*r.ds*r.dmu)/(r.mu-r.lo) - r.s
			r.lift += r.s + r.ds
		}
		push := r.mu
		if !r.kept {
			push += r.stiffness * r.lift
		}
		p.addTo(r, -push, p.rhs)
	}
	p.matrix.solve(p)
	p.complete()
}

// complete computes the rest of the step from that of y.
func (p *program) complete() {
	for i, dy := range p.dy {
		p.dzl[i] -= p.zl[i] / p.y[i] * dy
		p.dzu[i] += p.zu[i] / (1 - p.y[i]) * dy
	}
	for k := range p.rows {
		r := &p.rows[k]
		if !r.kept {
			r.dmu = r.stiffness * (p.product(r, p.dy) + r.lift)
		}
		if !math.IsInf(r.hi, 0) {
			r.dt += r.t / (r.hi - r.mu) * r.dmu
		}
		if !math.IsInf(r.lo, 0) {
			r.ds -= r.s / (r.mu - r.lo) * r.dmu
		}
	}
}

// longest returns the longest step, at most 1, that keeps everything positive that must be.
func (p *program) longest() float64 {
	step := 1.0
	bound := func(v, dv float64) {
		if v+step*dv < 0 {
			step = -v / dv
		}
	}
	for i, y := range p.y {
		bound(y, p.dy[i])
		bound(1-y, -p.dy[i])
		bound(p.zl[i], p.dzl[i])
		bound(p.zu[i], p.dzu[i])
	}
	for k := range p.rows {
		r := &p.rows[k]
		if !math.IsInf(r.hi, 0) {
			bound(r.t, r.dt)
			bound(r.hi-r.mu, -r.dmu)
		}
		if !math.IsInf(r.lo, 0) {
			bound(r.s, r.ds)
			bound(r.mu-r.lo, r.dmu)
		}
	}
	return step
}

// move takes a step.
func (p *program) move(step float64) {
	for i := range p.y {
		p.y[i] += step * p.dy[i]
		p.zl[i] += step * p.dzl[i]
		p.zu[i] += step * p.dzu[i]
	}
	for k := range p.rows {
		r := &p.rows[k]
		r.mu += step * r.dmu
		if !math.IsInf(r.hi, 0) {
			r.t += step * r.dt
		}
		if !math.IsInf(r.lo, 0) {
			r.s += step * r.ds
		}
		r.d = p.slack(r, p.y)
	}
}
