// Package squares solves small problems of squared potentials, of few variables each, over the box, by Newton's method,
// as package newton does, with what that can leave out here: fields, threads, models and Hessians that are assembled.
// A problem is written row by row into memory that the one before has left.
package squares

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/reuse"
)

// Longest is how many variables a potential has at most.
const Longest = 8

// Problem is the sum of w·max(0, d)², or w·d², over its potentials, with d = bias + Σ a·y, which is to be minimised
// over the box 0 ≤ y ≤ 1.
type Problem struct {
	rows [Longest + 1]rows // by the number of their variables
	at   []int32           // of each potential: its place there, times many, and its number of variables

	// Y is where Solve begins, and its solution; Slopes are Aᵀμ there.
	Y, Slopes []float64
	// Objective is the energy, and Gap no less than what it is above its minimum by the multipliers.
	Objective, Gap float64
	// Steps is how many were taken.
	Steps int

	first   []int32 // of each variable's squares in alone
	alone   []int32 // the potentials of one variable, variable by variable
	line    mrf.Line
	shifts  []shift // what absorb has found
	model   model
	present []float64
}

// many is more than a potential has variables.
const many = 16

// rows are the potentials of a number of variables.
type rows struct {
	vars          []int32
	coef          []float64
	bias, weight  []float64
	floor         []float64 // of the slack, for what counts: 0, or -∞
	root          []float64 // of twice the weight
	slack, change []float64 // at the point, and along a step
	next          []float64 // behind the step
	mu            []float64
}

// Reset makes it a problem of variables without potentials.
func (p *Problem) Reset(variables int) {
	for k := range p.rows {
		r := &p.rows[k]
		r.vars, r.coef, r.bias, r.weight, r.floor = r.vars[:0], r.coef[:0], r.bias[:0], r.weight[:0], r.floor[:0]
	}
	p.at, p.Y, p.Slopes = p.at[:0], reuse.More(p.Y[:0], variables), reuse.More(p.Slopes[:0], variables)
}

// Bytes is what its memory takes.
func (p *Problem) Bytes() (bytes int64) {
	for k := range p.rows {
		r := &p.rows[k]
		bytes += 12*int64(cap(r.vars)) + 72*int64(cap(r.bias))
	}
	return bytes + 4*int64(cap(p.at)+cap(p.alone)) + 120*int64(cap(p.Y))
}

// Add adds a potential of a kind, Hinge or Absolute.
func (p *Problem) Add(kind mrf.Kind, weight, bias float64, vars []int32, coef []float64) {
	r, floor := &p.rows[len(vars)], 0.0
	if kind == mrf.Absolute {
		floor = math.Inf(-1)
	}
	p.at = append(reuse.Room(p.at, 1), int32(len(r.bias)*many+len(vars)))
	r.bias, r.weight = append(reuse.Room(r.bias, 1), bias), append(reuse.Room(r.weight, 1), weight)
	r.floor = append(reuse.Room(r.floor, 1), floor)
	r.vars = append(reuse.Room(r.vars, len(vars)), vars...)
	r.coef = append(reuse.Room(r.coef, len(vars)), coef...)
}

// Of returns the slack and the multiplier of a potential, in the order in which they were added, and how many terms it
// has.
func (p *Problem) Of(k int) (slack, multiplier float64, terms int) {
	r, n := &p.rows[p.at[k]%many], p.at[k]/many
	return r.slack[n], r.mu[n], int(p.at[k] % many)
}

// hopeful is how far above the tolerance a gap may be for what squares of one variable take over to be looked at, and
// unabsorbed the part of the tolerance that need not be; steep is the part of a variable's slope that may be left.
const hopeful, unabsorbed, steep = 1000, 0.01, 1e-9

