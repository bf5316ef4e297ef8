package local

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/bitset"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Whole is all of a problem, to be solved elsewhere. It does not change with the state.
type Whole struct {
	Model       *mrf.Model
	Multipliers []float64  // in the model's order
	Changed     int        // how many potentials have come or gone when it was gathered
	places      []int32    // of the model's potentials
	gone        bitset.Set // of the first ones
	come        []*mrf.Block
	end         int     // of the places
	before      []int32 // variables that it was lent for
	since       []int32 // and of what has changed since then

	// The solution, with what Solved makes of it.
	y, g, theta, x []float64
	proof          solve.Certificate
	gap            float64
	brief          bool // it took few steps
}

// Gather returns the problem as it is now. It takes the time to copy numbers, and the blocks that potentials have gone
// from.
func (s *State) Gather() *Whole {
	w := &Whole{places: make([]int32, 0, len(s.mu)), Multipliers: make([]float64, 0, len(s.mu)), end: len(s.mu)}
	here := s.here()
	s.each(here, func(place int) {
		w.places, w.Multipliers = append(w.places, int32(place)), append(w.Multipliers, s.mu[place])
	})
	w.Changed = s.first - len(w.places) + s.come.len()
	w.come, w.gone = s.arrivals(here), s.departures()
	w.Model = s.changed(w.gone, w.come, math.MaxInt)
	return w
}

// here lists the potentials that have come and are still there, those of one shape together.
func (s *State) here() (here []int) {
	for k := range s.come.all {
		if !s.isGone(s.first + k) {
			here = append(here, k)
		}
	}
	slices.SortStableFunc(here, func(a, b int) int {
		p, q := s.come.at(a), s.come.at(b)
		return p.CompareShape(&q)
	})
	return here
}

// each visits the places of what there is, in the order of a model of it.
func (s *State) each(here []int, visit func(place int)) {
	for place := range s.first {
		if !s.isGone(place) {
			visit(place)
		}
	}
	for _, k := range here {
		visit(s.first + k)
	}
}

// arrivals are blocks of what has come.
func (s *State) arrivals(here []int) []*mrf.Block {
	come := &mrf.Model{}
	for _, k := range here {
		p := s.come.at(k)
		come.AppendPotential(&p)
	}
	return come.Blocks
}

// departures has bits for those of the first model that have gone.
func (s *State) departures() bitset.Set {
	gone := slices.Clone(s.gone[:s.first/64+1])
	for place := s.first; place < 64*len(gone); place++ {
		gone.Remove(place)
	}
	return gone
}

// changed is a model of what there is; see mrf.Model.Changed.
func (s *State) changed(gone bitset.Set, come []*mrf.Block, piece int) *mrf.Model {
	m := s.model.Changed(gone, come, piece)
	m.Variables, m.Rules = len(s.y), len(s.theta)
	return m
}

// leastPiece is how many potentials are shared at least, on average, between those that have gone: a block takes as
// much memory as some dozens.
const leastPiece = 256

// Frozen returns a model of what there is now, which stays as it is, with what its variables occur in; of its arrays
// most are the state's own. The multipliers are those of now as well, of whoever asks before the state changes.
func (s *State) Frozen() (model *mrf.Model, index *mrf.Occurrences, multipliers func() []float64) {
	here, gone := s.here(), s.departures()
	come := s.arrivals(here)
	model = s.changed(gone, come, leastPiece)
	return model, s.index.Changed(gone, model, come), func() []float64 {
		mu := make([]float64, 0, model.Potentials())
		for from := 0; from < s.first; from += 64 {
			if to := min(from+64, s.first); gone[from/64] == 0 {
				mu = append(mu, s.mu[from:to]...)
			} else {
				for place := from; place < to; place++ {
					if !s.isGone(place) {
						mu = append(mu, s.mu[place])
					}
				}
			}
		}
		for _, k := range here {
			mu = append(mu, s.mu[s.first+k])
		}
		return mu
	}
}

