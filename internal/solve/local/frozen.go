package local

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Frozen returns the model as it is now, which does not change with the state, what its variables occur in, and the
// multipliers in its order. It takes the time to copy these, and the blocks that potentials have gone from.
func (s *State) Frozen() (*mrf.Model, *mrf.Occurrences, []float64) {
	mu := make([]float64, 0, len(s.mu))
	for place := range s.first {
		if !s.isGone(place) {
			mu = append(mu, s.mu[place])
		}
	}
	var here []int
	for k := range s.come {
		if !s.isGone(s.first + k) {
			here = append(here, k)
		}
	}
	slices.SortStableFunc(here, func(a, b int) int { return s.come[a].CompareShape(&s.come[b].Potential) })
	come := &mrf.Model{}
	for _, k := range here {
		come.AppendPotential(&s.come[k].Potential)
		mu = append(mu, s.mu[s.first+k])
	}
	gone := slices.Clone(s.gone[:s.first/64+1])
	for place := s.first; place < 64*len(gone); place++ {
		gone[place/64] &^= 1 << (place % 64)
	}
	m := s.model.Changed(gone, come.Blocks)
	m.Variables, m.Rules = len(s.y), len(s.theta)
	return m, s.index.Changed(gone, m, come.Blocks), mu
}
