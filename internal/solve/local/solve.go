package local

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// Outcome says what a Solve did.
type Outcome struct {
	// Status is Optimal if the whole problem is proven to the gap that was asked for, and Stalled if that would take the
	// whole problem, of which Solve then has done what is cheap: see Gather.
	Status solve.Status
	// Variables were solved, in so many Rounds.
	Variables, Rounds int
	// Conflict has the places of hard constraints that contradict each other, if Status is Infeasible.
	Conflict []int
}

const (
	// cheap is how many coefficients a part may have that is solved beyond what the proof takes, so that values are as
	// good as those of a part that was solved by itself: some tenths of a millisecond.
	cheap = 4_000
	// roomy is the part of the gap that is aimed at where it was not proven.
	roomy = 0.8
	// wide is the part of all variables beyond which solving everything is better.
	wide = 0.2
	// much is how many times the model's coefficients may be gone through before everything is solved instead.
	much = 0.5
	// spare is the part of the gap that is left for changes to come, where the whole is solved.
	spare = 0.25
	// direct is up to how many potentials the interior point method takes over from Newton's.
	direct = 50_000
)

// Spare is the gap to solve a whole problem to that is to be changed then, and proven to a gap.
func Spare(gap float64) float64 { return spare * gap }

// Solve brings the values and multipliers up to date with what has come, gone and changed since the last one. If the
// context ends, they are the best so far, with what Certificate says about them; it is then no error to go on later.
func (s *State) Solve(ctx context.Context) (Outcome, error) {
	out, err := s.solve(ctx)
	if err != nil || out.Status != solve.Optimal || s.proven() {
		return out, err
	}
	if len(s.pressed) > 0 { // what earlier changes have left of the gap
		s.pending, s.pressed = append(s.pending, s.pressed...), s.pressed[:0]
		var more Outcome
		more, err = s.solve(ctx)
		more.Variables, more.Rounds = more.Variables+out.Variables, more.Rounds+out.Rounds
		out = more
	}
	if err == nil && out.Status == solve.Optimal && !s.proven() {
		out.Status = solve.Stalled
	}
	return out, err
}

// solve is Solve for the pending variables alone; the status is Optimal even if they do not make the proof.
func (s *State) solve(ctx context.Context) (out Outcome, err error) {
	set := s.take(nil, s.pending)
	s.aim = s.settings.Gap
	s.pending = s.pending[:0]
	work := 0
	for len(set) > 0 {
		if float64(len(set)) > wide*float64(len(s.y))+few {
			s.pending = append(s.pending, set...)
			return s.stalled(out, set), nil
		}
		p := s.part(set)
		if work += p.entries; float64(work) > much*float64(s.size)+cheap {
			s.pending = append(s.pending, set...)
			return s.stalled(out, set), nil
		}
		result, err := s.solvePart(ctx, p)
		if err != nil {
			return out, err
		}
		out.Variables, out.Rounds = len(set), out.Rounds+1
		if result.Status == solve.Infeasible {
			if len(p.frontier) == 0 {
				return s.infeasible(out, p, result), nil
			}
			set = s.take(set, p.frontier)
			continue
		}
		s.install(p, result)
		if ctx.Err() != nil {
			s.pending = append(s.pending, set...)
			s.forget(set)
			out.Status = solve.Ended(ctx)
			return out, nil
		}
		if !s.proven() {
			s.aim = roomy * s.settings.Gap // so that the next change does not find the same
		}
		more := s.pushed(p.frontier)
		if !s.provenTo(s.aim) {
			more = s.worst(p.frontier, len(set))
		}
		if len(more) == 0 || s.provenTo(s.aim) && p.entries+s.around(more) > cheap {
			s.press(more)
			break
		}
		set = s.take(set, more)
	}
	s.forget(set)
	return out, nil
}

// few variables are never too many.
const few = 1000

// stalled ends a Solve that would take too much.
func (s *State) stalled(out Outcome, set []int32) Outcome {
	s.forget(set)
	out.Status = solve.Stalled
	return out
}

