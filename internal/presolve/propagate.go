package presolve

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// propagation tightens the bounds of variables along hard constraints by their activity, the values that a constraint
// can have within the bounds (Savelsbergh 1994; Andersen and Andersen 1995). First it goes through all constraints;
// then a queue holds those with a variable whose bounds have changed.
type propagation struct {
	*decisions
	row row
	// places are the constraints of several variables, whose bounds may change more than once; of lists, for each
	// variable i, its own by their numbers there, as of[start[i]:start[i+1]], once it is needed.
	places []int32
	start  []int
	of     []int32
	order  []int32 // arrange's, of the constraints in places
	queue  []int32
	queued []bool
	waits  int // how many are queued
	// changed are the variables whose bounds changed since constraints were last put in the queue.
	changed []int32
	times   []uint8 // how often each variable's bounds were tightened
	budget  int     // of entries of constraints that may be visited yet
	visits  int
}

const (
	// enough is how often the bounds of a variable are tightened: cycles of constraints may do so for ever, ever less.
	enough = 32
	// worth is the least change of a bound that is worth it, met the distance of bounds that are the same, and nearlyMet
	// where constraints have given way by no more than makes them meet.
	worth, met, nearlyMet = 1e-10, 1e-12, 1e-9
	// rounds bounds the work: the entries that are visited, in terms of those there are.
	rounds = 16
)

// bound tightens bounds, and fixes variables where they meet, until nothing changes. It tells whether it got that far,
// and false for ok if constraints contradict each other or it was interrupted. Bounds that cross each other are
// propagated too, for a proof that is worth more.
func (d *decisions) bound() (settled, ok bool) {
	p := d.bounds
	if p == nil {
		p = &propagation{decisions: d}
		d.bounds = p
		if !p.sweep() {
			return false, false
		}
	}
	settled, ok = true, true
	if len(p.changed) > 0 {
		if p.start == nil {
			p.index()
		}
		settled, ok = p.drain()
	}
	if ok && d.worst.excess > 0 {
		d.prove(d.worst)
		return settled, false
	}
	return settled, ok
}

// sweep goes through all hard constraints.
func (p *propagation) sweep() bool {
	ok := true
	for _, piece := range pieces(p.field.Model, func(b *mrf.Block) bool { return b.Kind.Hard() }) {
		if !ok || p.stop() {
			return false
		}
		kind, first := p.field.Model.Blocks[piece.k].Kind, p.first[piece.k]
		p.rows(piece, func(j int, _ float64, r *row) {
			place := int32(first + j)
			if len(r.vars) > 1 {
				p.places = append(p.places, place)
				p.budget += rounds * len(r.vars)
			}
			ok = ok && p.tighten(kind, r, place)
		})
	}
	return ok
}

// index lists the constraints of each variable, and puts them in an order.
func (p *propagation) index() {
	n := p.field.Model.Variables
	m := len(p.places)
	c := constraints{rows: make([]int, 1, m+1), equal: make([]bool, 0, m),
		vars: make([]int32, 0, 2*m), up: make([]bool, 0, 2*m)}
	for _, place := range p.places {
		k, j := p.locate(place)
		b := p.field.Model.Blocks[k]
		vars, coef := b.Row(j, &p.buffer)
		for n, i := range vars {
			c.vars, c.up = append(c.vars, p.root(i)), append(c.up, coef[n] > 0)
		}
		c.rows, c.equal = append(c.rows, len(c.vars)), append(c.equal, b.Kind == mrf.Equal)
	}
	p.queued, p.times = make([]bool, m), make([]uint8, n)
	p.start, p.of = c.byVariable(n)
	p.order = c.arrange(p.start, p.of)
}

// read makes row the constraint with that number, and returns its kind.
func (p *propagation) read(place int32) mrf.Kind {
	k, j := p.locate(place)
	var constant [1]float64
	p.field.Constants(k, j, j+1, constant[:])
	b := p.field.Model.Blocks[k]
	p.normalise(b, j, constant[0], &p.row)
	return b.Kind
}

// sweeps is how often all constraints that wait are visited in the order of arrange, forth and back, before they are
// visited in the order in which they came to wait.
const sweeps = 8

// drain visits constraints until none has a variable whose bounds have changed.
func (p *propagation) drain() (settled, ok bool) {
	p.wake()
	for range sweeps {
		for _, k := range p.order {
			if settled, ok = p.visit(k); !settled || !ok {
				return settled, ok
			}
		}
		if p.waits == 0 {
			break
		}
		slices.Reverse(p.order)
	}
	for ; p.waits > 0; p.queue = p.queue[1:] {
		if settled, ok = p.visit(p.queue[0]); !settled || !ok {
			return settled, ok
		}
	}
	p.queue = p.queue[:0]
	return true, true
}

