package relation

import (
	"slices"
	"sync/atomic"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// AddAll appends many atoms, all of one role, and keeps the columns. It leaves the builder as it was, and returns
// false, if one of them may be there already; Add then says which. The hash table of Add is not made: whether all
// tuples are different is found by dividing them into parts that fit a cache.
func (b *Builder) AddAll(threads int, columns [][]symbol.ID, truth Values, role Role, places []Place) bool {
	if len(columns) != len(b.columns) {
		panic("relation: rows of the wrong arity")
	}
	before, rows := b.Len(), len(places)
	joined := make([][]symbol.ID, len(columns))
	for k, column := range columns {
		joined[k] = column
		if before > 0 {
			joined[k] = slices.Concat(b.columns[k], column)
		}
	}
	if !allDifferent(threads, joined, before+rows) {
		return false
	}
	b.checkRole(role)
	b.columns, b.truth = joined, JoinValues(b.truth, truth)
	b.places = appendOrTake(b.places, places)
	b.roles = slices.Grow(b.roles, rows)
	for range rows {
		b.roles = append(b.roles, role)
	}
	return true
}

// appendOrTake appends values, or takes them if there are none yet.
func appendOrTake[T any](all, values []T) []T {
	if len(all) == 0 {
		return values
	}
	return append(all, values...)
}

// partBits is the number of parts, as a power of 2, that the tuples are divided into, and chunk how many rows are
// divided at a time.
const (
	partBits = 9
	chunk    = 1 << 16
)

// allDifferent tells whether no two rows are the same tuple, or have the same hash of more than two columns, which
// does not happen unless someone means it to.
func allDifferent(threads int, columns [][]symbol.ID, rows int) bool {
	if len(columns) == 0 {
		return rows <= 1
	}
	chunks := (rows + chunk - 1) / chunk
	starts := make([][1 << partBits]int32, chunks)
	part := func(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> (64 - partBits) }
	each := func(task int, visit func(key uint64)) {
		tuple := make([]symbol.ID, len(columns))
		for row := task * chunk; row < min(rows, (task+1)*chunk); row++ {
			for k, column := range columns {
				tuple[k] = column[row]
			}
			visit(fold(pack(tuple)))
		}
	}
	parallel.For(threads, chunks, func(task int) { each(task, func(key uint64) { starts[task][part(key)]++ }) })
	ends := make([]int32, 1<<partBits)
	total := int32(0)
	for p := range ends {
		for task := range starts {
			count := starts[task][p]
			starts[task][p] = total
			total += count
		}
		ends[p] = total
	}
	keys := make([]uint64, rows)
	parallel.For(threads, chunks, func(task int) {
		next := &starts[task]
		each(task, func(key uint64) {
			p := part(key)
			keys[next[p]] = key
			next[p]++
		})
	})
	var same atomic.Bool
	parallel.For(threads, len(ends), func(p int) {
		from := int32(0)
		if p > 0 {
			from = ends[p-1]
		}
		if repeats(keys[from:ends[p]]) {
			same.Store(true)
		}
	})
	return !same.Load()
}

// fold mixes a packed key, one to one, so that its parts are of one size.
func fold(key uint64) uint64 {
	key ^= key >> 32
	key *= 0xff51afd7ed558ccd
	return key ^ key>>29
}

// repeats tells whether a key occurs twice.
func repeats(keys []uint64) bool {
	size := 64
	for size < 2*len(keys) {
		size *= 2
	}
	table, mask, zero := make([]uint64, size), uint64(size-1), false
	for _, key := range keys {
		if key == 0 { // that of an empty slot
			if zero {
				return true
			}
			zero = true
			continue
		}
		at := key & mask
		for ; table[at] != 0; at = (at + 1) & mask {
			if table[at] == key {
				return true
			}
		}
		table[at] = key
	}
	return false
}
