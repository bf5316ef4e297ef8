package relation

import (
	"math/bits"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// hashing is the state of building a hashed index: while it lasts, a slot's first is the number of its group.
type hashing struct {
	*Index
	group  []int32 // per row
	rep    []int32 // per group, its first row
	counts []int32 // per group
}

// hash arranges the rows by key in a hash table; groups are in the order of their first rows.
func (x *Index) hash(rows, expected int) {
	h := hashing{Index: x, group: make([]int32, rows)}
	h.resize(1 << bits.Len(uint(expected+expected/2+64)))
	key := make([]symbol.ID, len(x.columns))
	for row := range rows {
		for k, column := range x.columns {
			key[k] = column[row]
		}
		h.add(int32(row), key)
	}
	h.arrange()
}

// add puts row into the group of its key.
func (h *hashing) add(row int32, key []symbol.ID) {
	packed := pack(key)
	at := home(packed, h.shift)
	for h.slots[at].count != 0 && !h.holds(&h.slots[at], packed, key) {
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

// holds tells whether a slot is that of key. Up to two columns the packed key says it; beyond, rows must be compared.
func (h *hashing) holds(s *slot, packed uint64, key []symbol.ID) bool {
	return s.key == packed && (len(key) <= 2 || h.equal(h.rep[s.first], key))
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

// probe is Range in a hash table.
func (x *Index) probe(key []symbol.ID) (lo, hi int32) {
	packed := pack(key)
	for at := home(packed, x.shift); ; at = (at + 1) & uint64(len(x.slots)-1) {
		s := &x.slots[at]
		if s.count == 0 {
			if s.first < 0 {
				continue // of a living relation, which had such rows
			}
			return 0, 0
		}
		if s.key == packed && (len(key) <= 2 || x.equal(x.rows[s.first], key)) {
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

// home returns the slot where the search for a packed key begins: Fibonacci hashing of the folded key, so that tuples
// that differ in one column only are spread well.
func home(packed uint64, shift uint8) uint64 {
	packed ^= packed >> 32 * 0x85ebca6b
	return packed * 0x9e3779b97f4a7c15 >> shift
}
