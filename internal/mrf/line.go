package mrf

import "math"

// Line is the part of the energy along one variable that is not linearised.
type Line struct {
	squares   []square
	curvature float64 // F”(0)
}

// square is w·max(0, d)², or w·d² if it always counts, with d = slack + a·t; the excess is what is squared at t = 0.
type square struct {
	slack, excess, a, w float64
	always              uint64 // all bits set, or none
}

// Reset makes the line one without squares.
func (l *Line) Reset() { l.squares, l.curvature = l.squares[:0], 0 }

// Add adds the square w·max(0, slack + a·t)², or one without the max if it always counts.
func (l *Line) Add(w, slack, a float64, always bool) {
	q := square{slack: slack, a: a, w: w}
	if always {
		q.always = math.MaxUint64
	}
	active := positive(slack) | q.always
	q.excess = masked(slack, active)
	l.curvature += masked(2*w*a*a, active)
	l.squares = append(l.squares, q)
}

// Multiplier returns the derivative of square k at t.
func (l *Line) Multiplier(k int, t float64) float64 {
	q := &l.squares[k]
	d := q.slack + q.a*t
	return 2 * q.w * masked(d, positive(d)|q.always)
}

// masked is v if all bits of the mask are set, and 0 if none is.
func masked(v float64, mask uint64) float64 { return math.Float64frombits(math.Float64bits(v) & mask) }

// attempts is how many points are tried for a minimiser.
const attempts = 20

// Minimise returns the minimiser over y+t in [0,1] of
//
//	F(t) = g·t + Σ_j (φ_j(t) - φ_j(0) - φ'_j(0)·t),
//
// and how far F(0) is above the bound that the derivatives there are multipliers for: -F(t), and what is left of the
// slope. The slope of F is piecewise linear, so that Newton's method mostly ends after one point or two.
func (l *Line) Minimise(g, y, flat float64) (t, gap, curvature float64) {
	lo, hi := -y, 1-y
	value, slope := 0.0, g
	curvature = l.curvature
	for k := range attempts {
		if slope > 0 {
			hi = t
		} else {
			lo = t
		}
		next := min(max(t-slope/curvature, lo), hi)
		if k >= attempts/4 && (next == lo || next == hi) {
			next = (lo + hi) / 2 // Newton's method goes to and fro between two pieces
		}
		if next == t {
			break
		}
		t = next
		if value, slope, curvature = l.at(g, t); math.Abs(slope) <= flat {
			break
		}
	}
	return t, slope*(y+t) - min(0, slope) - value, curvature
}

// at returns F(t), F'(t) and F”(t).
func (l *Line) at(g, t float64) (value, slope, curvature float64) {
	value, slope = g*t, g
	for k := range l.squares {
		q := &l.squares[k]
		d := q.slack + q.a*t
		active := positive(d) | q.always
		rise := masked(d, active) - q.excess
		value += q.w * (rise*rise + 2*q.excess*(rise-q.a*t))
		slope += 2 * q.w * q.a * rise
		curvature += masked(2*q.w*q.a*q.a, active)
	}
	return value, slope, curvature
}
