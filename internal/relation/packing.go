package relation

import (
	"math"
	"math/bits"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// span is the smallest and the largest value of a column; of one without values, low is above high.
type span struct{ low, high symbol.ID }

// spanOf finds the smallest and the largest value.
func spanOf(values []symbol.ID) span {
	s := span{low: math.MaxInt32, high: math.MinInt32}
	for _, v := range values {
		s.low, s.high = min(s.low, v), max(s.high, v)
	}
	return s
}

// field is the part of a packed key that one column has: its value above the lowest one, moved by shift.
type field struct {
	low   symbol.ID
	most  uint32
	shift uint8
}

// packing makes numbers of keys, one field of each for a column.
type packing []field

// absent is part of the packed keys that no row can have.
const absent = 1 << 63

// packingOf returns how keys of three columns or more with values in the spans are packed so that no two are the same,
// nil if they take too many bits. What two keys have in common need not be compared in their rows then, which may lie
// anywhere.
func packingOf(spans []span) (fields packing) {
	used := 0
	for _, s := range spans {
		if len(spans) <= 2 || s.low > s.high || used > 63 {
			return nil
		}
		fields = append(fields, field{s.low, uint32(s.high - s.low), uint8(used)})
		used += bits.Len32(uint32(s.high - s.low))
	}
	if used > 63 {
		return nil
	}
	return fields
}

// pack makes one number of a key.
func (p packing) pack(key []symbol.ID) (packed uint64) {
	for k := range p {
		packed |= p[k].of(key[k])
	}
	return packed
}

// packEach packs the keys of rows from one on.
func (p packing) packEach(packed []uint64, columns [][]symbol.ID, from int) {
	clear(packed)
	for k := range p {
		for i, v := range columns[k][from : from+len(packed)] {
			packed[i] |= p[k].of(v)
		}
	}
}

// packSome packs the keys of some rows.
func (p packing) packSome(packed []uint64, columns [][]symbol.ID, some []int32) {
	clear(packed)
	for k := range p {
		column := columns[k]
		for i, row := range some {
			packed[i] |= p[k].of(column[row])
		}
	}
}

// of returns the part of a packed key that a value is.
func (f *field) of(v symbol.ID) uint64 {
	at := uint32(v - f.low)
	if at > f.most {
		return absent
	}
	return uint64(at) << f.shift
}
