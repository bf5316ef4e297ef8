package local

import (
	"math"
	"math/bits"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
)

// Most potentials around variables that change are far from mattering: they are 0, their multipliers are 0, and it
// takes moves of their variables until that is otherwise. Such a potential is *still*, and what is done around it looks
// at no more of it than a bit. That is so on one of several levels: its slack is that at the level's anchors, which are
// points that no variable is further from than the level's tether. A variable that goes further is anchored anew where
// it is then, and those potentials around it are looked at that are still on this level. Potentials a little away from
// mattering are on a level of a short tether; most are on one of a long tether, which is seldom too short.

// tethers are how far variables may go from their anchors, level by level.
var tethers = [...]float64{0.2, 0.06, 0.018, 0.005}

// slackness is how many tethers each variable of a still potential would have to go for it to matter: more than
// rounding reaches.
const slackness = 1.01

// anchors are those of a variable, level by level: side by side, since most looks go through all of them, and in single
// precision, which is no less exact where they are that number.
type anchors [len(tethers)]float32

// levelOf returns the level on which a potential with a multiplier is still, or -1.
func (s *State) levelOf(v *view, mu float64) int {
	if mu != 0 || v.block.Kind != mrf.Hinge && v.block.Kind != mrf.LessEqual {
		return -1
	}
	var slacks [len(tethers)]float64
	reach := 0.0 // by how much the slack changes at most where each variable moves by 1
	for e, i := range v.ids {
		at, a := &s.anchors[i], v.coef[e]
		for k := range slacks {
			slacks[k] += a * float64(at[k])
		}
		reach += math.Abs(a)
	}
	for k, tether := range tethers {
		if v.c+slacks[k] < -slackness*tether*reach {
			return k
		}
	}
	return -1
}

// turn takes the potential at a place for still on a level, or no more.
func (s *State) turn(level, place int) {
	s.note(entry{ofStillness + what(level), int32(place), 0})
	s.still[level][place/64] ^= 1 << (place % 64)
	s.quiet[place/64] ^= 1 << (place % 64)
}

// stir takes the potential at a place for still no more.
func (s *State) stir(place int) {
	for k := range s.still {
		if s.still[k][place/64]>>(place%64)&1 == 1 {
			s.turn(k, place)
		}
	}
}

// wake anchors those of some variables anew that have gone too far, and returns the places of the potentials around
// them that are still no more.
func (s *State) wake(variables []int32) (woken []int) {
	if s.crossing*s.around(s.strayed(variables)) > usual*len(s.mu) {
		return s.survey()
	}
	for k, tether := range tethers {
		var moved []int32
		for _, i := range variables {
			if at := &s.anchors[i][k]; math.Abs(s.y[i]-float64(*at)) > tether {
				s.note(entry{ofAnchor + what(k), i, float64(*at)})
				*at = float32(s.y[i])
				moved = append(moved, i)
			}
		}
		for _, l := range s.look(k, moved) {
			for _, f := range l.found {
				if s.still[k][f.place/64]>>(f.place%64)&1 == 0 {
					continue // it was found by another variable of it
				}
				s.turn(k, int(f.place))
				if f.level < 0 {
					woken = append(woken, int(f.place))
				} else {
					s.turn(int(f.level), int(f.place))
				}
			}
		}
	}
	return woken
}

// lookout looks at potentials, beside others.
type lookout struct {
	own    reading
	found  []finding
	places []int32
	rows   []row // whose ends are in ids
	ids    []int32
	coef   []float64

	singles []single
	ends    []int // in them, of each variable's
}

// finding is a potential that is still on another level than before, or, below 0, on none.
type finding struct {
	place int32
	level int8
}

// lookoutLen is of how many variables a lookout looks at the potentials.
const lookoutLen = 64

// shared lets lookouts have equal shares of n things to look at, and returns them in the order of these.
func (s *State) shared(n, share int, look func(l *lookout, from, to int)) []lookout {
	tasks := (n + share - 1) / share
	s.lookouts = append(s.lookouts, make([]lookout, max(0, tasks-len(s.lookouts)))...)
	parallel.For(parallel.Threads(s.settings.Threads), tasks, func(task int) {
		look(&s.lookouts[task], task*share, min(n, (task+1)*share))
	})
	return s.lookouts[:tasks]
}

// look looks at the potentials of variables that have been still on a level, and finds those that are no more.
func (s *State) look(level int, variables []int32) []lookout {
	return s.shared(len(variables), lookoutLen, func(l *lookout, from, to int) {
		l.found = l.found[:0]
		for _, i := range variables[from:to] {
			for _, place := range s.alongBy(i, set{s.still[level], false}, &l.own) {
				v := s.viewBy(int(place), &l.own)
				if now := s.levelOf(&v, 0); now != level {
					l.found = append(l.found, finding{place, int8(now)})
				}
			}
		}
	})
}

