package relation

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/deeppsl/deeppsl/internal/bitset"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// A living relation has rows that come and go. Its columns have room between the observed rows and the free ones, and
// behind these, for rows to come; a row that goes stays where it was, so that no row ever moves to another number of a
// variable. Rows without an atom are in no index: so whoever looks for rows must go by an index, a scan too (by that
// of no columns at all), and the projections and lists of a living relation must not be asked for. It is not safe for
// concurrent use.
type living struct {
	atoms    bitset.Set // the rows that have one
	observed int32      // where the next observed row comes
	free     int32      // where the next free row comes
	// still says that rows do not change, so that indexes need no room for others and are made faster.
	still bool
	// version changes when what has been taken from the relation, its columns and grouped rows, is no longer its own.
	version int
}

// dead stands in all columns of rows that never had an atom: no constant has this number.
const dead symbol.ID = -1

// Living returns a living relation of the same rows, with room for so many more that are observed and that are free. A
// relation without columns, or without rows of its own, stays what it is.
func (r *Relation) Living(observed, free int) *Relation {
	if r.Function != nil || r.Arity == 0 {
		return r
	}
	out := r.sharing()
	out.known.counts, out.known.crowds = make(map[int]*made[int]), make(map[int]*made[float64])
	for column := range r.Arity {
		out.known.counts[column] = madeOf(r.DistinctCount(column))
		out.known.crowds[column] = madeOf(r.Crowd(column))
	}
	out.living = &living{observed: int32(r.Observed), free: int32(r.Len() + observed)}
	out.Truth = Values{}
	for row := range int32(r.Observed) {
		out.Truth.appendDouble(r.Value(row))
	}
	all := make([]int32, r.Len())
	for row := range all {
		all[row] = int32(row)
	}
	out.spread(r, observed, free, all)
	return out
}

// spread lays the rows of another relation out with room.
func (r *Relation) spread(from *Relation, observed, free int, rows []int32) {
	r.Observed = from.Observed + observed
	r.living.atoms = bitset.New(from.Len() + observed + free)
	for range observed {
		r.Truth.appendDouble(0)
	}
	for k, column := range from.Columns {
		wide := slices.Repeat([]symbol.ID{dead}, from.Len()+observed+free)
		copy(wide, column[:from.Observed])
		copy(wide[r.Observed:], column[from.Observed:])
		r.Columns[k] = wide
	}
	for _, row := range rows {
		if int(row) >= from.Observed {
			row += int32(observed)
		}
		r.living.flip(row)
	}
}

// appendDouble adds a value in double precision.
func (v *Values) appendDouble(value float64) {
	v.count, v.doubles = v.count+1, append(v.doubles, value)
}

// Lives tells whether the relation is a living one.
func (r *Relation) Lives() bool { return r.living != nil }

// Version changes when columns and grouped rows that were taken from a living relation are no longer its own.
func (r *Relation) Version() int { return r.living.version }

func (l *living) flip(row int32) { l.atoms.Flip(int(row)) }

// Has tells whether a row has an atom.
func (r *Relation) Has(row int32) bool {
	return r.living == nil || r.living.atoms.Has(int(row))
}

// RowOf returns the row of a free atom by its number.
func (r *Relation) RowOf(number int32) int32 { return number - r.Base + int32(r.Observed) }

// Constants lists the different constants of a column, in the order of their first rows.
func (r *Relation) Constants(column int) []symbol.ID {
	if r.living == nil {
		return r.Distinct(column).Columns[0]
	}
	var all []symbol.ID
	x := r.Index(column)
	for row, id := range r.Columns[column] {
		if r.Has(int32(row)) && x.Find([]symbol.ID{id}) == int32(row) {
			all = append(all, id)
		}
	}
	return all
}

// Room returns how many free rows can still come.
func (r *Relation) Room() int { return r.Len() - int(r.living.free) }

