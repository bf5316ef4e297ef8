package neural

import "github.com/deeppsl/deeppsl/neural/features"

// A Sight is a row of features as a network sees it, or nothing.
type Sight struct {
	table *features.Table
	row   int32
}

// Sights returns what is seen of each input's thing by networks of kind mlp; nothing of other inputs.
func (p *Perception) Sights() []Sight {
	sights := make([]Sight, p.inputs)
	for _, b := range p.bindings {
		n := p.system.network(b.Network)
		if n == nil || n.spec.Kind != multilayer {
			continue
		}
		for k, x := range b.Inputs {
			sights[x] = Sight{n.table(), b.Rows[k]}
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

// Row is the place of what is seen in its table.
func (s Sight) Row() int32 { return s.row }

// AddTo adds a share of what is seen to as many values.
func (s Sight) AddTo(values []float32, share float32) {
	lo, hi := s.table.Span(int(s.row))
	for k := lo; k < hi; k++ {
		values[s.table.ColumnOf(k)] += share * s.table.Values()[k]
	}
}
