package neural

import (
	"cmp"

	"github.com/deeppsl/deeppsl/neural/features"
)

// A Sight is a row of features as a network sees it, or how far apart two rows are that one compares, column by column,
// or nothing.
type Sight struct {
	table      *features.Table
	row, other int32 // other is that which the row is compared with, or alone
}

// alone is in the place of another row where there is none.
const alone = -1

// Sights returns what is seen of each input's thing or pair by networks of the kinds mlp and siamese; nothing of other
// inputs.
func (p *Perception) Sights() []Sight {
	sights := make([]Sight, p.inputs)
	for _, b := range p.bindings {
		n := p.system.network(b.Network)
		if n == nil || n.spec.Kind != multilayer && !n.pairs() {
			continue
		}
		for k, x := range b.Inputs {
			sights[x] = Sight{n.table(), b.Rows[k], alone}
			if n.pairs() {
				sights[x].other = b.Others[k]
			}
		}
	}
	return sights
}

// Columns is the number of features that are seen: none of nothing.
func (s Sight) Columns() int {
	if s.table == nil {
		return 0
	}
	return s.table.Width()
}

// Alone tells whether one row is seen, and not two that are compared.
func (s Sight) Alone() bool { return s.other == alone }

// Beside tells whether two rows are of one table.
func (s Sight) Beside(other Sight) bool { return s.table == other.table }

// Order compares what is seen of one table, by its rows.
func (s Sight) Order(other Sight) int {
	return cmp.Or(cmp.Compare(s.row, other.row), cmp.Compare(s.other, other.other))
}

// AddTo adds a share of what is seen to as many values.
func (s Sight) AddTo(values []float32, share float32) {
	if s.Alone() {
		s.addRow(values, s.row, share)
		return
	}
	apart := make([]float32, s.Columns())
	s.addRow(apart, s.row, share)
	s.addRow(apart, s.other, -share)
	for column, by := range apart {
		values[column] += max(by, -by)
	}
}

// addRow adds a share of a row of the table.
func (s Sight) addRow(values []float32, row int32, share float32) {
	lo, hi := s.table.Span(int(row))
	for k := lo; k < hi; k++ {
		values[s.table.ColumnOf(k)] += share * s.table.Values()[k]
	}
}
