package presolve

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// arrange makes an order of the constraints in which those that share a variable follow each other as far as that
// goes: chains from one end to the other, trees by branches. Visits in the order of a chain, forth and back, find all
// bounds along it; in any other order, each link passes a bound on again and again.
func (p *propagation) arrange() {
	p.walk()
	p.precede()
}

// walk makes an order in which constraints follow those that they share a variable with.
func (p *propagation) walk() {
	p.order = make([]int32, 0, len(p.places))
	seen, met := make([]bool, len(p.places)), make([]bool, len(p.start)-1)
	var stack []int32
	meet := func(i int32) {
		if !met[i] {
			met[i] = true
			stack = append(stack, p.of[p.start[i]:p.start[i+1]]...)
		}
	}
	for _, most := range []int{1, len(p.of)} { // from the ends of chains, if there are any
		for i := range met {
			if rows := p.start[i+1] - p.start[i]; rows <= most {
				meet(int32(i))
			}
			for len(stack) > 0 {
				k := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if seen[k] {
					continue
				}
				seen[k], p.order = true, append(p.order, k)
				block, j := p.locate(p.places[k])
				for _, v := range p.field.Model.Blocks[block].Ids(j, &p.buffer) {
					meet(p.root(v))
				}
			}
		}
	}
}

// ways are the constraints a·y ≤ c that hand the lower bounds of variables with a > 0 on, as lower bounds of those with
// a < 0, and upper bounds back: implications, orders, times between tasks.
type ways struct {
	*propagation
	to      lists // of each constraint, the variables with a < 0
	from    lists // of each variable, the constraints in which it has a > 0
	sources []int32
	missing []int32 // of each constraint: variables with a > 0 that wait
	placed  []bool
	order   []int32
}

// lists are slices of numbers, one after the other.
type lists struct{ start, of []int32 }

func (l *lists) list(k int32) []int32 { return l.of[l.start[k]:l.start[k+1]] }

// precede puts constraints behind all that hand bounds on to them, as far as they are not in a cycle: so a visit forth
// finds all lower bounds, and one back all upper ones, however often ways part and meet.
func (p *propagation) precede() {
	w := &ways{propagation: p, placed: make([]bool, len(p.places)), missing: make([]int32, len(p.places)),
		order: make([]int32, 0, len(p.places)), sources: make([]int32, len(p.start)-1)}
	w.read()
	for _, k := range w.to.of {
		w.sources[k]++
	}
	for i, n := range w.sources {
		if n > 0 {
			for _, k := range w.from.list(int32(i)) {
				w.missing[k]++
			}
		}
	}
	for _, forced := range []bool{false, true} {
		for _, k := range p.order {
			if forced || w.missing[k] == 0 {
				w.place(k)
			}
		}
	}
	p.order = w.order
}

// read finds the ways.
func (w *ways) read() {
	w.to.start = append(w.to.start, 0)
	var from []int32 // of each constraint, the variables with a > 0
	starts := []int32{0}
	w.from.start = make([]int32, len(w.start)+1)
	for _, place := range w.places {
		kind, ups, downs := w.propagation.read(place), len(from), len(w.to.of)
		for n, i := range w.row.vars {
			if w.row.coef[n] > 0 {
				from = append(from, i)
			} else {
				w.to.of = append(w.to.of, i)
			}
		}
		if kind == mrf.Equal || len(from) == ups || len(w.to.of) == downs {
			from, w.to.of = from[:ups], w.to.of[:downs]
		}
		starts, w.to.start = append(starts, int32(len(from))), append(w.to.start, int32(len(w.to.of)))
	}
	for _, i := range from {
		w.from.start[i+1]++
	}
	for i := range w.from.start[1:] {
		w.from.start[i+1] += w.from.start[i]
	}
	w.from.of = make([]int32, len(from))
	next := slices.Clone(w.from.start)
	for k := range w.places {
		for _, i := range from[starts[k]:starts[k+1]] {
			w.from.of[next[i]] = int32(k)
			next[i]++
		}
	}
}

// place puts a constraint into the order, and then all that waited for it alone.
func (w *ways) place(k int32) {
	stack := []int32{k}
	for len(stack) > 0 {
		k := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if w.placed[k] {
			continue
		}
		w.placed[k], w.order = true, append(w.order, k)
		for _, i := range w.to.list(k) {
			if w.sources[i]--; w.sources[i] > 0 {
				continue
			}
			for _, other := range w.from.list(i) {
				if w.missing[other]--; w.missing[other] == 0 {
					stack = append(stack, other)
				}
			}
		}
	}
}