// Solve minimises until the gap is at most a tolerance times the energy, or times the grain if that is more, and tells
// whether it is. It ends after some steps, or when stop says so.
func (p *Problem) Solve(tolerance, grain float64, limit int, stop func() bool) bool {
	p.prepare()
	p.Steps = 0
	value := p.evaluate()
	for {
		p.gradient()
		gap := 0.0
		for i, g := range p.Slopes {
			gap += g*p.Y[i] - min(0, g)
		}
		if math.IsNaN(gap) || math.IsInf(value, 0) {
			return false
		}
		p.Objective, p.Gap = value, gap
		bound := tolerance * max(grain, math.Abs(value))
		if gap <= hopeful*bound {
			if p.Gap = p.absorb(unabsorbed*bound, bound); p.Gap <= bound {
				p.takeAbsorbed()
				return true
			}
		}
		if p.Steps >= limit || stop() {
			return p.end()
		}
		p.Steps++
		p.direction()
		next, ok := p.search(value)
		if !ok {
			return p.end()
		}
		value = next
	}
}

// end leaves off without a solution.
func (p *Problem) end() bool {
	p.Gap = p.absorb(0, math.Inf(1))
	p.takeAbsorbed()
	return false
}

// prepare makes room for what depends on the potentials, and lists those of one variable by it.
func (p *Problem) prepare() {
	for k := range p.rows {
		r := &p.rows[k]
		n := len(r.bias)
		r.slack, r.change, r.mu = reuse.More(r.slack[:0], n), reuse.More(r.change[:0], n), reuse.More(r.mu[:0], n)
		r.root, r.next = reuse.More(r.root[:0], n), reuse.More(r.next[:0], n)
		for k, w := range r.weight {
			r.root[k] = math.Sqrt(2 * w)
		}
	}
	single := &p.rows[1]
	p.first = reuse.More(p.first[:0], len(p.Y)+2)
	clear(p.first)
	for _, i := range single.vars {
		p.first[i+2]++
	}
	for i := range p.Y {
		p.first[i+2] += p.first[i+1]
	}
	p.alone = reuse.More(p.alone[:0], len(single.vars))
	for n, i := range single.vars {
		p.alone[p.first[i+1]] = int32(n)
		p.first[i+1]++
	}
}

// slacks sets those of some rows at a point.
func (r *rows) slacks(y, slack []float64, arity int) {
	vars, coef := r.vars, r.coef
	switch arity {
	case 1:
		for n, b := range r.bias {
			slack[n] = b + coef[n]*y[vars[n]]
		}
	case 3:
		for n, b := range r.bias {
			v, a := vars[3*n:3*n+3:3*n+3], coef[3*n:3*n+3:3*n+3]
			slack[n] = b + a[0]*y[v[0]] + a[1]*y[v[1]] + a[2]*y[v[2]]
		}
	default:
		for n, b := range r.bias {
			for e := arity * n; e < arity*(n+1); e++ {
				b += coef[e] * y[vars[e]]
			}
			slack[n] = b
		}
	}
}

// evaluate returns the energy at Y, and sets the slacks.
func (p *Problem) evaluate() (value float64) {
	for arity := range p.rows {
		r := &p.rows[arity]
		r.slacks(p.Y, r.slack, arity)
		for n, d := range r.slack {
			d = max(d, r.floor[n])
			value += r.weight[n] * d * d
		}
	}
	return value
}

// gradient sets the multipliers to the derivatives by the slacks, and the slopes with them.
func (p *Problem) gradient() {
	clear(p.Slopes)
	slopes := p.Slopes
	for arity := range p.rows {
		r := &p.rows[arity]
		n := len(r.slack)
		floor, weight, mus := r.floor[:n], r.weight[:n], r.mu[:n]
		for n, d := range r.slack {
			mu := 0.0
			if d > floor[n] {
				mu = 2 * weight[n] * d
				vars := r.vars[arity*n : arity*(n+1)]
				for e, a := range r.coef[arity*n : arity*(n+1)] {
					slopes[vars[e]] += a * mu
				}
			}
			mus[n] = mu
		}
	}
}

// shift is a step along a variable.
type shift struct {
	i int32
	t float64
}

