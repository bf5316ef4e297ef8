// Package conflict finds, among hard constraints that contradict each other, a few that do so by themselves: what a
// solver names are all those that the least violating point violates, which can be thousands where two are to blame.
package conflict

import (
	"context"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/partition"
	"github.com/deeppsl/deeppsl/internal/presolve"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// budget bounds the work: the sum of the constraints over all subsets that are tried, with those that take a solver
// counted as often as it takes longer, about. It is about a second; whatever is left then is the answer.
const (
	budget  = 500_000
	solving = 20
)

// Minimal returns, of the hard constraints of a field at places, which ascend, some that contradict each other and
// would not without any one of them, as long as there is a budget to find out. If those at places do not contradict
// each other in the first place, all of them that share variables with the first one are returned, or with others that
// do. Only the settings' Feasibility matters.
func Minimal(ctx context.Context, field *mrf.Field, places []int, settings solve.Settings) []int {
	model := field.Model.Only(places)
	components := partition.Find(model)
	part := partition.Split(model, components, make([]int32, len(components.Potentials)), 1)[0]
	s := &search{ctx: ctx, field: part.Condition(field), budget: budget,
		settings: solve.Settings{Feasibility: settings.Feasibility, Threads: 1}.WithDefaults(0)}
	all := make([]int, len(places))
	for k := range all {
		all[k] = k
	}
	if proof := s.contradict(all); proof != nil {
		all = s.shrink(proof)
	}
	return connected(field.Model, pick(places, all))
}

// connected returns the constraints that are in the component of the first one.
func connected(model *mrf.Model, places []int) []int {
	part := model.Only(places)
	of := partition.Find(part).Of
	component := func(b *mrf.Block, j int) int32 {
		if vars := b.Variables(j); len(vars) > 0 {
			return of[vars[0]]
		}
		return partition.None
	}
	var group []int
	for _, b := range part.Blocks {
		for j := range b.Len {
			if component(b, j) == component(part.Blocks[0], 0) {
				group = append(group, places[0])
			}
			places = places[1:]
		}
	}
	return group
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
		for end := len(kept); end > 0 && s.budget > 0; {
			first := max(0, end-size)
			rest := s.contradict(slices.Concat(kept[:first], kept[end:]))
			if rest == nil {
				end = first
				continue
			}
			end, _ = slices.BinarySearch(rest, kept[first])
			kept = rest
		}
	}
	return kept
}

// contradict returns those of the constraints with these numbers that a proof takes that no point of the box satisfies
// them all; nil if there is a point, or the budget does not suffice to find out.
func (s *search) contradict(numbers []int) []int {
	if s.budget -= len(numbers); s.budget < 0 || len(numbers) == 0 {
		return nil
	}
	f := mrf.NewFieldOn(s.field.Model.Only(numbers), 1)
	f.SetWeights(s.field.Weights())
	f.SetInputs(s.field.Inputs())
	violation := solve.Contradiction(s.settings.Feasibility)
	proof, point := presolve.Examine(f, violation, func() bool { return s.ctx.Err() != nil })
	switch {
	case proof != nil:
		return pick(numbers, proof.Places())
	case point != nil:
		return nil
	}
	if s.budget -= solving * len(numbers); s.budget < 0 {
		return nil
	}
	result, err := newton.New(f, s.settings).Solve(s.ctx)
	if err != nil || result.Status != solve.Infeasible {
		return nil
	}
	return numbers
}

// pick returns the numbers at places.
func pick(numbers, places []int) []int {
	picked := make([]int, len(places))
	for k, place := range places {
		picked[k] = numbers[place]
	}
	return picked
}
