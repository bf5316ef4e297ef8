// Package presolve makes a ground problem smaller before it is solved, without changing its optimum:
//
//   - variables that hard equalities y_i = y_k tie together become one, and those that orders y_i ≤ y_k lead around;
//   - bounds are propagated along hard constraints, and variables whose bounds meet are fixed; so are, at a bound,
//     those that all potentials push the same way, and those that are in none;
//   - variables that share no potential with others are minimised, if theirs are squares and linear ones;
//   - potentials and constraints that can never be active any more are dropped, and orders y_i ≤ y_k that others imply;
//   - identical potentials of a rule are merged, and their weights add.
//
// Each step is undone for the answer: Restore finds values of all variables and multipliers of all potentials, so that
// the certificate of the original problem shows the gap that was proven for the smaller one. Nothing is rounded on the
// way; a reduction that the arenas' single precision could not hold exactly is not made. Bounds of variables that are
// left are used to decide and drop, and not handed on: the constraints that imply them are.
package presolve

import (
	"math"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Counts says how much smaller a problem became.
type Counts struct {
	// Fixed counts the variables that were decided, and Tied those that became one with another.
	Fixed int `json:"fixed_variables"`
	Tied  int `json:"tied_variables"`
	// Dropped counts the potentials and constraints that cannot matter any more, and Merged those that became one with
	// another.
	Dropped int `json:"dropped_ground_rules"`
	Merged  int `json:"merged_ground_rules"`
}

// nearlyAll is the part of a model's potentials without which next to nothing of it is left.
const nearlyAll = 0.8

// NearlyAll tells whether the counts, nil for none, are those of nearly all of a model's potentials.
func (c *Counts) NearlyAll(m *mrf.Model) bool {
	return c != nil && float64(c.Dropped+c.Merged) >= nearlyAll*float64(m.Potentials())
}

// Reduction is a smaller problem with the way back to the original one.
type Reduction struct {
	// Field is the smaller problem. Variables keep their numbers: those that are gone are in no potential.
	Field *mrf.Field
	Counts

	original *mrf.Field
	*decisions
	parts []part
}

// part says where the potentials of an original block went.
type part struct {
	first int // number of the block's first potential in the original
	// same is the number of the first one in the smaller problem, which has size of them.
	same, size int
	// places has the number of each in the smaller problem, or gone; nil if the block is shared.
	places []int32
}

// gone is the place of potentials that were dropped.
const gone = -1

// worthwhile is the part of the potentials, one in so many, that has to go for a reduction to pay for its copies.
const worthwhile = 10

// pays tells whether a reduction is worth it, and whether to look for identical potentials. That costs as much as a
// whole solve of soft squares: it is for models that have constraints or linear potentials left. A model that loses all
// of its constraints can be solved in one go, unless most of it has to be written anew first: on a million squared
// potentials with every variable tied to another one, that took as long as was saved, and twice the memory.
func (s *survey) pays(m *mrf.Model) (worth, merge bool) {
	total, touched := m.Potentials(), 0
	for _, n := range s.touched {
		touched += n
	}
	softened := m.Hard() && s.hard == 0 && 2*touched <= total
	merge = s.steep && s.twice > 0 && s.twice*worthwhile >= s.sampled
	return total > 0 && (s.gone*worthwhile >= total || softened || merge), merge
}

// Reduce makes the field's problem smaller, with its present weights and inputs, which must be valid. It returns nil
// if that would not pay, if stop, unless it is nil, says that it is time to stop, or if the hard constraints contradict
// each other as far as presolving can see: with a proof, if they cannot hold to within feasibility, and slight if what
// bounds show is no more than is accepted. Then Yield may make parts of the problem smaller.
func Reduce(field *mrf.Field, feasibility float64, stop func() bool) (_ *Reduction, _ *Contradiction, slight bool) {
	if field.Model.Potentials() >= math.MaxInt32 {
		return nil, nil, false
	}
	d := newDecisions(field, feasibility, stop)
	if !d.decide() {
		c := d.proof()
		return nil, c, c == nil && d.worst.excess > 0 && !d.stop()
	}
	worth, merge := d.survey.pays(field.Model)
	if !worth {
		return nil, nil, false
	}
	return build(field, d, merge), nil, false
}
