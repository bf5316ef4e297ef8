package mrf

import "math/bits"

// Changed returns a model without the potentials whose places are marked by bits, and with those of other blocks behind
// the rest. Blocks that nothing has gone from are shared.
func (m *Model) Changed(gone []uint64, come []*Block) *Model {
	out := &Model{Variables: m.Variables, Inputs: m.Inputs, Rules: m.Rules}
	first := 0
	for _, b := range m.Blocks {
		switch kept := present(gone, first, first+b.Len); {
		case kept == nil:
			out.Blocks = append(out.Blocks, b)
		case len(kept) > 0:
			out.Blocks = append(out.Blocks, b.pick(kept))
		}
		first += b.Len
	}
	out.Blocks = append(out.Blocks, come...)
	return out
}

// present lists the places from lo to hi that are not marked, from 0; nil if none is.
func present(gone []uint64, lo, hi int) []int32 {
	from := lo
	for from < hi && !marked(gone, from) {
		if from%64 == 0 && (from/64 >= len(gone) || gone[from/64] == 0) {
			from += 64
		} else {
			from++
		}
	}
	if from >= hi {
		return nil
	}
	kept := make([]int32, 0, hi-lo)
	for place := lo; place < hi; place++ {
		if !marked(gone, place) {
			kept = append(kept, int32(place-lo))
		}
	}
	return kept
}

func marked(bits []uint64, place int) bool {
	return place/64 < len(bits) && bits[place/64]>>(place%64)&1 == 1
}

// Changed returns the occurrences in what Model.Changed has made of the model: the lists are shared, and what has gone
// is passed over.
func (o *Occurrences) Changed(gone []uint64, m *Model, come []*Block) *Occurrences {
	out := &Occurrences{model: m, base: o, gone: gone, before: make([]int32, len(gone)+1), come: make(map[int32][]int32)}
	for k, word := range gone {
		out.before[k+1] = out.before[k] + int32(bits.OnesCount64(word))
	}
	out.first = make([]int, len(m.Blocks)+1)
	for k, b := range m.Blocks {
		out.first[k+1] = out.first[k] + b.Len
	}
	place := out.first[len(m.Blocks)-len(come)]
	var buffer RowBuffer
	for _, b := range come {
		for j := range b.Len {
			for _, i := range b.Ids(j, &buffer) {
				out.come[i] = append(out.come[i], int32(place))
			}
			place++
		}
	}
	return out
}

// ofChanged is Of for a changed model.
func (o *Occurrences) ofChanged(i int32, places []int) []int {
	first := len(places)
	if int(i)+1 < len(o.base.start) {
		places = o.base.Of(i, places)
	}
	kept := places[:first]
	for _, place := range places[first:] {
		if !marked(o.gone, place) {
			kept = append(kept, o.moved(place))
		}
	}
	for _, place := range o.come[i] {
		kept = append(kept, int(place))
	}
	return kept
}

// moved is where a potential is, of the places before which some have gone.
func (o *Occurrences) moved(place int) int {
	word := place / 64
	if word >= len(o.gone) {
		return place - int(o.before[len(o.gone)])
	}
	below := o.gone[word] & (1<<(place%64) - 1)
	return place - int(o.before[word]) - bits.OnesCount64(below)
}
