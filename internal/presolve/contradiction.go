package presolve

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Contradiction proves that hard constraints contradict each other.
type Contradiction struct {
	// Multipliers r, one for each potential and constraint and 0 for all but the constraints that contradict each other,
	// are a ray (Farkas): R = Σ_j r_j c_j + Σ_i min(0, (Aᵀr)_i), a lower bound on Σ_j r_j d_j(y) for all y in the box,
	// is 1.
	Multipliers []float64
	// Violation is 1/Σ_j |r_j|: every point of the box violates some constraint by that much or more. Total is
	// 1/max_j |r_j|: all constraints together are violated by that much or more.
	Violation, Total float64
	// Point is one that satisfies most of them.
	Point []float64
}

// Examine tells whether the field's hard constraints can hold together, as far as bounds that follow from them show it:
// it returns a proof that they cannot to within feasibility, or a point where they do. Both are nil if it does not
// know, or if stop, unless it is nil, says that it is time to stop.
func Examine(field *mrf.Field, feasibility float64, stop func() bool) (*Contradiction, []float64) {
	d := newDecisions(field, feasibility, stop)
	d.tie()
	if _, ok := d.bound(); !ok {
		return d.proof(), nil
	}
	for _, bounds := range [][]float64{d.lo, d.hi} {
		if y := d.point(bounds); field.MaxViolation(y) <= feasibility {
			return nil, y
		}
	}
	return nil, nil
}

// point is that of the given bounds.
func (d *decisions) point(bounds []float64) []float64 {
	y := make([]float64, len(bounds))
	for i := range y {
		y[i] = min(max(bounds[d.root(int32(i))], 0), 1)
	}
	return y
}

// dust is the part of the largest multiplier that may be but rounding.
const dust = 1e-9

// Places lists the constraints that contradict each other, by their numbers among all potentials.
func (c *Contradiction) Places() []int { return c.Above(dust) }

// Above lists those whose multipliers are more than a part of the largest.
func (c *Contradiction) Above(part float64) (places []int) {
	largest := 0.0
	for _, r := range c.Multipliers {
		largest = max(largest, math.Abs(r))
	}
	for j, r := range c.Multipliers {
		if math.Abs(r) > part*largest {
			places = append(places, j)
		}
	}
	return places
}

// clash is a constraint that cannot hold within the bounds, as the inequality sign·(a·y + c) ≤ 0.
type clash struct {
	step
	excess float64 // the least that its left side can be
}

// The excess of clashes has to grow so many times until the next one is looked at: long chains of constraints, each of
// which gives way a little, add up to much, so that the first clash along one proves less than is asked for, and later
// ones more. So many in a row that prove no more are enough: along means, bounds that have crossed each other part
// without end.
const growth, inVain = 4, 8

// note takes note of a clash, and tells whether it is a proof that constraints contradict each other.
func (d *decisions) note(c clash) bool {
	if c.excess > d.worst.excess {
		d.worst = c
	}
	if c.excess < growth*d.seen || d.vain == inVain {
		return false
	}
	d.seen = c.excess
	return d.prove(c)
}

// prove keeps what a clash proves if that is the most so far, and tells whether it is enough.
func (d *decisions) prove(c clash) bool {
	d.vain++
	if found := d.contradiction(c); found != nil && (d.best == nil || found.Violation > d.best.Violation) {
		d.best, d.vain = found, 0
	}
	return d.proof() != nil
}

// Affordable is how many times the accepted violation the constraints of a contradiction may be violated by together.
// Along chains, where each gives way by a little that would be accepted, it is a contradiction that they add up to.
const Affordable = 10

// proof is that constraints contradict each other by more than is accepted; nil if there is none.
func (d *decisions) proof() *Contradiction {
	if d.best == nil || !(d.best.Violation > d.feasibility || d.best.Total > Affordable*d.feasibility) {
		return nil
	}
	return d.best
}

// contradiction proves from the trail what propagation ran into; nil if rounding may have a part in it.
func (d *decisions) contradiction(found clash) *Contradiction {
	g := make([]float64, d.field.Model.Variables)
	c := &Contradiction{Multipliers: make([]float64, d.field.Model.Potentials()), Point: d.point(d.lo)}
	slope := make([]float64, len(g))
	d.push(found.place, found.sign, slope, g, c.Multipliers)
	d.retrace(slope, g, c.Multipliers)
	d.balance(g, c.Multipliers)
	if !d.measure(c, slip/growth) {
		return nil
	}
	return c
}

// measure scales the ray of a contradiction, and says how much it proves. It returns false if that is no more than
// least, for multipliers as they are, or may be rounding.
func (d *decisions) measure(c *Contradiction, least float64) bool {
	bound, length := d.ray(c.Multipliers)
	if !(bound > least) {
		return false
	}
	largest := 0.0
	for j := range c.Multipliers {
		c.Multipliers[j] /= bound
		largest = max(largest, math.Abs(c.Multipliers[j]))
	}
	c.Violation, c.Total = bound/length, 1/largest
	return true
}

// ray returns R and Σ_j |r_j| for multipliers r; R is 0 if rounding may have a part in it. The slopes that retracing
// has left are not asked for: where constraints push by far more than is left in the end, they have the rounding of it.
func (d *decisions) ray(r []float64) (bound, length float64) {
	g, size := make([]float64, d.field.Model.Variables), 0.0
	for k, b := range d.field.Model.Blocks {
		var constant [1]float64
		for j, mu := range r[d.first[k] : d.first[k]+b.Len] {
			if mu == 0 {
				continue
			}
			d.field.Constants(k, j, j+1, constant[:])
			bound += mu * constant[0]
			length += math.Abs(mu)
			size += math.Abs(mu * constant[0])
			vars, coef := b.Row(j, &d.buffer)
			for n, i := range vars {
				g[i] += mu * coef[n]
				size += math.Abs(mu * coef[n])
			}
		}
	}
	for _, slope := range g {
		bound += min(0, slope)
	}
	if bound <= rounded*size {
		bound = 0
	}
	return bound, length
}

// rounded is the part of what is added up that may be nothing but rounding, by a wide margin.
const rounded = 0x1p-42
