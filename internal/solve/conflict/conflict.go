// Package conflict finds, among hard constraints that contradict each other, a few that do so by themselves: what a
// solver names are all those that the least violating point violates, which can be thousands where two are to blame.
package conflict

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/partition"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// budget bounds the work: the sum of the constraints over all subsets that are tried. It is a second or two; whatever
// is left then is the answer.
const budget = 100_000

// Minimal returns, of the hard constraints of a field at places, which ascend, some that contradict each other and
// would not without any one of them, as long as there is a budget to find out. If those at places do not contradict
// each other in the first place, all of them are returned. Only the settings' Feasibility matters.
func Minimal(ctx context.Context, field *mrf.Field, places []int, settings solve.Settings) []int {
	model := field.Model.Only(places)
	components := partition.Find(model)
	part := partition.Split(model, components, make([]int32, len(components.Potentials)), 1)[0]
	s := &search{ctx: ctx, field: part.Condition(field), budget: budget,
		settings: solve.Settings{Feasibility: settings.Feasibility, Threads: 1}}
	all := make([]int, len(places))
	for k := range all {
		all[k] = k
	}
	if !s.contradict(all) {
		return places
	}
	minimal := s.shrink(all)
	for k, at := range minimal {
		minimal[k] = places[at]
	}
	return minimal
}

// search tries subsets of a field's constraints.
type search struct {
	ctx      context.Context
	field    *mrf.Field
	settings solve.Settings
	budget   int
}

// shrink leaves out ever smaller groups of neighbours, and at last single constraints, as long as the rest is still a
// contradiction: the deletion filter of Chinneck and Dravnieks (1991), by halves. It begins at the end, so that what is
// left comes early.
func (s *search) shrink(kept []int) []int {
	for size := (len(kept) + 1) / 2; size > 0; size /= 2 {
		for end := len(kept); end > 0; {
			first := max(0, end-size)
			if rest := slices.Concat(kept[:first], kept[end:]); s.contradict(rest) {
				kept = rest
			}
			end = first
		}
	}
	return kept
}

// contradict tells whether no point of the box satisfies the constraints with these numbers; false if the budget does
// not suffice to find out.
func (s *search) contradict(numbers []int) bool {
	if s.budget -= len(numbers); s.budget < 0 || len(numbers) == 0 {
		return false
	}
	f := mrf.NewField(s.field.Model.Only(numbers))
	f.SetWeights(s.field.Weights())
	f.SetInputs(s.field.Inputs())
	result, err := newton.New(f, s.settings).Solve(s.ctx)
	return err == nil && result.Status == solve.Infeasible
}
