package explain

import (
	"context"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/partition"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
	"github.com/deeppsl/deeppsl/internal/solve/interior"
)

// Change is what is different in another state.
type Change struct {
	Name string
	// Rule is left out, or Place among all potentials; -1 for none.
	Rule, Place int
	// Gone are ground rules that the model has and the changed one has not, and Added those that it has instead.
	Gone, Added []Ground
}

// Without returns the change that leaves out a rule, or a ground rule by its place, and nothing else.
func Without(name string, rule, place int) *Change {
	return &Change{Name: name, Rule: rule, Place: place}
}

// Ground is a ground rule in numbers.
type Ground struct {
	Rule            int
	Kind            mrf.Kind
	Exponent        int
	Vars, Inputs    []int32
	Coef, InputCoef []float64
	Constant, Scale float64
}

// WhatIf finds the state with a change, starting from the present one, and says what variable i is there. The value is
// NaN and the gap +∞ where hard rules contradict each other then.
func (s *State) WhatIf(ctx context.Context, i int32, change *Change) (*Counterfactual, error) {
	gone := s.gone(change)
	if change.Rule < 0 {
		whole, unit := s.whole(), s.field.Unit()
		r := s.region(i, gone, change.Added)
		budget := changedBudget * unit
		generous := max(budget, s.room(whole))
		done, err := r.resolve(ctx, changedGap*unit, budget, generous, max(least, len(s.y)/5))
		if err != nil {
			return nil, err
		}
		if done && r.violation <= feasible && max(r.gap-generous, r.excess) <= 2*budget {
			return r.counterfactual(i, change, whole), nil
		}
	}
	return s.anew(ctx, i, change, gone)
}

// A region is solved to changedGap and grows until the gap around it has grown by no more than changedBudget, both in
// units of energy; least is the number of atoms that one may have in any case. Once all rounds together have gone
// through more ground rules than is cheap, a part of the gap that was asked for (spare) is accepted, and what is taken
// in leaves a part of that (ahead), as what is behind it will be pushed in turn.
const (
	changedGap    = 1e-8
	changedBudget = 1e-6
	least         = 500
	cheap         = 10_000
	spare         = 0.5
	ahead         = 0.1
)

// room is how much the gap of the whole may grow by: a part of what may be, and no more than is left of it.
func (s *State) room(whole *proof) float64 {
	asked := s.settings.WithDefaults(0).Gap * max(s.field.Grain(), math.Abs(whole.objective.Value()))
	return min(spare*asked, asked-whole.gap.Value())
}

// counterfactual says what the region's state means for a variable and the whole.
func (r *region) counterfactual(i int32, change *Change, whole *proof) *Counterfactual {
	objective := whole.objective.Value() + r.objective
	gap := solve.Relative(r.state.field, max(0, whole.gap.Value()+r.gap)+r.excess, objective)
	return &Counterfactual{Change: change.Name, Value: snapped(r.at[i].y), Objective: objective, Gap: gap}
}

// anew is WhatIf by solving all components that the change touches.
func (s *State) anew(ctx context.Context, i int32, change *Change, gone map[int]bool) (*Counterfactual, error) {
	c, err := s.touched(ctx, i, change, gone)
	if err != nil {
		return nil, err
	}
	c.potentials = slices.DeleteFunc(c.potentials, func(place int32) bool { return gone[int(place)] })
	part := partition.Extract(s.field.Model, c.variables, c.potentials)
	y, mu := pick(s.y, c.variables), pick(s.mu, c.potentials)
	for _, g := range change.Added {
		part.Model.Blocks = append(part.Model.Blocks, s.block(&g, c.variables))
		mu = append(mu, 0)
	}
	result, err := s.resolve(ctx, part.Condition(s.field), y, mu)
	if err != nil {
		return nil, err
	}
	if result.Status == solve.Infeasible {
		return &Counterfactual{Change: change.Name, Value: math.NaN(), Objective: math.Inf(1), Gap: math.Inf(1)}, nil
	}
	at, _ := slices.BinarySearch(c.variables, i)
	out := &Counterfactual{Change: change.Name, Value: snapped(result.Y[at])}
	whole := s.whole()
	out.Objective = whole.objective.Value() - c.proof.Objective + result.Objective
	rest := whole.gap.Value() - (c.proof.Objective - c.proof.DualBound)
	out.Gap = solve.Relative(s.field, max(0, rest)+math.Abs(result.Objective-result.DualBound), out.Objective)
	if result.MaxViolation > still {
		out.Gap = math.Inf(1) // no state has been found, which says nothing about whether there is one
	}
	return out, nil
}