// visit tightens the bounds of a constraint that waits. It returns false for settled if there was enough work, and for
// ok if there is a proof that not all constraints can hold, or if it is time to stop.
func (p *propagation) visit(k int32) (settled, ok bool) {
	if !p.queued[k] {
		return true, true
	}
	p.queued[k], p.waits = false, p.waits-1
	kind := p.read(p.places[k])
	if p.budget -= 1 + len(p.row.vars); p.budget < 0 {
		return false, true
	}
	if p.visits++; p.visits%chunk == 0 && p.stop() || !p.tighten(kind, &p.row, p.places[k]) {
		return false, false
	}
	p.wake()
	return true, true
}

// wake puts the constraints of changed variables in the queue.
func (p *propagation) wake() {
	for _, i := range p.changed {
		for _, k := range p.of[p.start[i]:p.start[i+1]] {
			if !p.queued[k] {
				p.queue, p.queued[k], p.waits = append(p.queue, k), true, p.waits+1
			}
		}
	}
	p.changed = p.changed[:0]
}

// tighten takes over the bounds that a constraint implies. It returns false if there is a proof that not all
// constraints can hold.
func (p *propagation) tighten(kind mrf.Kind, r *row, place int32) bool {
	return p.squeeze(r, 1, place) && (kind != mrf.Equal || p.squeeze(r, -1, place))
}

// squeeze is tighten for the inequality sign·(a·y + c) ≤ 0.
func (p *propagation) squeeze(r *row, sign float64, place int32) bool {
	least, widest := sign*r.constant, 0.0
	for k, i := range r.vars {
		a := sign * r.coef[k]
		least += p.least(a, i)
		widest = max(widest, math.Abs(a)*(p.hi[i]-p.lo[i]))
	}
	if least > slip && p.note(clash{step{place: place, sign: sign}, least}) {
		return false
	}
	if least+widest <= 0 {
		return true // it holds for all values within the bounds
	}
	for k, i := range r.vars {
		a := sign * r.coef[k]
		lo, hi := p.cut(i, a, -p.rest(r, sign, least, k)/a)
		if p.narrow(i, lo, hi, len(r.vars) == 1) {
			p.trail.note(place, sign, i, a)
		}
	}
	return true
}

// least is the least value of a·y_i. Bounds may have crossed each other, and each is then used for itself.
func (d *decisions) least(a float64, i int32) float64 {
	if a > 0 {
		return a * d.lo[i]
	}
	return a * d.hi[i]
}

// cut returns the bounds of a variable with the limit that a constraint implies where its coefficient is a: from above
// or below. Bounds that cross each other by rounding are equal.
func (d *decisions) cut(i int32, a, limit float64) (lo, hi float64) {
	lo, hi = d.lo[i], d.hi[i]
	if a > 0 {
		if hi = min(limit, hi); hi < lo && lo <= hi+slip {
			hi = lo
		}
		return lo, hi
	}
	if lo = max(limit, lo); hi < lo && lo <= hi+slip {
		lo = hi
	}
	return lo, hi
}

// short is the length of constraints that are summed anew for each variable, so that bounds such as 0.3 are exact.
const short = 4

// rest is the least that a constraint's other terms than the k-th add up to; least is that of all.
func (p *propagation) rest(r *row, sign, least float64, k int) float64 {
	if len(r.vars) > short {
		a := sign * r.coef[k]
		return least - p.least(a, r.vars[k])
	}
	rest := sign * r.constant
	for n, i := range r.vars {
		if a := sign * r.coef[n]; n != k {
			rest += p.least(a, i)
		}
	}
	return rest
}

// narrow makes [lo,hi] the bounds of variable i, and tells whether it has: bounds that a constraint of a single
// variable says are exact, others may be given up.
func (p *propagation) narrow(i int32, lo, hi float64, exact bool) bool {
	gain := (p.hi[i] - p.lo[i]) - (hi - lo)
	meet := math.Abs(hi-lo) <= p.met
	switch {
	case p.fixed[i] || !(gain > 0):
		return false
	case exact || meet:
	case gain < worth || p.times != nil && p.times[i] == enough:
		return false
	case p.times != nil:
		p.times[i]++
	}
	p.lo[i], p.hi[i] = lo, hi
	if meet {
		p.fix(i, lo)
	} else {
		p.mark(i)
	}
	return true
}

// mark notes that the bounds of a variable have changed, if a constraint was visited that this may matter to.
func (p *propagation) mark(i int32) {
	if len(p.places) > 0 {
		p.changed = append(p.changed, i)
	}
}
