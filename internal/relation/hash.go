package relation

import (
	"math/bits"
	"slices"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// hashing is the state of building a hashed index: while it lasts, a slot's first is the number of its group.
type hashing struct {
	*Index
	group  []int32 // per row
	rep    []int32 // per group, its first row
	counts []int32 // per group
	seen   int32   // what was read ahead, so that it must
}

// lot is how many keys are hashed before the table is looked at.
const lot = 256

// hashWhole is hash for rows of which no two have the same key, so that each is a group of its own. It tells whether
// that is so.
func (x *Index) hashWhole(rows int) bool {
	size := 1 << bits.Len(uint(rows+rows/2+64))
	x.slots, x.shift = make([]slot, size), uint8(64-bits.TrailingZeros(uint(size)))
	x.keys = rows
	var places [lot]uint64
	var packed [lot]uint64
	for from := 0; from < rows; from += lot {
		n := min(lot, rows-from)
		x.packEach(packed[:n], x.columns, from)
		for k, key := range packed[:n] {
			places[k] = home(key, x.shift)
		}
		for k, at := range places[:n] {
			row := from + k
			for x.slots[at].count != 0 {
				if x.slots[at].key == packed[k] && (x.exact() || x.alike(int(x.slots[at].first), row)) {
					return false
				}
				at = (at + 1) & uint64(size-1)
			}
			x.slots[at] = slot{key: packed[k], first: int32(row), count: 1}
		}
	}
	return true
}

// alike tells whether two rows have the same key.
func (x *Index) alike(a, b int) bool {
	return !slices.ContainsFunc(x.columns, func(column []symbol.ID) bool { return column[a] != column[b] })
}

// hash arranges the rows by key in a hash table; groups are in the order of their first rows.
func (x *Index) hash(rows, expected int) {
	h := hashing{Index: x, group: make([]int32, rows)}
	x.slots = nil
	h.resize(1 << bits.Len(uint(expected+expected/2+64)))
	var packed [lot]uint64
	for from := 0; from < rows; from += lot {
		some := packed[:min(lot, rows-from)]
		x.packEach(some, x.columns, from)
		for _, key := range some { // all wait for memory at once, and not one after the other
			h.seen += h.slots[home(key, h.shift)].count
		}
		for k, key := range some {
			h.add(int32(from+k), key)
		}
	}
	h.arrange()
}

// add puts row into the group of its key.
func (h *hashing) add(row int32, packed uint64) {
	at := home(packed, h.shift)
	for h.slots[at].count != 0 && !h.holds(&h.slots[at], packed, row) {
		at = (at + 1) & uint64(len(h.slots)-1)
	}
	s := &h.slots[at]
	if s.count == 0 {
		*s = slot{key: packed, first: int32(len(h.rep)), count: 1}
		h.rep = append(h.rep, row)
		h.counts = append(h.counts, 0)
	}
	h.group[row] = s.first
	h.counts[s.first]++
	if 3*len(h.rep) > 2*len(h.slots) {
		h.resize(2 * len(h.slots))
	}
}

// holds tells whether a slot is that of a row's key. Mostly the packed key says it; where it does not, rows must be
// compared.
func (h *hashing) holds(s *slot, packed uint64, row int32) bool {
	return s.key == packed && (h.exact() || h.alike(int(h.rep[s.first]), int(row)))
}

// resize moves the groups into a table of size slots, a power of 2. Tables grow at two thirds full: finding a key then
// looks at two slots on average, and most often both are in one cache line.
func (h *hashing) resize(size int) {
	old := h.slots
	h.slots = make([]slot, size)
	h.shift = uint8(64 - bits.TrailingZeros(uint(size)))
	for _, s := range old {
		if s.count == 0 {
			continue
		}
		at := home(s.key, h.shift)
		for h.slots[at].count != 0 {
			at = (at + 1) & uint64(size-1)
		}
		h.slots[at] = s
	}
}

// arrange lays the rows out by group and lets the slots point at them.
func (h *hashing) arrange() {
	h.keys = len(h.rep)
	if h.keys == len(h.group) {
		return // groups are in the order of their first rows: with one row each, that order is the rows' own
	}
	h.rows = make([]int32, len(h.group))
	next := h.rep // the representatives have served
	total := int32(0)
	for g, count := range h.counts {
		next[g] = total
		total += count
	}
	for row, g := range h.group {
		h.rows[next[g]] = int32(row)
		next[g]++
	}
	for k := range h.slots {
		if s := &h.slots[k]; s.count != 0 {
			g := s.first
			s.first, s.count = next[g]-h.counts[g], h.counts[g]
		}
	}
}

// probeEach is FindEach in a hash table: where the keys lie is found for all before any of them is looked at.
func (x *Index) probeEach(rows []int32, key [][]symbol.ID, some []int32) {
	switch {
	case !x.batched():
		x.eachTuple(key, some, len(rows), func(i int32, tuple []symbol.ID) { rows[i] = x.Find(tuple) })
	case some == nil:
		x.probeAll(rows, key)
	default:
		var places [lot]uint64
		for lanes := range slices.Chunk(some, lot) {
			x.slotsOf(places[:len(lanes)], key, 0, lanes)
			for k, at := range places[:len(lanes)] {
				rows[lanes[k]] = x.firstAt(at)
			}
		}
	}
}

// probeAll is probeEach for all keys.
func (x *Index) probeAll(rows []int32, key [][]symbol.ID) {
	var places [lot]uint64
	for from := 0; from < len(rows); from += lot {
		some := rows[from:min(len(rows), from+lot)]
		x.slotsOf(places[:len(some)], key, from, nil)
		for k, at := range places[:len(some)] {
			some[k] = x.firstAt(at)
		}
	}
}

// rangeHashed is RangeEach in a hash table.
func (x *Index) rangeHashed(lows, highs []int32, key [][]symbol.ID, some []int32) {
	if !x.batched() {
		x.eachTuple(key, some, 0, func(i int32, tuple []symbol.ID) { lows[i], highs[i] = x.probe(tuple) })
		return
	}
	var places [lot]uint64
	for lanes := range slices.Chunk(some, lot) {
		x.slotsOf(places[:len(lanes)], key, 0, lanes)
		for k, at := range places[:len(lanes)] {
			s := &x.slots[at]
			lows[lanes[k]], highs[lanes[k]] = s.first, s.first+s.count
		}
	}
}

// batched tells whether many keys can be looked up by their packed forms alone: those of a living relation may have
// slots without rows.
func (x *Index) batched() bool { return x.exact() && len(x.columns) > 0 && x.taken == 0 }

// slotsOf finds the slots of keys, or empty ones: of those in some lanes, or of all from one on.
func (x *Index) slotsOf(places []uint64, key [][]symbol.ID, from int, some []int32) {
	var space [lot]uint64
	packed := space[:len(places)]
	if some == nil {
		x.packEach(packed, key, from)
	} else {
		x.packSome(packed, key, some)
	}
	for k, p := range packed {
		places[k] = home(p, x.shift)
	}
	for k, at := range places {
		s := &x.slots[at]
		for s.key != packed[k] && s.count != 0 {
			at = (at + 1) & uint64(len(x.slots)-1)
			s = &x.slots[at]
		}
		places[k] = at
	}
}

// firstAt returns the first row of a slot's key, -1 if it is empty.
func (x *Index) firstAt(at uint64) int32 {
	if s := &x.slots[at]; s.count > 0 {
		return x.row(s.first)
	}
	return -1
}

// eachTuple gathers the keys of some lanes, or of the first ones, and visits each.
func (x *Index) eachTuple(key [][]symbol.ID, some []int32, first int, visit func(i int32, tuple []symbol.ID)) {
	tuple := slices.Grow(make([]symbol.ID, 0, 8), len(key))[:len(key)]
	gathered := func(i int32) {
		for k, values := range key {
			tuple[k] = values[i]
		}
		visit(i, tuple)
	}
	if some == nil {
		for i := range first {
			gathered(int32(i))
		}
	}
	for _, i := range some {
		gathered(i)
	}
}

// probe is Range in a hash table.
func (x *Index) probe(key []symbol.ID) (lo, hi int32) {
	packed := x.pack(key)
	for at := home(packed, x.shift); ; at = (at + 1) & uint64(len(x.slots)-1) {
		s := &x.slots[at]
		if s.count == 0 {
			if s.first < 0 {
				continue // of a living relation, which had such rows
			}
			return 0, 0
		}
		if s.key == packed && (x.exact() || x.equal(x.row(s.first), key)) {
			return s.first, s.first + s.count
		}
	}
}

// equal compares a row's key with key.
func (x *Index) equal(row int32, key []symbol.ID) bool {
	for k, id := range key {
		if x.columns[k][row] != id {
			return false
		}
	}
	return true
}

// exact tells whether keys that are packed alike are the same.
func (x *Index) exact() bool { return len(x.columns) <= 2 || x.packing != nil }

// pack makes one number of a key.
func (x *Index) pack(key []symbol.ID) uint64 {
	if x.packing != nil {
		return x.packing.pack(key)
	}
	return pack(key)
}

// packEach packs the keys of rows from one on.
func (x *Index) packEach(packed []uint64, columns [][]symbol.ID, from int) {
	if x.packing != nil {
		x.packing.packEach(packed, columns, from)
	} else {
		packEach(packed, columns, from)
	}
}

// packSome packs the keys of some rows, exactly.
func (x *Index) packSome(packed []uint64, columns [][]symbol.ID, some []int32) {
	switch {
	case x.packing != nil:
		x.packing.packSome(packed, columns, some)
	case len(columns) == 1:
		for i, row := range some {
			packed[i] = uint64(uint32(columns[0][row]))
		}
	default:
		for i, row := range some {
			packed[i] = uint64(uint32(columns[0][row]))<<32 | uint64(uint32(columns[1][row]))
		}
	}
}

// pack makes one number of a key: exact for up to two columns, a hash for more.
func pack(key []symbol.ID) uint64 {
	switch len(key) {
	case 0:
		return 0
	case 1:
		return uint64(uint32(key[0]))
	case 2:
		return uint64(uint32(key[0]))<<32 | uint64(uint32(key[1]))
	}
	return hash(key)
}

// packEach packs the keys of rows from one on.
func packEach(packed []uint64, columns [][]symbol.ID, from int) {
	switch len(columns) {
	case 1:
		for k, v := range columns[0][from : from+len(packed)] {
			packed[k] = uint64(uint32(v))
		}
	case 2:
		low := columns[1][from : from+len(packed)]
		for k, v := range columns[0][from : from+len(packed)] {
			packed[k] = uint64(uint32(v))<<32 | uint64(uint32(low[k]))
		}
	default:
		for k := range packed {
			packed[k] = uint64(len(columns))
		}
		for _, column := range columns {
			for k, v := range column[from : from+len(packed)] {
				packed[k] = mix(packed[k], v)
			}
		}
	}
}

// home returns the slot where the search for a packed key begins: Fibonacci hashing of the folded key, so that tuples
// that differ in one column only are spread well.
func home(packed uint64, shift uint8) uint64 {
	packed ^= packed >> 32 * 0x85ebca6b
	return packed * 0x9e3779b97f4a7c15 >> shift
}
