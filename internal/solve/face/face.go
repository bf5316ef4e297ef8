// Package face finishes small problems by an active set method: from a point near the optimum it guesses the face of
// the feasible points that the optimum lies in, by which variables are at a bound and which rows hold as equations,
// moves to the nearest point of that face, finds multipliers for it by least squares between their bounds, and goes on
// along what these leave. Where weights are ten orders of magnitude apart, other methods end where products of values
// that should be 0 are no longer small against what the least weights ask for; on a face they are 0. What it finds is
// proven as any other answer, and dropped if it is not.
package face

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

const (
	// Most is the number of potentials, and of variables, of the largest problems that it is for.
	Most = 200
	// most is the work after which it gives up, about 0.1 s of it. A basis takes the cube of the variables, and many
	// faces may have to be tried: what is solved takes less than 1e5 with 30 variables, and could take 1e10 with 200.
	most = 5e7
)

// near lists how near a bound a value is, or a row that can be an equation, that is taken to be there.
var near = []float64{1e-9, 1e-7, 1e-5, 1e-3, 1e-11}

// Improve returns a point near y, and multipliers for it, that prove what the settings ask for; or false, also where
// stop says so before, or it would be more work than it is worth.
func Improve(field *mrf.Field, y, mu []float64, s solve.Settings, stop func() bool) (
	out solve.Certificate, at, by []float64, ok bool,
) {
	p := lay(field)
	p.stop = func() bool { return p.done > most || stop() }
	none := make([]float64, len(mu))
	least, best, bestBy := math.Inf(1), slices.Clone(y), slices.Clone(mu)
	var pull []float64
	ways := []bool{false}
	if slices.ContainsFunc(p.rows, func(r row) bool { return r.steep }) {
		ways = []bool{true, false}
	}
	proven := func(f *face) bool {
		for _, loose := range ways {
			for _, start := range [][]float64{mu, none} { // from nothing they are as small as they can be
				by, pull = p.multiply(at, start, f, loose)
				out = solve.Certify(field, at, by)
				if !(out.MaxViolation <= s.Feasibility) {
					continue
				}
				gap := math.Abs(out.Gap)
				if gap <= s.Gap {
					return true
				}
				if gap < least {
					least = gap
					copy(best, at)
					copy(bestBy, by)
				}
			}
		}
		return false
	}
	for _, distance := range near {
		at = slices.Clone(y)
		p.left = make([]float64, len(p.rows))
		for range moves {
			if p.stop() {
				return out, nil, nil, false
			}
			p.descend(at, p.face(at, distance))
			f := p.face(at, exactly)
			if proven(f) {
				return out, at, by, true
			}
			p.leave(f, by, pull)
			if distance = exactly; !p.slide(at, pull, math.Inf(1)) {
				break
			}
		}
	}
	if p.left, at = make([]float64, len(p.rows)), slices.Clone(best); least > hopeful*s.Gap {
		return out, nil, nil, false
	}
	if p.lower(at, bestBy); proven(p.face(at, exactly)) {
		return out, at, by, true
	}
	n := p.nudge(field, best, bestBy, s)
	return n.best, n.y, n.by, n.enough()
}

// moves bounds how often the face is left for another one, and exactly is how near what has been moved to a bound is.
const (
	moves   = 60
	exactly = 1e-13
)

// problem is a field with its present weights and inputs, in dense terms.
type problem struct {
	n    int
	rows []row
	unit float64
	stop func() bool // once Improve's says so, or more than most is done
	done work
	left []float64 // of rows that were equations, the side to which they have been left; else 0
}

// row is a potential or a constraint. Its multiplier is between lo and hi, and d/compliance if it is a square.
type row struct {
	a          []float64
	constant   float64
	lo, hi     float64
	compliance float64
	size       float64 // of the largest coefficient
	hinge      bool
	hard       bool
	steep      bool // a square that makes of rounding of its slack more than the gap is to be
}

// equation tells whether the row may hold as an equation, and fixed whether its multiplier is known whatever it is.
func (r *row) equation() bool { return r.compliance == 0 && !r.fixed() }
func (r *row) fixed() bool    { return r.lo == r.hi }

// kinked tells whether the row's slope or curvature changes where its slack is 0, and curved whether it has curvature
// at a slack, or next to it.
func (r *row) kinked() bool          { return r.equation() || r.hinge && !r.fixed() }
func (r *row) curved(d float64) bool { return r.compliance > 0 && (!r.hinge || d > -exactly) }

