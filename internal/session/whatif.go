package session

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/explain"
)

// Counter says which counterfactuals are wanted: so many of Changes, those WithoutRules, and, where it is not 0, the
// one of WhyNot.
type Counter struct {
	Changes int
	Rules   bool
	WhyNot  float64
}

// Counter adds counterfactuals to an explanation.
func (x *Explainer) Counter(ctx context.Context, e *explain.Explanation, c Counter) error {
	err := x.Changes(ctx, e, c.Changes)
	if err == nil && c.Rules {
		err = x.WithoutRules(ctx, e)
	}
	if err == nil && c.WhyNot != 0 {
		err = x.WhyNot(ctx, e, c.WhyNot)
	}
	return err
}

// Changes adds to an explanation what the atom would be without the facts that contribute most and the ground rules
// that push most: count changes at most, each solved and proven.
func (x *Explainer) Changes(ctx context.Context, e *explain.Explanation, count int) error {
	var changes []*explain.Change
	for _, leaf := range e.Leaves {
		if leaf.Fact.Known && leaf.Contribution != 0 && len(changes) < (count+1)/2 {
			if change := x.fact(&leaf.Fact, -1); change != nil {
				changes = append(changes, change)
			}
		}
	}
	for k := range e.Pushes {
		if p := &e.Pushes[k]; p.GroundRule != "" && len(changes) < count {
			changes = append(changes, explain.Without("without "+p.GroundRule, -1, p.Place))
		}
	}
	return x.try(ctx, e, changes)
}

// WithoutRules adds to an explanation what the atom would be without each rule that pushes it. That changes the whole
// model, and takes about as long as inference for each.
func (x *Explainer) WithoutRules(ctx context.Context, e *explain.Explanation) error {
	var changes []*explain.Change
	for _, rule := range e.Rules {
		changes = append(changes, explain.Without("without the rule "+rule.Rule, rule.Index, -1))
	}
	return x.try(ctx, e, changes)
}

// try solves an explained model with each of some changes.
func (x *Explainer) try(ctx context.Context, e *explain.Explanation, changes []*explain.Change) error {
	for _, change := range changes {
		found, err := x.state.WhatIf(ctx, e.Number, change)
		if err != nil {
			return err
		}
		e.Counterfactuals = append(e.Counterfactuals, *found)
	}
	return nil
}

// tried is how many facts WhyNot tries, and bisections how often it halves where the value turns.
const tried, bisections = 5, 20

// WhyNot adds to an explanation what would have to be different for the atom to be above a threshold, or below it if it
// is above: facts at other values, as near to theirs as they can be, and rules left out. It finds one change at a time.
func (x *Explainer) WhyNot(ctx context.Context, e *explain.Explanation, threshold float64) error {
	if !(threshold >= 0 && threshold <= 1) {
		return fmt.Errorf("values lie between 0 and 1, and none on the other side of %v", threshold)
	}
	side := 1.0
	if e.Value >= threshold {
		side = -1
	}
	reaches := func(c *explain.Counterfactual) bool { return side*(c.Value-threshold) >= 0 }
	leaves := slices.Clone(e.Leaves)
	slices.SortStableFunc(leaves, func(a, b explain.Leaf) int {
		return -cmp.Compare(math.Abs(a.Slope), math.Abs(b.Slope))
	})
	left := tried
	for _, leaf := range leaves {
		if !leaf.Fact.Known || leaf.Slope == 0 || left == 0 {
			continue
		}
		left--
		if err := x.turn(ctx, e, &leaf, side, reaches); err != nil {
			return err
		}
	}
	for _, rule := range e.Rules {
		if side*rule.Push > 0 {
			continue // it helps already
		}
		found, err := x.state.WhatIf(ctx, e.Number, explain.Without("without the rule "+rule.Rule, rule.Index, -1))
		if err != nil {
			return err
		}
		if reaches(found) {
			e.Counterfactuals = append(e.Counterfactuals, *found)
		}
	}
	return nil
}

// turn looks for the value of a fact at which the atom gets to the other side of a threshold: the value is continuous
// in it where it is unique, so that bisection finds one.
func (x *Explainer) turn(ctx context.Context, e *explain.Explanation, leaf *explain.Leaf, side float64,
	reaches func(*explain.Counterfactual) bool) error {
	at := func(value float64) (*explain.Counterfactual, error) {
		change := x.fact(&leaf.Fact, value)
		if change == nil {
			return nil, nil
		}
		return x.state.WhatIf(ctx, e.Number, change)
	}
	near, far := leaf.Value, 0.0
	if side*leaf.Slope > 0 {
		far = 1
	}
	best, err := at(far)
	if err != nil || best == nil || !reaches(best) {
		return err
	}
	for range bisections {
		if math.Abs(far-near) < 1e-4 {
			break
		}
		middle := (near + far) / 2
		found, err := at(middle)
		if err != nil {
			return err
		}
		if reaches(found) {
			far, best = middle, found
		} else {
			near = middle
		}
	}
	e.Counterfactuals = append(e.Counterfactuals, *best)
	return nil
}
