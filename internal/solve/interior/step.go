package interior

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/reuse"
)

// infinite is what rows give that take no part.
const infinite = 1e64

// curvature computes the stiffness of the rows and the diagonal of the box and of rows with a single variable.
func (p *program) curvature() {
	p.bounds(p.diagonal)
	p.relate()
	for k := range p.rows {
		r := &p.rows[k]
		firm := p.firm
		if firm > 0 && r.hard {
			firm *= p.share(r)
		}
		give := r.compliance + soft + firm
		if r.upper {
			give += r.t / (r.hi - r.mu)
		}
		if r.lower {
			give += r.s / (r.mu - r.lo)
		}
		if r.idle {
			give = infinite
		}
		r.stiffness = 1 / give
		if r.last-r.first == 1 {
			a := p.coef[r.first]
			p.diagonal[p.index[r.first]] += r.stiffness * a * a
		}
	}
}

// bounds computes what the bounds of variables bend them by.
func (p *program) bounds(out []float64) {
	for i, y := range p.y {
		out[i] = p.zl[i]/y + p.zu[i]/(1-y) + (proximal+p.firm)*p.width[i]*p.width[i]
	}
}

// relate adds up what bends each variable, where rows are firm: its bounds and squares.
func (p *program) relate() {
	if p.firm == 0 {
		return
	}
	p.bend = append(p.bend[:0], p.diagonal...)
	for k := range p.rows {
		if r := &p.rows[k]; r.compliance > 0 {
			for l := r.first; l < r.last; l++ {
				p.bend[p.index[l]] += p.coef[l] / r.compliance * p.coef[l]
			}
		}
	}
}

// share is the part of firm that a hard row has, so that this is little beside what it gives by its variables: these
// may be bent by far more than the row's coefficients are.
func (p *program) share(r *row) float64 {
	own := 0.0
	for l := r.first; l < r.last; l++ {
		own += p.coef[l] / p.bend[p.index[l]] * p.coef[l]
	}
	return min(1, own*giving)
}

// giving is how many times as much as firm a row is to give by its variables for all of it.
const giving = 1e6

// ease corrects the solution for what firm rows give. A step leaves each violated by firm times what its multiplier
// moves by. Along chains of them multipliers are large, and where they still move by more than a step's part of that,
// what is left from step to step costs more than the gap may be. It is measured as in the gap: pushes of variables as
// they are, and violations by the rows' multipliers.
func (s *sparse) ease(p *program) {
	moved := 0.0
	for k, j := range s.kept {
		moved += math.Abs(s.x[p.n+k]) * p.worth(&p.rows[j])
	}
	if p.firm*moved > p.tolerance {
		s.weigh(p)
		s.easing.correct(s.x, s.correction, s.factored.Solve, s.subtractProduct, p.tolerance)
	}
}

// weigh finds what a matrix has more on its diagonal where rows are not firm, and what each row is worth.
func (s *sparse) weigh(p *program) {
	e, order := &s.easing, p.n+len(s.kept)
	e.room(order)
	for i := range p.n {
		e.worth[i] = 1
	}
	for k, j := range s.kept {
		r := &p.rows[j]
		e.gives[p.n+k], e.worth[p.n+k] = p.eased(r), p.worth(r)
	}
	for _, t := range s.twins {
		e.gives[p.n+int(t.of)] += t.times * p.eased(&p.rows[t.row]) * t.times
	}
	for k := p.n; k < order; k++ {
		e.gives[k] = -1/e.gives[k] - s.diagonal[k]
	}
}

// eased is the stiffness that a row has where it is not firm.
func (p *program) eased(r *row) float64 {
	if r.idle || !r.hard {
		return r.stiffness
	}
	return 1 / (1/r.stiffness - p.firm*p.share(r))
}

// worth is what a violation of a row is worth in the gap, by its multiplier or one of the usual size.
func (p *program) worth(r *row) float64 { return max(p.scale, math.Abs(r.mu)) }

// direct computes the step to where each product is mu, and what is wanted beyond that of each.
func (p *program) direct(mu float64) {
	for i, y := range p.y {
		lower, upper := mu+p.beyond[2*i], mu+p.beyond[2*i+1]
		p.dzl[i], p.dzu[i] = lower/y-p.zl[i], upper/(1-y)-p.zu[i]
		p.rhs[i] = p.zl[i] + p.dzl[i] - p.zu[i] - p.dzu[i] - p.linear[i]
	}
	beyond := p.beyond[2*p.n:]
	for k := range p.rows {
		r := &p.rows[k]
		r.lift = r.d - r.compliance*r.mu
		if r.upper {
			r.dt = (mu+beyond[2*k+1])/(r.hi-r.mu) - r.t
			r.lift -= r.t + r.dt
		}
		if r.lower {
			r.ds = (mu+beyond[2*k])/(r.mu-r.lo) - r.s
			r.lift += r.s + r.ds
		}
		push := r.mu
		if !r.kept {
			push += r.stiffness * r.lift
		}
		p.addTo(r, -push, p.rhs)
	}
	p.settled, p.basic = p.settled[:0], p.basic[:0]
	p.matrix.solve(p)
	p.complete()
}

