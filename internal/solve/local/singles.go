package local

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Squares of a single variable can take over a part of its slope: what that costs is of the second order, where the
// slope at a variable that is held costs the first. See the absorber of package newton.

func squared(b *mrf.Block) bool {
	return b.Exponent == 2 && (b.Kind == mrf.Hinge || b.Kind == mrf.Absolute)
}

// singles lists the squares of one variable each that the first model has, by variable. Those whose variables follow
// one another, as a prior's over all targets do, cost nothing.
type singles struct {
	runs   []run
	start  []int32 // of each variable's
	places []int32
}

// run is a block of singles over variables that follow one another.
type run struct {
	block *mrf.Block
	place int // of the first
}

func findSingles(m *mrf.Model) (s singles) {
	s.start = make([]int32, m.Variables+1)
	var blocks []run
	place := 0
	for _, b := range m.Blocks {
		switch {
		case !squared(b) || b.VarStart != nil || len(b.Coef) != 1:
		case b.Vars == nil:
			s.runs = append(s.runs, run{b, place})
		default:
			blocks = append(blocks, run{b, place})
			for _, i := range b.Vars {
				s.start[i+1]++
			}
		}
		place += b.Len
	}
	for i := range m.Variables {
		s.start[i+1] += s.start[i]
	}
	s.places = make([]int32, s.start[m.Variables])
	next := slices.Clone(s.start)
	for _, r := range blocks {
		for j, i := range r.block.Vars {
			s.places[next[i]] = int32(r.place + j)
			next[i]++
		}
	}
	return s
}

// eachSingle visits those of a variable. The view is for the visit.
func (s *State) eachSingle(i int32, visit func(place int, v *view)) {
	look := func(place int) {
		if v := s.view(place); !s.isGone(place) && v.w > 0 {
			visit(place, &v)
		}
	}
	if int(i) < s.model.Variables {
		for _, place := range s.singles.places[s.singles.start[i]:s.singles.start[i+1]] {
			look(int(place))
		}
	}
	for _, r := range s.singles.runs {
		if j := int(i - r.block.First); j >= 0 && j < r.block.Len {
			look(r.place + j)
		}
	}
	for _, place := range s.of[i] {
		if a := &s.come[int(place)-s.first]; len(a.Vars) == 1 && squared(a.block) {
			look(int(place))
		}
	}
}

// absorb gives a variable's singles the multipliers that leave least of the gap: those at the minimum along the
// variable, with all else linearised.
func (s *State) absorb(i int32) {
	s.line.Reset()
	s.places = s.places[:0]
	slope := s.g[i]
	s.eachSingle(i, func(place int, v *view) {
		s.line.Add(v.w, v.slack(s.y), v.coef[0], v.block.Kind == mrf.Absolute)
		slope += v.coef[0] * (s.line.Multiplier(len(s.places), 0) - s.mu[place])
		s.places = append(s.places, place)
	})
	t, _, _ := s.line.Minimise(slope, s.y[i], 0)
	for k, place := range s.places {
		s.setSingle(place, s.line.Multiplier(k, t))
	}
}

// setSingle gives a potential of one variable another multiplier.
func (s *State) setSingle(place int, mu float64) {
	if mu == s.mu[place] {
		return
	}
	v := s.view(place)
	d := v.slack(s.y)
	old, now := s.term(&v, d, s.mu[place]), s.term(&v, d, mu)
	s.count(&old, -1)
	s.count(&now, 1)
	s.push(&v, now.mu-old.mu)
	s.setMultiplier(place, now.mu)
}

// rest is what a variable and its singles add to the gap.
func (s *State) rest(i int32) float64 {
	rest := s.box(i)
	s.eachSingle(i, func(place int, v *view) {
		t := s.term(v, v.slack(s.y), s.mu[place])
		rest += t.gap
	})
	return rest
}

// kinds counts the soft potentials whose weight is not 0, and adds up the logarithms of the weights: the unit of energy
// is their geometric mean, see mrf.Field.Unit.
type kinds struct {
	number int
	logs   total
}

func (k *kinds) count(m *mrf.Model, theta []float64) {
	for _, b := range m.Blocks {
		w := theta[b.Rule]
		switch {
		case b.Kind.Hard() || w <= 0:
		case b.Scale == nil:
			k.number += b.Len
			k.logs.add(float64(b.Len) * math.Log2(w))
		default:
			for _, scale := range b.Scale {
				k.addWeight(w*float64(scale), 1)
			}
		}
	}
}

func (k *kinds) addWeight(w float64, sign float64) {
	if w > 0 {
		k.number += int(sign)
		k.logs.add(sign * math.Log2(w))
	}
}

// add counts a potential, or takes it out if sign is -1.
func (k *kinds) add(p *mrf.Potential, theta []float64, sign float64) {
	if !p.Kind.Hard() {
		k.addWeight(theta[p.Rule]*p.Scale, sign)
	}
}

// Unit is the unit of energy of the problem as it is now.
func (s *State) Unit() float64 {
	if s.kinds.number == 0 {
		return 1
	}
	return math.Exp2(s.kinds.logs.value() / float64(s.kinds.number))
}
