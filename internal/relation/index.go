package relation

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/deeppsl/deeppsl/internal/bitset"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Index finds the rows of a relation by the values of some of its columns, which are the key. The rows lie grouped by
// key, ascending within a group, and a group is a range of that arrangement. Where the keys fill the box that they
// span well enough, a key is an offset into a table (compressed rows); elsewhere it is hashed into an open-addressing
// table. An Index is immutable and safe for concurrent use, and looking up allocates nothing.
type Index struct {
	columns [][]symbol.ID // the key's columns
	rows    []int32       // all rows, grouped by key; nil if they lie in their own order
	count   int           // number of rows
	keys    int           // number of groups

	// Direct addressing: the key's group is rows[start[c]:start[c+1]], c = Σ (key[k]-low)·stride.
	dims  []dimension
	start []int32

	// Hashing, if slots is not nil.
	slots   []slot
	shift   uint8
	packing packing // of the keys; nil if they are packed as pack does

	// Of a living relation: how many rows each slot's group has room for, and how many slots are not empty.
	rooms []int32
	taken int
}

// dimension places one column of the key in the box of a direct index.
type dimension struct {
	low          symbol.ID
	size, stride uint32
}

// slot is one place of the hash table; count is 0 if it is empty.
type slot struct {
	key          uint64
	first, count int32
}

// sparsity is how many cells a direct index may have per row: beyond it hashing takes less memory.
const sparsity = 8

// newIndex indexes the first rows of the columns, whose values are in the spans, by so many threads. Of whole tuples,
// it is likely that no two are the same.
func newIndex(threads int, columns [][]symbol.ID, spans []span, rows int, whole bool) *Index {
	x := &Index{columns: columns, count: rows}
	if dims, cells := box(spans); cells <= sparsity*(rows+8) {
		x.dims = dims
		x.address(threads, rows, cells)
	} else if x.packing = packingOf(spans); !whole || !x.hashWhole(rows) {
		x.hash(rows, expectedKeys(columns, rows))
	}
	return x
}

// expectedKeys estimates how many keys there are from whether few rows have different ones: any number is right, but a
// good one saves moving them.
func expectedKeys(columns [][]symbol.ID, rows int) int {
	const few = 256
	if rows < 16*few {
		return 0
	}
	seen, key := make(map[uint64]bool, few), make([]symbol.ID, len(columns))
	for k := range few {
		for c, column := range columns {
			key[c] = column[k*(rows/few)]
		}
		seen[pack(key)] = true
	}
	if len(seen) == few {
		return rows // as likely as not, there are more keys than few tell apart
	}
	// Of n keys that are equally likely, about few²/2n pairs of the rows have the same.
	return min(rows, few*few/2/max(1, few-len(seen)))
}

// box returns the dimensions that hold all values of the spans, and how many cells they have; the count saturates.
func box(spans []span) (dims []dimension, cells int) {
	const most = 1 << 31
	cells = 1
	for _, s := range slices.Backward(spans) {
		d := dimension{stride: uint32(cells)}
		if s.low <= s.high {
			d.low, d.size = s.low, uint32(s.high-s.low)+1
		}
		dims = append(dims, d)
		if cells *= int(d.size); cells > most {
			return nil, most
		}
	}
	slices.Reverse(dims)
	return dims, cells
}

// parallelRows is how many rows are worth a thread of their own.
const parallelRows = 1 << 15

// address sorts the rows into the cells by counting.
func (x *Index) address(threads, rows, cells int) {
	x.start = make([]int32, cells+1)
	parts := partsOf(threads, rows)
	if x.inOrder(parts, rows) {
		return
	}
	clear(x.start)
	x.keys = 0
	parts = min(parts, 1+rows/cells) // for which counts take no more memory than the rows
	counts := make([][]int32, parts)
	for k := range counts {
		if counts[k] = x.start[:cells]; k > 0 {
			counts[k] = make([]int32, cells)
		}
	}
	eachPart(parts, rows, func(k, from, to int) {
		for row := from; row < to; row++ {
			counts[k][x.cell(row)]++
		}
	})
	total := int32(0)
	for c := range cells {
		before := total
		for _, count := range counts {
			count[c], total = total, total+count[c]
		}
		if total > before {
			x.keys++
		}
	}
	x.rows = make([]int32, rows)
	eachPart(parts, rows, func(k, from, to int) {
		count := counts[k]
		for row := from; row < to; row++ {
			c := x.cell(row)
			x.rows[count[c]] = int32(row)
			count[c]++
		}
	})
	// Filling moves each cell's start to its end, of the last part, which is the next cell's start.
	copy(x.start[1:], counts[parts-1])
	x.start[0] = 0
}

