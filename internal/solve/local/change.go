package local

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Add takes a potential in, and returns its place.
func (s *State) Add(p *mrf.Potential) int {
	place := len(s.mu)
	s.come.add(p)
	s.mu = append(s.mu, 0)
	if place/64 >= len(s.gone) {
		s.gone, s.quiet, s.still = append(s.gone, 0), append(s.quiet, 0), append(s.still, stillness{})
	}
	s.list(place)
	for _, i := range p.Inputs {
		if s.within != nil {
			s.within[i] = append(s.within[i], int32(place))
		}
	}
	if !p.Kind.Hard() {
		s.kinds.add(s.theta[p.Rule]*p.Scale, 1)
	}
	s.mu[place] = s.account(place, 0, 1)
	s.pending = append(s.pending, p.Vars...)
	return place
}

// list lists the potential at a place, which has come, by its variables.
func (s *State) list(place int) {
	k := place - s.first
	vars := s.come.vars(k)
	for _, i := range vars {
		s.of.add(i, int32(place))
	}
	if s.come.isSingle(k) {
		s.alone.add(vars[0], int32(place))
	}
	if s.come.pins(k) {
		s.pins.add(vars[0], int32(place))
	}
}

// Remove takes out the potential at a place.
func (s *State) Remove(place int) {
	s.account(place, s.mu[place], -1)
	v := s.view(place)
	s.pending = append(s.pending, v.ids...)
	if !v.block.Kind.Hard() {
		s.kinds.add(v.w, -1)
	}
	s.bury(place)
}

