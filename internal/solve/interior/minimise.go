package interior

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/reuse"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// target is what a solution has to show.
type target struct {
	gap         float64 // relative to the objective
	least       float64 // the gap that is enough whatever the objective
	feasibility float64 // the violation of hard rows that is
	limit       int     // of steps
	stop        func() bool
	further     bool // a step is made from where that is shown
	// trace is told the gap, in terms of the objective, and the violation before each step; nil if nobody asks.
	trace func(step int, gap, violation float64)
}

const (
	// patience is the number of steps without a better point or smaller products after which a run ends.
	patience = 10
	// growing is by how much the least contradiction that is shown grows in steps towards one that is larger: where it
	// no longer does in so many steps, multipliers grow without end, and nothing else is shown.
	growing = 1.1
	// hopeful is how many times the target a point may be off to be kept.
	hopeful = 1e6
	// larger is by how much the products at the start are larger than weights say where rows are hard, and in each
	// further run. Multipliers of hard rows can be any size: steps from too small ones are short, while too large ones
	// take a step or two to come down; or many, where they are of rows that need none, which small problems have few of.
	larger, largerSmall = 1e3, 1e4
	runs                = 3
	// crawling is the number of short steps after which a run ends, but the last one.
	crawling, shortStep = 6, 0.15
)

// Nanoseconds that a step takes for a row and an entry; of small components, which stay in the cache, too.
const (
	perRow, perEntry           = 120, 25
	perSmallRow, perSmallEntry = 40, 8
)

// minimise runs until y and the multipliers prove what is asked for, or that hard rows contradict each other. It ends
// at the best point that it came by: from where rounding keeps the equations from holding any better, steps towards
// smaller products only lead away from it.
func (p *program) minimise(t target) (out outcome) {
	if p.n == 0 {
		return outcome{converged: true}
	}
	p.feasibility = t.feasibility
	size := p.size()
	p.scale = size
	if p.rigid {
		size *= p.larger()
	}
	if direct, ok := p.matrix.(*sparse); ok {
		if direct.eliminate(p) {
			return outcome{infeasible: true}
		}
		if e, ok := newEarly(p, direct); ok {
			p.matrix = e
		}
	}
	p.best, p.ray.each = math.Inf(1), 0
	p.runs, p.spent, p.floor, p.endless = 1, 0, 0, false
	p.begin(size)
	return p.goOn(t, out)
}

// larger is by how much the products are larger at the start of a run.
func (p *program) larger() float64 {
	if p.matrix == &p.dense {
		return largerSmall
	}
	return larger
}

// goOn is the rest of minimise, from wherever it is.
func (p *program) goOn(t target, out outcome) outcome {
	p.stop, p.ended = t.stop, false
	for p.paused = false; ; p.runs++ {
		p.run(&t, &out)
		if p.paused {
			return out
		}
		ended := out.converged || out.infeasible || out.iterations >= t.limit || p.runs >= runs
		if ended || p.ray.each > certain || p.endless || t.stop() || p.rounded() {
			break // multipliers of hard rows that contradict each other have no size
		}
		p.begin(p.extent * p.larger())
	}
	if !out.converged && !out.infeasible && p.best < hopeful {
		p.restore()
	}
	return out
}

// rounded tells whether more runs are no use: rounding of values costs more than the gap may be, and is most of it.
func (p *program) rounded() bool {
	if p.best >= hopeful {
		return false
	}
	sum := 0.0
	for k := range p.rows {
		if r := &p.rows[k]; !r.hard && r.compliance == 0 {
			terms := 0.0
			for l := r.first; l < r.last; l++ {
				v := p.coef[l] * p.saved[p.index[l]]
				terms += v * v
			}
			sum += (r.hi - r.lo) * solve.Roundoff(p.slack(r, p.saved), terms)
		}
	}
	return sum > p.tolerance && p.best*p.tolerance < mostly*sum
}

// mostly is how many times what rounding costs a gap may be that is mostly that.
const mostly = 8

