package presolve

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Restore returns the values of all variables of the original problem, and multipliers of all its potentials and
// constraints, for a point and multipliers of the smaller one. What they prove there, they prove here.
//
// Potentials that were dropped have their derivative for a multiplier, merged ones their share of the common one.
// Then, with g = Aᵀμ, constraints that imply a bound take over the gradient of the variables that they fix, and ties
// spread the gradient of a group evenly over it, so that no variable adds more to the gap than the group did.
func (r *Reduction) Restore(y, multipliers []float64) (values, restored []float64) {
	values = r.values(y)
	restored = make([]float64, r.original.Model.Potentials())
	r.spread(values, multipliers, restored)
	bounded := slices.ContainsFunc(r.trail.vars, func(i int32) bool { return r.fixed[i] })
	if len(r.ties)+len(r.gather) == 0 && !bounded {
		return values, restored
	}
	g := make([]float64, len(values))
	r.original.Sweep(values, g, func(s *mrf.Span) float64 {
		copy(s.D, restored[s.First:])
		return 0
	})
	if bounded {
		r.retrace(r.slopesOfFixed(g), g, restored)
	}
	r.balance(g, restored)
	return values, restored
}

// Contradiction turns a proof that the smaller problem's hard constraints contradict each other, by their multipliers,
// into one for those of the original problem: constraints that imply the values of fixed variables take over what
// pushes these, as Restore has them do. It is nil if that proves no longer what is asked for.
func (r *Reduction) Contradiction(y, multipliers []float64) *Contradiction {
	hard := make([]float64, len(multipliers))
	at := 0
	for _, b := range r.Field.Model.Blocks {
		if b.Kind.Hard() {
			copy(hard[at:at+b.Len], multipliers[at:])
		}
		at += b.Len
	}
	c := &Contradiction{Multipliers: make([]float64, r.original.Model.Potentials()), Point: r.values(y)}
	g := make([]float64, r.original.Model.Variables)
	for k, b := range r.original.Model.Blocks {
		if !b.Kind.Hard() {
			continue
		}
		p := &r.parts[k]
		own := c.Multipliers[p.first : p.first+b.Len]
		p.take(b, hard, own)
		for j, mu := range own {
			vars, coef := b.Row(j, &r.buffer)
			for n, i := range vars {
				g[i] += mu * coef[n]
			}
		}
	}
	r.retrace(r.slopesOfFixed(g), g, c.Multipliers)
	r.balance(g, c.Multipliers)
	if !r.measure(c, 0) || !(c.Violation > r.feasibility || c.Total > Affordable*r.feasibility) {
		return nil
	}
	return c
}

// values returns those of all variables for a point of the smaller problem.
func (r *Reduction) values(y []float64) []float64 {
	values := make([]float64, r.original.Model.Variables)
	for i := range values {
		root := r.root(int32(i))
		values[i] = y[root]
		if r.fixed[root] {
			values[i] = r.lo[root]
		}
	}
	return values
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
		if p.take(b, multipliers, own); p.places != nil {
			r.silence(k, own)
		}
	}
}

// take sets the multipliers of a block's potentials that were kept.
func (p *part) take(b *mrf.Block, multipliers, own []float64) {
	if p.places == nil {
		copy(own, multipliers[p.same:])
	} else {
		p.share(b, multipliers, own)
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

// slopesOfFixed is slopes for variables that are fixed; that of others is the solver's.
func (r *Reduction) slopesOfFixed(g []float64) []float64 {
	slope := r.slopes(g)
	for i := range slope {
		if !r.fixed[i] {
			slope[i] = 0
		}
	}
	return slope
}