// gone lists the places of what a change takes away.
func (s *State) gone(change *Change) map[int]bool {
	gone := make(map[int]bool)
	if change.Place >= 0 {
		gone[change.Place] = true
	}
	for k := range change.Gone {
		if place := s.find(&change.Gone[k], gone); place >= 0 {
			gone[place] = true
		}
	}
	first := 0
	for _, b := range s.field.Model.Blocks {
		for j := 0; b.Rule == change.Rule && j < b.Len; j++ {
			gone[first+j] = true
		}
		first += b.Len
	}
	return gone
}

// find returns the place of a ground rule that is not taken yet, or -1.
func (s *State) find(g *Ground, taken map[int]bool) int {
	const rounding = 1e-9
	for _, place := range s.index.Of(g.Vars[0], nil) {
		block, j := s.index.Locate(place)
		b := s.field.Model.Blocks[block]
		if b.Rule != g.Rule || taken[place] || b.Scale != nil && float64(b.Scale[j]) != g.Scale {
			continue
		}
		vars, coef := b.Row(j, new(mrf.RowBuffer))
		if slices.Equal(vars, g.Vars) && slices.Equal(coef, g.Coef) && slices.Equal(b.InputRow(j), g.Inputs) &&
			math.Abs(b.Constant+b.Own(j)-g.Constant) <= rounding*(1+math.Abs(g.Constant)) {
			return place
		}
	}
	return -1
}

// touched returns the components with what a change adds or takes away, and with variable i, as one; of a rule that is
// left out, all of the model.
func (s *State) touched(ctx context.Context, i int32, change *Change, gone map[int]bool) (*component, error) {
	if change.Rule >= 0 {
		whole := solve.Certify(s.field, s.y, s.mu)
		return &component{variables: upTo(s.field.Model.Variables), potentials: upTo(len(s.mu)), proof: whole}, nil
	}
	variables := []int32{i}
	for place := range gone {
		block, j := s.index.Locate(place)
		variables = append(variables, s.field.Model.Blocks[block].Variables(j)...)
	}
	for k := range change.Added {
		variables = append(variables, change.Added[k].Vars...)
	}
	all := &component{}
	var known []*component
	for _, k := range variables {
		part, err := s.settle(ctx, k)
		if err != nil {
			return nil, err
		}
		if slices.Contains(known, part) {
			continue
		}
		known = append(known, part)
		all.variables = append(all.variables, part.variables...)
		all.potentials = append(all.potentials, part.potentials...)
		all.proof.Objective += part.proof.Objective
		all.proof.DualBound += part.proof.DualBound
	}
	slices.Sort(all.variables)
	slices.Sort(all.potentials)
	return all, nil
}

// upTo returns the numbers from 0 to n-1.
func upTo(n int) []int32 {
	out := make([]int32, n)
	for k := range out {
		out[k] = int32(k)
	}
	return out
}

// block makes a block of one ground rule, with inputs in its constant.
func (s *State) block(g *Ground, variables []int32) *mrf.Block {
	b := &mrf.Block{Rule: g.Rule, Kind: g.Kind, Exponent: g.Exponent, Len: 1, Coef: g.Coef, Constant: g.Constant}
	if g.Scale != 1 {
		b.Scale = []float32{float32(g.Scale)}
	}
	for k, i := range g.Inputs {
		b.Constant += g.InputCoef[k] * s.field.Inputs()[i]
	}
	for _, i := range g.Vars {
		column, _ := slices.BinarySearch(variables, i)
		b.Vars = append(b.Vars, int32(column))
	}
	return b
}

// resolve solves a changed component, from where it was: by Newton's method, which stops where that takes long, then
// directly, and where that does not prove what was asked for either, as inference does.
func (s *State) resolve(ctx context.Context, field *mrf.Field, y, mu []float64) (*solve.Result, error) {
	limits := s.settings
	limits.Gap, limits.Feasibility = changedGap, feasible/10
	quick := limited(field, limits, more, len(mu))
	quick.WarmStart(y, mu)
	result, err := quick.Solve(ctx)
	if err != nil || result.Status == solve.Optimal || result.Status == solve.Infeasible {
		return result, err
	}
	limits.Cursory, limits.MaxIterations = true, steps
	direct, err := interior.New(field, limits).Solve(ctx)
	if err != nil {
		return nil, err
	}
	if direct.Status == solve.Infeasible || better(direct.Certificate, result.Certificate) {
		result = direct
	}
	asked := s.settings.WithDefaults(0)
	if asked.Feasibility = still; result.Status == solve.Infeasible || proven(result.Certificate, asked) {
		return result, nil
	}
	solver, err := auto.Inference("auto", field, asked, auto.Options{Presolve: true, Split: true, Polish: true})
	if err != nil {
		return nil, err
	}
	again, err := solver.Solve(ctx)
	if err == nil && (again.Status == solve.Infeasible || better(again.Certificate, result.Certificate)) {
		result = again
	}
	return result, err
}
