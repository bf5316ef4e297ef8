package local

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Add takes a potential in, and returns its place.
func (s *State) Add(p *mrf.Potential) int {
	place := len(s.mu)
	s.come = append(s.come, arrival{*p, &mrf.Block{Rule: p.Rule, Kind: p.Kind, Exponent: p.Exponent}})
	s.mu = append(s.mu, 0)
	if place/64 >= len(s.gone) {
		s.gone, s.seen = append(s.gone, 0), append(s.seen, 0)
	}
	for _, i := range p.Vars {
		s.of[i] = append(s.of[i], int32(place))
	}
	s.kinds.add(p, s.theta, 1)
	v := s.view(place)
	t := s.term(&v, v.slack(s.y), 0)
	s.mu[place] = t.mu
	s.count(&t, 1)
	s.push(&v, t.mu)
	s.pending = append(s.pending, p.Vars...)
	return place
}

// Remove takes out the potential at a place.
func (s *State) Remove(place int) {
	v := s.view(place)
	t := s.term(&v, v.slack(s.y), s.mu[place])
	s.count(&t, -1)
	s.push(&v, -t.mu)
	s.pending = append(s.pending, v.ids...)
	p := mrf.Potential{Rule: v.block.Rule, Kind: v.block.Kind, Scale: s.scale(place)}
	s.kinds.add(&p, s.theta, -1)
	s.flip(place)
}

// scale is the factor of a potential's weight.
func (s *State) scale(place int) float64 {
	if place >= s.first {
		return s.come[place-s.first].Scale
	}
	block, j := s.index.Locate(place)
	if b := s.model.Blocks[block]; b.Scale != nil {
		return float64(b.Scale[j])
	}
	return 1
}

// Find returns the place of a potential, or -1 if there is none that is the same to the last bit.
func (s *State) Find(p *mrf.Potential) int {
	if len(p.Vars) == 0 {
		return -1
	}
	rarest := p.Vars[0]
	for _, i := range p.Vars[1:] {
		if s.occurs(i) < s.occurs(rarest) {
			rarest = i
		}
	}
	s.places = s.along(rarest, s.places[:0])
	for _, place := range s.places {
		if s.equal(place, p) {
			return place
		}
	}
	return -1
}

// occurs is about how many potentials a variable is in.
func (s *State) occurs(i int32) int {
	n := len(s.of[i])
	if int(i) < s.model.Variables {
		n += s.index.Count(i)
	}
	return n
}

// equal compares the potential at a place.
func (s *State) equal(place int, p *mrf.Potential) bool {
	if place >= s.first {
		return s.come[place-s.first].Compare(p) == 0
	}
	block, j := s.index.Locate(place)
	b := s.model.Blocks[block]
	if b.Rule != p.Rule || b.Kind != p.Kind || b.Constant+b.Own(j) != p.Constant || s.scale(place) != p.Scale {
		return false
	}
	vars, coef := b.Row(j, &s.row)
	if !slices.Equal(vars, p.Vars) || !slices.Equal(coef, p.Coef) || !slices.Equal(b.InputRow(j), p.Inputs) {
		return false
	}
	for k, a := range p.InputCoef {
		if b.InputCoefficient(j, k) != a {
			return false
		}
	}
	return true
}

// SetInput gives an input another value.
func (s *State) SetInput(i int32, value float64) {
	if s.within == nil {
		s.indexInputs()
	}
	places := slices.DeleteFunc(slices.Clone(s.within[i]), func(place int32) bool { return s.isGone(int(place)) })
	for k := range s.come {
		if place := s.first + k; slices.Contains(s.come[k].Inputs, i) && !s.isGone(place) {
			places = append(places, int32(place))
		}
	}
	for _, sign := range []float64{-1, 1} {
		for _, place := range places {
			v := s.view(int(place))
			t := s.term(&v, v.slack(s.y), s.mu[place])
			s.count(&t, sign)
			if sign > 0 {
				s.pending = append(s.pending, v.ids...)
			}
		}
		if sign < 0 {
			s.note(entry{ofInput, i, s.x[i]})
			s.x[i] = value
		}
	}
}

// indexInputs lists the potentials that inputs are in: only where these change.
func (s *State) indexInputs() {
	s.within = make(map[int32][]int32)
	first := 0
	for _, b := range s.model.Blocks {
		for j := 0; len(b.Inputs) > 0 && j < b.Len; j++ {
			for _, i := range b.InputRow(j) {
				s.within[i] = append(s.within[i], int32(first+j))
			}
		}
		first += b.Len
	}
}

// SetValue moves a variable, which the next Solve takes for one that was touched.
func (s *State) SetValue(i int32, value float64) {
	s.places = s.along(i, s.places[:0])
	places := slices.Clone(s.places)
	s.recountAt(places, -1)
	s.gap.add(-s.box(i))
	s.setValue(i, value)
	s.gap.add(s.box(i))
	s.recountAt(places, 1)
	s.pending = append(s.pending, i)
}

func (s *State) recountAt(places []int, sign float64) {
	for _, place := range places {
		v := s.view(place)
		t := s.term(&v, v.slack(s.y), s.mu[place])
		s.count(&t, sign)
	}
}

// AddRule adds a rule's weight behind the others.
func (s *State) AddRule(weight float64) { s.theta = append(slices.Clip(s.theta), weight) }

// Grow adds variables, which no potential has, behind the others.
func (s *State) Grow(variables int) {
	for len(s.y) < variables {
		s.y, s.g = append(s.y, 0), append(s.g, 0)
	}
}

// push adds a multiplier's part to g.
func (s *State) push(v *view, mu float64) {
	if mu == 0 {
		return
	}
	for k, i := range v.ids {
		s.gap.add(-s.box(i))
		s.setSlope(i, s.g[i]+v.coef[k]*mu)
		s.gap.add(s.box(i))
	}
}

// Gather returns the model as it is now, and the multipliers in its order.
func (s *State) Gather() (*mrf.Model, []float64) {
	var kept []int
	var mu []float64
	for place := range s.first {
		if !s.isGone(place) {
			kept, mu = append(kept, place), append(mu, s.mu[place])
		}
	}
	m := s.model.Only(kept)
	m.Variables = len(s.y)
	var come []int
	for k := range s.come {
		if !s.isGone(s.first + k) {
			come = append(come, k)
		}
	}
	slices.SortStableFunc(come, func(a, b int) int { return s.come[a].CompareShape(&s.come[b].Potential) })
	for _, k := range come {
		m.AppendPotential(&s.come[k].Potential)
		mu = append(mu, s.mu[s.first+k])
	}
	return m, mu
}

// Each visits all potentials.
func (s *State) Each(visit func(p *mrf.Potential)) {
	for place := range s.mu {
		switch {
		case s.isGone(place):
		case place >= s.first:
			visit(&s.come[place-s.first].Potential)
		default:
			block, j := s.index.Locate(place)
			p := s.model.Blocks[block].At(j)
			visit(&p)
		}
	}
}
