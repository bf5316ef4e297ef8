package mrf

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/parallel"
)

// Every kernel is a sweep: cut the potentials into spans that fit the first-level cache, compute the slacks of a span,
// let a function turn them into something else, and scatter that along the potentials' coefficients.
//
// Scattering in parallel needs a buffer per goroutine, or a transposed copy of the structure to gather from. Buffers
// win here: variables are far fewer than potentials, so that a buffer stays in cache while multipliers gathered by
// variable do not, most multipliers are zero and can be skipped, and nothing has to be stored. For results that do not
// depend on threads, the buffers belong to lanes: a number of equal parts of the spans that the model alone decides.

// Span is a run of potentials of one block while a sweep visits it.
type Span struct {
	// Block is the potentials' block.
	Block *Block
	// Place is the block's number in the model.
	Place int
	// Number is the span's own, from 0 to Spans()-1.
	Number int
	// First is the number of the first potential among all blocks' potentials.
	First int
	// Weight is θ of the block's rule.
	Weight float64
	// Scale holds s_j per potential of the span, or is nil.
	Scale []float32
	// D holds the slacks d_j = a_jᵀy + c_j; the visitor may overwrite them with what is to be scattered.
	D []float64
	// Spare is as long as D, for the visitor to use.
	Spare []float64

	term   *term
	lo, hi int
	places []int32 // of the potentials behind lo, if they are not all up to hi; see SweepActive
}

// At is the number in its block of the span's k-th potential.
func (s *Span) At(k int) int {
	if s.places != nil {
		return s.lo + int(s.places[k])
	}
	return s.lo + k
}

// Constants writes c_j, the slacks at y = 0, into d; it has the length of D.
func (s *Span) Constants(d []float64) { s.term.constants(s.lo, s.hi, d) }

// W returns w_j = θ_r s_j of the span's k-th potential.
func (s *Span) W(k int) float64 {
	if s.Scale == nil {
		return s.Weight
	}
	return s.Weight * float64(s.Scale[k])
}

// SquaredSingles tells whether each of the span's potentials is a square and has one variable; see Singles.
func (s *Span) SquaredSingles() bool { return s.term.single() }

// Move replaces the slacks d_j by those at the point that is step further, d_j + a_jᵀstep.
func (s *Span) Move(step []float64) { s.term.vars.addProduct(s.lo, s.hi, step, s.D) }

// spanRange is where a span lies.
type spanRange struct {
	term   *term
	lo, hi int
}

// lane is a fixed part of the spans, with the memory that one goroutine needs to sweep it.
type lane struct {
	lo, hi  int             // spans
	slacks  []float64       // of a span, and as much to spare
	places  *[spanLen]int32 // of a span's, and their scales, once they are needed
	scale   []float32
	trail   trail
	buffer  []float64 // partial sums of a scatter; zero between sweeps
	touched [2]extent // the columns that the lane's spans can scatter to, per side
}

// extent is a range of columns [lo,hi).
type extent struct{ lo, hi int }

// side tells what a sweep scatters to.
type side uint8

const (
	variables side = iota
	inputs
)

// rows returns the block's matrix of that side.
func (t *term) side(s side) *rows {
	if s == variables {
		return &t.vars
	}
	return &t.inputs
}

// cut makes the spans and lanes.
func (f *Field) cut() {
	for k := range f.terms {
		t := &f.terms[k]
		for lo := 0; lo < t.Len; lo += spanLen {
			f.spans = append(f.spans, spanRange{t, lo, min(lo+spanLen, t.Len)})
		}
	}
	f.partial = make([]float64, len(f.spans))
	work := make([]int, len(f.spans)+1)
	for k, s := range f.spans {
		work[k+1] = work[k] + s.hi - s.lo + s.term.vars.entries(s.lo, s.hi)
	}
	lanes := laneCount(work[len(f.spans)], f.Model.Variables)
	if f.Model.Paged() != nil {
		lanes = min(lanes, pagedLanes)
	}
	f.lanes = make([]lane, lanes)
	next := 0
	for k := range f.lanes {
		l := &f.lanes[k]
		l.lo, l.slacks = next, make([]float64, 2*spanLen)
		for next < len(f.spans) && (k == len(f.lanes)-1 || work[next] < (k+1)*work[len(f.spans)]/len(f.lanes)) {
			next++
		}
		l.hi = next
	}
}