// correct makes what the last step leaves of each product in second order what is wanted beyond of the next (Mehrotra).
func (p *program) correct() {
	for i, dy := range p.dy {
		p.beyond[2*i], p.beyond[2*i+1] = -dy*p.dzl[i], dy*p.dzu[i]
	}
	beyond := p.beyond[2*p.n:]
	for k := range p.rows {
		r := &p.rows[k]
		beyond[2*k], beyond[2*k+1] = -r.ds*r.dmu, r.dt*r.dmu
	}
}

// centre adds to what is wanted what brings those products nearer to mu that a step of the given length would leave far
// from it (Gondzio 1996).
func (p *program) centre(mu float64, step stride) {
	towards := func(at *float64, product float64) {
		switch {
		case product < mu/wide:
			*at += mu/wide - product
		case product > mu*wide:
			*at += max(mu*wide-product, -mu*wide)
		}
	}
	for i, y := range p.y {
		dy := step.primal * p.dy[i]
		towards(&p.beyond[2*i], (y+dy)*(p.zl[i]+step.dual*p.dzl[i]))
		towards(&p.beyond[2*i+1], (1-y-dy)*(p.zu[i]+step.dual*p.dzu[i]))
	}
	beyond := p.beyond[2*p.n:]
	for k := range p.rows {
		r := &p.rows[k]
		if r.lower {
			towards(&beyond[2*k], (r.s+step.primal*r.ds)*(r.mu-r.lo+step.dual*r.dmu))
		}
		if r.upper {
			towards(&beyond[2*k+1], (r.t+step.primal*r.dt)*(r.hi-r.mu-step.dual*r.dmu))
		}
	}
}

// wide is how many times mu products may be, or the inverse, without being far from it.
const wide = 10

// complete computes the rest of the step from that of y.
func (p *program) complete() {
	for i, dy := range p.dy {
		p.dzl[i] -= p.zl[i] / p.y[i] * dy
		p.dzu[i] += p.zu[i] / (1 - p.y[i]) * dy
	}
	for k := range p.rows {
		r := &p.rows[k]
		taken := 0.0
		if !r.kept {
			if len(p.settled) > 0 {
				taken = p.product(r, p.settled)
			}
			r.dmu = r.stiffness * (p.product(r, p.dy) + taken + r.lift)
		}
		if r.upper {
			r.dt += r.t / (r.hi - r.mu) * r.dmu
		}
		if r.lower {
			r.ds -= r.s / (r.mu - r.lo) * r.dmu
		}
		r.take(-taken)
	}
	for k, j := range p.basic {
		p.balance(int(j), p.taken[k])
	}
}

// balance has the multiplier of a row, or of a variable's bounds, take a push that nothing else balances. The row's
// slacks stay as they are, so that its equation holds.
func (p *program) balance(column int, push float64) {
	i := column - len(p.rows)
	switch {
	case i < 0:
		p.rows[column].dmu += push
	case p.takesLow(i):
		p.dzl[i] -= push
	default:
		p.dzu[i] += push
	}
}

// take has the larger of a row's slacks take what is left of its equation. Of a row that gives way by its compliance
// too, the slack takes its own part: more than that may be much more than it is, and the next step would end there. The
// rest is left for that, and is little: it enters the gap by its square.
func (r *row) take(left float64) {
	left *= 1 - r.compliance*r.stiffness
	if r.takesBelow() {
		r.ds -= left
	} else if r.upper {
		r.dt += left
	}
}

// takesBelow tells whether the larger slack of a row is that of its multiplier's lower bound.
func (r *row) takesBelow() bool { return r.lower && (!r.upper || r.s > r.t) }

// takesLow tells whether the larger multiplier of a variable's bounds is that of the lower one.
func (p *program) takesLow(i int) bool { return p.zl[i] > p.zu[i] }

// stride is how far a step is taken: by the values and the slacks of rows, and by the multipliers. Where nothing is
// curved these have equations of their own, and need not go equally far.
type stride struct{ primal, dual float64 }

// upTo returns a stride of at most so much of each.
func (s stride) upTo(most float64) stride { return stride{min(s.primal, most), min(s.dual, most)} }

// times returns a stride that is so many times as long.
func (s stride) times(v float64) stride { return stride{v * s.primal, v * s.dual} }

