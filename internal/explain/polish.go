package explain

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// polish moves a piece's variables and multipliers to where the active set says that they are, to the last digits: a
// Newton step, which is exact as long as the active set is right. It stays where it is if that is not so, as where a
// variable that a wall holds would be pushed away from it, and returns false.
func (s *State) polish(p *piece, places []int32) bool {
	n := len(p.variables)
	right := make([]float64, n+len(p.tights))
	for k, i := range p.variables {
		right[k], _ = s.pushOn(i)
	}
	for k := range p.tights {
		at := s.look(p.tights[k].place)
		right[n+k] = -at.d
	}
	step, ok := p.solve(right)
	if !ok {
		return false
	}
	s.withdraw(places, p.variables)
	defer s.deposit(places, p.variables)
	y, mu := pick(s.y, p.variables), pick(s.mu, places)
	for k := range p.squares {
		r := &p.squares[k]
		s.mu[r.place] = s.look(r.place).mu + r.h*r.dot(step)
	}
	for k := range p.tights {
		s.mu[p.tights[k].place] += step[n+k]
	}
	for k, i := range p.variables {
		to := y[k] + step[k]
		s.y[i] = min(max(to, 0), 1)
		if by := math.Abs(to - s.y[i]); by > still {
			p.beyond = append(p.beyond, overshot{i, by})
		}
	}
	if s.holds(places) {
		for _, place := range places {
			s.mu[place] = s.look(int(place)).mu
		}
		if s.pulled(p, places, mu) <= changedBudget*s.field.Unit() {
			return true
		}
	}
	put(s.y, p.variables, y)
	put(s.mu, places, mu)
	return false
}

// holds tells whether potentials are still what they are taken for.
func (s *State) holds(places []int32) bool {
	for _, place := range places {
		at := s.look(int(place))
		kept, near := true, still*at.reach()
		switch low, high := solve.Domain(at.block, at.w); at.standing {
		case idle, below:
			kept = at.d <= near
		case square:
			kept = at.d >= -near || at.block.Kind == mrf.Absolute
		case above:
			kept = at.d >= -near || at.block.Kind == mrf.Linear
		case tight:
			least := faint * max(at.w, s.field.Unit())
			kept = math.Abs(at.d) <= near && at.mu >= low-least && at.mu <= high+least
		}
		if !kept {
			return false
		}
	}
	return true
}

// pulled is by how much the gap grows, as multipliers that were mu push variables around a piece away from their walls.
func (s *State) pulled(p *piece, places []int32, mu []float64) (worse float64) {
	if s.pull == nil {
		s.pull = make([]float64, len(s.y))
	}
	var around []int32
	most := 0.0
	for k, place := range places {
		step := s.mu[place] - mu[k]
		if step == 0 {
			continue
		}
		at := s.look(int(place))
		for e, i := range at.ids {
			if s.piece[i] != p {
				around = append(around, i)
				s.pull[i] += at.coef[e] * step
				most += math.Abs(at.coef[e] * step)
			}
		}
	}
	few := most <= changedBudget*s.field.Unit() // slopes take longer
	for _, i := range around {
		step := s.pull[i]
		s.pull[i] = 0
		if !few && step != 0 && step < 0 == (s.y[i] < 0.5) {
			now := s.slope(i)
			worse += (now*s.y[i] - min(0, now)) - ((now-step)*s.y[i] - min(0, now-step))
		}
	}
	return worse
}