// Insert adds an atom that is not there; an observed one has a value. It panics if there is no room for a free row.
func (r *Relation) Insert(tuple []symbol.ID, role Role, value float64) (row int32) {
	l := r.living
	if role == Observed {
		if int(l.observed) == r.Observed {
			r.widen()
		}
		row = l.observed
		l.observed++
		r.Truth.doubles[row] = value
	} else {
		if int(l.free) == r.Len() {
			panic("relation: no room for a free row")
		}
		row = l.free
		l.free++
		if !r.Given.Ones() {
			for r.Given.Len() <= int(row)-r.Observed {
				r.Given.Append(1)
			}
		}
	}
	for k, id := range tuple {
		r.Columns[k][row] = id
	}
	r.Revive(row)
	return row
}

// widen makes room for as many observed rows as there are, and some more. All rows of free atoms move; their numbers
// do not.
func (r *Relation) widen() {
	more := r.Observed + 64
	from, l := r.sharing(), r.living
	var rows []int32
	for row := range int32(r.Len()) {
		if r.Has(row) {
			rows = append(rows, row)
		}
	}
	free := int(l.free)
	r.spread(from, more, 0, rows)
	l.free = int32(free + more)
	l.version++
	r.known.indexes = nil
	r.tuples.Store(nil)
}

// Delete takes the atom of a row away, and Revive brings it back.
func (r *Relation) Delete(row int32) {
	if l := r.living; l.still {
		l.still = false
		l.version++
		r.known.indexes = nil
		r.tuples.Store(nil)
	}
	r.living.flip(row)
	for _, x := range r.known.indexes {
		x.value.remove(row)
	}
}

// Revive brings back the atom of a row that Delete took away.
func (r *Relation) Revive(row int32) {
	r.living.flip(row)
	for _, x := range r.known.indexes {
		if x.value.insert(row) {
			r.living.version++
		}
	}
}

// SetValue changes the value of an observed row.
func (r *Relation) SetValue(row int32, value float64) { r.Truth.doubles[row] = value }

// indexStill is newIndex for the rows that have atoms.
func (r *Relation) indexStill(threads int, columns []int) *Index {
	rows := make([]int32, 0, r.Len())
	for row := range int32(r.Len()) {
		if r.Has(row) {
			rows = append(rows, row)
		}
	}
	return r.IndexOf(threads, rows, columns...)
}

// indexLiving is newIndex for the rows that have atoms, with room for others.
func (r *Relation) indexLiving(columns [][]symbol.ID) *Index {
	x := &Index{columns: columns}
	x.hash(r.Len(), r.Len()/2)
	if x.rows == nil {
		x.rows = identity(nil, r.Len())
	}
	x.keys, x.rooms = -1, make([]int32, len(x.slots))
	for k := range x.slots {
		s := &x.slots[k]
		if x.rooms[k] = s.count; s.count == 0 {
			continue
		}
		x.taken++
		group := x.rows[s.first : s.first+s.count]
		kept := group[:0]
		for _, row := range group {
			if r.Has(row) {
				kept = append(kept, row)
			}
		}
		s.resize(len(kept))
	}
	x.rows = slices.Grow(x.rows, len(x.rows)/4+1024)
	return x
}

// resize sets how many rows a group has. One that had some and has none keeps its place, with first as its complement:
// it is not the end of a search.
func (s *slot) resize(count int) {
	if s.count = int32(count); count == 0 {
		s.first = ^s.first
	}
}

// slotOf returns the slot of a row's key: its group's, or one that can become it.
func (x *Index) slotOf(row int32) (at uint64, known bool) {
	key := make([]symbol.ID, len(x.columns), 8)
	for k, column := range x.columns {
		key[k] = column[row]
	}
	packed := pack(key)
	for at = home(packed, x.shift); ; at = (at + 1) & uint64(len(x.slots)-1) {
		switch s := &x.slots[at]; {
		case s.count == 0 && s.first >= 0:
			return at, false
		case s.key != packed:
		case len(key) <= 2 || s.count > 0 && x.equal(x.rows[s.first], key):
			return at, true
		}
	}
}

