package relation

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/bitset"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Lists is an index whose rows of one key are in the order of another column's values, side by side with these: what
// two keys have in common can be read off both at once. Together, key and value are all columns of the relation, so
// that no value occurs twice in a list.
type Lists struct {
	*Index
	Rows   []int32     // grouped by key as the index has them, but ascending by value
	Values []symbol.ID // of Rows
}

// Lists returns the lists of a column's values by the other columns, building them on first use. It is safe for
// concurrent use.
func (r *Relation) Lists(value int) *Lists { return r.ListsBy(1, value) }

// ListsBy is Lists, built by so many threads.
func (r *Relation) ListsBy(threads, value int) *Lists {
	return known(r, &r.known.lists, ListsOf(value), func() *Lists {
		var key []int
		for column := range r.Arity {
			if column != value {
				key = append(key, column)
			}
		}
		return newLists(threads, r.IndexBy(threads, key...), r.Columns[value])
	})
}

// newLists sorts the rows of each key by value.
func newLists(threads int, x *Index, values []symbol.ID) *Lists {
	l := &Lists{Index: x, Rows: slices.Clone(x.At(new([]int32), 0, int32(x.count)))}
	l.Values = make([]symbol.ID, len(l.Rows))
	parts := partsOf(threads, len(l.Rows))
	eachPart(parts, len(l.Rows), func(_, from, to int) {
		for at, row := range l.Rows[from:to] {
			l.Values[from+at] = values[row]
		}
	})
	parallel.For(threads, parts, func(k int) {
		var pairs []uint64 // a value and its row
		x.eachGroupOf(k, parts, func(lo, hi int32) { pairs = l.sort(int(lo), int(hi), pairs[:0]) })
	})
	return l
}

// sort sorts the rows of one key by value, in the space of pairs.
func (l *Lists) sort(lo, hi int, pairs []uint64) []uint64 {
	if slices.IsSorted(l.Values[lo:hi]) {
		return pairs
	}
	for at := lo; at < hi; at++ {
		pairs = append(pairs, uint64(l.Values[at])<<32|uint64(l.Rows[at]))
	}
	slices.Sort(pairs)
	for k, p := range pairs {
		l.Values[lo+k], l.Rows[lo+k] = symbol.ID(p>>32), int32(p&math.MaxUint32)
	}
	return pairs
}

// identity lists the places 0 … n-1.
func identity(places []int32, n int) []int32 {
	places = places[:0]
	for k := range n {
		places = append(places, int32(k))
	}
	return places
}

// eachGroup visits where the rows of each key lie in Grouped.
func (x *Index) eachGroup(visit func(lo, hi int32)) { x.eachGroupOf(0, 1, visit) }

// eachGroupOf visits the k-th of so many parts of the groups.
func (x *Index) eachGroupOf(k, parts int, visit func(lo, hi int32)) {
	cells := max(0, len(x.start)-1)
	for c := k * cells / parts; c < (k+1)*cells/parts; c++ {
		if x.start[c] < x.start[c+1] {
			visit(x.start[c], x.start[c+1])
		}
	}
	for _, s := range x.slots[k*len(x.slots)/parts : (k+1)*len(x.slots)/parts] {
		if s.count > 0 {
			visit(s.first, s.first+s.count)
		}
	}
}

// Seek returns the first place from at on, and before end, whose value is not below v, or end. It doubles its steps:
// of two lists that are met, it goes through the longer one in the time of the shorter, but for a logarithm.
func (l *Lists) Seek(at, end int, v symbol.ID) int {
	if at >= end || l.Values[at] >= v {
		return at
	}
	step := 1
	for at+step < end && l.Values[at+step] < v {
		at += step
		step *= 2
	}
	// The value at at is below v; that at at+step is not, or lies beyond the end.
	lo, hi := at+1, min(end, at+step)
	for lo < hi {
		if mid := (lo + hi) / 2; l.Values[mid] < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Find returns the row of a key with a value, or -1.
func (l *Lists) Find(key []symbol.ID, v symbol.ID) int32 {
	lo, hi := l.Range(key)
	if at := l.Seek(int(lo), int(hi), v); at < int(hi) && l.Values[at] == v {
		return l.Rows[at]
	}
	return -1
}

// Bytes returns the size of the lists and their index.
func (l *Lists) Bytes() int64 { return l.Index.Bytes() + 4*int64(len(l.Rows)+len(l.Values)) }

// Crowd returns how many rows have the value that a row has in a column, on average over the rows: as many as there
// are for each value if they are spread evenly, and many more if some values have most rows. It is counted on first
// use and safe for concurrent use.
func (r *Relation) Crowd(column int) float64 {
	return known(r, &r.known.crowds, column, func() float64 {
		sum, rows := 0, r.Len()
		if dims, cells := box([]span{r.span(column)}); cells <= sparsity*(rows+8) {
			counts := make([]int32, cells)
			for _, v := range r.Columns[column] {
				count := &counts[v-dims[0].low]
				sum += 2*int(*count) + 1 // (n+1)² - n²
				*count++
			}
		} else {
			r.Index(column).eachGroup(func(lo, hi int32) { sum += int(hi-lo) * int(hi-lo) })
		}
		return float64(sum) / max(1, float64(rows))
	})
}

// Marks is a set of values, in bits.
type Marks struct {
	words bitset.Set
	added [][]symbol.ID
	count int
}

// NewMarks returns an empty set of values below limit.
func NewMarks(limit int) *Marks { return &Marks{words: bitset.New(limit)} }

// Clear empties the set.
func (m *Marks) Clear() {
	if m.count > len(m.words) {
		clear(m.words)
	} else {
		for _, values := range m.added {
			for _, v := range values {
				m.words[v/64] = 0
			}
		}
	}
	m.added, m.count = m.added[:0], 0
}

// Add adds values to the set, which keeps the slice.
func (m *Marks) Add(values []symbol.ID) {
	m.added, m.count = append(m.added, values), m.count+len(values)
	for _, v := range values {
		m.words.Add(int(v))
	}
}

// Select returns the places of those values that are marked, in the space of places.
func (m *Marks) Select(places []int32, values []symbol.ID) []int32 {
	places = slices.Grow(places[:0], len(values))[:len(values)]
	n := 0
	for k, v := range values { // no branch: whether a value is marked is anyone's guess
		places[n] = int32(k)
		n += int(m.words.Bit(int(v)))
	}
	return places[:n]
}

// Narrow keeps those of the places whose values are marked.
func (m *Marks) Narrow(places []int32, values []symbol.ID) []int32 {
	n := 0
	for _, k := range places {
		v := values[k]
		places[n] = k
		n += int(m.words.Bit(int(v)))
	}
	return places[:n]
}