// infeasible ends a Solve that has found a contradiction.
func (s *State) infeasible(out Outcome, p *part, result *solve.Result) Outcome {
	s.forget(p.variables)
	out.Status = solve.Infeasible
	for _, k := range result.Conflict {
		out.Conflict = append(out.Conflict, p.places[k])
	}
	return out
}

// proven tells whether the gap that was asked for is.
func (s *State) proven() bool { return s.provenTo(s.settings.Gap) }

// provenTo tells whether a gap is proven.
func (s *State) provenTo(gap float64) bool {
	c := s.Certificate()
	return math.Abs(c.Gap) <= gap && c.MaxViolation <= s.settings.Feasibility
}

// take adds variables to a set, each once.
func (s *State) take(set, variables []int32) []int32 {
	s.marks.grow(len(s.y))
	for _, i := range variables {
		if s.marks.number[i] == 0 {
			set = append(set, i)
			s.marks.number[i] = int32(len(set))
		}
	}
	return set
}

// forget ends a set.
func (s *State) forget(set []int32) {
	for _, i := range set {
		s.marks.number[i] = 0
	}
}

// marks number the variables of a set from 1; 0 is none.
type marks struct{ number []int32 }

func (m *marks) grow(n int) {
	if len(m.number) < n {
		m.number = append(m.number, make([]int32, n-len(m.number))...)
	}
}

func (m *marks) bytes() int64 { return 4 * int64(len(m.number)) }

// part is the problem of some variables, with all others held where they are.
type part struct {
	variables []int32 // their numbers in the part are their places here
	places    []int
	frontier  []int32 // variables that the part's potentials have, and the part has not
	before    []term  // what the potentials add to the totals now
	model     *mrf.Model
	entries   int
}

// part gathers the problem of a set of variables.
func (s *State) part(set []int32) *part {
	p := &part{variables: set, model: &mrf.Model{Variables: len(set), Rules: len(s.theta)}}
	for _, i := range set {
		s.places = s.along(i, s.places[:0])
		for _, place := range s.places {
			if bit := uint64(1) << (place % 64); s.seen[place/64]&bit == 0 {
				s.seen[place/64] |= bit
				p.places = append(p.places, place)
			}
		}
	}
	slices.Sort(p.places)
	q := &mrf.Potential{}
	for _, place := range p.places {
		s.seen[place/64] = 0
		v := s.view(place)
		p.before = append(p.before, s.term(&v, v.slack(s.y), s.mu[place]))
		p.entries += len(v.ids)
		*q = mrf.Potential{Rule: v.block.Rule, Kind: v.block.Kind, Exponent: v.block.Exponent, Vars: q.Vars[:0],
			Coef: q.Coef[:0], Constant: v.c, Scale: s.scale(place)}
		for k, i := range v.ids {
			if n := s.marks.number[i]; n > 0 {
				q.Vars, q.Coef = append(q.Vars, n-1), append(q.Coef, v.coef[k])
			} else {
				q.Constant += v.coef[k] * s.y[i]
				p.frontier = append(p.frontier, i)
			}
		}
		p.model.AppendPotential(q)
	}
	slices.Sort(p.frontier)
	p.frontier = slices.Compact(p.frontier)
	return p
}

