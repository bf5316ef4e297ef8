package local

import "github.com/deeppsl/deeppsl/internal/solve/squares"

// relief is what has the multipliers that may be taken.
type relief struct {
	response squares.Response
	givers   []giver
	ids      []int32 // of the givers, as numbers among the part's variables and those around
	coef     []float64
	slopes   []float64 // of each variable
	own      []float64 // and its curvature by the squares of it alone that count
	pressure []float64 // and what it would add to the gap
}

// giver is a potential whose multiplier may change.
type giver struct {
	place, from, end  int32 // of its terms
	absolute          bool
	d, w              float64 // slack and weight
	was, natural, now float64 // multipliers: there has been, of where its variables are, and to be
}

// Relief is tried where the gap is so many times what was asked for, takes so many iterations, and leaves variables
// with that part of the gap all together which is forgotten.
const (
	hopeful   = 3
	gives     = 12
	forgotten = 0.01
)

// add adds a giver of the last terms, whose multiplier is at first that of where its variables are.
func (r *relief) add(q giver, terms int) {
	q.from, q.end = int32(len(r.ids)-terms), int32(len(r.ids))
	ids, coef := r.termsOf(&q)
	if q.d >= 0 || q.absolute {
		r.response.Square(ids, coef, q.w)
		if terms == 1 {
			r.own[ids[0]] += 2 * q.w * coef[0] * coef[0]
		}
	}
	q.natural = 2 * q.w * q.d
	if q.now = q.natural; !q.absolute {
		q.now = max(0, q.now)
	}
	for e, k := range ids {
		r.slopes[k] += coef[e] * (q.now - q.was)
	}
	r.givers = append(r.givers, q)
}

// bytes is what its memory takes, but for a little.
func (r *relief) bytes() int64 {
	return 56*int64(cap(r.givers)) + 24*int64(cap(r.ids)) + 100*int64(cap(r.slopes))
}

// termsOf returns the variables' numbers and coefficients of a giver.
func (r *relief) termsOf(q *giver) (ids []int32, coef []float64) {
	return r.ids[q.from:q.end], r.coef[q.from:q.end]
}

// move gives a giver the multiplier that it has where its slack is more by something.
func (r *relief) move(q *giver, by float64) {
	before := q.now
	if q.now = q.natural + 2*q.w*by; !q.absolute {
		q.now = max(0, q.now)
	}
	ids, coef := r.termsOf(q)
	for e, k := range ids {
		r.slopes[k] += coef[e] * (q.now - before)
	}
}

// gap is what a giver adds to the gap with a multiplier.
func (q *giver) gap(mu float64) float64 { return squareGap(q.w, q.d, mu, q.absolute) }

// squareGap is what a square with a weight and a slack, a hinge's or an absolute one, adds to the gap with a multiplier
// that it may have: see solve.Contribution.
func squareGap(w, d, mu float64, absolute bool) (gap float64) {
	if d < 0 && !absolute {
		d, gap = 0, -mu*d
	}
	if excess := mu - 2*w*d; excess != 0 {
		gap += excess * (excess / (4 * w))
	}
	return gap
}
