package ground

import (
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
)

// assembly joins the batches of a rule, as they come in the order of the pieces, into one arena for each shape. Arenas
// are batches themselves: each potential is copied once, to where it stays. What is there most of, the numbers of
// variables and inputs, is given its place first, and is copied by settle.
type assembly struct {
	*routine
	arenas []*batch // in the order of shapes
	moves  []move
	// still is held for reading while numbers are copied, and for writing when an arena goes elsewhere.
	still sync.RWMutex
}

// move is numbers that have a place in an arena, and are still to be copied there.
type move struct{ to, from []int32 }

// settle copies numbers to their places. It may run several times at once.
func settle(moves []move) {
	for _, m := range moves {
		copy(m.to, m.from)
	}
}

// pending returns the moves that add has left; none of the arenas goes elsewhere until a.still.RUnlock is called.
func (a *assembly) pending() (moves []move) {
	a.still.RLock()
	moves, a.moves = a.moves, nil
	return moves
}

// add joins batches, which can be used for something else once what is pending is settled. There are expected to be so
// many times as many of each shape in the end as there are then.
func (a *assembly) add(part []*batch, times float64) {
	for k, p := range part {
		alike := 0 // these and those that follow
		for _, q := range part[k:] {
			if compareShapes(p, q) == 0 {
				alike += q.len
			}
		}
		a.join(a.arena(p), p, times*float64(alike)/float64(p.len))
	}
}

// extended makes room for more numbers in an array which there are expected to be so many times as many of in the end.
func (a *assembly) extended(numbers, more []int32, times float64) []int32 {
	n := len(numbers)
	if n+len(more) > cap(numbers) {
		a.still.Lock()
		settle(a.moves)
		a.moves, numbers = nil, roomy(numbers, len(more), times)
		a.still.Unlock()
	}
	numbers = numbers[:n+len(more)]
	a.moves = append(a.moves, move{numbers[n:], more})
	return numbers
}

// arena returns the last arena of a batch's shape, or a new one if there is none, or if the offsets within it might not
// fit 32 bits any more.
func (a *assembly) arena(p *batch) *batch {
	at, _ := slices.BinarySearchFunc(a.arenas, p, func(b, p *batch) int {
		return 2*compareShapes(b, p) - 1 // behind all of its shape
	})
	if at > 0 && compareShapes(a.arenas[at-1], p) == 0 && a.arenas[at-1].extent()+p.extent() <= math.MaxInt32 {
		return a.arenas[at-1]
	}
	b := &batch{
		mask: p.mask, coef: p.coef, inputCoef: p.inputCoef, merged: p.merged, ragged: p.ragged, weighted: p.weighted,
	}
	if p.ragged {
		b.varEnd, b.inputEnd = []int32{0}, []int32{0} // where the first one begins
	}
	a.arenas = slices.Insert(a.arenas, at, b)
	return b
}

// extent returns what offsets count.
func (b *batch) extent() int64 { return int64(max(len(b.vars), len(b.inputs), b.len)) }

// blocks makes a block of each arena.
func (a *assembly) blocks() (blocks []*mrf.Block) {
	settle(a.moves)
	for _, b := range a.arenas {
		blocks = append(blocks, b.block(a.routine.block()))
	}
	a.arenas = nil
	return blocks
}

// join appends the potentials of a batch to an arena, for which there will be so many times as many in the end.
func (a *assembly) join(b, p *batch, times float64) {
	if p.ragged {
		b.joinRagged(p, times)
	}
	b.vars, b.inputs = a.extended(b.vars, p.vars, times), a.extended(b.inputs, p.inputs, times)
	b.scale = extended(b.scale, p.scale, times)
	b.joinBias(p, times)
	b.len += p.len
}

// joinBias appends the biases, unless all are still the same.
func (b *batch) joinBias(p *batch, times float64) {
	if b.len == 0 {
		b.firstBias, b.sameBias = p.firstBias, true
	}
	if b.sameBias && p.sameBias && p.firstBias == b.firstBias {
		return
	}
	if b.sameBias && b.len > 0 {
		b.addBias(b.firstBias, b.len)
	}
	b.sameBias = false
	if p.precise() {
		b.refine()
	}
	switch {
	case p.sameBias:
		b.addBias(p.firstBias, p.len)
	case p.fine:
		b.bias64 = extended(b.bias64, p.bias64, times)
	case b.fine:
		for _, v := range p.bias {
			b.bias64 = append(b.bias64, float64(v))
		}
	default:
		b.bias = extended(b.bias, p.bias, times)
	}
}

