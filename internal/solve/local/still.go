package local

import (
	"math"
	"math/bits"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/solve"
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
	if mu != 0 || !rests(v.block.Kind) {
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

// rests tells whether potentials of a kind can be still.
func rests(kind mrf.Kind) bool { return kind == mrf.Hinge || kind == mrf.LessEqual }

// stillness has bits for 64 potentials that are still, level by level.
type stillness [len(tethers)]uint64

// of is the level that has a bit, or -1.
func (w *stillness) of(bit int) int {
	for k, still := range w {
		if still>>bit&1 == 1 {
			return k
		}
	}
	return -1
}

// turn takes the potential at a place for still on a level, or no more.
func (s *State) turn(level, place int) {
	s.note(entry{ofStillness + what(level), int32(place), 0})
	s.still[place/64][level] ^= 1 << (place % 64)
	s.quiet.Flip(place)
}

// stir takes the potential at a place for still no more.
func (s *State) stir(place int) {
	if k := s.still[place/64].of(place % 64); k >= 0 {
		s.turn(k, place)
	}
}

// lookAgain gathers those potentials around variables that have moved that are still no more, and counts what they add
// to the totals.
func (s *State) lookAgain(p *part) {
	p.missed = 0
	woken, from := s.wake(p.moved), len(p.rows)
	for _, place := range woken {
		s.quiet.Add(int(place))
	}
	s.gatherPlaces(p, woken)
	for k := from; k < len(p.rows); k++ {
		r := &p.rows[k]
		if r.d <= 0 {
			continue
		}
		ids, coef := p.terms(int32(k))
		t := s.term(&view{block: r.block, ids: ids, coef: coef, w: r.w}, r.d, 0)
		s.count(&t, 1)
		p.missed += t.gap
		s.unsolved(p, ids)
		if r.block.Kind.Hard() {
			p.missed = math.Inf(1)
		}
	}
}

// wake anchors those of some variables anew that have gone too far, and returns the places of the potentials around
// them that are still no more.
func (s *State) wake(variables []int32) (woken []int32) {
	if s.spreads(variables) {
		return s.survey()
	}
	for _, l := range s.look(s.moor(variables)) {
		for _, f := range l.found {
			was := s.still[f.place/64].of(int(f.place % 64))
			if was < 0 || was == int(f.level) {
				continue // it was found by another variable of it
			}
			s.turn(was, int(f.place))
			if f.level < 0 {
				woken = append(woken, f.place)
			} else {
				s.turn(int(f.level), int(f.place))
			}
		}
	}
	return woken
}

// stray is a variable that has gone too far from some of its anchors: of which levels, a bit for each, and from which
// of them it rose.
type stray struct {
	i            int32
	levels, rose uint8
}

// moor anchors those of some variables anew that have gone too far, and returns them.
func (s *State) moor(variables []int32) (strayed []stray) {
	for _, i := range variables {
		v, anchors := stray{i: i}, &s.anchors[i]
		for k, tether := range tethers {
			by := s.y[i] - float64(anchors[k])
			if math.Abs(by) <= tether {
				continue
			}
			s.note(entry{ofAnchor + what(k), i, float64(anchors[k])})
			anchors[k] = float32(s.y[i])
			if v.levels |= 1 << k; by > 0 {
				v.rose |= 1 << k
			}
		}
		if v.levels != 0 {
			strayed = append(strayed, v)
		}
	}
	return strayed
}

// lookout looks at potentials, beside others.
type lookout struct {
	own    reading
	found  []finding
	places []int32
	rows   []row // whose ends are in ids
	ids    []int32
	coef   []float64

	line    mrf.Line
	singles []single
	ends    []int // in them, of each variable's

	gap       solve.Sum // what has been added to it
	objective float64   // of rows
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

// look looks at the potentials of strayed variables that have been still on the levels of these, and finds those that
// are no more.
func (s *State) look(strayed []stray) []lookout {
	return s.shared(len(strayed), lookoutLen, func(l *lookout, from, to int) {
		l.found = l.found[:0]
		for _, v := range strayed[from:to] {
			s.lookAround(l, v)
		}
	})
}

// lookAround is look for one variable. Potentials that it moves away from mattering are as still as they were.
func (s *State) lookAround(l *lookout, v stray) {
	var levels stillness
	for k := range levels {
		levels[k] = -uint64(v.levels >> k & 1)
	}
	places, n := s.stillAlong(v.i, &levels, &l.own), 0
	for _, place := range places { // first alone, so that none waits for the memory of the one before
		was, nearer := s.still[place/64].of(int(place%64)), 0
		if s.alongAt(int(place), v.i, &l.own) > 0 == (v.rose>>was&1 == 1) {
			nearer = 1
		}
		places[n] = place
		n += nearer
	}
	for _, place := range places[:n] {
		q := s.viewBy(int(place), &l.own)
		if now := s.levelOf(&q, 0); now != s.still[place/64].of(int(place%64)) {
			l.found = append(l.found, finding{place, int8(now)})
		}
	}
}

// restless forgets which potentials are still, and anchors all variables where they are.
func (s *State) restless() {
	copy(s.quiet, s.gone)
	clear(s.still)
	s.anchor()
}

// calm finds what is still, after restless, in the order of memory.
func (s *State) calm() {
	n := (len(s.gone) + surveyLen - 1) / surveyLen
	parallel.For(parallel.Threads(s.settings.Threads), n, func(task int) {
		var own reading
		for word := task * surveyLen; word < min(len(s.gone), (task+1)*surveyLen); word++ {
			idle := uint64(0)
			for at, mu := range s.mu[min(64*word, len(s.mu)):min(64*word+64, len(s.mu))] {
				if mu == 0 {
					idle |= 1 << at
				}
			}
			if idle &^= s.gone[word]; idle != 0 {
				s.quiet[word] |= idle &^ s.levels(word, idle, &own)
			}
		}
	})
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

// spreads tells whether it takes less time to look at all potentials than at those around some variables that are far
// from one of their anchors.
func (s *State) spreads(variables []int32) bool {
	finest, looks := len(tethers)-1, 0
	for _, i := range variables {
		if math.Abs(s.y[i]-float64(s.anchors[i][finest])) <= tethers[finest] {
			continue
		}
		if looks += s.occurs(i); s.crossing*looks > len(s.mu) {
			return true
		}
	}
	return false
}

// survey is wake for what all variables have come to: they are anchored where they are, and what is still gets the
// level that it has there.
func (s *State) survey() (woken []int32) {
	s.noteStillness()
	s.anchor()
	s.markAll()
	n := (len(s.gone) + surveyLen - 1) / surveyLen
	found := make([][]int32, n)
	parallel.For(parallel.Threads(s.settings.Threads), n, func(task int) {
		found[task] = s.surveyWords(task*surveyLen, min(len(s.gone), (task+1)*surveyLen))
	})
	return slices.Concat(found...)
}

// surveyLen is how many words of the bits are surveyed in a task.
const surveyLen = 256

// surveyWords surveys the potentials of some words of the bits, and returns the places of those that a part has
// variables of.
func (s *State) surveyWords(from, to int) (woken []int32) {
	var own reading
	for word := from; word < to; word++ {
		still := uint64(0)
		for _, bits := range s.still[word] {
			still |= bits
		}
		s.still[word] = stillness{}
		if still == 0 {
			continue
		}
		restless := s.levels(word, still, &own)
		for s.quiet[word] &^= restless; restless != 0; restless &= restless - 1 {
			place := 64*word + bits.TrailingZeros64(restless)
			if v := s.viewBy(place, &own); slices.ContainsFunc(v.ids, func(i int32) bool { return s.marks[i] > 0 }) {
				woken = append(woken, int32(place))
			}
		}
	}
	return woken
}

// levels gives some potentials of a word, whose multipliers are 0, the levels that they have where all variables are
// anchored where they are, and returns those that have none.
func (s *State) levels(word int, still uint64, own *reading) (restless uint64) {
	if last := 64*word + 63; last < s.first {
		at, j := s.index.Locate(64 * word)
		switch b := s.model.Blocks[at]; {
		case j+63 >= b.Len:
		case !rests(b.Kind):
			return still
		case b.VarStart == nil:
			return s.levelsOf(word, still, b, j)
		}
	}
	for ; still != 0; still &= still - 1 {
		at := bits.TrailingZeros64(still)
		v := s.viewBy(64*word+at, own)
		if k := s.levelOf(&v, 0); k >= 0 {
			s.still[word][k] |= 1 << at
		} else {
			restless |= 1 << at
		}
	}
	return restless
}

// levelsOf is levels for 64 potentials of a block, from one on, that have the same coefficients.
func (s *State) levelsOf(word int, still uint64, b *mrf.Block, first int) (restless uint64) {
	var slacks [64]float64
	reach := 0.0
	for _, a := range b.Coef {
		reach += math.Abs(a)
	}
	var below [len(tethers)]float64
	for k, tether := range tethers {
		below[k] = -slackness * tether * reach
	}
	far := uint64(0) // on the first level, as most are
	if len(b.Coef) == 3 && !b.Varies() && len(b.Inputs) == 0 {
		far = slacksOfThree(b, first, s.y, below[0], &slacks)
	} else {
		b.Slacks(first, first+64, s.y, s.x, slacks[:])
		for at, d := range slacks {
			far |= isBelow(d, below[0]) << at
		}
	}
	far &= still
	var second, third, fourth uint64
	for near := still &^ far; near != 0; near &= near - 1 {
		at := bits.TrailingZeros64(near)
		d := slacks[at]
		second |= isBelow(d, below[1]) << at
		third |= isBelow(d, below[2]) << at
		fourth |= isBelow(d, below[3]) << at
	}
	s.still[word] = stillness{far, second, third &^ second, fourth &^ third} // who is below one is below those behind it
	return still &^ far &^ fourth
}

// slacksOfThree sets the slacks of 64 potentials of three variables, from one on, that have the same coefficients and
// constant, and tells which of them are below a bound.
func slacksOfThree(b *mrf.Block, first int, y []float64, bound float64, slacks *[64]float64) (below uint64) {
	c, a0, a1, a2 := b.Constant, b.Coef[0], b.Coef[1], b.Coef[2]
	vars := b.Vars[3*first : 3*first+3*64]
	for at := range slacks {
		p := (*[3]int32)(vars)
		vars = vars[3:]
		d := c + a0*y[p[0]] + a1*y[p[1]] + a2*y[p[2]]
		slacks[at] = d
		below |= isBelow(d, bound) << at
	}
	return below
}

// isBelow is 1 for a number below another one: which are no processor foresees, so that there is no branch.
func isBelow(d, bound float64) uint64 { return math.Float64bits(d-bound) >> 63 }
