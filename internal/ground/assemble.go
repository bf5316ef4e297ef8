package ground

import (
	"math"
	"slices"
	"unsafe"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
)

// assembly joins the batches of a rule, as they come in the order of the pieces, into one arena for each shape. Arenas
// are batches themselves: each potential is copied once, to where it stays. The first batches are held until there are
// many, or no more: how large the arenas become is told better by them all than by one.
type assembly struct {
	*routine
	arenas []*batch // in the order of shapes
	held   []*batch
	bytes  int64 // of those held
}

// early is how many bytes of batches are held before there are arenas.
const early = 8 << 20

// add joins batches, which can be used for something else from then on. About so many times as much is still to come as
// there is then.
func (a *assembly) add(part []*batch, more float64) {
	if a.bytes += bytesOf(part); a.arenas == nil && a.bytes < early {
		for _, p := range part {
			a.held = append(a.held, p.clone())
		}
		return
	}
	a.join(append(a.held, part...), 1+more)
	a.held = nil
}

// clone returns a copy without spare room.
func (b *batch) clone() *batch {
	c := *b
	c.vars, c.inputs, c.scale = slices.Clone(b.vars), slices.Clone(b.inputs), slices.Clone(b.scale)
	c.bias, c.bias64 = slices.Clone(b.bias), slices.Clone(b.bias64)
	c.varEnd, c.inputEnd = slices.Clone(b.varEnd), slices.Clone(b.inputEnd)
	c.varCoef, c.inputValue = b.varCoef.Clone(), b.inputValue.Clone()
	c.pattern, c.inputPattern = slices.Clone(b.pattern), slices.Clone(b.inputPattern)
	return &c
}

// join joins batches. There will be so many times as much in the end.
func (a *assembly) join(part []*batch, times float64) {
	slices.SortStableFunc(part, compareShapes)
	for rest := part; len(rest) > 0; {
		n := 1
		for n < len(rest) && compareShapes(rest[0], rest[n]) == 0 {
			n++
		}
		a.arena(rest[:n]).join(rest[:n], times)
		rest = rest[n:]
	}
}

