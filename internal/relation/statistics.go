package relation

import (
	"maps"
	"math/bits"
	"sync"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// derived is what a relation works out about itself when it is first asked; its maps are guarded by its mutex.
type derived struct {
	indexes     map[Part]*made[*Index]
	projections map[Part]*made[*Relation]
	lists       map[Part]*made[*Lists]
	spans       map[int]*made[span]
	counts      map[int]*made[int]     // distinct values per column
	crowds      map[int]*made[float64] // see Crowd
}

// Part names what a relation makes of its rows and keeps: an index, the lists of a column, or a projection.
type Part struct {
	kind    byte
	columns string
}

// IndexOn names the index on columns.
func IndexOn(columns ...int) Part { return Part{'i', columnsName(columns)} }

// ListsOf names the lists of a column's values.
func ListsOf(value int) Part { return Part{'l', columnsName([]int{value})} }

// ProjectionOn names the projection on columns.
func ProjectionOn(columns ...int) Part { return Part{'p', columnsName(columns)} }

// Forget lets go of all parts but those that are needed; they are made anew if somebody asks for them. A living
// relation keeps all. Nothing else may be done with the relation at the same time.
func (r *Relation) Forget(needed func(Part) bool) {
	if r.living != nil {
		return
	}
	forget(r.known.indexes, needed)
	forget(r.known.lists, needed)
	forget(r.known.projections, needed)
	r.tuples.Store(nil)
}

// Parts counts the parts that there are.
func (r *Relation) Parts() int {
	return len(r.known.indexes) + len(r.known.lists) + len(r.known.projections)
}

// forget lets go of those of one kind.
func forget[T any](all map[Part]T, needed func(Part) bool) {
	maps.DeleteFunc(all, func(part Part, _ T) bool { return !needed(part) })
}

// made is something that is made once, by the first one who asks for it, while others can make other things.
type made[T any] struct {
	once  sync.Once
	value T
}

// madeOf is already made.
func madeOf[T any](value T) *made[T] {
	m := &made[T]{value: value}
	m.once.Do(func() {})
	return m
}

// known returns what all, one of the maps of r.known, has for a key, and makes it if need be.
func known[K comparable, T any](r *Relation, all *map[K]*made[T], key K, build func() T) T {
	r.mu.Lock()
	m := (*all)[key]
	if m == nil {
		if *all == nil {
			*all = make(map[K]*made[T])
		}
		m = &made[T]{}
		(*all)[key] = m
	}
	r.mu.Unlock()
	m.once.Do(func() { m.value = build() })
	return m.value
}

// Index returns the index on columns, building it on first use. It is safe for concurrent use. Indexes are kept as long
// as the relation, or until Forget: the rules of a program share them.
func (r *Relation) Index(columns ...int) *Index { return r.IndexBy(1, columns...) }

// IndexBy is Index, built by so many threads.
func (r *Relation) IndexBy(threads int, columns ...int) *Index {
	return known(r, &r.known.indexes, IndexOn(columns...), func() *Index {
		key := make([][]symbol.ID, len(columns))
		spans := make([]span, len(columns))
		for k, column := range columns {
			key[k] = r.Columns[column]
			if r.living == nil {
				spans[k] = r.span(column)
			}
		}
		switch {
		case r.living != nil && r.living.still:
			return r.indexStill(threads, columns)
		case r.living != nil:
			return r.indexLiving(key)
		}
		return newIndex(threads, key, spans, r.Len(), len(columns) == r.Arity)
	})
}

// Indexed tells whether there is an index on columns.
func (r *Relation) Indexed(columns ...int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known.indexes[IndexOn(columns...)] != nil
}

// IndexOf returns an index of some rows, ascending, on columns, built by so many threads. It is not kept.
func (r *Relation) IndexOf(threads int, rows []int32, columns ...int) *Index {
	key, own := make([][]symbol.ID, len(columns)), make([][]symbol.ID, len(columns))
	spans := make([]span, len(columns))
	for k, column := range columns {
		own[k] = r.Columns[column]
		key[k] = gather(own[k], rows)
		spans[k] = spanOf(key[k])
	}
	x := newIndex(threads, key, spans, len(rows), len(columns) == r.Arity)
	x.columns, x.rows = own, gather(rows, x.At(new([]int32), 0, int32(len(rows))))
	return x
}

// Find returns the row of a whole tuple. Loops should use the Find of Tuples' index instead.
func (r *Relation) Find(tuple ...symbol.ID) (row int32, ok bool) {
	row = r.Tuples().Find(tuple)
	return row, row >= 0
}

// Tuples returns the index on all columns, in their order.
func (r *Relation) Tuples() *Index {
	if x := r.tuples.Load(); x != nil {
		return x
	}
	all := make([]int, r.Arity)
	for k := range all {
		all[k] = k
	}
	x := r.Index(all...)
	r.tuples.Store(x)
	return x
}

// Distinct returns the projection on columns without repetitions, in the order of first appearance, as a relation of
// observed rows. It is built on first use and safe for concurrent use.
func (r *Relation) Distinct(columns ...int) *Relation {
	return known(r, &r.known.projections, ProjectionOn(columns...), func() *Relation {
		firsts := r.Index(columns...).Firsts()
		p := &Relation{Name: r.Name, Arity: len(columns), Observed: len(firsts)}
		for _, column := range columns {
			p.Columns = append(p.Columns, gather(r.Columns[column], firsts))
		}
		return p
	})
}

// DistinctCount returns how many different values column holds. It is counted on first use and safe for concurrent use.
func (r *Relation) DistinctCount(column int) int {
	return known(r, &r.known.counts, column, func() int { return countDistinct(r.Columns[column], r.span(column)) })
}

// span returns that of a column, which is found on first use.
func (r *Relation) span(column int) span {
	return known(r, &r.known.spans, column, func() span { return spanOf(r.Columns[column]) })
}

// countDistinct counts in a bit set over the range of the values. Those that follow each other are often in one word,
// which is written when another one is at hand.
func countDistinct(values []symbol.ID, s span) (count int) {
	if len(values) == 0 {
		return 0
	}
	seen := make([]uint64, uint32(s.high-s.low)/64+1)
	word, bits64 := uint32(0), uint64(0)
	for _, v := range values {
		at := uint32(v - s.low)
		if at/64 != word {
			seen[word] |= bits64
			word, bits64 = at/64, 0
		}
		bits64 |= 1 << (at % 64)
	}
	seen[word] |= bits64
	for _, word := range seen {
		count += bits.OnesCount64(word)
	}
	return count
}

// columnsName makes a map key of a list of columns.
func columnsName(columns []int) string {
	name := make([]byte, 0, 8)
	for _, column := range columns {
		name = append(name, byte(column), byte(column>>8))
	}
	return string(name)
}
