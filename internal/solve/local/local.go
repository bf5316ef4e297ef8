// Package local keeps a MAP state, with its proof, while ground rules come and go: State is what a solver is for a
// field that stays as it is.
//
// The gap of a state is a sum of what each potential and each variable adds to it, none of which is negative (see
// solve.Certify). They are kept as totals, and only what a change touches is taken out of them and put back in: so the
// proof is of the whole problem, while the work is that of its touched part. Solve takes the variables of what has come
// and gone, solves their part of the problem with all other variables held where they are, from the values and
// multipliers that it had, and then takes in the neighbours that this pushes, those that add most to the gap first,
// until little is added any more, or until the gap is proven and more would not be cheap.
//
// Where that is too much for an answer that has to come soon, Near leaves the rest to be done later, and a Whole that
// was lent is solved beside what changes and then adopted.
//
// What is asked in between leaves no trace: Begin notes what changes, and Rollback takes it back.
package local

import (
	"errors"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/bitset"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// State is a field whose potentials come and go, at a point with multipliers. It is not safe for concurrent use. A
// potential's place is its number among those of the first model, or, behind those, among the ones that have come.
type State struct {
	model *mrf.Model
	index *mrf.Occurrences
	theta []float64
	x     []float64

	y, g, mu []float64  // g is Aᵀμ
	debt     []float32  // of variables: what potentials of theirs add to the gap since relieve
	gone     bitset.Set // potentials that are no more
	first    int        // how many the first model has
	size     int        // and how many coefficients
	come     arrivals
	looked   int               // how many had come when it was last asked which are still there, or twice that
	of       byVariable        // of those that have come
	alone    byVariable        // and those of them that are squares of one variable, with others that unary has not
	within   map[int32][]int32 // places of potentials, gone ones too, by input, once one changes
	places   []span            // of those of the first model, by rule
	unary    []unary
	buffer   []single   // for rest
	pins     byVariable // of potentials that pin variables, gone ones too

	sums
	kinds kinds // what counts in the unit

	pending  []int32   // variables of what has changed since the last Solve
	left     []int32   // and of what Near has not done
	pressed  pressures // variables that were left with some of the gap, as it was then at most
	part     part
	marks    []int32     // of variables, in the part
	still    []stillness // potentials that are still, 64 each
	anchors  []anchors
	quiet    bitset.Set // potentials that a part need not look at: gone, still, or in it already
	own      reading
	lookouts []lookout
	log      []entry
	saved    *saved
	pages    Pages      // the last ones
	stale    bitset.Set // which of them are not what they would be now
	settings solve.Settings
	aim      float64 // the gap at which a Solve leaves off
	lent     *Whole  // nil for none
	brief    bool    // the whole took few steps the last time
	paying   bool    // what is solved is what earlier changes have left
	credit   int     // how many coefficients may be gone through for that

	// many is how many variables a part has to begin with to be looked into for components, and least how many rows a
	// piece has at least, if there are so many in components that are smaller. For crossing see there.
	many, least, crossing int
}

// Errors of New.
var (
	ErrPaged    = errors.New("the ground rules are in a file; what changes needs them in memory")
	ErrTooLarge = errors.New("there are too many ground rules for an index of 32 bits")
)

// New takes a field with a point and multipliers of it, nil for none; what the field has now is copied, but for the
// potentials. Of the settings, Gap and Feasibility say what Solve is to prove.
func New(field *mrf.Field, y, multipliers []float64, settings solve.Settings) (*State, error) {
	m := field.Model
	if m.Paged() != nil {
		return nil, ErrPaged
	}
	index := mrf.NewOccurrences(m)
	if index == nil {
		return nil, ErrTooLarge
	}
	n := m.Potentials()
	s := &State{
		model: m, index: index, theta: slices.Clone(field.Weights()), x: slices.Clone(field.Inputs()), y: slices.Clone(y),
		g: make([]float64, m.Variables), debt: make([]float32, m.Variables), first: n,
		gone: bitset.New(n), quiet: bitset.New(n), still: make([]stillness, n/64+1),
		settings: settings.WithDefaults(0), many: few, least: leastRows, crossing: crossing,
	}
	for _, b := range m.Blocks {
		s.size += len(b.Vars)
	}
	s.mu = make([]float64, n, n+s.room())
	copy(s.mu, multipliers)
	s.kinds.count(m, s.theta)
	s.findPlaces()
	s.findUnary()
	s.findPins()
	s.recount()
	return s, nil
}

// recount makes the totals anew.
func (s *State) recount() {
	s.sums = sums{}
	clear(s.g)
	clear(s.debt)
	s.restless()
	for place := range s.mu {
		if s.isGone(place) {
			continue
		}
		v := s.view(place)
		t := s.term(&v, v.slack(s.y), s.mu[place])
		s.mu[place] = t.mu
		s.count(&t, 1)
		for k, i := range v.ids {
			s.g[i] += v.coef[k] * t.mu
		}
	}
	s.calm()
	for i := range s.y {
		s.gap.Add(s.box(int32(i)))
	}
}

// box is what a variable adds to the gap: how far the energy, linearised, falls along it.
func (s *State) box(i int32) float64 { return s.g[i]*s.y[i] - min(0, s.g[i]) }

// term is what a potential adds to the totals.
type term struct{ mu, gap, objective, excess, violation float64 }

func (s *State) term(v *view, d, mu float64) (t term) {
	t.mu, t.gap, t.objective = solve.Contribution(v.block, v.w, d, mu)
	if by := v.block.Kind.Violation(d); by > 0 {
		t.violation = by / mrf.Magnitude(v.coef)
		t.excess = math.Abs(t.mu * d)
	}
	return t
}

// count adds a potential to the totals, or takes it out if sign is -1.
func (s *State) count(t *term, sign float64) { s.sums.count(t, sign, s.settings.Feasibility) }

// sums are totals.
type sums struct {
	objective, gap, excess solve.Sum
	violations             violations
}

// count is State.count, where violations up to some are accepted.
func (s *sums) count(t *term, sign, accepted float64) {
	s.objective.Add(sign * t.objective)
	s.gap.Add(sign * t.gap)
	s.excess.Add(sign * t.excess)
	s.violations.count(t.violation, int(sign), accepted)
}

// merge adds what has been counted elsewhere.
func (s *sums) merge(other *sums) {
	s.objective.Merge(other.objective)
	s.gap.Merge(other.gap)
	s.excess.Merge(other.excess)
	v := &other.violations
	s.violations.many += v.many
	s.violations.slight, s.violations.serious = max(s.violations.slight, v.slight), max(s.violations.serious, v.serious)
}

// violations are what hard constraints are violated by. Those that are violated by too much are counted.
type violations struct {
	many            int
	slight, serious float64 // the largest that there have been, of either kind
}

func (v *violations) count(violation float64, sign int, accepted float64) {
	if violation > accepted {
		v.many += sign
		v.serious = max(v.serious, violation)
	} else {
		v.slight = max(v.slight, violation)
	}
}

// bound is no less than any violation.
func (v *violations) bound() float64 {
	if v.many > 0 {
		return v.serious
	}
	return v.slight
}

// view is a potential as it stands.
type view struct {
	block *mrf.Block // its kind
	ids   []int32
	coef  []float64
	scale float32 // of the rule's weight
	w, c  float64 // weight, and constant with inputs
}

func (v *view) slack(y []float64) float64 {
	d := v.c
	for k, i := range v.ids {
		d += v.coef[k] * y[i]
	}
	return d
}

// alongAt is by how much the slack of the potential at a place grows along a variable, for who reads by himself.
func (s *State) alongAt(place int, variable int32, own *reading) (slope float64) {
	var ids []int32
	var coef []float64
	if place >= s.first {
		a := &s.come.all[place-s.first]
		ids, coef = s.come.ids[a.from:a.inputs], s.come.coef[a.from:a.inputs]
	} else {
		s.locate(place, own)
		ids, coef = own.block.Row(place-own.from, &own.row)
	}
	for k, i := range ids {
		if i == variable {
			slope += coef[k]
		}
	}
	return slope
}

// reading is what it takes to read potentials, each goroutine by itself.
type reading struct {
	row       mrf.RowBuffer
	places    []int32
	runs      []int32
	block     *mrf.Block // of the first model, that the last potential was in, with the places where it is
	from, end int
}

// view returns the potential at a place, until the next call.
func (s *State) view(place int) view { return s.viewBy(place, &s.own) }

// viewBy is view for who reads by himself.
func (s *State) viewBy(place int, own *reading) (v view) {
	if place >= s.first {
		a := &s.come.all[place-s.first]
		v = view{block: a.block, ids: s.come.ids[a.from:a.inputs], coef: s.come.coef[a.from:a.inputs],
			scale: float32(a.scale), w: s.theta[a.block.Rule] * a.scale, c: a.constant}
		for e := a.inputs; e < a.end; e++ {
			v.c += s.come.coef[e] * s.x[s.come.ids[e]]
		}
		return v
	}
	s.locate(place, own)
	return s.viewIn(own.block, place-own.from, own)
}

// locate finds the block that a potential of the first model is in.
func (s *State) locate(place int, own *reading) {
	if place < own.from || place >= own.end {
		k, j := s.index.Locate(place)
		own.block = s.model.Blocks[k]
		own.from, own.end = place-j, place-j+own.block.Len
	}
}

// viewIn returns potential j of a block of the first model, until the next call.
func (s *State) viewIn(b *mrf.Block, j int, own *reading) (v view) {
	v = view{block: b, scale: 1, w: s.theta[b.Rule], c: b.Constant + b.Own(j)}
	if b.Scale != nil {
		v.scale = b.Scale[j]
		v.w *= float64(v.scale)
	}
	if len(b.Inputs) > 0 {
		for k, i := range b.InputRow(j) {
			v.c += b.InputCoefficient(j, k) * s.x[i]
		}
	}
	v.ids, v.coef = b.Row(j, &own.row)
	return v
}

// set is a set of potentials, of which bits has each, or, but for those, all.
type set struct {
	bits bitset.Set
	but  bool
}

// along returns the places of the potentials that a variable is in and a set has, until the next call. Of hundreds that
// it goes through few are wanted, and which is not foreseen by a processor.
func (s *State) along(i int32, among set) []int32 { return s.alongBy(i, among, &s.own) }

// alongBy is along for who reads by himself.
func (s *State) alongBy(i int32, among set, own *reading) []int32 {
	return s.eachAlong(i, own, among.append)
}

// append appends those of some places that the set has.
func (w set) append(to, places []int32) []int32 {
	flip := uint64(0)
	if w.but {
		flip = 1
	}
	n := len(to)
	to = slices.Grow(to, len(places))[:n+len(places)]
	for _, place := range places {
		to[n] = place
		n += int(w.bits.Bit(int(place)) ^ flip)
	}
	return to[:n]
}

// stillAlong returns the places of the potentials that a variable is in and that are still on some levels, for who
// reads by himself, until the next call.
func (s *State) stillAlong(i int32, levels *stillness, own *reading) []int32 {
	return s.eachAlong(i, own, func(to, places []int32) []int32 {
		n := len(to)
		to = slices.Grow(to, len(places))[:n+len(places)]
		for _, place := range places {
			to[n] = place
			w := &s.still[place/64]
			n += int((w[0]&levels[0] | w[1]&levels[1] | w[2]&levels[2] | w[3]&levels[3]) >> (place % 64) & 1)
		}
		return to[:n]
	})
}

// eachAlong lets those be chosen from the places of the potentials that a variable is in, gone ones too, that are
// returned, until the next call.
func (s *State) eachAlong(i int32, own *reading, choose func(to, places []int32) []int32) []int32 {
	places := own.places[:0]
	if int(i) < s.model.Variables {
		places = choose(places, s.index.Listed(i))
		own.runs = s.index.AppendRuns(own.runs[:0], i)
		places = choose(places, own.runs)
	}
	own.places = choose(places, s.of.at(i))
	return own.places
}

// present is the set of potentials that are there.
func (s *State) present() set { return set{s.gone, true} }

func (s *State) isGone(place int) bool { return s.gone.Has(place) }

// Values returns the point, to read.
func (s *State) Values() []float64 { return s.y }

// Multipliers returns those of all places, to read.
func (s *State) Multipliers() []float64 { return s.mu }

// Certificate says how good the point is, for the problem as it is now.
func (s *State) Certificate() solve.Certificate {
	gap := s.gap.Value()
	c := solve.Certificate{Objective: s.objective.Value(), MaxViolation: s.violations.bound(),
		Excess: max(0, s.excess.Value())}
	c.DualBound, c.Gap = c.Objective-gap, gap/s.worth()
	return c
}

// worth is what a gap is relative to.
func (s *State) worth() float64 { return max(s.Grain(), math.Abs(s.objective.Value())) }

// Bytes is what all of this takes beside the model, and what the index of occurrences alone does.
func (s *State) Bytes() (all, index int64) {
	index = s.index.Bytes()
	all = index + 8*int64(2*len(s.y)+(2+len(tethers))*len(s.gone)+len(s.mu)) + 4*int64(len(s.marks)+len(s.pressed.at))
	all += 4*int64(len(tethers)*len(s.anchors)+len(s.debt)) + s.part.bytes()
	all += s.of.bytes() + s.alone.bytes() + s.pins.bytes()
	all += s.come.bytes()
	return all, index
}

// pageLen is how many values a page has.
const pageLen = 512

// Pages are values that never change, though those go on changing that they were taken from: what is the same in two of
// them is there once. So they take the time and memory of what has changed, beside eight bytes a page.
type Pages []*[pageLen]float64

// At returns value i.
func (p Pages) At(i int32) float64 { return p[i/pageLen][i%pageLen] }

// moved notes that a value is not that of the last pages.
func (s *State) moved(i int32) {
	if page := int(i / pageLen); page/64 < len(s.stale) {
		s.stale.Add(page)
	}
}

// Pages returns the values as they are now.
func (s *State) Pages() Pages {
	s.pages = slices.Clone(s.pages)
	for page := 0; page*pageLen < len(s.y); page++ {
		known := page < len(s.pages)
		if known && !s.stale.Has(page) {
			continue
		}
		now := new([pageLen]float64)
		copy(now[:], s.y[page*pageLen:])
		if known {
			s.pages[page] = now
		} else {
			s.pages = append(s.pages, now)
		}
	}
	if now := bitset.New(len(s.pages)); len(now) > len(s.stale) {
		s.stale = now
	}
	clear(s.stale)
	return s.pages
}