// laneCount is the number of lanes: one if the work is too small to share, else as many as make the traffic of the
// buffers small against that of the potentials.
func laneCount(work, variables int) int {
	const smallest, most = 1 << 14, 16
	if work < smallest {
		return 1
	}
	return max(2, min(work/(4*variables+1), work/smallest, most))
}

// pagedLanes bounds the lanes of a paged model, as memory is short: each has a buffer with a number per variable.
const pagedLanes = 4

// measure finds the columns that the lanes can touch, once something is to be scattered.
func (f *Field) measure() {
	if !f.measured {
		parallel.For(f.Threads, len(f.lanes), func(k int) { f.lanes[k].measure(f.spans) })
		f.measured = true
	}
}

// measure finds the columns that the lane can touch.
func (l *lane) measure(spans []spanRange) {
	l.touched = [2]extent{{lo: math.MaxInt}, {lo: math.MaxInt}}
	for _, span := range spans[l.lo:l.hi] {
		for s := range l.touched {
			l.touched[s].include(span.term.side(side(s)), span)
		}
		l.trail.pass(span)
	}
	l.trail.end()
	for s := range l.touched {
		l.touched[s].lo = min(l.touched[s].lo, l.touched[s].hi)
	}
}

// include widens the extent to the columns of a span.
func (e *extent) include(r *rows, span spanRange) {
	if r.run {
		e.lo, e.hi = min(e.lo, int(r.first)+span.lo), max(e.hi, int(r.first)+span.hi)
		return
	}
	first := r.entries(0, span.lo)
	for _, i := range r.index[first : first+r.entries(span.lo, span.hi)] {
		e.lo, e.hi = min(e.lo, int(i)), max(e.hi, int(i)+1)
	}
}

// trail is what a lane has been through of paged blocks and not let go of yet.
type trail struct {
	spans      []spanRange
	potentials int
}

// trailLen is how many potentials a trail may have: letting go of some megabytes at once costs next to nothing.
const trailLen = 1 << 17

// pass notes that a span has been visited.
func (t *trail) pass(span spanRange) {
	if span.term.Paged == nil {
		return
	}
	if last := len(t.spans) - 1; last >= 0 && t.spans[last].term == span.term {
		t.spans[last].hi = span.hi
	} else {
		t.spans = append(t.spans, span)
	}
	if t.potentials += span.hi - span.lo; t.potentials >= trailLen {
		t.end()
	}
}

// end lets go of what is left.
func (t *trail) end() {
	for _, s := range t.spans {
		s.term.Release(s.lo, s.hi)
	}
	t.spans, t.potentials = t.spans[:0], 0
}

// Sweep visits all potentials at the point y and returns the sum of the visitor's answers. If g is not nil, it is set
// to Aᵀμ, where μ is what the visitor leaves in D. Visits run in parallel: a visitor may write only to places that
// belong to its span.
func (f *Field) Sweep(y, g []float64, visit func(s *Span) float64) float64 {
	return f.sweepSome(variables, nil, y, g, visit)
}

// sweep is Sweep with a choice of what to scatter to; blocks without inputs are not visited for the inputs' side.
func (f *Field) sweep(to side, y, g []float64, visit func(s *Span) float64) float64 {
	if to == inputs {
		return f.sweepSome(to, func(t *term) bool { return !t.inputs.empty() }, y, g, visit)
	}
	return f.sweepSome(to, nil, y, g, visit)
}

// sweepSome sweeps the spans whose term is among some, or all of them.
func (f *Field) sweepSome(to side, some func(*term) bool, y, g []float64, visit func(s *Span) float64) float64 {
	return f.sweepSpans(to, some, y, g, func(s *Span, n int, l *lane) { f.open(s, n, y, l.slacks) }, visit)
}