// restless forgets which potentials are still, and anchors all variables where they are.
func (s *State) restless() {
	copy(s.quiet, s.gone)
	for _, still := range s.still {
		clear(still)
	}
	s.anchor()
}

// anchor anchors all variables where they are.
func (s *State) anchor() {
	s.anchors = slices.Grow(s.anchors[:0], len(s.y))[:len(s.y)]
	parallel.Range(parallel.Threads(s.settings.Threads), len(s.y), func(lo, hi int) {
		for i, y := range s.y[lo:hi] {
			at := float32(y)
			if all := (anchors{at, at, at, at}); s.anchors[lo+i] != all { // writing takes longer
				s.anchors[lo+i] = all
			}
		}
	})
}

// Where much moves, most potentials are around one variable or another, and each is reached by some jumps in memory: it
// takes less time then to look at all of them, one after the other as they are there.

// crossing is how many times as long it takes to look at a potential around a variable as at each of all in order.
const crossing = 8

// strayed are those of some variables that are far from one of their anchors.
func (s *State) strayed(variables []int32) (strayed []int32) {
	finest := len(tethers) - 1
	for _, i := range variables {
		if math.Abs(s.y[i]-float64(s.anchors[i][finest])) > tethers[finest] {
			strayed = append(strayed, i)
		}
	}
	return strayed
}

// survey is wake for what all variables have come to: they are anchored where they are, and what is still gets the
// level that it has there.
func (s *State) survey() (woken []int) {
	s.noteStillness()
	s.anchor()
	s.markAll()
	n := (len(s.gone) + surveyLen - 1) / surveyLen
	found := make([][]int, n)
	parallel.For(parallel.Threads(s.settings.Threads), n, func(task int) {
		found[task] = s.surveyWords(task*surveyLen, min(len(s.gone), (task+1)*surveyLen))
	})
	return slices.Concat(found...)
}

// surveyLen is how many words of the bits are surveyed in a task.
const surveyLen = 256

// surveyWords surveys the potentials of some words of the bits, and returns the places of those that a part has
// variables of.
func (s *State) surveyWords(from, to int) (woken []int) {
	var own reading
	for word := from; word < to; word++ {
		still := uint64(0)
		for k := range s.still {
			still |= s.still[k][word]
			s.still[k][word] = 0
		}
		if still == 0 {
			continue
		}
		restless := s.levels(word, still, &own)
		for s.quiet[word] &^= restless; restless != 0; restless &= restless - 1 {
			place := 64*word + bits.TrailingZeros64(restless)
			if v := s.viewBy(place, &own); slices.ContainsFunc(v.ids, func(i int32) bool { return s.marks[i] > 0 }) {
				woken = append(woken, place)
			}
		}
	}
	return woken
}

// levels gives those potentials of a word that have been still the levels that they have with all variables anchored
// where they are, and returns those that have none.
func (s *State) levels(word int, still uint64, own *reading) (restless uint64) {
	if last := 64*word + 63; last < s.first {
		at, j := s.index.Locate(64 * word)
		if b := s.model.Blocks[at]; b.VarStart == nil && j+63 < b.Len {
			return s.levelsOf(word, still, b, j)
		}
	}
	for ; still != 0; still &= still - 1 {
		at := bits.TrailingZeros64(still)
		v := s.viewBy(64*word+at, own)
		if k := s.levelOf(&v, 0); k >= 0 {
			s.still[k][word] |= 1 << at
		} else {
			restless |= 1 << at
		}
	}
	return restless
}

// levelsOf is levels for 64 potentials of a block, from one on, that have the same coefficients.
func (s *State) levelsOf(word int, still uint64, b *mrf.Block, first int) (restless uint64) {
	var slacks [64]float64
	b.Slacks(first, first+64, s.y, s.x, slacks[:])
	reach := 0.0
	for _, a := range b.Coef {
		reach += math.Abs(a)
	}
	for k, tether := range tethers {
		far, below := uint64(0), -slackness*tether*reach
		for at, d := range slacks {
			far |= isBelow(d, below) << at
		}
		s.still[k][word] = far & still
		if still &^= far; still == 0 {
			break
		}
	}
	return still
}

// isBelow is 1 for a number below another one: which are no processor foresees, so that there is no branch.
func isBelow(d, bound float64) uint64 { return math.Float64bits(d-bound) >> 63 }