// scale is the factor of a potential's weight.
func (s *State) scale(place int) float64 {
	if place >= s.first {
		return s.come.all[place-s.first].scale
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
	found := -1
	look := func(place int32) {
		if found < 0 && !s.isGone(int(place)) && s.equal(int(place), p) {
			found = int(place)
		}
	}
	if int(rarest) < s.model.Variables && p.Rule < len(s.places) {
		among, listed := s.places[p.Rule], s.index.Listed(rarest)
		for from, _ := slices.BinarySearch(listed, among.from); from < len(listed) && listed[from] < among.to; from++ {
			look(listed[from])
		}
		s.own.runs = s.index.AppendRuns(s.own.runs[:0], rarest)
		for _, place := range s.own.runs {
			look(place)
		}
	}
	for _, place := range s.of.at(rarest) {
		look(place)
	}
	return found
}

// span is where potentials are, but for where others are as well.
type span struct{ from, to int32 }

// findPlaces notes where the potentials of each rule are.
func (s *State) findPlaces() {
	s.places = make([]span, s.model.Rules)
	place := int32(0)
	for _, b := range s.model.Blocks {
		at := &s.places[b.Rule]
		if at.to == 0 {
			at.from = place
		}
		place += int32(b.Len)
		at.to = place
	}
}

// occurs is about how many potentials a variable is in.
func (s *State) occurs(i int32) int {
	n := len(s.of.at(i))
	if int(i) < s.model.Variables {
		n += s.index.Count(i)
	}
	return n
}

// equal compares the potential at a place.
func (s *State) equal(place int, p *mrf.Potential) bool {
	if place >= s.first {
		q := s.come.at(place - s.first)
		return q.Compare(p) == 0
	}
	block, j := s.index.Locate(place)
	b := s.model.Blocks[block]
	if b.Rule != p.Rule || b.Kind != p.Kind || b.Constant+b.Own(j) != p.Constant || s.scale(place) != p.Scale {
		return false
	}
	vars, coef := b.Row(j, &s.own.row)
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
	for _, sign := range []float64{-1, 1} {
		for _, place := range places {
			v := s.view(int(place))
			t := s.term(&v, v.slack(s.y), s.mu[place])
			s.count(&t, sign)
			if sign > 0 {
				s.pending = append(s.pending, v.ids...)
			} else {
				s.stir(int(place))
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
	for k := range s.come.all {
		for _, i := range s.come.inputs(k) {
			s.within[i] = append(s.within[i], int32(first+k))
		}
	}
}

// SetValue moves a variable, which the next Solve takes for one that was touched.
func (s *State) SetValue(i int32, value float64) {
	places := slices.Clone(s.along(i, s.present()))
	s.recountAt(places, -1)
	s.gap.Add(-s.box(i))
	s.setValue(i, value)
	s.gap.Add(s.box(i))
	s.recountAt(places, 1)
	s.wake([]int32{i})
	s.pending = append(s.pending, i)
}

func (s *State) recountAt(places []int32, sign float64) {
	for _, place := range places {
		v := s.view(int(place))
		t := s.term(&v, v.slack(s.y), s.mu[place])
		s.count(&t, sign)
	}
}

// SetWeight gives a rule another weight. Multipliers of squares go with it, as those at the same point would. What is
// still adds nothing, whatever its weight.
func (s *State) SetWeight(rule int, weight float64) {
	was, plain := s.theta[rule], 0
	var awake []int
	s.eachOf(rule, func(place int, scale float64) {
		if scale == 1 {
			plain++
		} else {
			s.kinds.add(was*scale, -1)
			s.kinds.add(weight*scale, 1)
		}
		if !s.quiet.Has(place) {
			awake = append(awake, place)
		}
	})
	s.kinds.add(was, -plain)
	s.kinds.add(weight, plain)
	s.theta = slices.Clone(s.theta)
	s.theta[rule] = weight
	for _, place := range awake {
		s.reweigh(place, was)
	}
}

// reweigh recounts the potential at a place after its rule had another weight.
func (s *State) reweigh(place int, was float64) {
	v, mu := s.view(place), s.mu[place]
	d, before := v.slack(s.y), v
	before.w = was * s.scale(place)
	t := s.term(&before, d, mu)
	s.count(&t, -1)
	if now := mu * s.theta[v.block.Rule] / was; v.block.Exponent == 2 && finite(now) {
		mu = now
	}
	t = s.term(&v, d, mu)
	s.count(&t, 1)
	if t.mu != 0 || s.mu[place] != 0 || t.objective != 0 {
		s.pending = append(s.pending, v.ids...)
	}
	s.push(&v, t.mu-s.mu[place])
	s.setMultiplier(place, t.mu)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// eachOf visits the places and scales of the soft potentials of a rule.
func (s *State) eachOf(rule int, visit func(place int, scale float64)) {
	first := 0
	for _, b := range s.model.Blocks {
		for j := 0; b.Rule == rule && !b.Kind.Hard() && j < b.Len; j++ {
			switch {
			case s.isGone(first + j):
			case b.Scale == nil:
				visit(first+j, 1)
			default:
				visit(first+j, float64(b.Scale[j]))
			}
		}
		first += b.Len
	}
	for k := range s.come.all {
		if a := &s.come.all[k]; a.block.Rule == rule && !a.block.Kind.Hard() && !s.isGone(s.first+k) {
			visit(s.first+k, a.scale)
		}
	}
}

// AddRule adds a rule's weight behind the others.
func (s *State) AddRule(weight float64) { s.theta = append(slices.Clip(s.theta), weight) }

// Grow adds variables, which no potential has, behind the others.
func (s *State) Grow(variables int) {
	for len(s.y) < variables {
		s.moved(int32(len(s.y)))
		s.y, s.g, s.anchors = append(s.y, 0), append(s.g, 0), append(s.anchors, anchors{})
		s.debt = append(s.debt, 0)
	}
}

// push adds a multiplier's part to g.
func (s *State) push(v *view, mu float64) {
	if mu == 0 {
		return
	}
	for k, i := range v.ids {
		s.gap.Add(-s.box(i))
		s.setSlope(i, s.g[i]+v.coef[k]*mu)
		s.gap.Add(s.box(i))
	}
}

// Each visits all potentials.
func (s *State) Each(visit func(p *mrf.Potential)) {
	for place := range s.mu {
		switch {
		case s.isGone(place):
		case place >= s.first:
			p := s.come.at(place - s.first)
			visit(&p)
		default:
			block, j := s.index.Locate(place)
			p := s.model.Blocks[block].At(j)
			visit(&p)
		}
	}
}

// compactAt is how many potentials have come before it is asked how many of them have gone since.
const compactAt = 4096

// room is for how many potentials to come there is memory from the start.
func (s *State) room() int { return s.first/8 + compactAt }

// compact gives back what potentials take that have come and gone, once they are half of those that have come: then it
// costs no more than they did. The places of the others change. Nothing may be taken back any more.
func (s *State) compact() {
	if s.come.len() < max(compactAt, s.looked) || s.lent != nil {
		return
	}
	kept := 0
	for k := range s.come.all {
		if !s.isGone(s.first + k) {
			kept++
		}
	}
	s.looked = 2 * max(kept, compactAt/2)
	if kept > s.come.len()/2 {
		return
	}
	mu := s.mu[:s.first] // which is long
	if room := s.room(); cap(mu) > s.first+2*(kept+room) {
		mu = append(make([]float64, 0, s.first+kept+room), mu...)
	}
	s.come = s.come.only(kept, func(k int) bool {
		stays := !s.isGone(s.first + k)
		if stays {
			mu = append(mu, s.mu[s.first+k])
		}
		return stays
	})
	s.mu = mu
	words := len(s.mu)/64 + 1
	s.gone, s.quiet, s.still = s.gone[:words], s.quiet[:words], s.still[:words]
	for place := s.first; place < 64*words; place++ {
		s.stir(place)
		s.gone.Remove(place)
		s.quiet.Remove(place)
	}
	s.of, s.within = byVariable{}, nil
	s.alone.cut(s.first)
	s.pins.cut(s.first)
	for k := range s.come.all {
		s.list(s.first + k)
	}
}

// entry is a number that was something else before.
type entry struct {
	what what
	at   int32
	old  float64
}

// what a number of an entry is.
type what uint8

const (
	ofValue what = iota
	ofSlope
	ofMultiplier
	ofInput
	ofPresence                                  // it has no number: the potential was there, or was not
	ofAnchor                                    // of the first level, those of the others follow
	ofStillness = ofAnchor + what(len(tethers)) // it has no number either
	ofSurvey    = ofStillness + what(len(tethers))
	ofDebt      = ofSurvey + 1
)

// saved is what Begin keeps as a whole.
type saved struct {
	sums            sums
	kinds           kinds
	come, variables int
	theta           []float64
	pending, left   []int32
	pressed         []pressure
	moved           bool       // the state has other ones now
	surveys         []surveyed // what was before each
}

// surveyed is which potentials are still, and the anchors that this is by.
type surveyed struct {
	still   []stillness
	anchors []anchors
}

// Begin starts to note what changes, so that Rollback can take it back, until one of Rollback and Commit.
func (s *State) Begin() {
	if s.saved != nil {
		panic("local: changes within changes")
	}
	s.saved = &saved{sums: s.sums, kinds: s.kinds,
		come: s.come.len(), variables: len(s.y), theta: s.theta, pending: slices.Clone(s.pending),
		pressed: s.pressed.heap, left: slices.Clone(s.left)}
}

// Commit lets what has changed since Begin be.
func (s *State) Commit() {
	s.saved, s.log = nil, s.log[:0]
	s.compact()
}

// Rollback makes everything what it was at Begin, to the last bit.
func (s *State) Rollback() {
	for k := len(s.log) - 1; k >= 0; k-- {
		switch e := s.log[k]; e.what {
		case ofValue:
			s.y[e.at] = e.old
			s.moved(e.at)
		case ofSlope:
			s.g[e.at] = e.old
		case ofMultiplier:
			s.mu[e.at] = e.old
		case ofInput:
			s.x[e.at] = e.old
		case ofPresence:
			s.gone.Flip(int(e.at))
			s.quiet.Flip(int(e.at))
		case ofDebt:
			s.debt[e.at] = float32(e.old)
		case ofSurvey:
			s.undoSurvey(&s.saved.surveys[e.at])
		default:
			s.undoLevel(e)
		}
	}
	was := s.saved
	for k := s.come.len() - 1; k >= was.come; k-- {
		vars := s.come.vars(k)
		for _, i := range vars {
			s.of.pop(i)
		}
		if s.come.isSingle(k) {
			s.alone.pop(vars[0])
		}
		if s.come.pins(k) {
			s.pins.pop(vars[0])
		}
		for _, i := range s.come.inputs(k) {
			if s.within != nil {
				s.within[i] = s.within[i][:len(s.within[i])-1]
			}
		}
	}
	s.come.cut(was.come)
	s.mu = s.mu[:s.first+was.come]
	s.y, s.g, s.anchors = s.y[:was.variables], s.g[:was.variables], s.anchors[:was.variables]
	s.debt = s.debt[:was.variables]
	s.sums, s.kinds = was.sums, was.kinds
	s.pending, s.left, s.theta = was.pending, was.left, was.theta
	if was.moved {
		s.pressed.replace(was.pressed)
	}
	s.saved, s.log = nil, s.log[:0]
}

// undoLevel takes back an entry of a level.
func (s *State) undoLevel(e entry) {
	if e.what < ofStillness {
		s.anchors[e.at][e.what-ofAnchor] = float32(e.old)
	} else {
		s.still[e.at/64][e.what-ofStillness] ^= 1 << (e.at % 64)
		s.quiet.Flip(int(e.at))
	}
}

// noteStillness notes which potentials are still.
func (s *State) noteStillness() {
	if s.saved == nil {
		return
	}
	s.note(entry{what: ofSurvey, at: int32(len(s.saved.surveys))})
	s.saved.surveys = append(s.saved.surveys, surveyed{slices.Clone(s.still), slices.Clone(s.anchors)})
}

// undoSurvey takes back a survey.
func (s *State) undoSurvey(was *surveyed) {
	copy(s.anchors, was.anchors)
	for word, levels := range was.still {
		for k, bits := range levels {
			s.quiet[word] ^= s.still[word][k] ^ bits
		}
		s.still[word] = levels
	}
}

func (s *State) note(e entry) {
	if s.saved != nil {
		s.log = append(s.log, e)
	}
}

func (s *State) setValue(i int32, value float64) {
	s.note(entry{ofValue, i, s.y[i]})
	s.y[i] = value
	s.moved(i)
}

func (s *State) setSlope(i int32, slope float64) {
	s.note(entry{ofSlope, i, s.g[i]})
	s.g[i] = slope
}

func (s *State) setDebt(i int32, debt float32) {
	if s.debt[i] != debt {
		s.note(entry{ofDebt, i, float64(s.debt[i])})
		s.debt[i] = debt
	}
}

func (s *State) setMultiplier(place int, mu float64) {
	if place >= s.first && s.saved != nil && place-s.first >= s.saved.come {
		s.mu[place] = mu // it goes with the potential
		return
	}
	s.note(entry{ofMultiplier, int32(place), s.mu[place]})
	s.mu[place] = mu
}

// noteParts notes what installing pieces of a part may change, but for values.
func (s *State) noteParts(p *part, pieces []*piece) {
	if s.saved == nil {
		return
	}
	for _, q := range pieces {
		for _, k := range q.variables {
			s.setSlope(p.variables[k], s.g[p.variables[k]])
		}
		for _, row := range q.order {
			place := int(p.rows[row].place)
			s.setMultiplier(place, s.mu[place])
		}
	}
}

// noteAround notes what absorbing what pushes the variables around a part may change.
func (s *State) noteAround(p *part) {
	if s.saved == nil {
		return
	}
	for k, i := range p.frontier {
		if s.marks[i] != pulled {
			continue
		}
		s.setSlope(i, s.g[i])
		for _, q := range p.singles[p.fringe[k].from:p.fringe[k].to] {
			s.setMultiplier(q.place, q.mu)
		}
	}
}

// bury takes a potential away.
func (s *State) bury(place int) {
	s.stir(place)
	s.note(entry{ofPresence, int32(place), 0})
	s.gone.Add(place)
	s.quiet.Add(place)
}