// sweepSpans is sweepSome with a choice of how a span is opened.
func (f *Field) sweepSpans(
	to side, some func(*term) bool, y, g []float64, open func(s *Span, n int, l *lane), visit func(s *Span) float64,
) float64 {
	mustLen("variables", len(y), f.Model.Variables)
	if g != nil && len(f.lanes) > 1 {
		f.measure()
	}
	parallel.For(f.Threads, len(f.lanes), func(k int) {
		l := &f.lanes[k]
		target := f.target(l, g)
		var s Span
		for n := l.lo; n < l.hi; n++ {
			f.partial[n] = 0
			if r := f.spans[n]; some == nil || some(r.term) {
				open(&s, n, l)
				f.partial[n] = visit(&s)
				switch {
				case g == nil:
				case s.places != nil:
					r.term.side(to).addTransposeAt(r.lo, s.places, s.D, target)
				default:
					r.term.side(to).addTranspose(r.lo, r.hi, s.D, target)
				}
				l.trail.pass(r)
			}
		}
		l.trail.end()
	})
	f.merge(to, g)
	return sum(f.partial)
}

// Visit visits some spans at the point y, by their numbers, one after the other.
func (f *Field) Visit(numbers []int, y []float64, visit func(s *Span)) {
	var s Span
	var passed trail
	memory := make([]float64, 2*spanLen)
	for _, n := range numbers {
		f.open(&s, n, y, memory)
		visit(&s)
		passed.pass(f.spans[n])
	}
	passed.end()
}

// Spans returns how many spans a sweep visits, for visitors that keep something for each.
func (f *Field) Spans() int { return len(f.spans) }

// open computes the slacks of span n at y.
func (f *Field) open(s *Span, n int, y, memory []float64) {
	f.describe(s, n, memory)
	r := f.spans[n]
	r.term.constants(r.lo, r.hi, s.D)
	r.term.vars.addProduct(r.lo, r.hi, y, s.D)
}

// describe says what span n is, without its slacks.
func (f *Field) describe(s *Span, n int, memory []float64) {
	r := f.spans[n]
	t := r.term
	*s = Span{
		Block: t.Block, Place: t.place, Number: n, First: t.first + r.lo, Weight: f.theta[t.Rule],
		D: memory[:r.hi-r.lo], Spare: memory[spanLen:][:r.hi-r.lo], term: t, lo: r.lo, hi: r.hi,
	}
	if t.Scale != nil {
		s.Scale = t.Scale[r.lo:r.hi]
	}
}

// target returns where a lane scatters to: its buffer, or g itself if there is but one lane.
func (f *Field) target(l *lane, g []float64) []float64 {
	if g == nil {
		return nil
	}
	if len(f.lanes) == 1 {
		clear(g)
		return g
	}
	if len(l.buffer) < len(g) {
		l.buffer = make([]float64, len(g))
	}
	return l.buffer
}

// mergeLen is how many columns are merged at a time: few, since there are as many lanes to add.
const mergeLen = 1 << 12

// merge adds the lanes' buffers, in order, into g, and leaves them zero.
func (f *Field) merge(to side, g []float64) {
	if g == nil || len(f.lanes) == 1 {
		return
	}
	pieces := (len(g) + mergeLen - 1) / mergeLen
	parallel.For(f.Threads, pieces, func(piece int) {
		lo, hi := piece*mergeLen, min((piece+1)*mergeLen, len(g))
		clear(g[lo:hi])
		for k := range f.lanes {
			l := &f.lanes[k]
			first, last := max(lo, l.touched[to].lo), min(hi, l.touched[to].hi)
			if first < last {
				drain(g[first:last], l.buffer[first:last])
			}
		}
	})
}

// drain adds the buffer to g and clears it.
func drain(g, buffer []float64) {
	buffer = buffer[:len(g)]
	for i, v := range buffer {
		g[i] += v
		buffer[i] = 0
	}
}

// sum adds the values with Neumaier's compensation: a duality gap is the small difference of such sums.
func sum(values []float64) float64 {
	total, lost := 0.0, 0.0
	for _, v := range values {
		t := total + v
		if math.Abs(total) >= math.Abs(v) {
			lost += (total - t) + v
		} else {
			lost += (v - t) + total
		}
		total = t
	}
	return total + lost
}