// arena returns the last arena of some batches' shape, or a new one if there is none, or if the offsets within it might
// not fit 32 bits any more.
func (a *assembly) arena(parts []*batch) *batch {
	p, extent := parts[0], int64(0)
	for _, p := range parts {
		extent += p.extent()
	}
	at, _ := slices.BinarySearchFunc(a.arenas, p, func(b, p *batch) int {
		return 2*compareShapes(b, p) - 1 // behind all of its shape
	})
	if at > 0 && compareShapes(a.arenas[at-1], p) == 0 && a.arenas[at-1].extent()+extent <= math.MaxInt32 {
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
	a.join(a.held, 1)
	for _, b := range a.arenas {
		blocks = append(blocks, b.block(a.routine.block()))
	}
	*a = assembly{routine: a.routine}
	return blocks
}

// join appends the potentials of batches to an arena, for which there will be so many times as many in the end.
func (b *batch) join(parts []*batch, times float64) {
	if b.ragged {
		b.joinRagged(parts, times)
	}
	b.vars = extended(b.vars, parts, times, func(p *batch) []int32 { return p.vars })
	b.inputs = extended(b.inputs, parts, times, func(p *batch) []int32 { return p.inputs })
	b.scale = extended(b.scale, parts, times, func(p *batch) []float32 { return p.scale })
	more := 0
	for _, p := range parts {
		more += p.len
	}
	for _, p := range parts {
		b.joinBias(p, more, times)
		b.len += p.len
		more -= p.len
	}
}

// joinBias appends the biases of a batch, unless all are still the same. So many potentials are to be joined, with its
// own.
func (b *batch) joinBias(p *batch, more int, times float64) {
	if b.len == 0 {
		b.firstBias, b.sameBias = p.firstBias, true
	}
	if b.sameBias && p.sameBias && p.firstBias == b.firstBias {
		return
	}
	if b.sameBias {
		b.sameBias = false
		b.addBias(b.firstBias, b.len)
	}
	if p.precise() {
		b.refine()
	}
	if b.fine {
		b.bias64 = roomy(b.bias64, more, times)
	} else {
		b.bias = roomy(b.bias, more, times)
	}
	switch {
	case p.sameBias:
		b.addBias(p.firstBias, p.len)
	case p.fine:
		b.bias64 = append(b.bias64, p.bias64...)
	case b.fine:
		for _, v := range p.bias {
			b.bias64 = append(b.bias64, float64(v))
		}
	default:
		b.bias = append(b.bias, p.bias...)
	}
}

// joinRagged appends what only ragged batches have.
func (b *batch) joinRagged(parts []*batch, times float64) {
	if first := parts[0]; b.len == 0 {
		b.regular, b.pattern, b.inputPattern = true, slices.Clone(first.pattern), slices.Clone(first.inputPattern)
	}
	for _, p := range parts {
		b.regular = b.regular && p.regular && slices.Equal(p.pattern, b.pattern) &&
			slices.Equal(p.inputPattern, b.inputPattern)
	}
	b.varEnd = joinEnds(b.varEnd, len(b.vars), parts, times, func(p *batch) []int32 { return p.varEnd })
	b.inputEnd = joinEnds(b.inputEnd, len(b.inputs), parts, times, func(p *batch) []int32 { return p.inputEnd })
	joinReals(&b.varCoef, parts, times, func(p *batch) *mrf.Reals { return &p.varCoef })
	joinReals(&b.inputValue, parts, times, func(p *batch) *mrf.Reals { return &p.inputValue })
}

// joinEnds is extended for the ends of what begins at a place: those of each batch are counted from its own beginning.
func joinEnds(ends []int32, at int, parts []*batch, times float64, of func(*batch) []int32) []int32 {
	from := len(ends)
	ends = extended(ends, parts, times, of)
	for _, p := range parts {
		own := of(p)
		for k := range own {
			ends[from+k] += int32(at)
		}
		from += len(own)
		if len(own) > 0 {
			at += int(own[len(own)-1])
		}
	}
	return ends
}

// joinReals is extended for numbers.
func joinReals(to *mrf.Reals, parts []*batch, times float64, of func(*batch) *mrf.Reals) {
	more := 0
	for _, p := range parts {
		more += of(p).Len()
	}
	for _, p := range parts {
		own := of(p)
		if to.Double != nil || own.Double != nil {
			to.Widen()
			to.Double = roomy(to.Double, more, times)
		} else {
			to.Single = roomy(to.Single, more, times)
		}
		to.AppendRange(own, 0, int32(own.Len()))
		more -= own.Len()
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
	// cheap is how many elements an array is given room for although they may not come.
	cheap = 1 << 23
	// slack is which part of an array may be left without elements: memory that was never written takes none.
	slack = 8
)

// extended appends the values of batches to an array, of which there are expected to be so many times as many in the
// end.
func extended[T any](values []T, parts []*batch, times float64, of func(*batch) []T) []T {
	more := 0
	for _, p := range parts {
		more += len(of(p))
	}
	values = roomy(values, more, times)
	for _, p := range parts {
		values = append(values, of(p)...)
	}
	return values
}

// roomy returns an array with room for more values, which there are expected to be so many times as many of in the end.
func roomy[T any](values []T, more int, times float64) []T {
	n := len(values) + more
	if n <= cap(values) {
		return values
	}
	room := min(int(times*float64(n)), max(4*n, cheap))
	bigger := make([]T, len(values), max(n, room+room/(2*slack)))
	copy(bigger, values)
	return bigger
}

// trimmed returns an array without much spare room.
func trimmed[T any](values []T) []T {
	if n := len(values); cap(values)-n > n/slack {
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