// insert puts a row into the group of its key, where rows ascend, and tells whether Grouped has changed its place.
func (x *Index) insert(row int32) (moved bool) {
	if 3*x.taken > 2*len(x.slots) {
		x.rehash()
	}
	at, known := x.slotOf(row)
	s := &x.slots[at]
	if !known {
		key := make([]symbol.ID, len(x.columns), 8)
		for k, column := range x.columns {
			key[k] = column[row]
		}
		x.taken++
		*s = slot{key: pack(key), first: ^int32(len(x.rows))}
		moved = x.extend(1)
		x.rooms[at] = 1
	}
	if s.count == 0 {
		s.first = ^s.first
	}
	if s.count == x.rooms[at] {
		first := int32(len(x.rows))
		x.rooms[at] = max(4, 2*s.count)
		moved = x.extend(int(x.rooms[at])) || moved
		copy(x.rows[first:], x.rows[s.first:s.first+s.count])
		s.first = first
	}
	s.count++
	group := x.rows[s.first : s.first+s.count]
	k, _ := slices.BinarySearch(group[:s.count-1], row)
	copy(group[k+1:], group[k:])
	group[k] = row
	return moved
}

// extend makes room for more rows behind the others.
func (x *Index) extend(more int) (moved bool) {
	moved = len(x.rows)+more > cap(x.rows)
	x.rows = append(x.rows, make([]int32, more)...)
	return moved
}

// remove takes a row out of the group of its key, whose others keep their order.
func (x *Index) remove(row int32) {
	at, known := x.slotOf(row)
	if !known {
		panic("relation: a row is not in its index")
	}
	s := &x.slots[at]
	group := x.rows[s.first : s.first+s.count]
	k := slices.Index(group, row)
	copy(group[k:], group[k+1:])
	s.resize(int(s.count) - 1)
}

// rehash moves the groups that have rows into a table with as many slots again.
func (x *Index) rehash() {
	slots, rooms := x.slots, x.rooms
	size := len(slots)
	if 2*x.taken > size {
		size *= 2
	}
	x.slots, x.rooms, x.taken = make([]slot, size), make([]int32, size), 0
	x.shift = uint8(64 - bits.TrailingZeros(uint(size)))
	for k, s := range slots {
		if s.count == 0 {
			continue
		}
		at := home(s.key, x.shift)
		for x.slots[at].count != 0 {
			at = (at + 1) & uint64(size-1)
		}
		x.slots[at], x.rooms[at] = s, rooms[k]
		x.taken++
	}
}

// Apart returns a relation of the same rows, with the same numbers, which stays as it is while this one goes on living,
// or changes by itself; but none may be inserted.
func (r *Relation) Apart() *Relation {
	if r.living == nil {
		return r
	}
	out, l := r.sharing(), *r.living
	for k, column := range r.Columns {
		out.Columns[k] = slices.Clone(column)
	}
	out.Truth.doubles, l.atoms = slices.Clone(r.Truth.doubles), slices.Clone(l.atoms)
	l.still, out.living = true, &l
	r.mu.Lock()
	defer r.mu.Unlock()
	out.known.counts, out.known.crowds = maps.Clone(r.known.counts), maps.Clone(r.known.crowds)
	return out
}

// Settled returns a relation of the rows that have atoms, in their order, that does not live, and which row each was.
func (r *Relation) Settled() (out *Relation, rows []int32) {
	for row := range int32(r.Len()) {
		if r.Has(row) {
			rows = append(rows, row)
		}
	}
	if r.living == nil {
		return r, rows
	}
	out = r.sharing()
	out.Truth, out.Given, out.Observed = Values{}, Values{}, 0
	for k, column := range r.Columns {
		out.Columns[k] = gather(column, rows)
	}
	for _, row := range rows {
		if int(row) < r.Observed {
			out.Observed++
			out.Truth.Append(r.Value(row))
		} else {
			out.Given.Append(r.GivenValue(row))
		}
	}
	return out, rows
}
