package explain

import "github.com/deeppsl/deeppsl/internal/solve"

// proof is what is proven about the whole state: a sum over ground rules and atoms, of which those terms change alone
// that are touched. The slopes are those of the Lagrangian along the atoms.
type proof struct {
	objective, gap solve.Sum
	slopes         []float64
}

// whole proves the whole state, once; then it is kept up to date.
func (s *State) whole() *proof {
	if s.proof == nil {
		p := &proof{}
		certificate, slopes := solve.CertifyWithSlopes(s.field, s.y, s.mu)
		p.objective.Add(certificate.Objective)
		p.gap.Add(certificate.Objective - certificate.DualBound)
		p.slopes = slopes
		s.proof = p
	}
	return s.proof
}

// withdraw takes ground rules and atoms, which are in no others, out of the proof, if there is one, before they change.
func (s *State) withdraw(places, variables []int32) { s.book(places, -1); s.bookBoxes(variables, -1) }

// deposit puts them back as they are now.
func (s *State) deposit(places, variables []int32) { s.bookBoxes(variables, 1); s.book(places, 1) }

// book adds what ground rules add to the proof, or takes it out if sign is -1.
func (s *State) book(places []int32, sign float64) {
	p := s.proof
	if p == nil {
		return
	}
	for _, place := range places {
		at := s.look(int(place))
		mu, gap, objective := solve.Contribution(at.block, at.w, at.d, s.mu[place])
		p.gap.Add(sign * gap)
		p.objective.Add(sign * objective)
		for k, i := range at.ids {
			s.bookBox(i, -1)
			p.slopes[i] += sign * at.coef[k] * mu
			s.bookBox(i, 1)
		}
	}
}

// bookBoxes adds what atoms add to the proof, or takes it out.
func (s *State) bookBoxes(variables []int32, sign float64) {
	for _, i := range variables {
		if s.proof != nil {
			s.bookBox(i, sign)
		}
	}
}

func (s *State) bookBox(i int32, sign float64) {
	g := s.proof.slopes[i]
	s.proof.gap.Add(sign * (g*s.y[i] - min(0, g)))
}