// Lend is Gather for who solves the problem while the state goes on changing, until Adopt. Meanwhile Solve does what is
// new, and no more: the proof comes with the solution.
func (s *State) Lend() *Whole {
	s.lent = s.Gather()
	s.lent.before = append(s.pending, s.left...)
	s.pending, s.left = nil, nil
	return s.lent
}

// Lent tells whether a problem that Lend has returned is still to be adopted.
func (s *State) Lent(w *Whole) bool { return s.lent == w }

// Return ends what Lend has begun, without a solution.
func (s *State) Return(w *Whole) {
	s.left = append(append(s.left, w.before...), w.since...)
	s.lent = nil
}

// Solved says what the problem's solution is, and proves it, for a field of the model with the weights and inputs that
// there were. It may be called beside the state's changes.
func (w *Whole) Solved(field *mrf.Field, r *solve.Result) {
	c := solve.NewCertifier(field)
	w.y, w.Multipliers, w.theta, w.x = r.Y, slices.Clone(r.Multipliers), field.Weights(), field.Inputs()
	w.proof, w.brief = c.Certify(w.y, w.Multipliers), r.Iterations <= brief
	w.gap, w.g = w.proof.Gap*max(field.Grain(), math.Abs(w.proof.Objective)), c.Slopes()
}

// stale is the part of the potentials after whose change the index is worth making anew.
const stale = 0.1

// Adopt returns the state at the solution of what Gather or Lend has returned: this one, or where much has changed
// since the index was made, a new one. What has changed since a problem was lent is for the next Solve.
func (s *State) Adopt(w *Whole) (*State, error) {
	var since []int32
	if s.lent == w {
		since = append(w.since, s.pending...)
	}
	s.lent, s.brief = nil, w.brief
	grown := len(s.y) > w.Model.Variables || len(s.theta) > w.Model.Rules // of which no potential has any yet
	if len(since) == 0 && !grown && float64(w.Changed) > stale*float64(len(w.places)) {
		field := mrf.NewFieldOn(w.Model, 1)
		field.SetWeights(s.theta)
		field.SetInputs(s.x)
		return New(field, w.y, w.Multipliers, s.settings)
	}
	copy(s.y, w.y)
	s.pages, s.stale = nil, nil
	for k, place := range w.places {
		if !s.isGone(int(place)) {
			s.mu[place] = w.Multipliers[k]
		}
	}
	s.pending, s.left = since, nil
	s.pressed.replace(nil)
	if w.proof.MaxViolation > s.settings.Feasibility || math.IsInf(w.gap, 0) || !slices.Equal(w.theta, s.theta) ||
		!slices.Equal(w.x, s.x) {
		s.recount()
	} else {
		s.recountFrom(w)
	}
	return s, nil
}

// recountFrom makes the totals those of a solution, with what has come and gone since.
func (s *State) recountFrom(w *Whole) {
	s.sums = sums{violations: violations{slight: w.proof.MaxViolation}}
	s.objective.Add(w.proof.Objective)
	s.gap.Add(w.gap)
	s.excess.Add(w.proof.Excess)
	s.restless()
	clear(s.debt)
	clear(s.g)
	copy(s.g, w.g)
	for k, place := range w.places {
		if s.isGone(int(place)) {
			s.account(int(place), w.Multipliers[k], -1)
		}
	}
	for place := w.end; place < len(s.mu); place++ {
		if !s.isGone(place) {
			s.mu[place] = s.account(place, s.mu[place], 1)
		}
	}
	s.calm()
}

// account adds a potential with a multiplier to the totals, or takes it out if sign is -1, and returns the multiplier
// that it has.
func (s *State) account(place int, mu, sign float64) float64 {
	v := s.view(place)
	t := s.term(&v, v.slack(s.y), mu)
	s.count(&t, sign)
	s.push(&v, sign*t.mu)
	return t.mu
}