// joinRagged appends what only ragged batches have.
func (b *batch) joinRagged(p *batch, times float64) {
	if b.len == 0 && p.regular {
		b.begin(p.pattern, p.inputPattern)
	}
	alike := p.regular && slices.Equal(p.pattern, b.pattern) && slices.Equal(p.inputPattern, b.inputPattern)
	if b.regular && alike {
		return
	}
	if b.regular {
		b.spread(times)
	}
	if p.regular {
		b.repeatPattern(p.pattern, p.inputPattern, p.len, times)
		return
	}
	b.varEnd = joinEnds(b.varEnd, p.varEnd, len(b.vars), times)
	b.inputEnd = joinEnds(b.inputEnd, p.inputEnd, len(b.inputs), times)
	joinReals(&b.varCoef, &p.varCoef, times)
	joinReals(&b.inputValue, &p.inputValue, times)
}

// joinEnds appends where potentials end, of terms that come behind so many others.
func joinEnds(ends, more []int32, before int, times float64) []int32 {
	ends = roomy(ends, len(more), times)
	for _, end := range more {
		ends = append(ends, int32(before)+end)
	}
	return ends
}

// joinReals is extended for numbers.
func joinReals(to, more *mrf.Reals, times float64) {
	makeRoom(to, more.Len(), times)
	to.AppendRange(more, 0, int32(more.Len()))
}

// makeRoom is roomy for numbers.
func makeRoom(to *mrf.Reals, more int, times float64) {
	if to.Double != nil {
		to.Double = roomy(to.Double, more, times)
	} else {
		to.Single = roomy(to.Single, more, times)
	}
}

// block gives a block the arrays of an arena. A bias that is the same for all goes into the constant, and costs
// nothing. A ragged one becomes uniform if all its potentials have one coefficient pattern, as the classes' sums to 1
// have: half the memory, and simpler loops in the solvers.
func (b *batch) block(to *mrf.Block) *mrf.Block {
	to.Len, to.Coef, to.InputCoef = b.len, b.coef, b.inputCoef
	to.Vars, to.Inputs = trimmed(b.vars), trimmed(b.inputs)
	switch {
	case b.ragged && b.regular:
		to.Coef, to.InputCoef = b.pattern, b.inputPattern
	case b.ragged:
		to.VarStart, to.InputStart = trimmed(b.varEnd), trimmed(b.inputEnd)
		to.VarCoef = mrf.Reals{Single: trimmed(b.varCoef.Single), Double: trimmed(b.varCoef.Double)}
		to.InputValue = mrf.Reals{Single: trimmed(b.inputValue.Single), Double: trimmed(b.inputValue.Double)}
	}
	switch {
	case b.sameBias:
		to.Constant += b.firstBias
	case b.fine:
		to.Bias64 = trimmed(b.bias64)
	default:
		to.Bias = trimmed(b.bias)
	}
	if b.weighted {
		to.Scale = trimmed(b.scale)
	}
	to.Compact()
	return to
}

const (
	// cheap is how many elements an array is given room for although they may not come, and ahead is how many times as
	// many as there are: what first pieces have may not be what others do.
	cheap, ahead = 1 << 22, 1 << 12
	// slack is which part of an array may be left without elements, and wide which part of one of more than cheap, which
	// takes long to copy and as much memory while that lasts: memory that was never written takes none.
	slack, wide = 8, 2
)

// extended appends values to an array which there are expected to be so many times as many of in the end.
func extended[T any](values, more []T, times float64) []T {
	return append(roomy(values, len(more), times), more...)
}

// roomy returns an array with room for more values, which there are expected to be so many times as many of in the end.
func roomy[T any](values []T, more int, times float64) []T {
	n := len(values) + more
	if n <= cap(values) {
		return values
	}
	room := min(int(times*float64(n)), max(ahead*n, cheap))
	spare := room / (2 * slack)
	if room > cheap {
		spare = room / (2 * wide)
	}
	bigger := make([]T, len(values), max(n, room+spare))
	copy(bigger, values)
	return bigger
}

// trimmed returns an array without much spare room.
func trimmed[T any](values []T) []T {
	n, least := len(values), len(values)/slack
	if n > cheap {
		least = n / wide
	}
	if cap(values)-n > least {
		return append(make([]T, 0, n), values...)
	}
	return slices.Clip(values)
}

// block returns an empty block for the routine's rule.
func (r *routine) block() *mrf.Block {
	b := &mrf.Block{Rule: r.rule.Index, Exponent: r.rule.Exponent, Constant: r.constant}
	switch {
	case r.rule.Weight.Hard && r.rule.Comparator == program.Equal:
		b.Kind = mrf.Equal
	case r.rule.Weight.Hard:
		b.Kind = mrf.LessEqual
	default:
		b.Kind = [...]mrf.Kind{
			program.Hinge: mrf.Hinge, program.Absolute: mrf.Absolute, program.Linear: mrf.Linear,
		}[r.rule.Form]
	}
	return b
}

// size returns the bytes of an array's elements.
func size[T any](values []T) int64 {
	var zero T
	return int64(len(values)) * int64(unsafe.Sizeof(zero))
}
