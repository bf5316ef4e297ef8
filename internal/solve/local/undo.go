package local

import "slices"

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
)

// saved is what Begin keeps as a whole.
type saved struct {
	sums            sums
	kinds           kinds
	come, variables int
	theta           []float64
	pending, left   []int32
	pressed         []pressure
	surveys         []stillness // what was before each
}

// stillness is which potentials are still, and the anchors that this is by.
type stillness struct {
	still   [len(tethers)][]uint64
	anchors []anchors
}

// Begin starts to note what changes, so that Rollback can take it back, until one of Rollback and Commit.
func (s *State) Begin() {
	if s.saved != nil {
		panic("local: changes within changes")
	}
	s.saved = &saved{sums: s.sums, kinds: s.kinds,
		come: len(s.come), variables: len(s.y), theta: s.theta, pending: slices.Clone(s.pending),
		pressed: slices.Clip(s.pressed), left: slices.Clone(s.left)}
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
			s.gone[e.at/64] ^= 1 << (e.at % 64)
			s.quiet[e.at/64] ^= 1 << (e.at % 64)
		case ofSurvey:
			s.undoSurvey(&s.saved.surveys[e.at])
		default:
			s.undoLevel(e)
		}
	}
	was := s.saved
	for k := len(s.come) - 1; k >= was.come; k-- {
		for _, i := range s.come[k].Vars {
			s.of.pop(i)
		}
		if p := &s.come[k]; pins(p.Kind, p.Vars) {
			s.pins.pop(p.Vars[0])
		}
		for _, i := range s.come[k].Inputs {
			if s.within != nil {
				s.within[i] = s.within[i][:len(s.within[i])-1]
			}
		}
	}
	s.come, s.mu = s.come[:was.come], s.mu[:s.first+was.come]
	s.y, s.g, s.anchors = s.y[:was.variables], s.g[:was.variables], s.anchors[:was.variables]
	s.sums, s.kinds = was.sums, was.kinds
	s.pending, s.pressed, s.left, s.theta = was.pending, was.pressed, was.left, was.theta
	s.saved, s.log = nil, s.log[:0]
}

// undoLevel takes back an entry of a level.
func (s *State) undoLevel(e entry) {
	if e.what < ofStillness {
		s.anchors[e.at][e.what-ofAnchor] = float32(e.old)
	} else {
		s.still[e.what-ofStillness][e.at/64] ^= 1 << (e.at % 64)
		s.quiet[e.at/64] ^= 1 << (e.at % 64)
	}
}

// noteStillness notes which potentials are still.
func (s *State) noteStillness() {
	if s.saved == nil {
		return
	}
	s.note(entry{what: ofSurvey, at: int32(len(s.saved.surveys))})
	was := stillness{anchors: slices.Clone(s.anchors)}
	for k := range s.still {
		was.still[k] = slices.Clone(s.still[k])
	}
	s.saved.surveys = append(s.saved.surveys, was)
}

// undoSurvey takes back a survey.
func (s *State) undoSurvey(was *stillness) {
	copy(s.anchors, was.anchors)
	for k := range s.still {
		for word, bits := range was.still[k] {
			s.quiet[word] ^= s.still[k][word] ^ bits
			s.still[k][word] = bits
		}
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

// bury takes a potential away.
func (s *State) bury(place int) {
	s.stir(place)
	s.note(entry{ofPresence, int32(place), 0})
	s.gone[place/64] |= 1 << (place % 64)
	s.quiet[place/64] |= 1 << (place % 64)
}
