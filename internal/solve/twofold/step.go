package twofold

import "math"

// run takes steps until the answer is proven, hard rows are shown to contradict each other, or nothing is gained.
func (p *problem) run() {
	if !p.begin() {
		return
	}
	best, since := math.Inf(1), 0
	p.smallest = math.Inf(1)
	for range steps {
		if p.check(&best, &since) || p.stop() {
			return
		}
		if !p.step() {
			return
		}
	}
}

// step takes a step of Mehrotra's, and tells whether the arithmetic has held.
func (p *problem) step() bool {
	products, count := p.products(0, 0)
	mean := products.value() / float64(count)
	p.assemble()
	clear(p.beyond)
	p.direct(0)
	p.longest()
	affine, _ := p.products(p.primal, p.dual)
	ratio := affine.value() / products.value()
	p.correct()
	p.direct(mean * ratio * ratio * ratio)
	if p.longest(); min(p.primal, p.dual) < short {
		clear(p.beyond)
		p.direct(mean)
		p.longest()
	}
	p.primal, p.dual = p.primal*near, p.dual*near
	if next, _ := p.products(p.primal, p.dual); math.IsNaN(next.high) || math.IsInf(next.high, 0) {
		return false
	}
	p.move()
	return max(p.primal, p.dual) > 0
}

// near is the part of the way to the next bound that a step goes, and short the length of those that are worth less
// than one to where all products are alike.
const near, short = 0.995, 0.1

// assemble writes and factors the matrix of the steps of multipliers.
func (p *problem) assemble() {
	for i, y := range p.y {
		p.diagonal[i] = p.zl[i].over(y).plus(p.zu[i].over(of(1).minus(y)))
	}
	p.matrix.clear()
	for k := range p.rows {
		r := &p.rows[k]
		r.give = r.compliance
		if r.upper {
			r.give = r.give.plus(r.t.over(r.hi.minus(r.mu)))
		}
		if r.lower {
			r.give = r.give.plus(r.s.over(r.mu.minus(r.lo)))
		}
		p.matrix.add(k, k, r.give)
	}
	for i, column := range p.columns {
		inverse := of(1).over(p.diagonal[i])
		for k, a := range column {
			times := inverse.times(a.coef)
			for _, b := range column[:k+1] {
				p.matrix.add(a.row, b.row, times.times(b.coef))
			}
		}
		p.done += float64(len(column)*len(column)) / 2
	}
	p.matrix.factor()
}

// direct computes the step to where each product is mu, and what is wanted beyond that of each.
func (p *problem) direct(mu float64) {
	aim := of(mu)
	for i, y := range p.y {
		lower, upper := aim.plus(p.beyond[2*i]), aim.plus(p.beyond[2*i+1])
		p.dzl[i] = lower.over(y).minus(p.zl[i])
		p.dzu[i] = upper.over(of(1).minus(y)).minus(p.zu[i])
		p.rhs[i] = p.zl[i].plus(p.dzl[i]).minus(p.zu[i]).minus(p.dzu[i])
		if !p.hardOnly {
			p.rhs[i] = p.rhs[i].minus(p.linear[i])
		}
	}
	beyond := p.beyond[2*p.n:]
	for k := range p.rows {
		r := &p.rows[k]
		r.lift = r.d.minus(r.compliance.times(r.mu))
		if r.upper {
			r.dt = aim.plus(beyond[2*k+1]).over(r.hi.minus(r.mu)).minus(r.t)
			r.lift = r.lift.minus(r.t).minus(r.dt)
		}
		if r.lower {
			r.ds = aim.plus(beyond[2*k]).over(r.mu.minus(r.lo)).minus(r.s)
			r.lift = r.lift.plus(r.s).plus(r.ds)
		}
		for e, i := range r.index {
			p.rhs[i] = p.rhs[i].minus(r.mu.times(r.coef[e]))
		}
	}
	p.solve()
}