// solvePart solves a part, from where it is.
func (s *State) solvePart(ctx context.Context, p *part) (*solve.Result, error) {
	field := mrf.NewFieldOn(p.model, 1)
	field.SetWeights(s.theta)
	field.SetUnit(s.Unit())
	limits := s.settings
	limits.Gap, limits.Threads = spare*limits.Gap, 1
	if deadline, ok := ctx.Deadline(); ok {
		limits.TimeLimit = max(1, time.Until(deadline))
	}
	y, mu := make([]float64, len(p.variables)), make([]float64, len(p.places))
	for k, i := range p.variables {
		y[k] = s.y[i]
	}
	for k, place := range p.places {
		mu[k] = s.mu[place]
	}
	quick, most := newton.New(field, limits), sweeps*float64(4*p.entries+len(y))
	if len(p.places) <= direct {
		quick.Limit(func(work float64) bool { return work < most })
	}
	quick.WarmStart(y, mu)
	result, err := quick.Solve(ctx)
	if err != nil || len(p.places) > direct || result.Status != solve.IterationLimit && result.Status != solve.Stalled {
		return result, err
	}
	other, err := interior.New(field, limits).Solve(ctx)
	if err != nil || other.Status != solve.Infeasible && worse(&other.Certificate, &result.Certificate) {
		return result, err
	}
	return other, nil
}

// sweeps is about how many of them Newton's method has.
const sweeps = 300

func worse(a, b *solve.Certificate) bool {
	return max(math.Abs(a.Gap), a.MaxViolation) > max(math.Abs(b.Gap), b.MaxViolation)
}

// install makes a part's solution that of the whole.
func (s *State) install(p *part, result *solve.Result) {
	for k := range p.before {
		s.count(&p.before[k], -1)
	}
	for _, set := range [][]int32{p.variables, p.frontier} {
		for _, i := range set {
			s.gap.add(-s.box(i))
		}
	}
	for k, i := range p.variables {
		s.setValue(i, result.Y[k])
	}
	for k, place := range p.places {
		v := s.view(place)
		t := s.term(&v, v.slack(s.y), result.Multipliers[k])
		if change := t.mu - s.mu[place]; change != 0 {
			s.setMultiplier(place, t.mu)
			for e, i := range v.ids {
				s.setSlope(i, s.g[i]+v.coef[e]*change)
			}
		}
		s.count(&t, 1)
	}
	for _, set := range [][]int32{p.variables, p.frontier} {
		for _, i := range set {
			s.gap.add(s.box(i))
		}
	}
	for _, i := range p.frontier {
		s.absorb(i)
	}
}

// pushed returns the variables around a part that add most to the gap; none if what all of them add
// is next to nothing.
func (s *State) pushed(frontier []int32) (most []int32) {
	sum := 0.0
	for _, i := range frontier {
		sum += s.rest(i)
	}
	enough := spare * s.settings.Gap * s.Unit()
	if sum <= enough {
		return nil
	}
	for _, i := range frontier {
		if s.rest(i) > sum/float64(2*len(frontier)) {
			most = append(most, i)
		}
	}
	return most
}

// worst returns those of the variables around a part, and of those that earlier changes have left pressed, that add
// most to the gap: as many as it takes for what is asked, half as many again, and so many at least.
func (s *State) worst(frontier []int32, least int) (most []int32) {
	type pressure struct {
		i    int32
		rest float64
	}
	var all []pressure
	for _, variables := range [][]int32{frontier, s.pressed} {
		for _, i := range variables {
			if rest := s.rest(i); s.marks.number[i] == 0 && rest > 0 {
				all = append(all, pressure{i, rest})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b pressure) int { return cmp.Compare(b.rest, a.rest) })
	c := s.Certificate()
	needed := 1.5 * (math.Abs(c.Gap) - s.aim) * max(s.Unit(), math.Abs(c.Objective))
	for _, p := range all {
		if needed <= 0 && len(most) >= least {
			break
		}
		most, needed = append(most, p.i), needed-p.rest
	}
	return most
}

// around is about how many coefficients the potentials of some variables have.
func (s *State) around(variables []int32) (entries int) {
	for _, i := range variables {
		entries += usual * s.occurs(i)
	}
	return entries
}

// usual is how many coefficients a potential has.
const usual = 3

// press notes variables that are left with some of the gap.
func (s *State) press(variables []int32) {
	if s.pressed = append(s.pressed, variables...); len(s.pressed) > 2*s.crowd+few {
		slices.Sort(s.pressed)
		s.pressed = slices.Compact(s.pressed)
		s.crowd = len(s.pressed)
	}
}