func lay(field *mrf.Field) *problem {
	// The unit is a power of two, so that bounds of multipliers are exact.
	p := &problem{n: field.Model.Variables, unit: math.Ldexp(1, math.Ilogb(field.Unit()))}
	var buffer mrf.RowBuffer
	for k, b := range field.Model.Blocks {
		constants := make([]float64, b.Len)
		field.Constants(k, 0, b.Len, constants)
		for j := range b.Len {
			w := field.Weights()[b.Rule] / p.unit * b.Factor(j)
			r := row{a: make([]float64, p.n), constant: constants[j], hard: b.Kind.Hard(), hinge: b.Kind == mrf.Hinge}
			vars, coef := b.Row(j, &buffer)
			for e, i := range vars {
				r.a[i] += coef[e]
				r.size = max(r.size, math.Abs(coef[e]))
			}
			if r.lo, r.hi = solve.Domain(b, w); b.Squared() && w > 0 {
				r.compliance, r.steep = 1/(2*w), w*p.unit > steep*field.Grain()
			}
			p.rows = append(p.rows, r)
		}
	}
	return p
}

// steep is how many times the grain weights of squares are whose multipliers may differ from their derivatives, which
// costs the square of that, divided by the weight.
const steep = 1e5

func (r *row) slack(y []float64) float64 { return r.constant + solve.Dot(r.a, y) }

// face is a face that a point lies in, or near it: which variables are free, which rows are equations, and a basis of
// what those that do not follow from others restrict.
type face struct {
	free, tight []bool
	span        basis
	rows        []int // that the basis is made of
}

// face moves the variables of y that are this near a bound to it, and returns the face.
func (p *problem) face(y []float64, distance float64) *face {
	f := &face{free: make([]bool, p.n), tight: make([]bool, len(p.rows))}
	for i, v := range y {
		switch {
		case v <= distance:
			y[i] = 0
		case v >= 1-distance:
			y[i] = 1
		default:
			f.free[i] = true
		}
	}
	for j := range p.rows {
		r := &p.rows[j]
		d := r.slack(y)
		f.tight[j] = r.equation() && (math.IsInf(r.lo, 0) || math.Abs(d) <= distance*max(r.size, 1) && !p.aside(j, d))
	}
	p.restrict(f)
	return f
}

// restrict makes the basis of what the tight rows restrict.
func (p *problem) restrict(f *face) {
	f.span, f.rows = basis{done: &p.done}, nil
	for j, tight := range f.tight {
		if tight && f.span.add(masked(p.rows[j].a, f.free)) {
			f.rows = append(f.rows, j)
		}
	}
}

// leave notes which equations of a face a direction leaves to where their multipliers are at a bound: beside a steep
// square the way along it may be shorter than what tells an equation from none.
func (p *problem) leave(f *face, by, along []float64) {
	for j := range p.rows {
		r := &p.rows[j]
		change := solve.Dot(r.a, along)
		if f.tight[j] && (change > 0 && by[j] >= r.hi*p.unit || change < 0 && by[j] <= r.lo*p.unit) {
			p.left[j] = change
		}
	}
}

// aside tells whether a row with a slack is no equation any more.
func (p *problem) aside(j int, slack float64) bool { return slack*p.left[j] > 0 }

// masked returns the entries of a vector that are free; all others are 0.
func masked(a []float64, free []bool) []float64 {
	out := make([]float64, len(a))
	for i, v := range a {
		if free[i] {
			out[i] = v
		}
	}
	return out
}

// project moves y to the nearest point where the rows of the face hold as equations.
func (p *problem) project(y []float64, f *face) {
	for range refinements {
		off := make([]float64, len(f.rows))
		for k, j := range f.rows {
			off[k] = -p.rows[j].slack(y)
		}
		for k, c := range f.span.forward(off) {
			add(y, c, f.span.q[k])
		}
	}
	for i, v := range y {
		y[i] = min(max(v, 0), 1)
	}
}

// refinements is how often what rounding leaves is corrected.
const refinements = 3

// descend moves y to the face, and along it to where the squares are least, or as far as the first bound.
func (p *problem) descend(y []float64, f *face) {
	p.project(y, f)
	if !slices.ContainsFunc(p.rows, func(r row) bool { return r.compliance > 0 }) {
		return
	}
	whole, rank := f.span, len(f.span.q)
	for i := range f.free {
		if f.free[i] {
			unit := make([]float64, p.n)
			unit[i] = 1
			whole.add(unit)
		}
	}
	for range refinements {
		along, most := p.step(y, f.tight, whole.q[rank:])
		if !p.slide(y, along, most) || math.IsInf(most, 0) {
			break
		}
	}
	p.project(y, f)
}

// slide moves y along a direction in which the energy falls, so far at most, or to its least or the first bound, and
// tells whether it has moved.
func (p *problem) slide(y, along []float64, most float64) bool {
	for i, v := range along {
		switch {
		case v < 0 && y[i] > 0:
			most = min(most, -y[i]/v)
		case v > 0 && y[i] < 1:
			most = min(most, (1-y[i])/v)
		}
	}
	slope, curvature := 0.0, 0.0
	for j := range p.rows {
		r := &p.rows[j]
		d, change := r.slack(y), solve.Dot(r.a, along)
		if r.kinked() && d*change < 0 && (math.Abs(d) > exactly || p.aside(j, d)) {
			most = min(most, -d/change)
		}
		if slope += r.derivative(d) * change; r.curved(d) {
			curvature += change / r.compliance * change
		}
	}
	if to := -slope / curvature; curvature > 0 && to > 0 {
		most = min(most, to)
	}
	if !(most > 0) || math.IsInf(most, 0) {
		return false
	}
	add(y, most, along)
	for i, v := range y {
		y[i] = min(max(v, 0), 1)
	}
	return true
}

