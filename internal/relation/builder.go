package relation

import (
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Place tells where a row was read. Only the caller knows what the number means; Builder hands it back.
type Place int64

// Builder collects the ground atoms of one predicate, in any mixture of roles, and makes a Relation of them: observed
// rows first, then the free ones, each in the order in which they were added.
type Builder struct {
	name    string
	columns [][]symbol.ID
	truth   Values
	roles   []Role
	places  []Place
	free    Role
	// slots is an open-addressing hash table of row+1, 0 for empty; its length is a power of 2, at least 3/2 of the
	// rows that are in it, the first hashed ones.
	slots  []int32
	hashed int
}

// NewBuilder returns an empty builder for the predicate name.
func NewBuilder(name string, arity int) *Builder {
	return &Builder{name: name, columns: make([][]symbol.ID, arity), slots: make([]int32, 16)}
}

// Duplicate is the error of adding an atom that is there already.
type Duplicate struct {
	Name          string
	Tuple         []symbol.ID
	First, Second Place
	// FirstRole and SecondRole differ if the atom is observed and free at once.
	FirstRole, SecondRole Role
}

// Error says what is there twice; the caller, who knows what places mean, can say where.
func (d *Duplicate) Error() string {
	if d.FirstRole != d.SecondRole {
		return fmt.Sprintf("an atom of %s is both %s and %s", d.Name, d.FirstRole, d.SecondRole)
	}
	return fmt.Sprintf("an atom of %s is there twice", d.Name)
}

// Add appends the atom with these arguments; the truth of a free atom is its given value. It returns a *Duplicate, and
// leaves the builder as it was, if the atom is there already. All free atoms of a relation must have one role.
func (b *Builder) Add(tuple []symbol.ID, truth float64, role Role, place Place) error {
	if len(tuple) != len(b.columns) {
		panic("relation: a row of the wrong arity")
	}
	b.checkRole(role)
	slot, row := b.find(tuple)
	if row >= 0 {
		return &Duplicate{
			Name: b.name, Tuple: slices.Clone(tuple), First: b.places[row], Second: place,
			FirstRole: b.roles[row], SecondRole: role,
		}
	}
	for k, id := range tuple {
		b.columns[k] = append(b.columns[k], id)
	}
	b.truth.Append(truth)
	b.roles = append(b.roles, role)
	b.places = append(b.places, place)
	b.slots[slot] = int32(len(b.roles))
	if b.hashed++; 3*b.hashed > 2*len(b.slots) {
		b.rehash(2 * len(b.slots))
	}
	return nil
}

func (b *Builder) checkRole(role Role) {
	if role == Observed {
		return
	}
	if b.free != Observed && b.free != role {
		panic("relation: targets and perceived atoms in one relation")
	}
	b.free = role
}

// Value returns the value that the tuple was added with, and whether it was added.
func (b *Builder) Value(tuple []symbol.ID) (truth float64, ok bool) {
	_, row := b.find(tuple)
	if row < 0 {
		return 0, false
	}
	return b.truth.At(row), true
}

// Len returns the number of rows so far.
func (b *Builder) Len() int { return len(b.roles) }

// find returns tuple's row, or -1 and the slot that it would take.
func (b *Builder) find(tuple []symbol.ID) (slot uint64, row int32) {
	if size := len(b.slots); b.hashed < len(b.roles) { // there were many at once
		for 3*len(b.roles) > 2*size {
			size *= 2
		}
		b.rehash(size)
	}
	mask := uint64(len(b.slots) - 1)
	for slot = hash(tuple) & mask; b.slots[slot] != 0; slot = (slot + 1) & mask {
		if row = b.slots[slot] - 1; b.equal(row, tuple) {
			return slot, row
		}
	}
	return slot, -1
}

func (b *Builder) equal(row int32, tuple []symbol.ID) bool {
	for k, id := range tuple {
		if b.columns[k][row] != id {
			return false
		}
	}
	return true
}

// rehash puts all rows into a table of a size.
func (b *Builder) rehash(size int) {
	b.slots, b.hashed = make([]int32, size), len(b.roles)
	mask := uint64(len(b.slots) - 1)
	tuple := make([]symbol.ID, len(b.columns))
	for row := range b.roles {
		for k, column := range b.columns {
			tuple[k] = column[row]
		}
		slot := hash(tuple) & mask
		for b.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		b.slots[slot] = int32(row) + 1
	}
}

// hash has no seed: the table's layout never shows.
func hash(tuple []symbol.ID) uint64 {
	h := uint64(len(tuple))
	for _, id := range tuple {
		h = mix(h, id)
	}
	return h
}

// mix adds one more value to a hash, with the multiplier of MurmurHash's finaliser.
func mix(h uint64, id symbol.ID) uint64 {
	h = (h ^ uint64(uint32(id))) * 0xff51afd7ed558ccd
	return h ^ h>>32
}

// Relation returns the rows as a relation; open says whether a missing atom is unknown rather than 0. The builder must
// not be used afterwards.
func (b *Builder) Relation(open bool) *Relation {
	r := &Relation{Name: b.name, Arity: len(b.columns), Columns: b.columns, Free: b.free, Open: open}
	for _, role := range b.roles {
		if role == Observed {
			r.Observed++
		}
	}
	if !b.partitioned(r.Observed) {
		order := b.order()
		b.truth = b.truth.Pick(order)
		for k, column := range r.Columns {
			r.Columns[k] = gather(column, order)
		}
	}
	r.Truth = b.truth
	if r.Observed < len(b.roles) {
		r.Truth, r.Given = b.truth.Slice(0, r.Observed), b.truth.Slice(r.Observed, len(b.roles))
	}
	return r
}

// partitioned tells whether the rows have their final order already.
func (b *Builder) partitioned(observed int) bool {
	return !slices.ContainsFunc(b.roles[:observed], func(r Role) bool { return r != Observed })
}

// order lists the observed rows and then the others, each ascending.
func (b *Builder) order() []int32 {
	order := make([]int32, 0, len(b.roles))
	for _, observed := range [...]bool{true, false} {
		for row, role := range b.roles {
			if (role == Observed) == observed {
				order = append(order, int32(row))
			}
		}
	}
	return order
}

func gather[T any](values []T, order []int32) []T {
	out := make([]T, len(order))
	for k, row := range order {
		out[k] = values[row]
	}
	return out
}

// Places returns where the rows so far were read, in the order in which they were added.
func (b *Builder) Places() []Place { return b.places }
