package batch

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Of leastCandidates or more, mostCandidates are compared at most, as each takes an inference. Cheaper is by how much,
// relative to 1 + the cost, one has to be the better.
const (
	leastCandidates = 3
	mostCandidates  = 32
	cheaper         = 1e-4
)

// Decide goes on from labels that were taken from MAP states y. Where one of an example is not plain, and there are few
// choices of classes for what is seen, it takes those that are most probable together (decideTogether). Else, among
// three candidates of a label or more, of which none has a value near 1, it takes the one that costs least if it is
// true and the others are false, which is what learning by energies compares. A state in between may say nothing of
// that: where Σ n·Count(n) = 2, all mass on 2 costs as little as half of it on 0 and half on 4.
func (p *Predictions) Decide(ctx context.Context, stage *Stage, s *Scene, e *Examples, members []int32,
	theta, y []float64) error {
	together, err := p.decideTogether(ctx, stage, s, e, members, theta, y)
	if err != nil {
		return err
	}
	for l, label := range e.Labels {
		if n := len(label.Candidates); n < leastCandidates || n > mostCandidates {
			continue
		}
		open := make([]bool, len(members))
		for k, example := range members {
			open[k] = !together[k] && p.Values[int(example)*len(e.Labels)+l] < learn.Decided
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

// decideTogether takes the most probable labels of examples that are open, by the MAP states at each choice of classes
// (learn.Answers), and tells of which. In a state between several answers, each label by itself may be true where they
// cannot all be, and a rule about anything of a kind is half met by things that are each a little of it.
func (p *Predictions) decideTogether(ctx context.Context, stage *Stage, s *Scene, e *Examples, members []int32,
	theta, y []float64) (taken []bool, err error) {
	taken = make([]bool, len(members))
	open := p.open(e, members)
	if s.Perception == nil || !slices.Contains(open, true) {
		return taken, nil
	}
	asked := learn.Scene{Field: mrf.NewFieldOn(s.Field.Model, s.Field.Threads), Perception: s.Perception, Shapes: s.Shapes}
	if asked.Solver, err = stage.Solver(asked.Field); err != nil {
		return taken, err
	}
	asked.Solver.SetWeights(theta)
	if err := stage.answers.Ask(ctx, &asked); err != nil {
		if infeasible := (*learn.InfeasibleError)(nil); errors.As(err, &infeasible) {
			return taken, nil // with certain classes, hard rules contradict each other
		}
		return taken, err
	}
	labels := e.Variables()
	for k, example := range members {
		if !open[k] {
			continue
		}
		state := stage.answers.Likeliest(&asked, k, s.Field.Inputs(), labels)
		if taken[k] = state != nil; taken[k] {
			p.say(e, int(example), state, y[k*s.Variables:])
		}
	}
	return taken, nil
}

// open tells of which examples some label's value is not plain.
func (p *Predictions) open(e *Examples, members []int32) []bool {
	open := make([]bool, len(members))
	for k, example := range members {
		for l, label := range e.Labels {
			value := p.Values[int(example)*len(e.Labels)+l]
			if label.Candidates == nil {
				value = max(value, 1-value)
			}
			open[k] = open[k] || value < learn.Decided
		}
	}
	return open
}

// say takes the labels of an example as another state than y says them.
func (p *Predictions) say(e *Examples, example int, state []float32, y []float64) {
	for l, label := range e.Labels {
		best := 0
		for c, i := range label.Variables {
			if state[i] > state[label.Variables[best]] {
				best = c
			}
		}
		at, i := example*len(e.Labels)+l, label.Variables[best]
		p.Values[at] = y[i]
		if p.Predicted[at] = side(float64(state[i])); label.Candidates != nil {
			p.Predicted[at] = label.Candidates[best]
		}
	}
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

// clamped are some examples of a scene, in which a label of each is observed.
type clamped struct {
	*Scene
	members []int // of the scene
	label   []int32
	solver  solve.Solver
	given   []float64    // what networks see, and then the labels
	fields  []*mrf.Field // of the examples by themselves
}

// costs returns what each candidate of a label costs if it is true, in each example of a scene that is open: infinitely
// much where a hard rule about the label alone forbids it. It is nil where the candidate that is best in the MAP states
// y costs no more than these, and where hard rules contradict candidates, so that nothing is told.
func (s *Scene) costs(ctx context.Context, stage *Stage, open []bool, best []int, label []int32,
	theta, y []float64) ([][]float64, error) {
	none, costs := make([][]float64, len(open)), make([][]float64, len(open))
	var members, doubtful []int
	for k, is := range open {
		if is {
			members = append(members, k)
		}
	}
	c, err := s.clamp(stage, members, label, theta)
	if err != nil {
		return nil, err
	}
	tops, err := c.cost(ctx, func(k int) int { return best[k] })
	if err != nil || tops == nil {
		return none, err
	}
	for at, k := range members {
		least := c.fields[at].Energy(y[k*s.Variables : (k+1)*s.Variables])
		if tops[at] > least+cheaper*(1+math.Abs(least)) {
			doubtful = append(doubtful, k)
			costs[k] = make([]float64, len(label))
		}
	}
	if len(doubtful) == 0 {
		return costs, nil
	}
	if len(doubtful) < len(members) {
		if c, err = s.clamp(stage, doubtful, label, theta); err != nil {
			return nil, err
		}
	}
	for candidate := range label {
		found, err := c.cost(ctx, func(int) int { return candidate })
		if err != nil || found == nil {
			return none, err
		}
		for at, k := range doubtful {
			costs[k][candidate] = found[at]
		}
	}
	return costs, nil
}

// clamp has a label observed in some examples of a scene, as the networks see them.
func (s *Scene) clamp(stage *Stage, members []int, label []int32, theta []float64) (*clamped, error) {
	c := &clamped{Scene: s, members: members, label: label}
	var shapes []*shape
	var observed []int32
	for at, k := range members {
		shapes = append(shapes, s.shapes[k])
		for _, i := range label {
			observed = append(observed, i+int32(at*s.Variables))
		}
		seen := s.Field.Inputs()[k*s.inputs : (k+1)*s.inputs]
		c.given, c.fields = append(c.given, seen...), append(c.fields, s.shapes[k].alone(seen, theta))
	}
	c.given = append(c.given, make([]float64, len(observed))...)
	var err error
	c.solver, err = stage.Solver(mrf.NewFieldOn(s.beside(shapes).Observe(observed), s.Field.Threads))
	if err == nil {
		c.solver.SetWeights(theta)
	}
	return c, err
}

// cost returns what the candidate of each example costs if it is true; nil if hard rules contradict one.
func (c *clamped) cost(ctx context.Context, candidate func(example int) int) ([]float64, error) {
	n := len(c.label)
	truth := c.given[len(c.given)-len(c.members)*n:]
	clear(truth)
	for at, k := range c.members {
		truth[at*n+candidate(k)] = 1
	}
	c.solver.SetInputs(c.given)
	result, err := c.solver.Solve(ctx)
	if err != nil || result.Status == solve.Infeasible {
		return nil, err
	}
	costs := make([]float64, len(c.members))
	for at, field := range c.fields {
		y := result.Y[at*c.Variables : (at+1)*c.Variables]
		for other, i := range c.label {
			y[i] = truth[at*n+other]
		}
		costs[at] = costOf(field, y)
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

// alone is the field of an example by itself, as the networks see it.
func (s *shape) alone(seen, theta []float64) *mrf.Field {
	x := make([]float64, s.model.Inputs)
	for n, i := range s.inputs {
		x[n] = seen[i]
	}
	field := mrf.NewFieldOn(s.model, 1)
	field.SetWeights(theta)
	field.SetInputs(x)
	return field
}
