package local

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/bitset"
)

// byVariable are places of potentials by variable, of which most variables have none: that is seen by a bit.
type byVariable struct {
	some   bitset.Set // those that have ever had some
	number []int32    // among them, of each variable
	lists  [][]int32
}

// at returns the places of a variable.
func (p *byVariable) at(i int32) []int32 {
	if int(i/64) >= len(p.some) || !p.some.Has(int(i)) {
		return nil
	}
	return p.lists[p.number[i]]
}

// add adds a place behind the others of a variable, and pop takes the last one away.
func (p *byVariable) add(i, place int32) {
	if n := int(i/64) + 1 - len(p.some); n > 0 {
		p.some, p.number = append(p.some, make([]uint64, n)...), append(p.number, make([]int32, 64*n)...)
	}
	if p.some.Put(int(i)) {
		p.number[i] = int32(len(p.lists))
		p.lists = append(p.lists, nil)
	}
	list := &p.lists[p.number[i]]
	*list = append(*list, place)
}

func (p *byVariable) pop(i int32) {
	list := &p.lists[p.number[i]]
	*list = (*list)[:len(*list)-1]
}

// cut takes all places away from one on.
func (p *byVariable) cut(from int) {
	for k, places := range p.lists {
		p.lists[k] = slices.DeleteFunc(places, func(place int32) bool { return int(place) >= from })
	}
}

// bytes is what the numbers take.
func (p *byVariable) bytes() int64 {
	return 8*int64(len(p.some)) + 4*int64(len(p.number)) + 24*int64(len(p.lists))
}
