package presolve

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// yields bounds how many contradictions of a problem give way: there is one along each chain that is about too long.
const yields = 8

// yieldedMore is by how much more than they contradict each other constraints give way, relative, so that rounding is
// no contradiction.
const yieldedMore = 1e-9

// Yield is Reduce for a problem whose hard constraints contradict each other by no more than is accepted, as bounds
// show that follow from them: those of the contradiction may be violated by as much as they have to be, each by the
// same. Along chains next to nothing is left to choose then, while the room that a solver gives all of them is little
// beside what its numbers come to. What is proven for the smaller problem is, by what Restore returns, proven here for
// all points that violate no constraint by more. It returns nil if equations alone contradict each other, if that would
// not pay, or if it does not know.
func Yield(field *mrf.Field, feasibility float64, stop func() bool) *Reduction {
	if field.Model.Potentials() >= math.MaxInt32 || field.Model.Paged() != nil {
		return nil
	}
	eased := newEasing(field)
	for range yields {
		d := newDecisions(eased.field, feasibility, stop)
		d.met = nearlyMet
		if d.decide() {
			if worth, merge := d.survey.pays(field.Model); worth && eased.eases() {
				return build(eased.field, d, merge)
			}
			return nil
		}
		if d.proof() != nil || d.worst.excess <= 0 || d.stop() || !eased.giveWay(d.contradiction(d.worst), feasibility) {
			return nil
		}
	}
	return nil
}

// easing is a field whose inequalities give way.
type easing struct {
	field *mrf.Field
	given []float64 // of each potential
}

func newEasing(field *mrf.Field) *easing {
	return &easing{field: field, given: make([]float64, field.Model.Potentials())}
}

// eases tells whether any constraint gives way.
func (e *easing) eases() bool {
	return slices.ContainsFunc(e.given, func(v float64) bool { return v > 0 })
}

// giveWay has the inequalities of a contradiction give way until it is none any more. It returns false if that is more
// than is accepted, or if there are none.
func (e *easing) giveWay(c *Contradiction, feasibility float64) bool {
	if c == nil {
		return false
	}
	length := 0.0
	e.eachInequality(func(_ *mrf.Block, j int) { length += math.Abs(c.Multipliers[j]) })
	give := (1 + yieldedMore) / length // the ray is scaled to prove an excess of 1
	accepted := true
	e.eachInequality(func(_ *mrf.Block, j int) {
		if c.Multipliers[j] > 0 {
			e.given[j] += give
			accepted = accepted && e.given[j] < feasibility
		}
	})
	if accepted && length > 0 {
		e.write(c, give)
	}
	return accepted && length > 0
}

// eachInequality visits the inequalities, by their numbers among all potentials.
func (e *easing) eachInequality(visit func(b *mrf.Block, j int)) {
	first := 0
	for _, b := range e.field.Model.Blocks {
		if b.Kind == mrf.LessEqual {
			for j := range b.Len {
				visit(b, first+j)
			}
		}
		first += b.Len
	}
}

// write makes a field whose inequalities of a contradiction have smaller constants, by so much.
func (e *easing) write(c *Contradiction, give float64) {
	m := *e.field.Model
	m.Blocks = make([]*mrf.Block, len(m.Blocks))
	first := 0
	for k, b := range e.field.Model.Blocks {
		m.Blocks[k] = b
		if own := c.Multipliers[first : first+b.Len]; b.Kind == mrf.LessEqual {
			eased := *b
			eased.Bias, eased.Bias64 = nil, make([]float64, b.Len)
			for j := range eased.Bias64 {
				switch {
				case b.Bias64 != nil:
					eased.Bias64[j] = b.Bias64[j]
				case b.Bias != nil:
					eased.Bias64[j] = float64(b.Bias[j])
				}
				if own[j] > 0 {
					eased.Bias64[j] -= give
				}
			}
			m.Blocks[k] = &eased
		}
		first += b.Len
	}
	field := mrf.NewFieldOn(&m, e.field.Threads)
	field.SetWeights(e.field.Weights())
	field.SetInputs(e.field.Inputs())
	field.SetUnit(e.field.Unit(), e.field.Grain())
	e.field = field
}
