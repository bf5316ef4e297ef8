package presolve

import "slices"

// trail remembers what hard constraints implied, in order, so that it can be proven from the constraints alone.
type trail struct {
	steps []step
	// vars are the variables whose bounds the steps tightened, and coef their coefficients in the step's inequality:
	// those with a positive one got a smaller upper bound, the others a larger lower one.
	vars []int32
	coef []float64
}

// step is what one constraint implied at a time, as the inequality sign·(a·y + c) ≤ 0 and by the bounds of then.
type step struct {
	place int32
	sign  float64
	first int // of its variables in the trail
}

// note adds a bound of variable i, which a constraint implies by its coefficient a.
func (t *trail) note(place int32, sign float64, i int32, a float64) {
	if n := len(t.steps); n == 0 || t.steps[n-1].place != place || t.steps[n-1].sign != sign {
		t.steps = append(doubled(t.steps), step{place, sign, len(t.vars)})
	}
	t.vars, t.coef = append(doubled(t.vars), i), append(doubled(t.coef), a)
}

// doubled makes as much room again where there is none: append alone would copy a long trail a dozen times.
func doubled[T any](s []T) []T {
	if len(s) < cap(s) {
		return s
	}
	return slices.Grow(s, len(s)+1)
}

// retrace gives slopes that variables have at their bounds to the constraints that imply these, the last one first, and
// adds what that changes to the gradient g and the multipliers. A step rests on bounds that are older than its own:
// whatever slope it leaves to other variables is at such a bound, and an earlier step's to take over. A step takes over
// as much as the variable needs that needs most; others then rest on their opposite bounds, as the step does.
func (d *decisions) retrace(slope, g, multipliers []float64) {
	end := len(d.trail.vars)
	for k := len(d.trail.steps) - 1; k >= 0; k-- {
		s, need := d.trail.steps[k], 0.0
		for n := s.first; n < end; n++ {
			need = max(need, -slope[d.trail.vars[n]]/d.trail.coef[n])
		}
		end = s.first
		if need > 0 {
			d.push(s.place, s.sign*need, slope, g, multipliers)
		}
	}
}

// push adds to the multiplier of a constraint, and so to the gradient and the slopes.
func (d *decisions) push(place int32, mu float64, slope, g, multipliers []float64) {
	multipliers[place] += mu
	k, j := d.locate(place)
	vars, coef := d.field.Model.Blocks[k].Row(j, &d.buffer)
	for n, v := range vars {
		g[v] += mu * coef[n]
		slope[d.root(v)] += mu * coef[n]
	}
}

// slopes sums the gradient over each group of tied variables.
func (d *decisions) slopes(g []float64) []float64 {
	slope := make([]float64, len(g))
	for i, v := range g {
		slope[d.root(int32(i))] += v
	}
	return slope
}

// locate returns the block of the potential with that number, and its number there.
func (d *decisions) locate(place int32) (block, at int) {
	lo, hi := 0, len(d.first)
	for hi-lo > 1 {
		if middle := (lo + hi) / 2; d.first[middle] <= int(place) {
			lo = middle
		} else {
			hi = middle
		}
	}
	return lo, int(place) - d.first[lo]
}