// solve finds the step of all from what is wanted.
func (p *problem) solve() {
	for i := range p.dy {
		p.dy[i] = p.rhs[i].over(p.diagonal[i])
	}
	for k := range p.rows {
		r := &p.rows[k]
		p.v[k] = r.lift
		for e, i := range r.index {
			p.v[k] = p.v[k].plus(r.coef[e].times(p.dy[i]))
		}
	}
	p.matrix.solve(p.v)
	for k := range p.rows {
		r := &p.rows[k]
		r.dmu = p.v[k]
		for e, i := range r.index {
			p.rhs[i] = p.rhs[i].minus(r.dmu.times(r.coef[e]))
		}
		if r.upper {
			r.dt = r.dt.plus(r.t.over(r.hi.minus(r.mu)).times(r.dmu))
		}
		if r.lower {
			r.ds = r.ds.minus(r.s.over(r.mu.minus(r.lo)).times(r.dmu))
		}
	}
	for i := range p.dy {
		p.dy[i] = p.rhs[i].over(p.diagonal[i])
		p.dzl[i] = p.dzl[i].minus(p.zl[i].over(p.y[i]).times(p.dy[i]))
		p.dzu[i] = p.dzu[i].plus(p.zu[i].over(of(1).minus(p.y[i])).times(p.dy[i]))
	}
}

// correct makes what the last step leaves of each product in second order what is wanted beyond of the next.
func (p *problem) correct() {
	for i, dy := range p.dy {
		p.beyond[2*i] = dy.times(p.dzl[i]).negative()
		p.beyond[2*i+1] = dy.times(p.dzu[i])
	}
	beyond := p.beyond[2*p.n:]
	for k := range p.rows {
		r := &p.rows[k]
		beyond[2*k], beyond[2*k+1] = r.ds.times(r.dmu).negative(), r.dt.times(r.dmu)
	}
}

// longest finds the longest step, at most 1, that keeps everything positive that must be.
func (p *problem) longest() {
	p.primal, p.dual = 1, 1
	bound := func(length *float64, v, dv number) {
		if v.high+*length*dv.high < 0 {
			*length = -v.high / dv.high
		}
	}
	for i, y := range p.y {
		bound(&p.primal, y, p.dy[i])
		bound(&p.primal, of(1).minus(y), p.dy[i].negative())
		bound(&p.dual, p.zl[i], p.dzl[i])
		bound(&p.dual, p.zu[i], p.dzu[i])
	}
	for k := range p.rows {
		r := &p.rows[k]
		if r.upper {
			bound(&p.primal, r.t, r.dt)
			bound(&p.dual, r.hi.minus(r.mu), r.dmu.negative())
		}
		if r.lower {
			bound(&p.primal, r.s, r.ds)
			bound(&p.dual, r.mu.minus(r.lo), r.dmu)
		}
	}
	if p.curved {
		p.primal = min(p.primal, p.dual)
		p.dual = p.primal
	}
}

// move takes the step.
func (p *problem) move() {
	for i := range p.y {
		p.y[i] = p.y[i].plus(p.dy[i].by(p.primal))
		p.zl[i] = p.zl[i].plus(p.dzl[i].by(p.dual))
		p.zu[i] = p.zu[i].plus(p.dzu[i].by(p.dual))
	}
	for k := range p.rows {
		r := &p.rows[k]
		r.mu = r.mu.plus(r.dmu.by(p.dual))
		if r.upper {
			r.t = r.t.plus(r.dt.by(p.primal))
		}
		if r.lower {
			r.s = r.s.plus(r.ds.by(p.primal))
		}
		r.d = r.slack(p.y)
	}
}

// products sums all products of what must not both be positive, after a step of the given length.
func (p *problem) products(primal, dual float64) (sum number, count int) {
	for i := range p.y {
		y := p.y[i].plus(p.dy[i].by(primal))
		sum = sum.plus(y.times(p.zl[i].plus(p.dzl[i].by(dual))))
		sum = sum.plus(of(1).minus(y).times(p.zu[i].plus(p.dzu[i].by(dual))))
	}
	count = 2 * p.n
	for k := range p.rows {
		r := &p.rows[k]
		mu := r.mu.plus(r.dmu.by(dual))
		if r.lower {
			sum = sum.plus(r.s.plus(r.ds.by(primal)).times(mu.minus(r.lo)))
			count++
		}
		if r.upper {
			sum = sum.plus(r.t.plus(r.dt.by(primal)).times(r.hi.minus(mu)))
			count++
		}
	}
	return sum, count
}