// longest returns the longest step, at most 1, that keeps everything positive that must be.
func (p *program) longest() stride {
	step := stride{1, 1}
	bound := func(length *float64, v, dv float64) {
		if v+*length*dv < 0 {
			*length = -v / dv
		}
	}
	for i, y := range p.y {
		bound(&step.primal, y, p.dy[i])
		bound(&step.primal, 1-y, -p.dy[i])
		bound(&step.dual, p.zl[i], p.dzl[i])
		bound(&step.dual, p.zu[i], p.dzu[i])
	}
	for k := range p.rows {
		r := &p.rows[k]
		if r.upper {
			bound(&step.primal, r.t, r.dt)
			bound(&step.dual, r.hi-r.mu, -r.dmu)
		}
		if r.lower {
			bound(&step.primal, r.s, r.ds)
			bound(&step.dual, r.mu-r.lo, r.dmu)
		}
	}
	if p.curved {
		return step.upTo(min(step.primal, step.dual))
	}
	return step
}

// move takes a step.
func (p *program) move(step stride) {
	for i := range p.y {
		p.y[i] += step.primal * p.dy[i]
		p.zl[i] += step.dual * p.dzl[i]
		p.zu[i] += step.dual * p.dzu[i]
	}
	for k := range p.rows {
		r := &p.rows[k]
		r.mu += step.dual * r.dmu
		if r.upper {
			r.t += step.primal * r.dt
		}
		if r.lower {
			r.s += step.primal * r.ds
		}
		r.d = p.slack(r, p.y)
	}
}

// leniently is how much may remain where a step that is taken may leave so much.
func (p *program) leniently(most float64) float64 {
	if p.predicts {
		return lenient * most
	}
	return most
}

// slackTakes computes how much each row's slack may take of what a step with the diagonal leaves of the row's equation:
// little of what it is, and of what it would be if its product was the mean one. Far more may then be left than of
// equations that are to hold, as a slack that is not near 0 hardly feels it.
func (e *early) slackTakes(p *program) {
	e.takes = e.takes[:0]
	for _, j := range e.rows {
		r, most := &p.rows[j], 0.0
		switch {
		case r.takesBelow():
			most = p.little(r.s, r.mu-r.lo)
		case r.upper:
			most = p.little(r.t, r.hi-r.mu)
		}
		e.takes = append(e.takes, most)
	}
}

// boundTakes computes how much the multipliers of each variable's bounds may take of pushes that nothing balances, as
// slackTakes does.
func (e *early) boundTakes(p *program) {
	e.takes = e.takes[:0]
	for i, y := range p.y {
		if p.takesLow(i) {
			e.takes = append(e.takes, p.little(p.zl[i], y))
		} else {
			e.takes = append(e.takes, p.little(p.zu[i], 1-y))
		}
	}
}

// little is how much one of two factors of a product may take.
func (p *program) little(factor, other float64) float64 {
	return near * min(factor, math.Sqrt(p.mean*factor/other))
}

// slacken has the slacks take what the step leaves.
func (e *early) slacken(p *program) {
	for k, j := range e.rows {
		r := &p.rows[j]
		r.take(within(r.lift+p.product(r, p.dy)-r.dmu/r.stiffness, e.takes[k]))
	}
}

// loosen has the multipliers of bounds take what the step leaves.
func (e *early) loosen(p *program) {
	e.normal.multiply(p.dy)
	p.taken = p.taken[:0]
	for i, v := range p.rhs {
		p.basic = append(p.basic, int32(len(p.rows)+i))
		p.taken = append(p.taken, within(v-e.normal.q[i], e.takes[i]))
	}
}

// settle has the basic variables and slacks take what the step leaves of the rows' equations. That is found anew from
// the step: where variables are nearly free, their weights make of rounding more than the solution has left.
func (e *early) settle(p *program) {
	p.settled = reuse.Len(p.settled, p.n)
	clear(p.settled)
	for k, j := range e.rows {
		r := &p.rows[j]
		e.r[k] = r.lift + p.product(r, p.dy) - r.dmu/r.stiffness
	}
	e.nest.apply(e.r)
	e.greedy.Take(e.r)
	for k, j := range e.greedy.Chosen {
		left := e.greedy.Left[k]
		if int(j) < p.n {
			p.dy[j] -= left
			p.settled[j] = left
		} else {
			p.rows[e.rows[int(j)-p.n]].take(left)
		}
	}
}

// settleByVariables has the multipliers of the basic rows and bounds take what the step leaves of pushes that nothing
// balances, which is found anew from the step.
func (e *early) settleByVariables(p *program) {
	copy(p.dy, e.x)
	copy(e.d, e.x)
	e.multiply(p)
	for i, v := range p.rhs {
		e.r[i] = v - e.q[i]
	}
	e.greedy.Take(e.r)
	p.basic, p.taken = append(p.basic[:0], e.greedy.Chosen...), append(p.taken[:0], e.greedy.Left...)
}
