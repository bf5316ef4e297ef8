package relation

import (
	"math/bits"
	"slices"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// derived is what a relation works out about itself when it is first asked, under its mutex.
type derived struct {
	indexes     map[string]*Index
	projections map[string]*Relation
	lists       map[int]*Lists
	counts      []int     // distinct values per column; 0 is not yet known
	crowds      []float64 // see Crowd; 0 is not yet known
}

// Index returns the index on columns, building it on first use. It is safe for concurrent use.
func (r *Relation) Index(columns ...int) *Index {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.index(columns)
}

// index is Index under the mutex. Indexes are kept as long as the relation: the rules of a program share them.
func (r *Relation) index(columns []int) *Index {
	name := columnsName(columns)
	if x, ok := r.known.indexes[name]; ok {
		return x
	}
	key := make([][]symbol.ID, len(columns))
	for k, column := range columns {
		key[k] = r.Columns[column]
	}
	var x *Index
	if r.living != nil {
		x = r.indexLiving(key)
	} else {
		x = newIndex(key, r.Len(), len(columns) == r.Arity)
	}
	if r.known.indexes == nil {
		r.known.indexes = make(map[string]*Index)
	}
	r.known.indexes[name] = x
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
	r.mu.Lock()
	defer r.mu.Unlock()
	name := columnsName(columns)
	if p, ok := r.known.projections[name]; ok {
		return p
	}
	firsts := r.index(columns).Firsts()
	p := &Relation{Name: r.Name, Arity: len(columns), Observed: len(firsts)}
	for _, column := range columns {
		p.Columns = append(p.Columns, gather(r.Columns[column], firsts))
	}
	if r.known.projections == nil {
		r.known.projections = make(map[string]*Relation)
	}
	r.known.projections[name] = p
	return p
}

// DistinctCount returns how many different values column holds. It is counted on first use and safe for concurrent use.
func (r *Relation) DistinctCount(column int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known.counts == nil {
		r.known.counts = make([]int, r.Arity)
	}
	if r.known.counts[column] == 0 && r.Len() > 0 {
		r.known.counts[column] = countDistinct(r.Columns[column])
	}
	return r.known.counts[column]
}

// countDistinct counts in a bit set over the range of the values.
func countDistinct(values []symbol.ID) (count int) {
	low, high := slices.Min(values), slices.Max(values)
	seen := make([]uint64, uint32(high-low)/64+1)
	for _, v := range values {
		at := uint32(v - low)
		seen[at/64] |= 1 << (at % 64)
	}
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
