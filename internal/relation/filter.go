package relation

import (
	"math/bits"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Filter is a set of keys of one or more columns, in bits by their hashes: what it does not hold is not among them, and
// of what it holds, a few are neither.
type Filter struct {
	words []uint64
	shift uint8
}

// bitsPerKey is how many bits of a filter there are for each of its keys, at least.
const bitsPerKey = 16

// NewFilter returns the keys that some rows have in columns; nil means all rows.
func NewFilter(columns [][]symbol.ID, some []int32) *Filter {
	n := len(columns[0])
	if some != nil {
		n = len(some)
	}
	size := bits.Len(uint(max(64, bitsPerKey*n) - 1))
	f := &Filter{words: make([]uint64, 1<<size/64), shift: uint8(64 - size)}
	eachKey(columns, some, func(_ int, packed []uint64) {
		for _, key := range packed {
			at := home(key, f.shift)
			f.words[at/64] |= 1 << (at % 64)
		}
	})
	return f
}

// Select returns those of some rows, or of all if that is nil, whose keys may be in the set.
func (f *Filter) Select(columns [][]symbol.ID, some []int32) (left []int32) {
	var space [lot]int32
	left = []int32{}
	eachKey(columns, some, func(from int, packed []uint64) {
		n := 0
		for k, key := range packed { // no branch: whether a key is there is anyone's guess
			if space[n] = int32(from + k); some != nil {
				space[n] = some[from+k]
			}
			at := home(key, f.shift)
			n += int(f.words[at/64] >> (at % 64) & 1)
		}
		left = append(left, space[:n]...)
	})
	return left
}

// eachKey packs the keys of some rows, or of all, a lot at a time, the first of which is the from-th.
func eachKey(columns [][]symbol.ID, some []int32, visit func(from int, packed []uint64)) {
	var packed [lot]uint64
	rows := len(columns[0])
	if some != nil {
		rows = len(some)
	}
	own := make([][]symbol.ID, len(columns))
	for from := 0; from < rows; from += lot {
		n := min(lot, rows-from)
		if some == nil {
			packEach(packed[:n], columns, from)
		} else {
			for k, column := range columns {
				own[k] = gather(column, some[from:from+n])
			}
			packEach(packed[:n], own, 0)
		}
		visit(from, packed[:n])
	}
}