// run takes steps until nothing is gained any more.
func (p *program) run(t *target, out *outcome) {
	least, since, crawled, still := math.Inf(1), 0, 0, 0
	shown, shows := 0.0, 0
	for ; ; out.iterations++ {
		former := p.violation
		off := p.off(t)
		if still++; out.iterations == 0 || p.violation < standing*former {
			still = 0
		}
		if t.trace != nil {
			t.trace(out.iterations, p.gap, p.violation)
		}
		products, count := p.products(stride{})
		if since++; off < p.best || products < least {
			since = 0
		}
		least = min(least, products)
		if off < p.best && off < hopeful {
			p.best = off
			p.save()
		}
		if shows++; p.ray.each > growing*shown || p.ray.each <= certain {
			shown, shows = p.ray.each, 0
		}
		switch {
		case off <= 1:
			out.converged = true
			if t.further && out.iterations >= usualLeast && p.factored() {
				p.goFurther(t, off)
				out.iterations++
			}
			return
		case p.violation > slight && p.contradictory(solve.Contradiction(t.feasibility)):
			out.infeasible = true
			return
		case still >= steady && p.stands(off):
			out.converged, out.yields = true, true
			return
		case still > endless && p.holds():
			p.endless = true
			return
		case out.iterations >= t.limit || since > patience || shows > patience || t.stop():
			return
		case p.budget > 0 && p.spent > p.budget:
			p.paused = true
			return
		}
		p.spent += perRow*float64(len(p.rows)) + perEntry*float64(len(p.index))
		length := p.step(products, count)
		if p.paused {
			return
		}
		if p.inconsistent {
			out.infeasible = true
			return
		}
		if crawled++; length > shortStep {
			crawled = 0
		}
		if length == 0 || crawled > crawling {
			return
		}
	}
}

// A run ends by what it proves for points that violate hard rows as little where it is nearly at an end, and the
// violation has been at least standing times that of the step before for a number of steps: where rows hold to far less
// than is accepted, but not to nothing, their multipliers grow, and no gap is proven for points that violate none.
// Whether there are such points is asked otherwise (see doubt), after many such steps even far from an end.
const (
	nearly   = 1e3
	standing = 0.9
	steady   = 3
	endless  = 40
)

// stands tells whether a run whose violation falls no more ends there, from a point that is so far off.
func (p *program) stands(off float64) bool {
	return p.holds() && (off <= nearly || p.runs > 1) && p.ray.each <= certain
}

// holds tells whether what is asked for is shown for points that violate hard rows as little. Where the violation falls
// no more, no other is, however many steps follow.
func (p *program) holds() bool {
	return p.violation <= p.feasibility && p.yielding <= p.tolerance && !p.doubted
}

// ahead is the part of the digits that products lose on the way to the target that they have yet to lose.
func (p *program) ahead() float64 {
	products, count := p.products(stride{})
	mean, goal := products/float64(count), p.tolerance/float64(count)
	switch {
	case mean <= goal:
		return 0
	case mean < p.extent:
		return math.Log(mean/goal) / math.Log(p.extent/goal)
	}
	return 1
}

// left is about how much work is left if each digit of the products takes as much as those so far; infinite if
// conjugate gradients do no longer, or if they ended without a proof.
func (p *program) left() float64 {
	if e, ok := p.matrix.(*early); !ok || e.spent || p.vain {
		return math.Inf(1)
	}
	if ahead := p.ahead(); ahead < 1 {
		return p.spent * ahead / (1 - ahead)
	}
	return math.MaxFloat64
}

// factored tells whether the matrix has been factored, so that one more step is one of many.
func (p *program) factored() bool {
	e, ok := p.matrix.(*early)
	return !ok || e.over
}

// goFurther takes one more step from a point that is good enough, and goes back if that is no better: near the end a
// step leaves little of the products, while those that prove a gap of 1e-6 may leave values 0.001 from the optimum's.
func (p *program) goFurther(t *target, off float64) {
	p.save()
	products, count := p.products(stride{})
	p.tolerance *= finer
	if p.step(products, count) == 0 || !(p.off(t) < off) {
		p.restore()
	}
}

