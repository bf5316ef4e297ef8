package mrf

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/parallel"
)

// Singles lists a field's squared potentials of one variable each by their variable, which may be in several, and sums:
// squares of several variables, no two of which share one.
type Singles struct {
	// Step is how far away the last minimisers were, by variable.
	Step []float64

	field   *Field
	start   []int32 // of each variable's potentials
	members []member
	sums    []member
	shift   [][]float64 // of the multipliers of sums, by block; nil where there are none
	gap     []float64   // by variable, or at a sum's first one all of its variables'
}

// member is a potential by its place: number j of a term.
type member struct {
	term *term
	j    int32
}

// pagedSingles is how many singles there may be for each variable if the model is paged: each takes sixteen bytes.
const pagedSingles = 2

// NewSingles finds them; nil if no potential has but one variable, or if memory is short.
func (f *Field) NewSingles() *Singles {
	total := f.countSingles()
	if total == 0 || f.Model.Paged() != nil && total > pagedSingles*f.Model.Variables {
		return nil
	}
	s := &Singles{field: f, start: make([]int32, f.Model.Variables+1)}
	f.eachSingle(func(i int32, _ member) { s.start[i+1]++ })
	for i := range f.Model.Variables {
		s.start[i+1] += s.start[i]
	}
	s.members = make([]member, total)
	next := append([]int32(nil), s.start...)
	f.eachSingle(func(i int32, m member) {
		s.members[next[i]] = m
		next[i]++
	})
	s.gap, s.Step = make([]float64, f.Model.Variables), make([]float64, f.Model.Variables)
	s.findSums()
	return s
}

// eachSingle visits the squared potentials of one variable each, in their order.
func (f *Field) eachSingle(visit func(i int32, m member)) {
	for k := range f.terms {
		t := &f.terms[k]
		if !t.single() {
			continue
		}
		for j := range int32(t.Len) {
			visit(t.vars.single(j), member{t, j})
		}
		t.Release(0, t.Len)
	}
}

// single tells whether each of the term's potentials is a square and has one variable.
func (t *term) single() bool { return t.uniformArity() == 1 && t.Squared() }

// release lets go of what Minimise has looked at.
func (s *Singles) release() {
	for k := range s.field.terms {
		if t := &s.field.terms[k]; t.single() {
			t.Release(0, t.Len)
		}
	}
}

// Squared tells whether the block's potentials are squares, which have the conjugate μ²/4w.
func (b *Block) Squared() bool { return b.Exponent == 2 && (b.Kind == Hinge || b.Kind == Absolute) }

// Kinked tells whether the block's potentials are hinges or absolute values without a square.
func (b *Block) Kinked() bool { return b.Exponent == 1 && (b.Kind == Hinge || b.Kind == Absolute) }

// piece is how many variables are minimised over at a time.
const piece = 256

// Minimise minimises the energy around y over the box, with everything linearised but singles and sums: along each
// variable apart, and then together along those of a sum. Here g is the gradient at y, and slopes up to flat are left
// as they are. It sets Step to how far away the minimisers are, and returns the sum of what the minima are lower than
// the energy: as the energy is convex, a bound on how far that is from its minimum. What proves it are the derivatives,
// at the minimisers for singles, and at y for all others, of sums with their Shift.
func (s *Singles) Minimise(y, g []float64, flat float64) float64 {
	step, threads := s.Step, s.field.Threads
	parallel.For(threads, (len(y)+piece-1)/piece, func(k int) {
		var line Line
		for i := k * piece; i < min((k+1)*piece, len(y)); i++ {
			step[i], s.gap[i] = 0, g[i]*y[i]-min(0, g[i])
			if s.gap[i] > flat {
				line.load(s.along(int32(i)), s.field.theta, y[i])
				step[i], s.gap[i], _ = line.Minimise(g[i], y[i], flat)
			}
		}
	})
	parallel.For(threads, (len(s.sums)+piece-1)/piece, func(k int) {
		var b bundle
		for _, m := range s.sums[k*piece : min((k+1)*piece, len(s.sums))] {
			s.shift[m.term.place][m.j] = b.improve(s, m, y, g, flat)
		}
	})
	s.release()
	return sum(s.gap)
}

// weight returns w_j.
func (m member) weight(theta []float64) float64 {
	w := theta[m.term.Rule]
	if m.term.Scale != nil {
		w *= float64(m.term.Scale[m.j])
	}
	return w
}

// Clear forgets the last minimisers: all multipliers are the derivatives at y.
func (s *Singles) Clear() {
	clear(s.Step)
	for _, shift := range s.shift {
		clear(shift)
	}
}

// along returns the singles of variable i.
func (s *Singles) along(i int32) []member { return s.members[s.start[i]:s.start[i+1]] }

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

// load makes the line through y.
func (l *Line) load(members []member, theta []float64, y float64) {
	l.Clear()
	for _, m := range members {
		a := m.term.vars.coef[0]
		l.Add(m.term.Kind, m.weight(theta), m.term.constant(int(m.j))+a*y, a)
	}
}

// Clear leaves nothing of the line.
func (l *Line) Clear() { l.squares, l.curvature = l.squares[:0], 0 }

// Add adds a squared potential of a kind, weight and slack, which the variable's coefficient a changes along the line.
func (l *Line) Add(kind Kind, w, slack, a float64) {
	q := square{slack: slack, a: a, w: w}
	if kind == Absolute {
		q.always = math.MaxUint64
	}
	active := positive(q.slack) | q.always
	q.excess = masked(q.slack, active)
	l.curvature += masked(2*w*a*a, active)
	l.squares = append(l.squares, q)
}

// masked is v if all bits of the mask are set, and 0 if none is.
func masked(v float64, mask uint64) float64 { return math.Float64frombits(math.Float64bits(v) & mask) }

// attempts is how many points are tried for a minimiser.
const attempts = 20

// Minimise returns the minimiser over y+t in [0,1] of
//
//	F(t) = g·t + Σ_j (φ_j(t) - φ_j(0) - φ'_j(0)·t),
//
// up to slopes of flat, how far F(0) is above the bound that the derivatives there are multipliers for: -F(t), and what
// is left of the slope, and F”(t). The slope of F is piecewise linear, so that Newton's method mostly ends after one
// point or two. That of F at 0 is not 0.
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
