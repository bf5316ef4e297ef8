package worker

import (
	"context"

	"github.com/deeppsl/deeppsl"
)

// asked is an atom to be explained, and how much is wanted.
type asked struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments"`
	Shown     int      `json:"shown"`
	Depth     int      `json:"depth"`
	Changes   int      `json:"changes"`
}

// explain says why an atom has its value.
func explain(ctx context.Context, c call, fields asked) (any, error) {
	details := deeppsl.Details{Shown: fields.Shown, Depth: fields.Depth, Changes: fields.Changes}
	found, err := c.Explain(ctx, details, fields.Predicate, fields.Arguments...)
	if err != nil {
		return nil, err
	}
	return explanationOf(found), nil
}

type explanation struct {
	Atom            string           `json:"atom"`
	Value           float64          `json:"value"`
	Unique          bool             `json:"unique"`
	Interval        [2]float64       `json:"interval"`
	BoundForce      float64          `json:"bound_force"`
	Unexplained     float64          `json:"unexplained"`
	Pushes          []push           `json:"pushes"`
	Leaves          []leaf           `json:"leaves"`
	Counterfactuals []counterfactual `json:"counterfactuals"`
	Because         []explanation    `json:"because"`
}

type push struct {
	Rule        string    `json:"rule"`
	GroundRule  string    `json:"ground_rule"`
	Multiplier  float64   `json:"multiplier"`
	Coefficient float64   `json:"coefficient"`
	Push        float64   `json:"push"`
	Count       int       `json:"count"`
	Atoms       []premise `json:"atoms"`
}

type premise struct {
	Atom  string  `json:"atom"`
	Role  string  `json:"role"`
	Value float64 `json:"value"`
	File  string  `json:"file"`
	Line  int     `json:"line"`
}

type leaf struct {
	Kind         string  `json:"kind"`
	Name         string  `json:"name"`
	Value        float64 `json:"value"`
	Contribution float64 `json:"contribution"`
}

type counterfactual struct {
	Change    string  `json:"change"`
	Value     float64 `json:"value"`
	Objective float64 `json:"objective"`
	Gap       float64 `json:"gap"`
}

func explanationOf(e *deeppsl.Explanation) explanation {
	return explanation{Atom: e.Atom, Value: e.Value, Unique: e.Unique, Interval: e.Interval, BoundForce: e.BoundForce,
		Unexplained: e.Unexplained, Pushes: each(e.Pushes, pushOf),
		Leaves:          each(e.Leaves, func(l deeppsl.Leaf) leaf { return leaf(l) }),
		Counterfactuals: each(e.Counterfactuals, func(c deeppsl.Counterfactual) counterfactual { return counterfactual(c) }),
		Because:         each(e.Because, explanationOf)}
}

func pushOf(p deeppsl.Push) push {
	return push{p.Rule, p.GroundRule, p.Multiplier, p.Coefficient, p.Push, p.Count,
		each(p.Atoms, func(a deeppsl.Premise) premise { return premise(a) })}
}