// finer is the part of the tolerance that such a step aims for, and usualLeast a number of steps beside which
// one is little.
const (
	finer      = 1e-3
	usualLeast = 8
)

// step takes a step of Mehrotra's from where there are so many products of this sum, and returns its length; 0 says
// that the arithmetic has broken down.
func (p *program) step(products float64, count int) (length float64) {
	p.mean = products / float64(count)
	for p.firm = max(p.firm/10, p.floor); ; p.firm = p.firmer() {
		p.curvature()
		if !p.matrix.factor(p) || p.inconsistent {
			return 0
		}
		p.rough = false
		clear(p.beyond)
		p.predicts = true
		p.direct(0)
		p.predicts = false
		if !p.rough || p.firm > mostFirm || p.paused {
			break
		}
	}
	affine, _ := p.products(p.longest())
	ratio := affine / products
	p.correct()
	aim := max(p.mean*ratio*ratio*ratio, ample*p.tolerance/float64(count))
	p.direct(aim)
	step, next := p.better(p.lengthen(aim).times(0.995))
	if math.IsNaN(next) || math.IsInf(next, 0) || p.inconsistent || p.paused || p.ended {
		return 0
	}
	p.move(step)
	length = max(step.primal, step.dual)
	if p.rough {
		p.firmer()
	}
	if length < lost {
		p.firm = min(10*p.firmer(), mostFirm)
	}
	return length
}

// firmer is how firm the matrix is to be where it was not firm enough. If that happens again it is not to become nearly
// singular any more: where hard rows leave no point inside the box, such as sums that come to 1 in a variable, it does
// from step to step, and steps along what rounding leaves take the point far from where all products are alike.
func (p *program) firmer() float64 {
	if p.floor == 0 {
		p.floor = leastFirm
		return leastFirm
	}
	p.floor = floor
	return max(floor/10, 100*p.firm)
}

// better returns a step, or one that goes as far by values as by multipliers if that leaves smaller products, unless it
// is much shorter, and their sum.
func (p *program) better(step stride) (stride, float64) {
	sum, _ := p.products(step)
	most := max(step.primal, step.dual)
	if equal := step.upTo(min(step.primal, step.dual)); equal != step && equal.primal >= evenly*most {
		if other, _ := p.products(equal); other < sum {
			return equal, other
		}
	}
	return step, sum
}

// lost is a length of steps that rounding has made: the next matrix is to be firmer, as steps along what is nearly
// free lead nowhere.
const lost = 1e-3

// evenly is the part of a step of which one that goes no further is not taken for its smaller products alone: it would
// leave the point where it is, and a matrix that is hardly another one.
const evenly = 0.3

// ample is the part of the gap that may remain that products need not be less than: what is left then are residuals,
// and smaller products only make the matrix worse.
const ample = 0.05

// lengthen takes the step to products of mu to one that is longer, if that is short, as some products would be left far
// from it, and returns how long it can be.
func (p *program) lengthen(mu float64) stride {
	step := p.longest()
	for range corrections {
		if min(step.primal, step.dual) > long || p.paused {
			break
		}
		p.keepStep()
		p.centre(mu, stride{step.primal + longer, step.dual + longer}.upTo(1))
		p.direct(mu)
		if now := p.longest(); now.primal+now.dual > step.primal+step.dual {
			step = now
			continue
		}
		p.takeStepBack()
		break
	}
	return step
}

// keepStep remembers the present step.
func (p *program) keepStep() {
	p.former = reuse.Len(p.former, 3*(p.n+len(p.rows)))
	rest := p.former
	for _, v := range [][]float64{p.dy, p.dzl, p.dzu} {
		rest = rest[copy(rest, v):]
	}
	for k := range p.rows {
		r := &p.rows[k]
		rest[3*k], rest[3*k+1], rest[3*k+2] = r.dmu, r.ds, r.dt
	}
}

