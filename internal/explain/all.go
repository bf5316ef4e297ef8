package explain

import (
	"context"
	"math"

	"github.com/deeppsl/deeppsl/internal/solve"
)

// All visits the summaries of all variables, in order; visit must not keep them, nor ask the state, which goes on while
// it is called. The whole is solved further first, and then what is around those whose pushes do not add up.
func (s *State) All(ctx context.Context, visit func(*Summary) error) error {
	if err := s.improveAll(ctx); err != nil {
		return err
	}
	for range rounds {
		settled, err := s.settleAll(ctx)
		if err != nil {
			return err
		}
		if settled {
			break
		}
	}
	return s.summaries(visit)
}

// rounds is how often all variables are looked at: what is solved around one may unsettle others, which are few.
const rounds = 8

// settleAll solves around the variables whose pushes do not add up; settled tells that there was none.
func (s *State) settleAll(ctx context.Context) (settled bool, err error) {
	pushes, sizes := s.pushOnAll()
	settled = true
	for i := range int32(len(s.y)) {
		unsettled := func() bool { return math.Abs(pushes[i]) > 10*tolerable*sizes[i] && s.isFree(i) }
		if !unsettled() {
			continue
		}
		if pushes[i], sizes[i] = s.pushOn(i); !unsettled() {
			continue // what has been solved for others has settled it
		}
		if s.component[i] > 0 && s.componentOf(i).hopeless() {
			s.addsUp(i) // its piece is made exact, if that can be, which takes little
			continue
		}
		if err := s.sharpen(ctx, i); err != nil {
			return false, err
		}
		pushes[i], sizes[i] = s.pushOn(i)
		if s.component[i] == 0 {
			settled = false // what is around it was enough
		} else if c := s.componentOf(i); unsettled() {
			c.vain++
		} else {
			c.vain--
			settled = false
		}
	}
	return settled, nil
}

// hopeless tells whether so many variables of a component have been tried in vain, more than not, that the others are
// left as they are: all of it has been solved by all means then. Trying is cheap where it is small.
func (c *component) hopeless() bool { return c.vain > 3 && c.vain*len(c.potentials) > 20_000 }

// pushOnAll is pushOn for all variables, in one pass over the potentials.
func (s *State) pushOnAll() (pushes, sizes []float64) {
	s.standAll()
	pushes, sizes = make([]float64, len(s.y)), make([]float64, len(s.y))
	for place := range s.mu {
		if s.standings[place] == idle {
			continue
		}
		p := s.look(place)
		if p.mu == 0 {
			continue
		}
		for k, i := range p.ids {
			push := -p.coef[k] * p.mu
			pushes[i], sizes[i] = pushes[i]+push, sizes[i]+math.Abs(push)
		}
	}
	return pushes, sizes
}

// improveAll solves the whole further, by a bounded number of sweeps.
func (s *State) improveAll(ctx context.Context) error {
	limits := s.settings
	limits.Gap, limits.Feasibility = sharpest, feasible
	before := solve.Certify(s.field, s.y, s.mu)
	if proven(before, limits) {
		return nil
	}
	solver := limited(s.field, limits, some, len(s.mu))
	solver.WarmStart(s.y, s.mu)
	result, err := solver.Solve(ctx)
	if err == nil && better(result.Certificate, before) && result.Multipliers != nil {
		copy(s.y, result.Y)
		copy(s.mu, result.Multipliers)
		s.reconsiderAll()
	}
	return err
}

// sharpest is the gap that the whole is solved to, if that does not take long.
const sharpest = 1e-13
