package local

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// The squared potentials of a variable alone can take over a part of its slope: what that costs is of the second order,
// where the slope at a variable that is held costs the first. See mrf.Singles, and the absorber of package newton.

// unary is a block of them.
type unary struct {
	block *mrf.Block
	place int // of the first
	run   bool
}

// fewBlocks is how many blocks are looked through for the potentials of a variable.
const fewBlocks = 16

// findUnary lists the blocks of squares of one variable each, and by variable those in blocks of any shape, or where
// there are many of these.
func (s *State) findUnary() {
	place := 0
	for _, b := range s.model.Blocks {
		switch {
		case !b.Squared():
		case b.VarStart == nil && len(b.Coef) == 1 && len(s.unary) < fewBlocks:
			s.unary = append(s.unary, unary{b, place, b.Vars == nil})
		case b.VarStart != nil || len(b.Coef) == 1:
			for j := range b.Len {
				if ids := b.Ids(j, &s.own.row); len(ids) == 1 {
					s.alone.add(ids[0], int32(place+j))
				}
			}
		}
		place += b.Len
	}
}

// single is a squared potential of one variable as it stands.
type single struct {
	block           *mrf.Block
	place           int
	a, d, w, mu, at float64
}

// appendSingles appends those of a variable, for who reads by himself.
func (s *State) appendSingles(singles []single, i int32, own *reading) []single {
	if int(i) < s.model.Variables {
		listed := s.index.Listed(i)
		for k := range s.unary {
			b := &s.unary[k]
			if b.run {
				if j := int(i - b.block.First); j >= 0 && j < b.block.Len {
					singles = s.appendSingle(singles, b, b.place+j, own)
				}
				continue
			}
			at := skip(listed, int32(b.place))
			for ; at < len(listed) && int(listed[at]) < b.place+b.block.Len; at++ {
				singles = s.appendSingle(singles, b, int(listed[at]), own)
			}
		}
	}
	for _, place := range s.alone.at(i) {
		if !s.isGone(int(place)) {
			singles = append(singles, s.single(s.viewBy(int(place), own), int(place)))
		}
	}
	return singles
}

// skip is how many ascending places are below one: few, mostly, since the rules with one atom come first.
func skip(places []int32, below int32) int {
	end := 1
	for end < len(places) && places[end] < below {
		end *= 2
	}
	at, _ := slices.BinarySearch(places[end/2:min(end+1, len(places))], below)
	return end/2 + at
}

func (s *State) appendSingle(singles []single, b *unary, place int, own *reading) []single {
	if s.isGone(place) {
		return singles
	}
	return append(singles, s.single(s.viewIn(b.block, place-b.place, own), place))
}

// single is what a potential of one variable is now.
func (s *State) single(v view, place int) single {
	return single{block: v.block, place: place, a: v.coef[0], d: v.slack(s.y), w: v.w, mu: s.mu[place]}
}

// gap is what it adds to the gap.
func (q *single) gap() float64 {
	_, gap, _ := solve.Contribution(q.block, q.w, q.d, q.mu)
	return gap
}

// steep is the part of a variable's slope that its squares need not take over.
const steep = 1e-9

// lean finds the multipliers of the singles of a variable, which stays where it is, that leave least of the gap, beside
// other variables.
func (s *State) lean(i int32, singles []single, line *mrf.Line) {
	slope, y := s.g[i], s.y[i]
	line.Clear()
	for k := range singles {
		q := &singles[k]
		q.at = q.natural(0)
		slope += q.a * (q.at - q.mu)
		if q.matters() {
			line.Add(q.block.Kind, q.w, q.d, q.a)
		}
	}
	if slope*y-min(0, slope) <= 0 {
		return
	}
	t, _, _ := line.Minimise(slope, y, steep*math.Abs(slope))
	for k := range singles {
		if q := &singles[k]; q.matters() {
			q.at = q.natural(t)
		}
	}
}

// absorb gives the singles of a variable the multipliers that have been found, adds to a gap what that changes of
// theirs, and returns what is left, beside other variables.
func (s *State) absorb(i int32, singles []single, gap *solve.Sum) (rest float64) {
	for k := range singles {
		q := &singles[k]
		left := q.gap()
		if q.at != q.mu {
			was, before := q.mu, left
			q.mu, left, _ = solve.Contribution(q.block, q.w, q.d, q.at)
			s.g[i] += q.a * (q.mu - was)
			s.mu[q.place] = q.mu
			gap.Add(left - before)
		}
		rest += left
	}
	return rest + s.box(i)
}

// matters tells whether it takes over slopes: one that does not may be still.
func (q *single) matters() bool { return q.d >= 0 || q.block.Kind == mrf.Absolute }