// takeStepBack goes back to the step that was kept.
func (p *program) takeStepBack() {
	rest := p.former
	for _, v := range [][]float64{p.dy, p.dzl, p.dzu} {
		rest = rest[copy(v, rest):]
	}
	for k := range p.rows {
		r := &p.rows[k]
		r.dmu, r.ds, r.dt = rest[3*k], rest[3*k+1], rest[3*k+2]
	}
}

// How often a step that is not long is corrected, and by how much longer it is hoped to get.
const (
	corrections = 2
	long        = 0.8
	longer      = 0.3
)

// off measures the point and the multipliers: how many times what is asked for their gap or the violation is. The gap
// is one of the objective, constants and all, but what nothing can change makes no answer less exact.
func (p *program) off(t *target) float64 {
	gap := p.prove()
	p.unproven = gap
	p.tolerance = max(t.least, t.gap*min(math.Abs(p.objective), math.Abs(p.objective+p.constant)))
	p.gap = t.gap * (gap / p.tolerance)
	return max(gap/p.tolerance, p.violation/t.feasibility)
}

// prove returns the gap that y and the multipliers prove, as solve.Certify does, and finds objective and violation.
func (p *program) prove() (gap float64) {
	p.objective, p.violation = 0, 0
	pushes, excess := 0.0, 0.0
	copy(p.rhs, p.linear)
	for i, q := range p.linear {
		p.objective += q * p.y[i]
	}
	for k := range p.rows {
		r := &p.rows[k]
		p.addTo(r, r.mu, p.rhs)
		if r.hard {
			if r.d > 0 || !r.lower {
				p.violation = max(p.violation, math.Abs(r.d))
				excess += math.Abs(r.mu * r.d)
			}
			gap += solve.Slackness(0, r.d, r.mu, 0) // whether it yields or not
			pushes += r.mu * r.mu * r.square
			continue
		}
		best := r.best()
		value := best * (r.d - r.compliance*best/2)
		p.objective += value
		gap += solve.Slackness(value, r.d, r.mu, r.compliance)
	}
	gap += solve.BoxGap(p.y, p.rhs)
	p.yielding = gap + excess + solve.Hidden(pushes)
	return math.Abs(gap) + solve.Hidden(pushes)
}

// best returns the multiplier that a soft row's potential is the most with.
func (r *row) best() float64 {
	switch {
	case r.compliance > 0:
		return min(max(r.d/r.compliance, r.lo), r.hi)
	case r.d > 0:
		return r.hi
	}
	return r.lo
}

// contradictory tells whether the multipliers of the hard rows are a proof that no point in the box comes closer to
// all of them than that (Farkas): they are where the Lagrangian grows without end. It remembers the best proof.
func (p *program) contradictory(violation float64) bool {
	clear(p.rhs)
	least, length, largest := 0.0, 0.0, 0.0
	for k := range p.rows {
		if r := &p.rows[k]; r.hard {
			p.addTo(r, r.mu, p.rhs)
			least += r.mu * r.constant
			length += math.Abs(r.mu)
			largest = max(largest, math.Abs(r.mu))
		}
	}
	for i, g := range p.rhs {
		least += min(0, g)
		mu := max(g*p.sides[2*i], -g*p.sides[2*i+1])
		length += mu
		largest = max(largest, mu)
	}
	if distance := least / length; distance > p.ray.each {
		p.ray.each, p.ray.total, p.ray.mu = distance, least/largest, p.ray.mu[:0]
		for k := range p.rows {
			p.ray.mu = append(p.ray.mu, p.rows[k].mu)
		}
	}
	return least > violation*length
}

// save remembers the present y and μ.
func (p *program) save() {
	p.saved = append(p.saved[:0], p.y...)
	for k := range p.rows {
		p.saved = append(p.saved, p.rows[k].mu)
	}
}

// restore goes back to what save remembers.
func (p *program) restore() {
	copy(p.y, p.saved)
	for k := range p.rows {
		p.rows[k].mu = p.saved[p.n+k]
	}
}
