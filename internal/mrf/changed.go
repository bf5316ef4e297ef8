package mrf

import (
	"math"
	"math/bits"

	"github.com/deeppsl/deeppsl/internal/bitset"
)

// Changed returns a model without the potentials whose places are marked by bits, and with those of other blocks behind
// the rest. Blocks that nothing has gone from are shared. Where the pieces that are left of a block have so many
// potentials on average, or more, each of them is a block, and shared; what is left of other blocks is copied.
func (m *Model) Changed(gone bitset.Set, come []*Block, piece int) *Model {
	out := &Model{Variables: m.Variables, Inputs: m.Inputs, Rules: m.Rules}
	first := 0
	for _, b := range m.Blocks {
		switch kept := present(gone, first, first+b.Len); {
		case len(kept) == 0:
		case kept[0].hi-kept[0].lo == b.Len:
			out.Blocks = append(out.Blocks, b)
		case b.VarStart != nil || b.Len/len(kept) < piece:
			out.Blocks = append(out.Blocks, b.pick(kept))
		default:
			for _, at := range kept {
				out.Blocks = append(out.Blocks, b.piece(at))
			}
		}
		first += b.Len
	}
	out.Blocks = append(out.Blocks, come...)
	return out
}

// piece returns some potentials of a uniform block, in the same arrays.
func (b *Block) piece(at extent) *Block {
	part := *b
	part.Len = at.hi - at.lo
	part.First += int32(at.lo)
	part.Vars, part.Inputs = between(b.Vars, len(b.Coef), at), between(b.Inputs, len(b.InputCoef), at)
	part.Bias, part.Bias64, part.Scale = between(b.Bias, 1, at), between(b.Bias64, 1, at), between(b.Scale, 1, at)
	return &part
}

// between is a part of an array that has so many numbers for each potential, or is not there.
func between[T int32 | float32 | float64](all []T, each int, at extent) []T {
	if all == nil {
		return nil
	}
	return all[at.lo*each : at.hi*each]
}

// present lists the places from lo to hi that are not marked, from 0.
func present(gone bitset.Set, lo, hi int) (kept []extent) {
	for at := until(gone, lo, hi, math.MaxUint64); at < hi; at = until(gone, at, hi, math.MaxUint64) {
		end := until(gone, at, hi, 0)
		kept = append(kept, extent{at - lo, end - lo})
		at = end
	}
	return kept
}

// until returns the first place that is marked, from one on and before hi, or else hi; where all bits of flip are set,
// the first one that is not.
func until(gone bitset.Set, from, hi int, flip uint64) int {
	for from < hi {
		word := flip
		if from/64 < len(gone) {
			word ^= gone[from/64]
		}
		if word >>= from % 64; word != 0 {
			return min(from+bits.TrailingZeros64(word), hi)
		}
		from += 64 - from%64
	}
	return hi
}

func marked(bits bitset.Set, place int) bool {
	return place/64 < len(bits) && bits.Has(place)
}

// Changed returns the occurrences in what Model.Changed has made of the model: the lists are shared, and what has gone
// is passed over.
func (o *Occurrences) Changed(gone bitset.Set, m *Model, come []*Block) *Occurrences {
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
