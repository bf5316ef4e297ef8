// Package twofold solves small problems by an interior point method in numbers of twice the usual length, for those
// that others leave without a proof: where coefficients, weights or constants are ten orders of magnitude apart, their
// steps have no digit left of what the least ask for. Its steps are those of package interior, in terms of rows in an
// order that keeps factors sparse; it begins with all products exactly alike, however large or small the multipliers
// are that a row may have. Each point is rounded, and proven as any other answer.
package twofold

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

const (
	// Most is the number of potentials, and of variables, of the largest problems that it is for, and most that of
	// products after which it gives up: some three seconds.
	Most, most = 10_000, 1e9
	// steps bounds those of a run, few is about the least, and patience bounds those without a better point.
	steps, few, patience = 150, 30, 12
	// finer is the part of the gap that was asked for that it goes on to once that is proven, while each step helps.
	finer = 1e-2
)

// Solve solves a problem. The result is optimal or infeasible, or the best point that was met, and false.
func Solve(field *mrf.Field, s solve.Settings, stop func() bool) (r solve.Result, ok bool) {
	p := lay(field, s)
	p.stop = func() bool { return p.done > most || stop() }
	for _, p.larger = range []float64{1, 1e6, 1e12} {
		if p.run(); p.ended || !p.hard || p.stop() {
			return p.result, p.ended
		}
		if !p.soft {
			break
		}
	}
	p.larger, p.hardOnly, p.least = 1, true, 0
	p.run()
	if p.hardOnly = false; p.ended || p.least < certain {
		return p.result, p.ended
	}
	less := min(1.25*p.least+rounding, (p.least+s.Feasibility)/2)
	for _, p.leeway = range []float64{less, s.Feasibility * (1 - slight)} {
		if p.least < p.leeway && p.leeway < s.Feasibility && !p.ended && !p.stop() {
			p.run()
		}
	}
	return p.result, p.ended
}

// certain is the violation of all points beyond which a proof of it is more than rounding, rounding that which numbers
// of the usual length may have, and slight what is left of what is accepted for that of an answer.
const certain, rounding, slight = 1e-20, 1e-12, 1e-9

// problem is a field with its present weights and inputs, in terms of its unit.
type problem struct {
	field    *mrf.Field
	settings solve.Settings
	n        int
	all      []potential
	linear   []number // of linear potentials: the gradient
	unit     float64
	soft     bool    // there are rows that are not hard
	hard     bool    // and some that are
	larger   float64 // by how much products are at the start of a run, times what weights say
	hardOnly bool    // soft rows are left out
	leeway   float64
	stop     func() bool
	done     float64
	result   solve.Result
	ended    bool
	smallest float64 // sum of the run's products
	best     float64 // how many times off the result is
	least    float64 // by which each point violates some hard row, as far as that is shown
	program
}

// potential is a potential or a constraint. Its multiplier is between lo and hi, and d/compliance if it is a square;
// all in terms of a power of two, scale, that makes its coefficients about 1.
type potential struct {
	index                      []int32
	coef                       []float64
	constant                   float64
	lo, hi, compliance, weight float64
	scale                      float64
	magnitude                  float64 // of a violation, in terms of the scale
	block                      *mrf.Block
}

func lay(field *mrf.Field, s solve.Settings) *problem {
	// The unit is a power of two, so that bounds of multipliers are exact.
	p := &problem{field: field, settings: s, n: field.Model.Variables,
		best: math.Inf(1), unit: math.Ldexp(1, math.Ilogb(field.Unit())), linear: make([]number, field.Model.Variables)}
	var buffer mrf.RowBuffer
	for k, b := range field.Model.Blocks {
		constants := make([]float64, b.Len)
		field.Constants(k, 0, b.Len, constants)
		for j := range b.Len {
			w := field.Weights()[b.Rule] / p.unit * b.Factor(j)
			vars, coef := b.Row(j, &buffer)
			p.all = append(p.all, newPotential(b, w, constants[j], vars, coef))
			if b.Kind == mrf.Linear {
				for e, i := range vars {
					p.linear[i] = p.linear[i].plus(of(w).by(coef[e]))
				}
			}
			p.soft, p.hard = p.soft || !b.Kind.Hard(), p.hard || b.Kind.Hard()
		}
	}
	return p
}

func newPotential(b *mrf.Block, w, constant float64, vars []int32, coef []float64) potential {
	r := potential{block: b, scale: 1, weight: w}
	size := 0.0
	for _, a := range coef {
		size = max(size, math.Abs(a))
	}
	if size > 0 {
		r.scale = math.Ldexp(1, math.Ilogb(size))
	}
	for e, i := range vars {
		if coef[e] != 0 {
			r.index, r.coef = append(r.index, i), append(r.coef, coef[e]/r.scale)
		}
	}
	r.constant = constant / r.scale
	r.lo, r.hi = solve.Domain(b, w*r.scale)
	r.magnitude = mrf.Magnitude(coef) / r.scale
	if b.Squared() && w > 0 {
		r.compliance = 1 / (2 * w) / r.scale / r.scale
	}
	return r
}

