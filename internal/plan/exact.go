package plan

import (
	"math/bits"
	"slices"
)

// maxExact is how many atoms may generate for all of their orders to be compared.
const maxExact = 12

// partial is the cheapest way that is known to join a set of atoms.
type partial struct {
	state
	score float64
	order []int
}

// exact finds the cheapest order of a rule's generating atoms by dynamic programming over the sets of atoms that come
// first: the rest of an order costs the same whatever led there, as far as estimates go. Like greedy, it joins atoms
// that nothing links only where no other one is left. Look-ups have no part in it: where they run is decided later.
func (o *orderer) exact(atoms []int) []int {
	o.begin()
	best := make([]*partial, 1<<len(atoms))
	best[0] = &partial{state: o.state.clone()}
	for set, from := range best[:len(best)-1] {
		if from == nil {
			continue
		}
		linked := o.linked(from, atoms, uint(set))
		for rest := linked; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros(rest)
			to := &best[set|1<<i]
			if next := o.extend(from, atoms[i]); *to == nil || next.score < (*to).score {
				next.order = append(slices.Clone(from.order), atoms[i])
				*to = next
			}
		}
	}
	return best[len(best)-1].order
}

// linked returns which of the atoms outside a set can come next: those that share something with it, or else all.
func (o *orderer) linked(from *partial, atoms []int, set uint) (keyed uint) {
	o.state = from.state
	all := uint(1)<<len(atoms) - 1
	for i, k := range atoms {
		if set>>i&1 == 0 && o.outlook(k).keyed {
			keyed |= 1 << i
		}
	}
	if keyed == 0 {
		return all &^ set
	}
	return keyed
}

// extend joins one more atom.
func (o *orderer) extend(from *partial, k int) *partial {
	o.state = from.state.clone()
	x := o.outlook(k)
	o.join(k, &x)
	factor := uneven(o.rows)
	if from.cost > 0 {
		factor = from.score / from.cost // that of the first step
	}
	return &partial{state: o.state, score: o.cost * factor}
}

// clone returns a state that shares nothing.
func (s *state) clone() state {
	c := *s
	c.distinct, c.decided = slices.Clone(s.distinct), slices.Clone(s.decided)
	return c
}
