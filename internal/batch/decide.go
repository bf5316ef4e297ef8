package batch

import (
	"context"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// decided is the value from which on the MAP state itself says which candidate of a label is true. Of two candidates it
// nearly always does; mostCandidates are compared at most, as each takes an inference. Cheaper is by how much, relative
// to 1 + the cost, one has to be the better.
const (
	decided         = 0.9
	leastCandidates = 3
	mostCandidates  = 32
	cheaper         = 1e-4
)

// Decide goes on from labels that were taken from MAP states y. Among three candidates of a label or more, of which
// none has a value near 1, it takes the one that costs least if it is true and the others are false, which is what
// learning by energies compares. A state in between may say nothing of that: where Σ n·Count(n) = 2, all mass on 2
// costs as little as half of it on 0 and half on 4.
func (p *Predictions) Decide(ctx context.Context, stage *Stage, s *Scene, e *Examples, members []int32,
	theta, y []float64) error {
	for l, label := range e.Labels {
		if n := len(label.Candidates); n < leastCandidates || n > mostCandidates {
			continue
		}
		open := make([]bool, len(members))
		for k, example := range members {
			open[k] = p.Values[int(example)*len(e.Labels)+l] < decided
		}
		if !slices.Contains(open, true) {
			continue
		}
		best := make([]int, len(members))
		for k, example := range members {
			best[k] = slices.Index(label.Candidates, p.Predicted[int(example)*len(e.Labels)+l])
		}
		costs, err := s.costs(ctx, stage, open, best, label.Variables, theta, y)
		if err != nil {
			return err
		}
		for k, example := range members {
			if costs[k] != nil {
				p.choose(e, int(example), l, best[k], costs[k], y[k*s.Variables:])
			}
		}
	}
	return nil
}

// choose takes the candidate that costs least, if it is cheaper than the one that is best in the MAP state y.
func (p *Predictions) choose(e *Examples, example, label, best int, costs, y []float64) {
	for c, cost := range costs {
		if cost < costs[best]-cheaper*(1+math.Abs(cost)) {
			best = c
		}
	}
	at := example*len(p.Labels) + label
	p.Predicted[at], p.Values[at] = e.Labels[label].Candidates[best], y[e.Labels[label].Variables[best]]
}

// clamped is a scene in which a label of each example is observed.
type clamped struct {
	*Scene
	label  []int32
	solver solve.Solver
	given  []float64    // what networks see, and then the labels
	fields []*mrf.Field // of the examples by themselves
}

// costs returns what each candidate of a label costs if it is true, in each example of a scene that is open: infinitely
// much where a hard rule about the label alone forbids it. It is nil where the candidate that is best in the MAP states
// y costs no more than these, and where hard rules contradict candidates, so that nothing is told.
func (s *Scene) costs(ctx context.Context, stage *Stage, open []bool, best []int, label []int32,
	theta, y []float64) ([][]float64, error) {
	var observed []int32
	for k := range open {
		for _, i := range label {
			observed = append(observed, i+int32(k*s.Variables))
		}
	}
	solver, err := stage.Solver(mrf.NewFieldOn(s.Field.Model.Observe(observed), s.Field.Threads))
	if err != nil {
		return nil, err
	}
	solver.SetWeights(theta)
	c := &clamped{Scene: s, label: label, solver: solver, fields: s.alone(open, theta),
		given: append(slices.Clone(s.Field.Inputs()), make([]float64, len(observed))...)}
	none, costs := make([][]float64, len(open)), make([][]float64, len(open))
	tops, err := c.cost(ctx, func(k int) int { return best[k] })
	if err != nil || tops == nil {
		return none, err
	}
	for k, field := range c.fields {
		if field == nil {
			continue
		}
		least := field.Energy(y[k*s.Variables : (k+1)*s.Variables])
		if tops[k] <= least+cheaper*(1+math.Abs(least)) {
			c.fields[k] = nil
			continue
		}
		costs[k] = make([]float64, len(label))
	}
	if !slices.ContainsFunc(c.fields, func(f *mrf.Field) bool { return f != nil }) {
		return costs, nil
	}
	for candidate := range label {
		found, err := c.cost(ctx, func(int) int { return candidate })
		if err != nil || found == nil {
			return none, err
		}
		for k := range costs {
			if costs[k] != nil {
				costs[k][candidate] = found[k]
			}
		}
	}
	return costs, nil
}

// cost returns what the candidate of each example costs if it is true; nil if hard rules contradict one.
func (c *clamped) cost(ctx context.Context, candidate func(example int) int) ([]float64, error) {
	n := len(c.label)
	truth := c.given[len(c.given)-len(c.fields)*n:]
	clear(truth)
	for k := range c.fields {
		truth[k*n+candidate(k)] = 1
	}
	c.solver.SetInputs(c.given)
	result, err := c.solver.Solve(ctx)
	if err != nil || result.Status == solve.Infeasible {
		return nil, err
	}
	costs := make([]float64, len(c.fields))
	for k, field := range c.fields {
		if field == nil {
			continue
		}
		y := result.Y[k*c.Variables : (k+1)*c.Variables]
		for other, i := range c.label {
			y[i] = truth[k*n+other]
		}
		costs[k] = costOf(field, y)
	}
	return costs, nil
}

// costOf returns the energy of a state, or infinity if it breaks a hard rule.
func costOf(field *mrf.Field, y []float64) float64 {
	if field.MaxViolation(y) > cheaper {
		return math.Inf(1)
	}
	return field.Energy(y)
}

// alone returns a field for each example of a scene that is open, with what networks see of it.
func (s *Scene) alone(open []bool, theta []float64) []*mrf.Field {
	fields := make([]*mrf.Field, len(open))
	for k, shape := range s.shapes {
		if !open[k] {
			continue
		}
		x := make([]float64, shape.model.Inputs)
		for n, i := range shape.inputs {
			x[n] = s.Field.Inputs()[k*s.inputs+int(i)]
		}
		fields[k] = mrf.NewFieldOn(shape.model, 1)
		fields[k].SetWeights(theta)
		fields[k].SetInputs(x)
	}
	return fields
}
