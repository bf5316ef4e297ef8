package face

import (
	"cmp"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// hopeful is how many times the gap that was asked for one may be that rounding has left, and digits how many times a
// multiplier is moved one way.
const hopeful, digits = 1e3, 8

// certified is what a proof is counted as per potential.
const certified = 50

// nudged is a point with multipliers that are moved by their last digits while that makes the gap less.
type nudged struct {
	field    *mrf.Field
	y, by    []float64
	best     solve.Certificate
	settings solve.Settings
	stop     func() bool
	done     *work
}

func (n *nudged) enough() bool {
	return math.Abs(n.best.Gap) <= n.settings.Gap && n.best.MaxViolation <= n.settings.Feasibility
}

// set gives a number another value if the gap is less for it, and tells whether it is.
func (n *nudged) set(number *float64, to float64) bool {
	if *number == to || n.enough() || n.stop() {
		return false
	}
	before := *number
	*number = to
	n.done.add(certified * len(n.by))
	c := solve.Certify(n.field, n.y, n.by)
	if math.Abs(c.Gap) < math.Abs(n.best.Gap) && c.MaxViolation <= n.settings.Feasibility {
		n.best = c
		return true
	}
	*number = before
	return false
}

// nudge moves values by what rows are off, as some coefficients are so small that the last digit of the slack is in
// reach, and multipliers by their last digit: of a sum that cannot be 0, one sign may cost far less than the other.
func (p *problem) nudge(field *mrf.Field, y, by []float64, s solve.Settings) *nudged {
	n := &nudged{field: field, y: y, by: by, best: solve.Certify(field, y, by), settings: s, stop: p.stop,
		done: &p.done}
	for j := range p.rows {
		r := &p.rows[j]
		for i, a := range r.a {
			if d := r.exactly(y); a != 0 && r.equation() && math.Abs(d) <= exactly*max(r.size, 1) {
				n.set(&y[i], min(max(y[i]-d/a, 0), 1))
			}
		}
	}
	for j := range by {
		for _, to := range []float64{math.Inf(1), math.Inf(-1)} {
			for range digits {
				if !n.set(&by[j], math.Nextafter(by[j], to)) {
					break
				}
			}
		}
	}
	return n
}

// exactly is the slack, rounded once.
func (r *row) exactly(y []float64) float64 {
	var sum solve.Sum
	sum.Add(r.constant)
	for i, a := range r.a {
		sum.AddProduct(a, y[i])
	}
	return sum.Value()
}

// lower moves y within its face, along what costs nothing, to where variables are 0 one after the other, those first
// that are pushed the most: what rounding leaves of rows is the less the smaller the values in them are, and nothing is
// where they are 0.
func (p *problem) lower(y, by []float64) {
	g, sizes := p.pushes(by)
	order, done := make([]int, p.n), make([]bool, p.n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(sizes[k], sizes[i]) })
	for _, i := range order {
		if p.stop() {
			return
		}
		f := p.face(y, exactly)
		if done[i] = true; !f.free[i] {
			continue
		}
		equations := slices.Clone(f.tight)
		for j := range p.rows {
			f.tight[j] = f.tight[j] || p.strong(&p.rows[j], y, sizes)
		}
		for k := range f.free {
			f.free[k] = f.free[k] || !done[k] && math.Abs(g[k]) <= unpushed*sizes[k]
		}
		if along := p.down(y, f, i); along[i] < -dependent && p.slide(y, along, math.Inf(1)) {
			f = p.face(y, exactly)
			f.tight = equations
			p.restrict(f)
			p.project(y, f)
		}
	}
}

// strong tells whether a row is a square that may push a variable by more than nothing beside all that does.
func (p *problem) strong(r *row, y, sizes []float64) bool {
	if !r.curved(r.slack(y)) {
		return false
	}
	for i, a := range r.a {
		if a*a*p.unit > unpushed*sizes[i]*r.compliance {
			return true
		}
	}
	return false
}

// down is the direction in which a variable gets smaller the fastest while the tight rows of a face stay as they are.
// Of what is free, variables at a bound do not go beyond it.
func (p *problem) down(y []float64, f *face, i int) (along []float64) {
	for stays := true; stays; {
		p.restrict(f)
		along = make([]float64, p.n)
		along[i] = -1
		for _, q := range f.span.q {
			add(along, -solve.Dot(q, along), q)
		}
		stays = false
		for k, v := range along {
			if v < 0 && y[k] == 0 || v > 0 && y[k] == 1 {
				f.free[k], along[k], stays = false, 0, stays || math.Abs(v) > dependent
			}
		}
	}
	return along
}

// unpushed is the part of what pushes a variable at a bound that is nothing if it is all that is left.
const unpushed = 1e-9
