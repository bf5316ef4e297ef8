package local

import "slices"

// byVariable are places of potentials by variable, of which most variables have none: that is seen by a bit.
type byVariable struct {
	some []uint64 // has bits for those that have ever had some
	by   map[int32][]int32
}

// at returns the places of a variable.
func (p *byVariable) at(i int32) []int32 {
	if word := int(i / 64); word >= len(p.some) || p.some[word]>>(i%64)&1 == 0 {
		return nil
	}
	return p.by[i]
}

// add adds a place behind the others of a variable, and pop takes the last one away.
func (p *byVariable) add(i, place int32) {
	if n := int(i/64) + 1 - len(p.some); n > 0 {
		p.some = append(p.some, make([]uint64, n)...)
	}
	if p.by == nil {
		p.by = make(map[int32][]int32)
	}
	p.some[i/64] |= 1 << (i % 64)
	p.by[i] = append(p.by[i], place)
}

func (p *byVariable) pop(i int32) { p.by[i] = p.by[i][:len(p.by[i])-1] }

// cut takes all places away from one on.
func (p *byVariable) cut(from int) {
	for i, places := range p.by {
		kept := slices.DeleteFunc(places, func(place int32) bool { return int(place) >= from })
		if p.by[i] = kept; len(kept) == 0 {
			delete(p.by, i)
			p.some[i/64] &^= 1 << (i % 64)
		}
	}
}