// natural is the derivative a step along the variable away.
func (q *single) natural(t float64) float64 {
	if d := q.d + q.a*t; d > 0 || q.block.Kind == mrf.Absolute {
		return 2 * q.w * d
	}
	return 0
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

// rest is what a variable and its singles add to the gap, with its debt.
func (s *State) rest(i int32) float64 {
	rest := s.box(i) + float64(s.debt[i])
	s.buffer = s.appendSingles(s.buffer[:0], i, &s.own)
	for k := range s.buffer {
		rest += s.buffer[k].gap()
	}
	return rest
}

// What is held around a part pushes back, and squares of one variable take that up at a price which is mostly many
// times what would be won if it gave way. So where the gap is not far from proven, all of a part's potentials take it
// up together: they get the multipliers that they would have a step away at which the variables around give way as
// well, with those potentials that the part does not have as they are. No value changes, and so the next round would
// solve all again; but mostly the proof is made. What the potentials add to the gap then is noted as a debt of
// variables.

// relieve takes the multipliers of a step away at which everything in and around a part gives way, if that proves a
// gap, and tells whether it has.
func (s *State) relieve(p *part, gap float64) bool {
	limit := gap * s.worth()
	if s.gap.Value() > hopeful*limit || s.Certificate().MaxViolation > s.settings.Feasibility || !p.square() {
		return false
	}
	elsewhere := s.gap.Value() - p.missed
	for _, a := range p.around {
		elsewhere -= a.rest
	}
	if elsewhere > limit {
		return false
	}
	r := &p.relief
	s.gatherGivers(p, r)
	s.give(p, r, r.response.Step(gives))
	if s.gap.Value()+s.relieved(p, r) > limit {
		return false
	}
	s.takeRelief(p, r)
	return true
}

// at returns a variable by its number among a part's variables and those around it.
func (p *part) at(k int) int32 {
	if k < len(p.variables) {
		return p.variables[k]
	}
	return p.frontier[k-len(p.variables)]
}

// gatherGivers gathers a part's potentials that are 0 or more or have a multiplier, the squares of single variables
// around it, and what pushes those variables that can give way.
func (s *State) gatherGivers(p *part, r *relief) {
	inside := int32(len(p.variables))
	n := len(p.variables) + len(p.frontier)
	r.response.Reset(n)
	r.givers, r.ids, r.coef = r.givers[:0], r.ids[:0], r.coef[:0]
	for _, v := range []*[]float64{&r.slopes, &r.own, &r.pressure} {
		*v = slices.Grow((*v)[:0], n)[:n]
	}
	clear(r.own)
	for k, i := range p.variables {
		r.slopes[k] = s.g[i]
	}
	for k, i := range p.frontier {
		r.slopes[int(inside)+k] = s.g[i]
		s.marks[i] = numbered - int32(k)
	}
	for k := range p.rows {
		q := &p.rows[k]
		absolute := q.block.Kind == mrf.Absolute
		if q.d < 0 && !absolute && q.mu == 0 {
			continue
		}
		ids, coef := p.terms(int32(k))
		for _, i := range ids {
			number := s.marks[i] - 1
			if number < 0 {
				number = inside + numbered - s.marks[i]
			}
			r.ids = append(r.ids, number)
		}
		r.coef = append(r.coef, coef...)
		r.add(giver{place: q.place, absolute: absolute, d: q.d, w: q.w, was: q.mu}, len(ids))
	}
	for k, i := range p.frontier {
		if s.marks[i] = beside; k >= len(p.fringe) {
			continue // it has come since the round
		}
		e := &p.fringe[k]
		for at := e.from; at < e.to; at++ {
			q := &p.singles[at]
			if q.matters() {
				r.ids, r.coef = append(r.ids, inside+int32(k)), append(r.coef, q.a)
				it := giver{place: int32(q.place), absolute: q.block.Kind == mrf.Absolute, d: q.d, w: q.w, was: q.mu}
				r.add(it, 1)
			}
		}
	}
	for k, slope := range r.slopes {
		i := p.at(k)
		if y := s.y[i]; (y > 0 || slope < 0) && (y < 1 || slope > 0) && slope != 0 && s.pin(i) < 0 {
			r.response.Push(int32(k), slope)
		}
	}
}

// numbered is the mark of the first variable around a part while they are numbered, from which the others go down.
const numbered = -3

// give sets multipliers to those that there are a step away. What is left of the slopes then squares of one variable
// take over, as far as that pays.
func (s *State) give(p *part, r *relief, step []float64) {
	for k := range r.givers {
		q := &r.givers[k]
		by := 0.0
		for e, i := range r.ids[q.from:q.end] {
			by += r.coef[int(q.from)+e] * step[i]
		}
		r.move(q, by)
	}
	for k, own := range r.own {
		g, y := r.slopes[k], s.y[p.at(k)]
		switch {
		case own == 0:
		case g > 0 && y > 0:
			step[k] += max(-g/own, -y-step[k])
		case g < 0 && y < 1:
			step[k] += min(-g/own, 1-y-step[k])
		}
	}
	for k := range r.givers {
		if q := &r.givers[k]; q.end == q.from+1 {
			r.move(q, r.coef[q.from]*step[r.ids[q.from]])
		}
	}
}

// relieved is by how much the gap would be more, and notes which variables have it then.
func (s *State) relieved(p *part, r *relief) (more float64) {
	for k, slope := range r.slopes {
		i := p.at(k)
		r.pressure[k] = 0
		if s.pin(i) < 0 {
			r.pressure[k] = slope*s.y[i] - min(0, slope)
		}
		more += r.pressure[k] - s.box(i)
	}
	for k := range r.givers {
		q := &r.givers[k]
		now := q.gap(q.now)
		more += now - q.gap(q.was)
		if q.end == q.from+1 {
			r.pressure[r.ids[q.from]] += now
		}
	}
	return more
}

// takeRelief takes the multipliers, and notes what variables are left with.
func (s *State) takeRelief(p *part, r *relief) {
	inside := int32(len(p.variables))
	for k := range r.givers {
		q := &r.givers[k]
		now := q.gap(q.now)
		s.gap.Add(-q.gap(q.was))
		s.gap.Add(now)
		s.setMultiplier(int(q.place), q.now)
		if q.end == q.from+1 || now == 0 {
			continue
		}
		ids, _ := r.termsOf(q)
		for _, owner := range ids {
			if owner < inside {
				s.setDebt(p.variables[owner], s.debt[p.variables[owner]]+float32(now))
				break
			}
		}
	}
	least := max(s.negligible(), forgotten*s.settings.Gap*s.worth()/float64(len(r.slopes)))
	for k, slope := range r.slopes {
		i := p.at(k)
		s.gap.Add(-s.box(i))
		s.setSlope(i, slope)
		s.gap.Add(s.box(i))
		s.hold(i)
		if rest := r.pressure[k] + float64(s.debt[i]); rest > least {
			s.pressBy(i, rest)
		}
	}
}

// A variable that a hard ground rule of its own gives a value is *pinned*: it is in no part, since it cannot move, and
// the multiplier of that ground rule takes up whatever pushes it, which costs nothing. So what is around it is solved
// without hard rules, where there are no others. Parts have them in the end all the same where nothing else makes the
// proof: two ground rules may give one variable different values.

// findPins lists what pins variables.
func (s *State) findPins() {
	place := 0
	for _, b := range s.model.Blocks {
		for j := 0; b.Kind == mrf.Equal && j < b.Len; j++ {
			if ids := b.Ids(j, &s.own.row); pins(b.Kind, ids) {
				s.pins.add(ids[0], int32(place+j))
			}
		}
		place += b.Len
	}
}

// pin returns the place of a potential that pins a variable where it is, or -1.
func (s *State) pin(i int32) int { return s.pinBy(i, &s.own) }

// pinBy is pin for who reads by himself.
func (s *State) pinBy(i int32, own *reading) int {
	for _, place := range s.pins.at(i) {
		if s.isGone(int(place)) {
			continue
		}
		if v := s.viewBy(int(place), own); v.slack(s.y) == 0 {
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
	logs, low, high solve.Sum
}

func (k *kinds) count(m *mrf.Model, theta []float64) {
	for _, b := range m.Blocks {
		w := theta[b.Rule]
		switch {
		case b.Kind.Hard():
		case b.Scale == nil:
			k.add(w, b.Len)
		default:
			for _, scale := range b.Scale {
				k.add(w*float64(scale), 1)
			}
		}
	}
}

// add counts n potentials of a weight, or takes them out if n is negative.
func (k *kinds) add(w float64, n int) {
	if w > 0 {
		k.number += n
		k.logs.Add(float64(n) * math.Log2(w))
		k.low.Add(float64(n) * mrf.Fourth(1/w))
		k.high.Add(float64(n) * mrf.Fourth(w))
	}
}

// Grain is that of the problem as it is now.
func (s *State) Grain() float64 {
	k := &s.kinds
	return mrf.GrainOf(s.Unit(), k.low.Value(), k.high.Value(), float64(k.number))
}

// Unit is the unit of energy of the problem as it is now.
func (s *State) Unit() float64 {
	if s.kinds.number == 0 {
		return 1
	}
	return math.Exp2(s.kinds.logs.Value() / float64(s.kinds.number))
}
