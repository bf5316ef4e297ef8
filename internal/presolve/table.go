package presolve

// table finds numbers by hash, with linear probing; a map of slices takes three times as long. The zero value is empty.
type table struct {
	slots []slot
	used  int
}

// slot holds a number plus one, or 0, and half its hash.
type slot struct {
	number int32
	half   uint32
}

// find returns the number with the hash for which same is true. If there is none, it adds next.
func (t *table) find(hash uint64, next int32, same func(int32) bool) (number int32, found bool) {
	if 2*t.used >= len(t.slots) {
		t.grow()
	}
	half, mask := uint32(hash>>32), uint32(len(t.slots)-1)
	at := half & mask
	for ; t.slots[at].number > 0; at = (at + 1) & mask {
		if s := t.slots[at]; s.half == half && same(s.number-1) {
			return s.number - 1, true
		}
	}
	t.slots[at] = slot{next + 1, half}
	t.used++
	return next, false
}

// grow doubles the room.
func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, max(64, 2*len(old)))
	mask := uint32(len(t.slots) - 1)
	for _, s := range old {
		if s.number == 0 {
			continue
		}
		at := s.half & mask
		for t.slots[at].number > 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = s
	}
}
