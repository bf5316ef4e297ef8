package local

// compactAt is how many potentials have come before it is asked how many of them have gone since.
const compactAt = 4096

// compact gives back what potentials take that have come and gone, once they are half of those that have come: then it
// costs no more than they did. The places of the others change. Nothing may be taken back any more.
func (s *State) compact() {
	if len(s.come) < max(compactAt, s.looked) {
		return
	}
	kept := 0
	for k := range s.come {
		if !s.isGone(s.first + k) {
			kept++
		}
	}
	s.looked = 2 * max(kept, compactAt/2)
	if kept > len(s.come)/2 {
		return
	}
	come, mu := make([]arrival, 0, kept), append(make([]float64, 0, s.first+2*kept), s.mu[:s.first]...)
	for k := range s.come {
		if place := s.first + k; !s.isGone(place) {
			come, mu = append(come, s.come[k]), append(mu, s.mu[place])
		}
	}
	s.come, s.mu = come, mu
	words := len(s.mu)/64 + 1
	s.gone, s.seen = s.gone[:words], s.seen[:words]
	for place := s.first; place < 64*words; place++ {
		s.gone[place/64] &^= 1 << (place % 64)
	}
	s.of, s.within = make(map[int32][]int32), nil
	for k := range s.come {
		for _, i := range s.come[k].Vars {
			s.of[i] = append(s.of[i], int32(s.first+k))
		}
	}
}
