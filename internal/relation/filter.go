package relation

import (
	"math/bits"
	"slices"

	"github.com/deeppsl/deeppsl/internal/bitset"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Filter is a set of keys of one or more columns, in bits by their hashes: what it does not hold is not among them, and
// of what it holds, a few are neither. Single values have bits of their own where that takes little room.
type Filter struct {
	words bitset.Set
	shift uint8
	exact bool // a value's bit is its number; larger ones are not in the set
}

// bitsPerKey is how many bits of a filter there are for each of its keys, at least.
const bitsPerKey = 16

// fewestBits is how many bits a filter has at least: what it lets pass is indexed, of however many rows.
const fewestBits = 1 << 12

// bit returns a key's bit in a filter. It has nothing to do with the key's home in an index: otherwise all rows that
// pass would have their homes in a few places, and an index of them would take the square of their number to make.
func bit(packed uint64, shift uint8) uint64 {
	packed *= 0xd6e8feb86659fd93
	packed ^= packed >> 32
	return packed * 0xd6e8feb86659fd93 >> shift
}

// NewFilter returns the keys that some rows have in columns; nil means all rows.
func NewFilter(columns [][]symbol.ID, some []int32) *Filter {
	n := len(columns[0])
	if some != nil {
		n = len(some)
	}
	size := bits.Len(uint(max(fewestBits, bitsPerKey*n) - 1))
	if len(columns) == 1 {
		if f := exactFilter(columns[0], some, roomy<<size); f != nil {
			return f
		}
	}
	f := &Filter{words: make(bitset.Set, 1<<size/64), shift: uint8(64 - size)}
	eachKey(columns, some, func(_ int, packed []uint64) {
		for _, key := range packed {
			at := bit(key, f.shift)
			f.words.Add(int(at))
		}
	})
	return f
}

// roomy is how many times as many bits single values may have as their hashes would, and fewestExact how many always.
const roomy, fewestExact = 4, 1 << 20

// exactFilter returns the values that some rows have in a column; nil if that takes more bits than most.
func exactFilter(column []symbol.ID, some []int32, most int) *Filter {
	if some != nil {
		column = gather(column, some)
	}
	if len(column) == 0 {
		return &Filter{exact: true}
	}
	s := spanOf(column)
	if s.low < 0 || int(s.high) >= max(most, fewestExact) {
		return nil
	}
	f := &Filter{words: bitset.New(int(s.high)), exact: true}
	for _, v := range column {
		f.words.Add(int(v))
	}
	return f
}

// selectExact is Select for single values.
func (f *Filter) selectExact(column []symbol.ID, some []int32) (left []int32) {
	var space, rows [lot]int32
	left = []int32{}
	if len(f.words) == 0 {
		return left
	}
	if some != nil {
		for chunk := range slices.Chunk(some, lot) {
			for k, row := range chunk {
				rows[k] = column[row]
			}
			n := f.places(&space, rows[:len(chunk)])
			for _, k := range space[:n] {
				left = append(left, chunk[k])
			}
		}
		return left
	}
	for from := 0; from < len(column); from += lot {
		n := f.places(&space, column[from:min(len(column), from+lot)])
		for _, k := range space[:n] {
			left = append(left, int32(from)+k)
		}
	}
	return left
}

// places finds the places of those of a lot of single values that are in the set, and returns how many they are. There
// is no branch: whether a value is there is anyone's guess.
func (f *Filter) places(space *[lot]int32, values []symbol.ID) int {
	n, words := 0, f.words
	for k, v := range values {
		space[uint8(n)] = int32(k)
		at := int(uint32(v) / 64)
		within := (at - len(words)) >> 63 // all bits, or none beyond the last word
		n += int(words[at&within]>>(uint32(v)%64)) & within & 1
	}
	return n
}

// SelectSame returns those of some rows, or of all if that is nil, which have one value in both columns.
func SelectSame(one, other []symbol.ID, some []int32) []int32 {
	left := []int32{}
	if some == nil {
		for row, v := range one {
			if v == other[row] {
				left = append(left, int32(row))
			}
		}
	}
	for _, row := range some {
		if one[row] == other[row] {
			left = append(left, row)
		}
	}
	return left
}

// Select returns those of some rows, or of all if that is nil, whose keys may be in the set.
func (f *Filter) Select(columns [][]symbol.ID, some []int32) (left []int32) {
	if f.exact {
		return f.selectExact(columns[0], some)
	}
	var space [lot]int32
	left = []int32{}
	eachKey(columns, some, func(from int, packed []uint64) {
		n := 0
		for k, key := range packed { // no branch: whether a key is there is anyone's guess
			if space[n] = int32(from + k); some != nil {
				space[n] = some[from+k]
			}
			at := bit(key, f.shift)
			n += int(f.words.Bit(int(at)))
		}
		left = append(left, space[:n]...)
	})
	return left
}

// SelectBy is Select, by so many threads.
func (f *Filter) SelectBy(threads int, columns [][]symbol.ID, some []int32) []int32 {
	rows := len(columns[0])
	if some != nil {
		rows = len(some)
	}
	parts := partsOf(threads, rows)
	if parts == 1 {
		return f.Select(columns, some)
	}
	left := make([][]int32, parts)
	eachPart(parts, rows, func(k, from, to int) {
		if some != nil {
			left[k] = f.Select(columns, some[from:to])
			return
		}
		own := make([][]symbol.ID, len(columns))
		for c, column := range columns {
			own[c] = column[from:to]
		}
		left[k] = f.Select(own, nil)
		for i := range left[k] {
			left[k][i] += int32(from)
		}
	})
	if all := slices.Concat(left...); all != nil {
		return all
	}
	return []int32{} // nil would be all rows
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