// partsOf returns into how many parts rows are cut for so many threads.
func partsOf(threads, rows int) int { return max(1, min(threads, rows/parallelRows)) }

// eachPart runs do for so many parts of the rows, side by side.
func eachPart(parts, rows int, do func(part, from, to int)) {
	parallel.For(parts, parts, func(k int) { do(k, k*rows/parts, (k+1)*rows/parts) })
}

// inOrder addresses rows that are sorted by their cells already, and tells whether they are: tables often are, by some
// of their columns. Each part sets the starts of the cells behind that of the row before it, up to that of its last
// row.
func (x *Index) inOrder(parts, rows int) bool {
	for k := 1; k < parts; k++ {
		if x.cellBefore(k*rows/parts) > x.cellBefore((k+1)*rows/parts) {
			return false
		}
	}
	keys, mixed := make([]int, parts), new(atomic.Bool)
	eachPart(parts, rows, func(k, from, to int) {
		next, last := uint32(0), x.cellBefore(to) // the first cell whose start is not known yet
		if from > 0 {
			next = x.cellBefore(from) + 1
		}
		for row := from; row < to; row++ {
			c := x.cell(row)
			if c+1 < next || c > last || row&0xfff == 0 && mixed.Load() {
				mixed.Store(true)
				return
			}
			if c >= next {
				keys[k]++
				fillWith(x.start[next:c+1], int32(row))
				next = c + 1
			}
		}
		if to == rows {
			fillWith(x.start[next:], int32(rows))
		}
	})
	for _, n := range keys {
		x.keys += n
	}
	return !mixed.Load()
}

// cellBefore returns the cell of the row before one, 0 if there is none.
func (x *Index) cellBefore(row int) uint32 {
	if row == 0 {
		return 0
	}
	return x.cell(row - 1)
}

// fillWith sets all values.
func fillWith(values []int32, value int32) {
	for k := range values {
		values[k] = value
	}
}

// cell returns the place of a row's key, which is in the box by construction.
func (x *Index) cell(row int) (c uint32) {
	for k, d := range x.dims {
		c += uint32(x.columns[k][row]-d.low) * d.stride
	}
	return c
}

// Len returns the number of rows.
func (x *Index) Len() int { return x.count }

// row returns the row at a place of Grouped.
func (x *Index) row(at int32) int32 {
	if x.rows == nil {
		return at
	}
	return x.rows[at]
}

// Grouped returns all rows, grouped by key, or nil if they lie in their own order. The caller must not change the
// slice. That of a living relation has room for rows to come, too.
func (x *Index) Grouped() []int32 {
	if x.rooms != nil {
		return x.rows[:cap(x.rows)]
	}
	return x.rows
}

// Range returns where the rows of key lie in Grouped: [lo, hi), empty if there are none. The key may hold any
// numbers, known symbols or not.
func (x *Index) Range(key []symbol.ID) (lo, hi int32) {
	if x.slots != nil {
		return x.probe(key)
	}
	c, ok := x.offset(key)
	if !ok {
		return 0, 0
	}
	return x.start[c], x.start[c+1]
}

// Bytes returns the size of the index, its columns left out.
func (x *Index) Bytes() int64 { return 4*int64(len(x.rows)+len(x.start)) + 16*int64(len(x.slots)) }

// Rows returns the rows whose indexed columns hold key, ascending. The caller must not change the slice.
func (x *Index) Rows(key ...symbol.ID) []int32 {
	lo, hi := x.Range(key)
	return x.At(new([]int32), lo, hi)
}

// At returns the rows at the places [lo, hi) of Grouped, which the caller must not change: in the space if they lie in
// their own order.
func (x *Index) At(space *[]int32, lo, hi int32) []int32 {
	if x.rows != nil {
		return x.rows[lo:hi]
	}
	*space = (*space)[:0]
	for row := lo; row < hi; row++ {
		*space = append(*space, row)
	}
	return *space
}

// Find returns the first row of key, or -1.
func (x *Index) Find(key []symbol.ID) int32 {
	lo, hi := x.Range(key)
	if lo == hi {
		return -1
	}
	return x.row(lo)
}

// FindEach is Find for several keys side by side: rows[i] is the first row of the key whose k-th value is key[k][i],
// for each i of some, or for all if that is nil. The scratch has room for all i.
func (x *Index) FindEach(rows []int32, key [][]symbol.ID, some []int32, scratch []uint32) {
	switch {
	case x.slots != nil:
		x.probeEach(rows, key, some)
	case some == nil:
		x.findAll(rows, key, scratch[:len(rows)])
	default:
		x.findSome(rows, key, some, scratch)
	}
}

