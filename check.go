package deeppsl

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/engine"
)

// Summary is what can be said before anything is ground.
type Summary struct {
	Rules    []Estimate // by rule
	Problems []Problem  // what is probably not meant
	// Observations and Targets count atoms.
	Observations, Targets int
}

// Estimate is what grounding would make of a rule.
type Estimate struct {
	Rule string
	// Ground is about how many ground rules there would be, or if Exact precisely.
	Ground int
	Exact  bool
	// Bytes is the memory of the ground rules themselves, and Seconds about how long making them takes.
	Bytes   int64
	Seconds float64
}

// Check reads program and data, estimates what grounding them would cost, and looks for what is probably not meant.
// The error is an *Error if something has no meaning.
func Check(ctx context.Context, p *Program, data *Data, options Options) (*Summary, error) {
	project, err := newProject(p, data, options)
	if err != nil {
		return nil, explained(err)
	}
	found, err := engine.Check(ctx, project)
	if err != nil {
		return nil, explained(err)
	}
	s := &Summary{Problems: problems(found.Diagnostics), Observations: found.Observations, Targets: found.Targets}
	for _, r := range found.Rules {
		s.Rules = append(s.Rules, Estimate{r.Rule, int(r.GroundRules), r.Exact, r.Bytes, r.Seconds})
	}
	return s, nil
}
