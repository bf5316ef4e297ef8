package local

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// A prior over variables that follow one another can take over a part of their slopes: what that costs is of the second
// order, where the slope at a variable that is held costs the first. See the absorber of package newton.
type prior struct {
	block *mrf.Block
	place int // of the first
}

// findPriors lists the blocks of squares over variables that follow one another.
func (s *State) findPriors() {
	place := 0
	for _, b := range s.model.Blocks {
		square := b.Exponent == 2 && (b.Kind == mrf.Hinge || b.Kind == mrf.Absolute)
		if square && b.Vars == nil && b.VarStart == nil && len(b.Coef) == 1 && len(b.InputCoef) == 0 {
			s.priors = append(s.priors, prior{b, place})
		}
		place += b.Len
	}
}

// absorb gives a variable's prior the multiplier that leaves least of the gap.
func (s *State) absorb(i int32) {
	for _, p := range s.priors {
		j := int(i - p.block.First)
		if j < 0 || j >= p.block.Len || s.isGone(p.place+j) {
			continue
		}
		place := p.place + j
		v := s.viewIn(p.block, j)
		d, a := v.slack(s.y), v.coef[0]
		if v.w == 0 || d < 0 && v.block.Kind == mrf.Hinge {
			continue
		}
		natural := 2 * v.w * d
		slope := s.g[i] + a*(natural-s.mu[place])
		step := -min(slope, 2*v.w*a*a*s.y[i]) / a
		if slope < 0 {
			step = min(-slope, 2*v.w*a*a*(1-s.y[i])) / a
		}
		if natural+step != s.mu[place] {
			s.setPrior(place, &v, d, natural+step)
		}
		return
	}
}

// setPrior gives a potential of one variable another multiplier.
func (s *State) setPrior(place int, v *view, d, mu float64) {
	old := s.term(v, d, s.mu[place])
	now := s.term(v, d, mu)
	if now.mu == old.mu {
		return
	}
	s.count(&old, -1)
	s.count(&now, 1)
	s.push(v, now.mu-old.mu)
	s.setMultiplier(place, now.mu)
}

// rest is what a variable and its priors add to the gap.
func (s *State) rest(i int32) float64 {
	rest := s.box(i)
	for _, p := range s.priors {
		if j := int(i - p.block.First); j >= 0 && j < p.block.Len && !s.isGone(p.place+j) {
			v, mu := s.viewIn(p.block, j), s.mu[p.place+j]
			if d := v.slack(s.y); mu != 0 || d > 0 || v.block.Kind == mrf.Absolute {
				t := s.term(&v, d, mu)
				rest += t.gap
			}
		}
	}
	return rest
}

// A variable that a hard ground rule of its own gives a value is *pinned*: it is in no part, since it cannot move, and
// the multiplier of that ground rule takes up whatever pushes it, which costs nothing. So what is around it is solved
// without hard rules, where there are no others. Parts have them in the end all the same where nothing else makes the
// proof: two ground rules may give one variable different values.

// pins tells whether a potential pins a variable.
func pins(kind mrf.Kind, vars []int32) bool { return kind == mrf.Equal && len(vars) == 1 }

// findPins lists what pins variables.
func (s *State) findPins() {
	place := 0
	for _, b := range s.model.Blocks {
		for j := 0; b.Kind == mrf.Equal && j < b.Len; j++ {
			if ids := b.Ids(j, &s.row); pins(b.Kind, ids) {
				s.pins.add(ids[0], int32(place+j))
			}
		}
		place += b.Len
	}
}

// pin returns the place of a potential that pins a variable where it is, or -1.
func (s *State) pin(i int32) int {
	for _, place := range s.pins.at(i) {
		if s.isGone(int(place)) {
			continue
		}
		if v := s.view(int(place)); v.slack(s.y) == 0 {
			return int(place)
		}
	}
	return -1
}

// hold gives the potential that pins a variable the multiplier that leaves no slope.
func (s *State) hold(i int32) bool {
	place := s.pin(i)
	if place < 0 {
		return false
	}
	if s.g[i] != 0 {
		v := s.view(place)
		s.setPrior(place, &v, 0, s.mu[place]-s.g[i]/v.coef[0])
	}
	return true
}

// settle gives the soft potentials whose variables are all pinned, one of them here, the multipliers of where they are.
func (s *State) settle(i int32) {
	loose := func(k int32) bool { return len(s.pins.at(k)) == 0 }
	for _, place := range s.along(i, set{s.quiet, true}) {
		v := s.view(int(place))
		if v.block.Kind.Hard() || slices.ContainsFunc(v.ids, loose) || len(s.pinned(slices.Clone(v.ids))) < len(v.ids) {
			continue
		}
		v = s.view(int(place))
		d := v.slack(s.y)
		_, slope := v.block.Potential(d)
		s.setPrior(int(place), &v, d, v.w*slope)
	}
}

// pinned are those of some variables that are.
func (s *State) pinned(variables []int32) (pinned []int32) {
	for _, i := range variables {
		if s.pin(i) >= 0 {
			pinned = append(pinned, i)
		}
	}
	return pinned
}

// kinds counts the soft potentials whose weight is not 0, and adds up the logarithms of the weights: the unit of energy
// is their geometric mean, see mrf.Field.Unit, and its grain follows from the fourth powers.
type kinds struct {
	number          int
	logs, low, high total
}

func (k *kinds) count(m *mrf.Model, theta []float64) {
	for _, b := range m.Blocks {
		w := theta[b.Rule]
		switch {
		case b.Kind.Hard() || w <= 0:
		case b.Scale == nil:
			n := float64(b.Len)
			k.number += b.Len
			k.logs.add(n * math.Log2(w))
			k.low.add(n * mrf.Fourth(1/w))
			k.high.add(n * mrf.Fourth(w))
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
		k.low.add(sign * mrf.Fourth(1/w))
		k.high.add(sign * mrf.Fourth(w))
	}
}

// add counts a potential, or takes it out if sign is -1.
func (k *kinds) add(p *mrf.Potential, theta []float64, sign float64) {
	if !p.Kind.Hard() {
		k.addWeight(theta[p.Rule]*p.Scale, sign)
	}
}

// Grain is that of the problem as it is now.
func (s *State) Grain() float64 {
	k := &s.kinds
	return mrf.GrainOf(s.Unit(), k.low.value(), k.high.value(), float64(k.number))
}

// Unit is the unit of energy of the problem as it is now.
func (s *State) Unit() float64 {
	if s.kinds.number == 0 {
		return 1
	}
	return math.Exp2(s.kinds.logs.value() / float64(s.kinds.number))
}