// absorb returns the gap where the multipliers of a variable's squares are those a step along it away at which the
// energy, with everything else linearised, is least: see package newton. Some of the gap may be left, and it ends where
// the gap is more than enough. takeAbsorbed takes them then.
func (p *Problem) absorb(left, enough float64) (gap float64) {
	single, least := &p.rows[1], left/float64(len(p.Y))
	p.shifts = p.shifts[:0]
	for i, g := range p.Slopes {
		y := p.Y[i]
		rest := g*y - min(0, g)
		own := p.alone[p.first[i]:p.first[i+1]]
		if !(rest > least) || len(own) == 0 {
			gap += rest
			continue
		}
		p.line.Clear()
		for _, n := range own {
			kind := mrf.Hinge
			if single.floor[n] < 0 {
				kind = mrf.Absolute
			}
			p.line.Add(kind, single.weight[n], single.slack[n], single.coef[n])
		}
		t, less, _ := p.line.Minimise(g, y, steep*math.Abs(g))
		if !(less < rest) {
			gap += rest
			continue
		}
		if gap += less; gap > enough {
			return gap
		}
		p.shifts = append(p.shifts, shift{int32(i), t})
	}
	return gap
}

// takeAbsorbed takes the multipliers that absorb has found.
func (p *Problem) takeAbsorbed() {
	single := &p.rows[1]
	for _, s := range p.shifts {
		for _, n := range p.alone[p.first[s.i]:p.first[s.i+1]] {
			d, mu := single.slack[n]+single.coef[n]*s.t, 0.0
			if d > single.floor[n] {
				mu = 2 * single.weight[n] * d
			}
			p.Slopes[s.i] += single.coef[n] * (mu - single.mu[n])
			single.mu[n] = mu
		}
	}
}

// Constants of the line search, as those of package newton.
const (
	flat     = 0.3
	rounding = 1e-14
	searches = 25
)

// search moves along the step of the model to where the energy is nearly flat, and returns it there.
func (p *Problem) search(value float64) (after float64, ok bool) {
	m := &p.model
	slope := 0.0
	for k, i := range m.free {
		slope += p.Slopes[i] * m.p[k]
	}
	if !(slope < 0) {
		return value, false
	}
	p.present = append(p.present[:0], p.Y...)
	for k, i := range m.free {
		p.Y[i] = min(max(p.Y[i]+m.p[k], 0), 1)
	}
	for arity := range p.rows {
		r := &p.rows[arity]
		r.slacks(p.Y, r.next, arity)
		for n, d := range r.slack {
			r.change[n] = r.next[n] - d
		}
	}
	lo, below, hi, above, step := 0.0, slope, 1.0, 0.0, 1.0
	for k := range searches {
		at, now := p.along(step)
		level := math.Abs(now) <= -flat*slope || k == 0 && now < 0 || k == searches-1
		if level && at <= value+rounding*math.Abs(value) {
			p.move(step)
			return at, true
		}
		if now < 0 {
			lo, below = step, now
		} else {
			hi, above = step, now
		}
		step = lo + (hi-lo)*min(max(below/(below-above), 0.1), 0.9)
	}
	copy(p.Y, p.present)
	return value, false
}

// along returns the energy and its slope a part of a step away.
func (p *Problem) along(step float64) (value, slope float64) {
	for arity := range p.rows {
		r := &p.rows[arity]
		n := len(r.slack)
		weight, floor, change := r.weight[:n], r.floor[:n], r.change[:n]
		for n, d := range r.slack { // which of them count is anyone's guess: so there is no branch
			by := change[n]
			d = max(d+step*by, floor[n])
			push := weight[n] * d
			value += push * d
			slope += push * by
		}
	}
	return value, 2 * slope
}

// move takes a part of the step.
func (p *Problem) move(step float64) {
	if step < 1 {
		for k, i := range p.model.free {
			p.Y[i] = min(max(p.present[i]+step*p.model.p[k], 0), 1)
		}
	}
	for arity := range p.rows {
		r := &p.rows[arity]
		if step < 1 {
			r.slacks(p.Y, r.next, arity)
		}
		r.slack, r.next = r.next, r.slack
	}
}