// step is one of Newton's in terms of some directions, by least squares: what the squares with a curvature are to
// change by. Where the energy falls along what nothing curves, it is that, with no limit.
func (p *problem) step(y []float64, tight []bool, along [][]float64) (step []float64, most float64) {
	g, squares := make([]float64, p.n), basis{done: &p.done}
	var curved [][]float64
	for j := range p.rows {
		r := &p.rows[j]
		if !tight[j] {
			d := r.slack(y)
			add(g, r.derivative(d), r.a)
			if r.curved(d) {
				v := make([]float64, len(along))
				for k, q := range along {
					v[k] = solve.Dot(q, r.a) / math.Sqrt(r.compliance)
				}
				curved = append(curved, v)
			}
		}
	}
	columns := make([][]float64, len(along)) // of the curvature's root, by which it is Rᵀ R
	for c := range along {
		columns[c] = make([]float64, len(curved))
		for k, v := range curved {
			columns[c][k] = v[c]
		}
		squares.addTo(columns[c], c)
	}
	right := make([]float64, len(squares.q))
	for k, c := range squares.from {
		right[k] = -solve.Dot(along[c], g)
	}
	x := squares.back(squares.forward(right))
	bends, flat, step := make([]float64, len(curved)), make([]float64, len(curved)), make([]float64, p.n)
	for k, c := range squares.from {
		add(step, x[k], along[c])
		add(bends, x[k], columns[c])
	}
	free, left := make([]float64, p.n), 0.0
	for c, q := range along {
		pull := -solve.Dot(q, g)
		if !slices.Contains(squares.from, c) && math.Abs(pull-solve.Dot(columns[c], bends)) > nothing*math.Abs(pull) {
			pull -= solve.Dot(columns[c], bends)
			add(free, pull, q)
			add(flat, pull, columns[c])
			left += pull * pull
		}
	}
	if left == 0 {
		return step, 1
	}
	parts := make([]float64, len(squares.q))
	for k, q := range squares.q {
		parts[k] = solve.Dot(q, flat)
	}
	for k, v := range squares.back(parts) {
		add(free, -v, along[squares.from[k]])
	}
	return free, math.Inf(1)
}

// derivative is the multiplier of a row that is no equation, by its slack.
func (r *row) derivative(d float64) float64 {
	switch {
	case r.fixed():
		return r.lo
	case r.compliance > 0:
		return max(r.lo, d/r.compliance)
	case r.hard:
		return 0
	case d > 0:
		return r.hi
	}
	return r.lo
}

// multiply finds multipliers for y in a face: of the rows that are equations those that, between their bounds, come
// nearest to gradients of 0 for free variables, and of the right sign for others. What is left is the direction in
// which the energy falls the most, unless those of steep squares may be loose, too.
func (p *problem) multiply(y, mu []float64, f *face, loose bool) (by, left []float64) {
	by, g := make([]float64, len(p.rows)), make([]float64, p.n)
	l := least{stop: p.stop, done: &p.done}
	var found []int // by l, one after the other
	for j := range p.rows {
		r := &p.rows[j]
		d := r.slack(y)
		switch by[j] = r.derivative(d); {
		case f.tight[j]:
			l.add(r.a, r.lo, r.hi, mu[j]/p.unit)
		case loose && r.steep && r.curved(d):
			l.add(r.a, r.lo, r.hi, by[j])
		default:
			add(g, by[j], r.a)
			continue
		}
		found = append(found, j)
	}
	for i, v := range g {
		g[i] = -v
		unit := make([]float64, p.n)
		switch {
		case f.free[i]:
			continue
		case y[i] == 0:
			unit[i] = -1
		default:
			unit[i] = 1
		}
		l.add(unit, 0, math.Inf(1), 0)
	}
	left = l.solve(g)
	for k, j := range found {
		by[j] = l.x[k]
	}
	_, sizes := p.pushes(by)
	for i, v := range left {
		if math.Abs(v) <= cancelled*sizes[i] {
			left[i] = 0
		}
	}
	for j := range by {
		by[j] *= p.unit
	}
	return by, left
}

// cancelled is the part of what pushes a variable that is nothing but rounding if it is left.
const cancelled = 1e-14

// pushes returns the sums of what pushes the variables, and those of its sizes.
func (p *problem) pushes(by []float64) (g, sizes []float64) {
	g, sizes = make([]float64, p.n), make([]float64, p.n)
	for j := range p.rows {
		for i, a := range p.rows[j].a {
			g[i] += a * by[j]
			sizes[i] += math.Abs(a * by[j])
		}
	}
	return g, sizes
}

// add adds c times a to y.
func add(y []float64, c float64, a []float64) {
	for i, v := range a {
		y[i] += c * v
	}
}