// RangeEach is Range for some keys side by side: lows[i] and highs[i] are where the rows of the key lie whose k-th
// value is key[k][i]. The scratch has room for all i.
func (x *Index) RangeEach(lows, highs []int32, key [][]symbol.ID, some []int32, scratch []uint32) {
	if x.slots != nil {
		x.rangeHashed(lows, highs, key, some)
		return
	}
	x.cellsOf(scratch, key, some)
	for _, i := range some {
		if lows[i], highs[i] = 0, 0; scratch[i] != nowhere {
			lows[i], highs[i] = x.start[scratch[i]], x.start[scratch[i]+1]
		}
	}
}

// FindAlong appends the first rows of those keys, in their order, that there are: each is the given one, but has one of
// the values at a place. The key is changed there.
func (x *Index) FindAlong(rows []int32, key []symbol.ID, at int, values []symbol.ID) []int32 {
	if x.slots != nil {
		for _, key[at] = range values {
			if row := x.Find(key); row >= 0 {
				rows = append(rows, row)
			}
		}
		return rows
	}
	key[at] = x.dims[at].low
	first, ok := x.offset(key)
	if !ok {
		return rows
	}
	d := x.dims[at]
	for _, v := range values {
		if k := uint32(v - d.low); k < d.size {
			if row := x.firstOf(first + k*d.stride); row >= 0 {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// offset returns the cell of a key, if it is in the box.
func (x *Index) offset(key []symbol.ID) (c uint32, ok bool) {
	for k, d := range x.dims {
		at := uint32(key[k] - d.low)
		if at >= d.size {
			return 0, false
		}
		c += at * d.stride
	}
	return c, true
}

// Peek reads where the rows of a key are likely to begin in Grouped, as Range will read again.
func (x *Index) Peek(key []symbol.ID) int32 {
	if x.slots != nil {
		return x.slots[home(x.pack(key), x.shift)].first
	}
	if c, ok := x.offset(key); ok {
		return x.start[c]
	}
	return 0
}

// nowhere is a cell that stands for keys outside of the box.
const nowhere = math.MaxUint32

// findAll is FindEach for all keys, by direct addressing.
func (x *Index) findAll(rows []int32, key [][]symbol.ID, cells []uint32) {
	clear(cells)
	for k, d := range x.dims {
		values := key[k][:len(cells)]
		for i, c := range cells {
			if at := uint32(values[i] - d.low); at < d.size && c != nowhere {
				cells[i] = c + at*d.stride
			} else {
				cells[i] = nowhere
			}
		}
	}
	for i, c := range cells {
		rows[i] = x.firstOf(c)
	}
}

// findSome is FindEach for some keys, by direct addressing.
func (x *Index) findSome(rows []int32, key [][]symbol.ID, some []int32, cells []uint32) {
	x.cellsOf(cells, key, some)
	for _, i := range some {
		rows[i] = x.firstOf(cells[i])
	}
}

// cellsOf finds the cells of some keys.
func (x *Index) cellsOf(cells []uint32, key [][]symbol.ID, some []int32) {
	for _, i := range some {
		cells[i] = 0
	}
	for k, d := range x.dims {
		values := key[k]
		for _, i := range some {
			if at := uint32(values[i] - d.low); at < d.size && cells[i] != nowhere {
				cells[i] += at * d.stride
			} else {
				cells[i] = nowhere
			}
		}
	}
}

// firstOf returns the first row in a cell, -1 if there is none.
func (x *Index) firstOf(cell uint32) int32 {
	if cell == nowhere {
		return -1
	}
	first := x.start[cell]
	if first == x.start[cell+1] {
		return -1
	}
	return x.row(first)
}

// Firsts lists the first row of each key, ascending.
func (x *Index) Firsts() []int32 {
	first := bitset.New(x.count) // of rows
	mark := func(row int32) { first.Add(int(row)) }
	for c := range len(x.start) - 1 {
		if lo := x.start[c]; lo < x.start[c+1] {
			mark(x.row(lo))
		}
	}
	for _, s := range x.slots {
		if s.count > 0 {
			mark(x.row(s.first))
		}
	}
	out := make([]int32, 0, x.keys)
	for k, word := range first {
		for ; word != 0; word &= word - 1 {
			out = append(out, int32(64*k+bits.TrailingZeros64(word)))
		}
	}
	return out
}
