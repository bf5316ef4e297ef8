package newton

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// multipliers holds those of all potentials, in the order of the blocks, or, where memory is short, of those alone that
// are not exact: the others' can be computed from the point.
type multipliers struct {
	values []float64
	shift  []int  // by block: from a potential's number to its place in values
	kept   []bool // by block
}

func newMultipliers(m *mrf.Model, all bool) multipliers {
	out := multipliers{shift: make([]int, len(m.Blocks)), kept: make([]bool, len(m.Blocks))}
	first, size := 0, 0
	for k, b := range m.Blocks {
		out.shift[k] = size - first
		if first += b.Len; all || !exact(b) {
			size, out.kept[k] = size+b.Len, true
		}
	}
	out.values = make([]float64, size)
	return out
}

// of returns the multipliers of a span, to change; nil if they are not kept.
func (m *multipliers) of(s *mrf.Span) []float64 {
	if !m.kept[s.Place] {
		return nil
	}
	at := s.First + m.shift[s.Place]
	return m.values[at : at+len(s.D)]
}

// zero returns multipliers for the same potentials that are all 0.
func (m *multipliers) zero() multipliers {
	return multipliers{values: make([]float64, len(m.values)), shift: m.shift, kept: m.kept}
}

// all returns the multipliers of all potentials; nil if some are not kept.
func (m *multipliers) all() []float64 {
	if slices.Contains(m.kept, false) {
		return nil
	}
	return m.values
}

// each calls visit with the number of each potential whose multiplier is kept.
func (m *multipliers) each(blocks []*mrf.Block, visit func(number int, value float64)) {
	first := 0
	for k, b := range blocks {
		for j := range b.Len {
			if m.kept[k] {
				visit(first+j, m.values[first+j+m.shift[k]])
			}
		}
		first += b.Len
	}
}