// check rounds the present point and proves what it is, and tells whether the run is over.
func (p *problem) check(best *float64, since *int) (over bool) {
	y, mu := make([]float64, p.n), make([]float64, len(p.all))
	for i, v := range p.y {
		y[i] = min(max(v.value(), 0), 1)
	}
	p.multipliers(y, mu)
	c := solve.Certify(p.field, y, mu)
	yields := p.leeway > 0
	if yields {
		c = c.Yielding(p.field)
	}
	*since++
	if products, _ := p.products(0, 0); products.high < p.smallest && products.high > p.negligible(c) {
		p.smallest, *since = products.high, 0
	}
	off := max(math.Abs(c.Gap)/p.settings.Gap, c.MaxViolation/p.settings.Feasibility)
	if off < *best {
		*best, *since = off, 0
	}
	if !p.hardOnly && off < p.best {
		p.best = off
		p.result.Certificate, p.result.Y, p.result.Multipliers, p.result.Yields = c, y, mu, yields
	}
	if *best <= 1 && !p.hardOnly {
		p.ended, p.result.Status = true, solve.Optimal
		return *best <= finer || *since > 0
	}
	return p.contradictory() || *since > patience
}

// negligible is a sum of products than which a smaller one is no gain.
func (p *problem) negligible(c solve.Certificate) float64 {
	if p.hardOnly {
		return certain
	}
	return finer * finer * p.settings.Gap * max(p.field.Grain(), math.Abs(c.Objective)) / p.unit
}

// multipliers rounds those of the present point.
func (p *problem) multipliers(y, mu []float64) {
	for j := range p.all {
		if r := &p.all[j]; r.block.Kind == mrf.Linear {
			mu[j] = r.weight * p.unit
		} else if !r.block.Kind.Hard() {
			d := of(r.constant)
			for e, i := range r.index {
				d = d.plus(of(y[i]).by(r.coef[e]))
			}
			mu[j] = r.derivative(d.value()) / r.scale * p.unit
		}
	}
	sums := make(map[int]number)
	for k := range p.rows {
		r := &p.rows[k]
		m := r.mu
		if r.below {
			m = m.negative()
		}
		sums[r.number] = sums[r.number].plus(m)
		mu[r.number] = sums[r.number].value() / p.all[r.number].scale * p.unit
	}
}

// derivative is a soft row's multiplier by its slack, in terms of its scale.
func (r *potential) derivative(d float64) float64 {
	switch {
	case r.compliance > 0:
		return max(r.lo, d/r.compliance)
	case d > 0:
		return r.hi
	}
	return r.lo
}

// contradictory tells whether the multipliers of the hard rows are a proof that no point in the box comes closer to
// all of them than is accepted (Farkas), and remembers how close none comes; the result says it then.
func (p *problem) contradictory() bool {
	g, least, length := make([]number, p.n), number{}, 0.0
	for k := range p.rows {
		r := &p.rows[k]
		if !r.hard {
			continue
		}
		least = least.plus(r.mu.times(r.constant))
		length += math.Abs(r.mu.high) * p.all[r.number].magnitude
		for e, i := range r.index {
			g[i] = g[i].plus(r.mu.times(r.coef[e]))
		}
	}
	for _, v := range g {
		if v.high < 0 {
			least = least.plus(v)
		}
	}
	if !(length > 0) {
		return false
	}
	bound := least.value()
	if p.leeway == 0 {
		p.least = max(p.least, bound/length)
	}
	if !(bound > (solve.Contradiction(p.settings.Feasibility)-p.leeway)*length) {
		return false
	}
	return p.sayInfeasible()
}

// negligible is the part of the largest multiplier below which a constraint has no part in a conflict.
const negligible = 1e-4

// sayInfeasible makes the result name the constraints with a part in the proof, if what is left of that when
// multipliers are rounded is one.
func (p *problem) sayInfeasible() bool {
	y, mu := make([]float64, p.n), make([]float64, len(p.all))
	for i, v := range p.y {
		y[i] = min(max(v.value(), 0), 1)
	}
	p.multipliers(y, mu)
	g, bound, length, largest := make([]solve.Sum, p.n), solve.Sum{}, 0.0, 0.0
	for j := range p.all {
		r := &p.all[j]
		if !r.block.Kind.Hard() {
			mu[j] = 0
			continue
		}
		if r.block.Kind == mrf.LessEqual {
			mu[j] = max(mu[j], 0)
		}
		m := mu[j] * r.scale
		bound.AddProduct(m, r.constant)
		for e, i := range r.index {
			g[i].AddProduct(m, r.coef[e])
		}
		length += math.Abs(m) * r.magnitude
		largest = max(largest, math.Abs(m)*r.magnitude)
	}
	for i := range g {
		bound.Add(min(0, g[i].Value()))
	}
	least := bound.Value()
	if !(least > solve.Contradiction(p.settings.Feasibility)*length) {
		return false
	}
	p.result = solve.Result{Status: solve.Infeasible, Y: y, Multipliers: mu}
	times := 2 * (p.field.Unit() + max(0, p.field.Energy(y))) / least
	for j := range mu {
		if r := &p.all[j]; math.Abs(mu[j])*r.scale*r.magnitude > negligible*largest {
			p.result.Conflict = append(p.result.Conflict, j)
		}
		mu[j] *= times
	}
	p.result.Certificate = solve.Certify(p.field, y, mu)
	p.ended = true
	return true
}
