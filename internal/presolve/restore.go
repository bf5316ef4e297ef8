package presolve

import (
	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Restore returns the values of all variables of the original problem, and multipliers of all its potentials and
// constraints, for a point and multipliers of the smaller one. What they prove there, they prove here.
//
// Potentials that were dropped have their derivative for a multiplier, merged ones their share of the common one.
// Then, with g = Aᵀμ, constraints that imply a bound take over the gradient of the variables that they fix, and ties
// spread the gradient of a group evenly over it, so that no variable adds more to the gap than the group did.
func (r *Reduction) Restore(y, multipliers []float64) (values, restored []float64) {
	values = make([]float64, r.original.Model.Variables)
	for i := range values {
		root := r.root(int32(i))
		values[i] = y[root]
		if r.fixed[root] {
			values[i] = r.lo[root]
		}
	}
	restored = make([]float64, r.original.Model.Potentials())
	r.spread(values, multipliers, restored)
	if len(r.ties) == 0 && !r.bounded() {
		return values, restored
	}
	g := make([]float64, len(values))
	r.original.Sweep(values, g, func(s *mrf.Span) float64 {
		copy(s.D, restored[s.First:])
		return 0
	})
	r.pin(g, restored)
	r.balance(g, restored)
	return values, restored
}

// spread sets the multipliers of potentials, and those of the constraints that were kept.
func (r *Reduction) spread(values, multipliers, restored []float64) {
	r.original.Sweep(values, nil, func(s *mrf.Span) float64 {
		s.Differentiate()
		copy(restored[s.First:], s.D)
		return 0
	})
	for k := range r.parts {
		p := &r.parts[k]
		b := r.original.Model.Blocks[k]
		own := restored[p.first : p.first+b.Len]
		if p.places == nil {
			copy(own, multipliers[p.same:])
		} else {
			p.share(b, multipliers, own)
			r.silence(k, own)
		}
	}
}

// share gives each potential of the block its part of the multiplier of what it became, by its weight.
func (p *part) share(b *mrf.Block, multipliers, own []float64) {
	scale := func(j int) float64 {
		if b.Scale == nil || b.Kind.Hard() {
			return 1
		}
		return float64(b.Scale[j])
	}
	whole := make([]float64, p.size)
	for j, at := range p.places {
		if at != gone {
			whole[int(at)-p.same] += scale(j)
		}
	}
	for j, at := range p.places {
		if at != gone {
			own[j] = multipliers[at] * (scale(j) / whole[int(at)-p.same])
		}
	}
}

// silence takes the multipliers from potentials that were dropped although a variable of theirs is left. They are never
// active, and at a kink only rounding could say otherwise.
func (r *Reduction) silence(k int, own []float64) {
	var left row
	for j, at := range r.parts[k].places {
		if at != gone || own[j] == 0 {
			continue
		}
		if r.normalise(r.original.Model.Blocks[k], j, 0, &left); len(left.vars) > 0 {
			own[j] = 0
		}
	}
}

// bounded tells whether a constraint implies a bound that fixed a variable.
func (r *Reduction) bounded() bool {
	for _, i := range r.order {
		if r.floor[i] != gone || r.ceiling[i] != gone {
			return true
		}
	}
	return false
}

// pin gives the gradient of fixed variables to the constraints that hold them, the last one fixed first: a constraint
// has no variables but those fixed before.
func (r *Reduction) pin(g, restored []float64) {
	slope := r.slopes(g)
	for k := len(r.order) - 1; k >= 0; k-- {
		i := r.order[k]
		place := r.floor[i]
		if slope[i] < 0 {
			place = r.ceiling[i]
		}
		if place == gone || slope[i] == 0 {
			continue
		}
		vars, coef := r.constraint(place)
		net := 0.0
		for n, v := range vars {
			if r.root(v) == i {
				net += coef[n]
			}
		}
		mu := -slope[i] / net
		restored[place] += mu
		for n, v := range vars {
			g[v] += mu * coef[n]
			slope[r.root(v)] += mu * coef[n]
		}
	}
}

// slopes sums the gradient over each group of tied variables.
func (r *Reduction) slopes(g []float64) []float64 {
	slope := make([]float64, len(g))
	for i, v := range g {
		slope[r.root(int32(i))] += v
	}
	return slope
}

// constraint returns the row of the constraint with that number.
func (r *Reduction) constraint(place int32) ([]int32, []float64) {
	at := len(r.first) - 1
	for r.first[at] > int(place) {
		at--
	}
	var buffer mrf.RowBuffer
	return r.original.Model.Blocks[at].Row(int(place)-r.first[at], &buffer)
}

// balance gives every tied variable the mean gradient of its group. The ties of a group are a tree: from its leaves on,
// each variable passes what it has too much to the next.
func (r *Reduction) balance(g, restored []float64) {
	if len(r.ties) == 0 {
		return
	}
	mean := r.slopes(g)
	size := make([]float64, len(g))
	for i := range g {
		size[r.root(int32(i))]++
	}
	degree, across := r.incidence()
	for k := range degree {
		for i := int32(k); degree[i] == 1; {
			e := across[i]
			t := r.ties[e]
			other, coef := t.k, t.coef
			if t.k == i {
				other, coef = t.i, -t.coef
			}
			root := r.root(i)
			mu := (mean[root]/size[root] - g[i]) / coef
			restored[t.place] += mu
			g[i], g[other] = mean[root]/size[root], g[other]-mu*coef
			degree[i], degree[other] = 0, degree[other]-1
			across[other] ^= e
			i = other
		}
	}
}

// incidence returns the number of ties of each variable and the exclusive or of their numbers, which is the number of
// the last one when the others are taken away.
func (r *Reduction) incidence() (degree []int32, across []int) {
	degree, across = make([]int32, len(r.lo)), make([]int, len(r.lo))
	for e, t := range r.ties {
		for _, i := range [...]int32{t.i, t.k} {
			degree[i]++
			across[i] ^= e
		}
	}
	return degree, across
}
