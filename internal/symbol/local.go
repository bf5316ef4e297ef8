package symbol

import "math/bits"

// Local numbers the constants of one part of a text, in the order in which they come, so that parts can be read side
// by side: who has all parts gives the constants their IDs in the order of the whole. Names are places in the text,
// and short ones, which most are, are compared as two words that lie beside their number: finding one touches one
// line of memory.
type Local struct {
	text   string
	seed   [2]uint64
	slots  []localSlot
	long   map[string]int32
	places []Place // by number
}

// Place is where a name stands in a text.
type Place struct {
	At  int
	Len int32
}

// localSlot has a short name and its number and one more, or 0 if it is empty.
type localSlot struct {
	name [2]uint64
	next uint32
}

// NewLocal numbers constants of text, in which no name may be twice as long as 2 GiB. The seeds, which nobody knows,
// keep names from being slow on purpose; numbers do not depend on them.
func NewLocal(text string, seed [2]uint64) *Local {
	return &Local{text: text, seed: seed, slots: make([]localSlot, 1<<12), long: make(map[string]int32)}
}

// Key is a name ready to be looked up.
type Key struct {
	Place
	name [2]uint64 // of a short one; of others, 0
	hash uint64
}

// short is how many bytes fit two words beside their number.
const short = 15

// Key makes the name at a place ready.
func (l *Local) Key(at, n int) Key {
	k := Key{Place: Place{at, int32(n)}}
	if n > short {
		return k
	}
	if at+16 <= len(l.text) {
		k.name[0], k.name[1] = word(l.text[at:at+8]), word(l.text[at+8:at+16])
		if n < 8 {
			k.name[0], k.name[1] = k.name[0]&(1<<(8*n)-1), 0
		} else {
			k.name[1] &= 1<<(8*(n-8)) - 1
		}
	} else {
		for i := range n {
			k.name[i/8] |= uint64(l.text[at+i]) << (8 * (i % 8))
		}
	}
	k.name[1] |= uint64(n) << 56
	high, low := bits.Mul64(k.name[0]^l.seed[0], k.name[1]^l.seed[1])
	k.hash = high ^ low
	return k
}

// word reads eight bytes.
func word(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// Equals tells whether two keys are surely of one name.
func (k *Key) Equals(other *Key) bool { return k.name == other.name && k.name[1] != 0 }

// Number returns the number of a name, giving it the next one if it is new.
func (l *Local) Number(k *Key) int32 {
	if k.name[1] == 0 {
		return l.numberLong(k)
	}
	mask := uint64(len(l.slots) - 1)
	for at := k.hash & mask; ; at = (at + 1) & mask {
		s := &l.slots[at]
		if s.name == k.name {
			return int32(s.next - 1)
		}
		if s.next == 0 {
			l.places = append(l.places, k.Place)
			*s = localSlot{k.name, uint32(len(l.places))}
			if 4*len(l.places) > 3*len(l.slots) {
				l.grow()
			}
			return int32(len(l.places) - 1)
		}
	}
}

// numberLong is Number for a long name.
func (l *Local) numberLong(k *Key) int32 {
	name := l.name(k.Place)
	if id, ok := l.long[name]; ok {
		return id
	}
	id := int32(len(l.places))
	l.long[name] = id
	l.places = append(l.places, k.Place)
	return id
}

// grow makes twice as many slots.
func (l *Local) grow() {
	old := l.slots
	l.slots = make([]localSlot, 2*len(old))
	mask := uint64(len(l.slots) - 1)
	for _, s := range old {
		if s.next == 0 {
			continue
		}
		high, low := bits.Mul64(s.name[0]^l.seed[0], s.name[1]^l.seed[1])
		at := (high ^ low) & mask
		for l.slots[at].next != 0 {
			at = (at + 1) & mask
		}
		l.slots[at] = s
	}
}

func (l *Local) name(p Place) string { return l.text[p.At : p.At+int(p.Len)] }

// Len returns how many constants there are.
func (l *Local) Len() int { return len(l.places) }

// InternAll gives the constants of several parts of one text their IDs, in the order in which they stand in it first.
// The numbers of a part must have been given in that order. ids[part][number] is the result; fresh is called with the
// place of each constant that the table did not have, before it has an ID.
func (t *Table) InternAll(parts []*Local, fresh func(Place)) (ids [][]ID) {
	ids = make([][]ID, len(parts))
	for k, part := range parts {
		ids[k] = make([]ID, 0, part.Len())
	}
	for {
		first := -1
		for k, part := range parts {
			if n := len(ids[k]); n < part.Len() && (first < 0 || part.places[n].At < parts[first].places[len(ids[first])].At) {
				first = k
			}
		}
		if first < 0 {
			return ids
		}
		part := parts[first]
		place := part.places[len(ids[first])]
		name := part.name(place)
		hash := t.hash(name)
		if t.slots[t.find(hash, name)].next == 0 {
			fresh(place)
		}
		ids[first] = append(ids[first], t.Intern(name))
	}
}
