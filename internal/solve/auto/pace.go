package auto

import "math"

// pace is how fast a method nears its goal: it is 1 off there. Some near it by leaps, of which how far they have got
// says nothing until they are nearly there.
type pace struct {
	first, best float64
	leaps       bool
	// mark and before are where the work had doubled the last two times.
	mark, before place
}

// place is how far off a method is after so much work.
type place struct{ work, off float64 }

// nearly is how far off a method is that is expected to end soon, nearer if it has gained something, and far if it has
// next to nothing. Counted is how many times what it counts Newton's method takes, in the median of all kinds. Steady
// is how many times nearer a method comes at a steady pace while it works as much as before.
const nearly, nearer, far, counted, steady = 100, 1e4, 1e5, 2, 5

// newPace returns the pace of a method that has proven nothing yet: it is infinitely far off.
func newPace(leaps bool) pace {
	nowhere := place{0, math.Inf(1)}
	return pace{first: math.NaN(), best: math.Inf(1), leaps: leaps, mark: nowhere, before: nowhere}
}

// see takes how far off the method is after so much work, and returns the least of that so far.
func (p *pace) see(work, off float64) float64 {
	if math.IsNaN(p.first) && !math.IsInf(off, 0) {
		p.first, p.best = off, off
	}
	p.best = min(p.best, off)
	if work > 2*p.mark.work {
		p.before, p.mark = p.mark, place{work, p.best}
	}
	return p.best
}

// steady tells whether a method has come nearer at a steady pace since its work was half of what it is.
func (p *pace) steady(off float64) bool {
	return !math.IsInf(p.before.off, 1) && p.before.off >= steady*off
}

// left is what has to be less than the other method's work for this one to go on at the pace so far: what the whole
// takes if every digit takes the same, or, of what has come near by leaps, what is done, or left if each digit takes as
// many times the work of the one before as it has since the work was half of this.
func (p *pace) left(work, off float64) float64 {
	if !p.leaps {
		if gained := math.Log(p.first / off); gained > 0 {
			return work * math.Log(p.first) / gained
		}
		return math.Inf(1)
	}
	switch {
	case off > nearly || off >= p.before.off:
		return math.Inf(1)
	case math.IsInf(p.before.off, 1):
		return work
	}
	power := math.Log(p.before.off/off) / math.Log(work/p.before.work)
	return max(work, counted*work*(math.Pow(off, 1/power)-1))
}
