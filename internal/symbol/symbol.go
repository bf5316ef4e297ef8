// Package symbol interns constants: every distinct constant of a program and its data is one dense int32, so that
// relations, joins and ground atoms compare integers and never strings.
package symbol

import (
	"hash/maphash"
	"slices"
	"strings"
)

// ID numbers a constant. IDs are dense and given in the order of first appearance, which makes every later stage
// deterministic as long as files are read in a fixed order.
type ID = int32

// Table is the bijection between constants and their IDs. It is not safe for concurrent interning; once loading is
// over it is only read, and then any number of goroutines may share it.
//
// It is made for many short constants: beside its text, one takes 16 bytes for its name and 12 to 24 for its slot.
type Table struct {
	seed maphash.Seed
	// slots is an open-addressing hash table, whose length is a power of 2 and at least 4/3 of the constants.
	slots []slot
	pages [][]string // of names, pageSize each, so that none is copied when there are more
	count int
	text  strings.Builder // the texts of the latest names, one after the other
	bytes int64           // of all texts
}

// slot has the ID of a constant and one more, or 0 if it is empty, and half of the constant's hash.
type slot struct{ hash, next uint32 }

const (
	pageSize = 1 << 10 // names
	textSize = 1 << 14 // bytes; a constant of more than a part of it has its own
)

// NewTable returns an empty table.
func NewTable() *Table { return &Table{seed: maphash.MakeSeed(), slots: make([]slot, 64)} }

// Intern returns the ID of name, giving it the next one if it is new. The table keeps a copy of the name.
func (t *Table) Intern(name string) ID {
	hash := t.hash(name)
	at := t.find(hash, name)
	if id := t.slots[at].next; id != 0 {
		return ID(id - 1)
	}
	if t.count%pageSize == 0 {
		t.pages = append(t.pages, make([]string, 0, min(pageSize, 16+t.count)))
	}
	last := &t.pages[len(t.pages)-1]
	*last = append(*last, t.keep(name))
	t.count++
	t.slots[at] = slot{hash, uint32(t.count)}
	if 4*t.count > 3*len(t.slots) {
		t.grow()
	}
	return ID(t.count - 1)
}

// Lookup returns the ID of name, and whether it has one.
func (t *Table) Lookup(name string) (ID, bool) {
	id := t.slots[t.find(t.hash(name), name)].next
	return ID(id) - 1, id != 0
}

// Name returns the constant numbered id. It panics on an ID that this table did not give.
func (t *Table) Name(id ID) string { return t.pages[id/pageSize][id%pageSize] }

// Copy returns a table of the constants that there are, which may be read while this one gets more.
func (t *Table) Copy() *Table {
	out := &Table{seed: t.seed, slots: slices.Clone(t.slots), pages: slices.Clone(t.pages), count: t.count, bytes: t.bytes}
	if last := len(out.pages) - 1; last >= 0 {
		out.pages[last] = slices.Clip(out.pages[last])
	}
	return out
}

// Names are the names that a table had once, whatever it gets since, while it gets that.
type Names [][]string

// Names returns those that there are.
func (t *Table) Names() Names { return slices.Clone(t.pages) }

// Of returns the name of a constant.
func (n Names) Of(id ID) string { return n[id/pageSize][id%pageSize] }

// Bytes returns about how much memory the table takes.
func (t *Table) Bytes() int64 { return t.bytes + 16*int64(t.count) + 8*int64(len(t.slots)) }

// Len returns how many constants there are; IDs are 0 … Len()-1.
func (t *Table) Len() int { return t.count }

// hash has a seed of its own for each table, so that no input is slow on purpose. IDs do not depend on it.
func (t *Table) hash(name string) uint32 { return uint32(maphash.String(t.seed, name)) }

// find returns the slot of name, or the empty one that it would take.
func (t *Table) find(hash uint32, name string) uint32 {
	mask := uint32(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		s := t.slots[at]
		if s.next == 0 || s.hash == hash && t.Name(ID(s.next-1)) == name {
			return at
		}
	}
}

// grow doubles the slots.
func (t *Table) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.next == 0 {
			continue
		}
		at := s.hash & mask
		for t.slots[at].next != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = s
	}
}

// keep copies a name: short ones together, so that each takes no more than its bytes.
func (t *Table) keep(name string) string {
	t.bytes += int64(len(name))
	if len(name) > textSize/16 {
		return strings.Clone(name)
	}
	if t.text.Len()+len(name) > t.text.Cap() {
		t.text = strings.Builder{}
		t.text.Grow(min(textSize, 256+8*t.count))
	}
	start := t.text.Len()
	t.text.WriteString(name)
	return t.text.String()[start:]
}
