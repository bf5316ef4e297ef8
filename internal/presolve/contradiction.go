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
	// Violation is 1/Σ_j |r_j|: every point of the box violates some constraint by that much or more.
	Violation float64
	// Point is one that satisfies those that were looked at before the last.
	Point []float64
}

// Examine tells whether the field's hard constraints can hold together, as far as bounds that follow from them show it:
// it returns a proof that they cannot to within feasibility, or a point where they do. Both are nil if it does not
// know, or if stop, unless it is nil, says that it is time to stop.
func Examine(field *mrf.Field, feasibility float64, stop func() bool) (*Contradiction, []float64) {
	d := newDecisions(field, stop)
	d.tie()
	if _, ok := d.bound(); !ok {
		return d.contradiction(feasibility), nil
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
		y[i] = bounds[d.root(int32(i))]
	}
	return y
}

// dust is the part of the largest multiplier that may be but rounding.
const dust = 1e-9

// Places lists the constraints that contradict each other, by their numbers among all potentials.
func (c *Contradiction) Places() (places []int) {
	largest := 0.0
	for _, r := range c.Multipliers {
		largest = max(largest, math.Abs(r))
	}
	for j, r := range c.Multipliers {
		if math.Abs(r) > dust*largest {
			places = append(places, j)
		}
	}
	return places
}

// contradiction proves from the trail what propagation ran into. There is no proof if it ran into nothing, or into
// less than the tolerance: long chains of constraints, each of which gives way a little, add up to much.
func (d *decisions) contradiction(feasibility float64) *Contradiction {
	if d.conflict == nil {
		return nil
	}
	g := make([]float64, d.field.Model.Variables)
	c := &Contradiction{Multipliers: make([]float64, d.field.Model.Potentials()), Point: d.point(d.lo)}
	slope := make([]float64, len(g))
	d.push(d.conflict.place, d.conflict.sign, slope, g, c.Multipliers)
	d.retrace(slope, g, c.Multipliers)
	d.balance(g, c.Multipliers)
	bound, length := d.ray(g, c.Multipliers)
	if !(bound > feasibility*length) {
		return nil
	}
	for j := range c.Multipliers {
		c.Multipliers[j] /= bound
	}
	c.Violation = bound / length
	return c
}

// ray returns R and Σ_j |r_j| for multipliers r with g = Aᵀr.
func (d *decisions) ray(g, r []float64) (bound, length float64) {
	for k, b := range d.field.Model.Blocks {
		var constant [1]float64
		for j, mu := range r[d.first[k] : d.first[k]+b.Len] {
			if mu != 0 {
				d.field.Constants(k, j, j+1, constant[:])
				bound += mu * constant[0]
				length += math.Abs(mu)
			}
		}
	}
	for _, slope := range g {
		bound += min(0, slope)
	}
	return bound, length
}
