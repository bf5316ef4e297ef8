package session

import (
	"fmt"
	"maps"
	"math"
	"strings"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Evaluation is the score of one predicate's atoms.
type Evaluation struct {
	Predicate string `json:"predicate"`
	Evaluator string `json:"evaluator"`
	// Count is how many things were scored.
	Count int `json:"count"`
	// Values are the evaluator's numbers by name.
	Values map[string]float64 `json:"values"`
	// Intervals are the 95 % confidence intervals of those that have one.
	Intervals map[string][2]float64 `json:"intervals"`
	// Primary names the value that stands for the evaluation.
	Primary string `json:"primary"`
	// Learned is the threshold of the evaluation, if learning has chosen it.
	Learned *LearnedThreshold `json:"learned_threshold,omitempty"`
	// Best is the threshold with the best primary value; nil of evaluators that have none.
	Best *BestThreshold `json:"best_threshold,omitempty"`
	// Rarest is about the rarest category, if it is rare; nil of other evaluators.
	Rarest  *Rarest `json:"rarest,omitempty"`
	primary eval.Value
	scored  *eval.Scored
	options map[string]string
}

// Blind tells whether the answer is no better than the best one that looks at nothing, and what that has. It takes as
// long as several evaluations.
func (e *Evaluation) Blind() (guess float64, blind bool) { return e.Hardly(0) }

// Hardly is Blind with an answer that is better by no more than that.
func (e *Evaluation) Hardly(better float64) (guess float64, hardly bool) {
	guess = eval.Guess(e.Evaluator, e.options, e.scored)
	if e.primary.LowerIsBetter {
		return guess, e.primary.Number >= guess-better
	}
	return guess, e.primary.Number <= guess+better
}

// PrimaryValue is the value that stands for the evaluation.
func (e *Evaluation) PrimaryValue() float64 { return e.primary.Number }

// Rarest says how well a rare category is told from all others by the values of its atoms.
type Rarest struct {
	Category string     `json:"category"`
	Share    float64    `json:"share"` // of what is scored
	AUROC    float64    `json:"auroc"`
	Interval [2]float64 `json:"interval"` // the 95 % confidence interval of that
	// Best is the value from which things had best be taken to be of the category, by F1.
	Best BestThreshold `json:"best_threshold"`
}

// BestThreshold is the value from which atoms had best counted as true: by the very truth that they are scored with, so
// that other atoms may be scored less well by it.
type BestThreshold struct {
	Threshold float64 `json:"threshold"`
	// Value is what the primary value of the evaluation is with it.
	Value float64 `json:"value"`
	// Default is the threshold of the evaluation itself, which is also the best one if no other is better.
	Default float64 `json:"default"`
}

// Evaluate scores an answer against the known truth of a phase with the evaluators that the configuration names, or
// else with the one that suits the truth. Predicates without truth in that phase are left out.
func (g *Grounding) Evaluate(answer *Answer, phase load.Phase) ([]Evaluation, error) {
	var all []Evaluation
	for k, declared := range g.Project.Config.Predicates {
		for _, e := range g.evaluations(declared) {
			options := g.evaluationOptions(e)
			scored, err := g.scored(answer, phase, k, options)
			if err != nil {
				return nil, err
			}
			if scored == nil {
				continue
			}
			if e.Evaluator == "" {
				if e.Evaluator = eval.Suited(scored); e.Evaluator == "" {
					continue
				}
			}
			result, err := g.evaluateLearned(k, e.Evaluator, options, scored)
			if err != nil {
				return nil, err
			}
			result.scored, result.options = scored, options
			switch e.Evaluator {
			case "discrete":
				best := BestThreshold(eval.BestThreshold(options, scored))
				result.Best = &best
			case "categorical":
				result.Rarest = g.rarest(options, scored)
			}
			all = append(all, *result)
		}
	}
	return all, nil
}

// evaluations are those of a predicate. One that names none is scored in the way that suits its truth, unless that is
// also what was learned from, or there are no values that it could be about.
func (g *Grounding) evaluations(declared *load.Predicate) []load.Evaluation {
	learned := len(declared.Truth.All) > 0 && g.Project.Learns()
	if declared.Evaluations == nil && !learned {
		return []load.Evaluation{{}}
	}
	return declared.Evaluations
}

// rarest looks at the rarest category of an answer; nil if it is not rare.
func (g *Grounding) rarest(options map[string]string, scored *eval.Scored) *Rarest {
	found := eval.RarestCategory(options, scored)
	if found == nil {
		return nil
	}
	names := make([]string, len(found.Category))
	for k, id := range found.Category {
		names[k] = g.Tables.Store.Symbols.Name(id)
	}
	return &Rarest{strings.Join(names, ", "), found.Share, found.AUROC.Number, found.AUROC.Interval,
		BestThreshold(found.Best)}
}

// evaluationOptions are an evaluation's own options over those of all.
func (g *Grounding) evaluationOptions(e load.Evaluation) map[string]string {
	options := maps.Clone(g.Settings.Evaluation)
	for _, o := range e.Options {
		options[o.Name] = o.Value
	}
	return options
}

// scored joins a predicate's atoms with their truth; it returns nil if there is none.
func (g *Grounding) scored(answer *Answer, phase load.Phase, predicate int, options map[string]string) (
	*eval.Scored, error) {
	truth, err := g.Truth(phase, predicate)
	if err != nil || truth == nil || truth.Len() == 0 {
		return nil, err
	}
	atoms := g.Tables.Store.Relations[predicate]
	scored := eval.Join(atoms, truth, func(row int32) float64 { return FreeValue(answer, atoms, row) }, scopeOf(options))
	if key := (truthOf{phase, predicate}); scored.Unmatched > 0 && !g.unscored[key] {
		g.unscored[key] = true
		g.TellUnasked(predicate, truth)
	}
	return scored, nil
}

// TellUnasked warns of truth about a predicate's atoms that there are not.
func (g *Grounding) TellUnasked(predicate int, truth *relation.Relation) {
	var warnings source.Diagnostics
	store := g.Tables.Store
	preflight.Unasked(g.Project.Config.Predicates[predicate], store, store.Relations[predicate], truth, &warnings)
	g.Project.Warn(warnings)
}

// evaluate runs one evaluator.
func (g *Grounding) evaluate(name, evaluator string, options map[string]string, scored *eval.Scored) (
	*Evaluation, error) {
	result, err := eval.Evaluate(evaluator, options, scored)
	if err != nil {
		return nil, fmt.Errorf("evaluating %s: %w", name, err)
	}
	return NewEvaluation(name, result), nil
}

func scopeOf(options map[string]string) eval.Scope {
	return eval.Scope{Observed: options["eval.includeobs"] == "true", Closed: options["eval.closetruth"] == "true"}
}

// NewEvaluation is a result of package eval about a predicate.
func NewEvaluation(predicate string, result eval.Result) *Evaluation {
	e := &Evaluation{Predicate: predicate, Evaluator: result.Evaluator, Count: result.Count,
		Values: make(map[string]float64), Intervals: make(map[string][2]float64),
		Primary: result.Primary().Name, primary: result.Primary()}
	for _, v := range result.Values {
		if !math.IsNaN(v.Number) {
			e.Values[v.Name] = v.Number
		}
		if !math.IsNaN(v.Interval[0]) && !math.IsNaN(v.Interval[1]) {
			e.Intervals[v.Name] = v.Interval
		}
	}
	return e
}

// Guide is an evaluation that guides learning.
type Guide struct {
	predicate  int
	evaluation load.Evaluation
}

// Guides returns the evaluations that guide learning together: of the target predicates that have truth in the phase,
// those that are marked primary, or the first one's first if none is, or where none is named what suits the truth of
// each. Networks alone are scored only if no target is.
func (g *Grounding) Guides(phase load.Phase) ([]Guide, error) {
	for _, named := range []bool{true, false} {
		for _, role := range []relation.Role{relation.Target, relation.Perceived} {
			guides, err := g.guidesOf(phase, role, named)
			if err != nil || len(guides) > 0 {
				return guides, err
			}
		}
	}
	return nil, nil
}

// guidesOf is Guides of the predicates of a role whose evaluations are named, or not.
func (g *Grounding) guidesOf(phase load.Phase, role relation.Role, named bool) ([]Guide, error) {
	var all, primary []Guide
	for k, declared := range g.Project.Config.Predicates {
		if (declared.Evaluations != nil) != named || g.Tables.Store.Relations[k].Free != role {
			continue
		}
		evaluations, err := g.evaluationsIn(phase, k)
		if err != nil {
			return nil, err
		}
		if len(evaluations) == 0 {
			continue
		}
		chosen := Guide{k, primaryOf(evaluations)}
		all = append(all, chosen)
		if chosen.evaluation.Primary {
			primary = append(primary, chosen)
		}
	}
	switch {
	case len(primary) > 0:
		return primary, nil
	case named && len(all) > 0:
		return all[:1], nil
	}
	return all, nil
}

// evaluationsIn are the evaluations by which answers about a predicate are scored by the truth of a phase: without
// truth, or atoms to infer, none; and where none is named, the one that suits the truth.
func (g *Grounding) evaluationsIn(phase load.Phase, predicate int) ([]load.Evaluation, error) {
	truth, err := g.Truth(phase, predicate)
	if err != nil || truth == nil || truth.Len() == 0 || g.Tables.Store.Relations[predicate].FreeLen() == 0 {
		return nil, err
	}
	if named := g.Project.Config.Predicates[predicate].Evaluations; named != nil {
		return named, nil
	}
	suited, err := g.suited(phase, predicate)
	if suited == "" || err != nil {
		return nil, err
	}
	return []load.Evaluation{{Evaluator: suited}}, nil
}

// suited names the evaluator that inference will be scored by, or else the one that suits the truth of a phase: of few
// things, each may have one true class by chance.
func (g *Grounding) suited(phase load.Phase, predicate int) (string, error) {
	for _, phase := range []load.Phase{load.Infer, phase} {
		truth, err := g.Truth(phase, predicate)
		if err != nil {
			return "", err
		}
		if truth == nil || truth.Len() == 0 {
			continue
		}
		unknown := func(int32) float64 { return 0 }
		scored := eval.Join(g.Tables.Store.Relations[predicate], truth, unknown, scopeOf(g.Settings.Evaluation))
		if suited := eval.Suited(scored); suited != "" {
			return suited, nil
		}
	}
	return "", nil
}

func primaryOf(evaluations []load.Evaluation) load.Evaluation {
	for _, e := range evaluations {
		if e.Primary {
			return e
		}
	}
	return evaluations[0]
}

// Guided returns the mean score of an answer by evaluations that guide learning, higher being better.
func (g *Grounding) Guided(answer *Answer, phase load.Phase, guides []Guide) (float64, error) {
	return g.GuidedBy(answer, phase, guides, func(int32) bool { return true })
}

// GuidedBy is Guided by the truth about some free atoms only, those whose numbers the function takes.
func (g *Grounding) GuidedBy(answer *Answer, phase load.Phase, guides []Guide, takes func(free int32) bool) (
	float64, error) {
	sum := 0.0
	for _, guide := range guides {
		options := g.evaluationOptions(guide.evaluation)
		scored, err := g.scored(answer, phase, guide.predicate, options)
		if err != nil {
			return 0, err
		}
		for k, row := range scored.Rows {
			if scored.Atoms.Role(row) != relation.Observed && !takes(scored.Atoms.Number(row)) {
				scored.Truth[k] = math.NaN()
			}
		}
		name := g.Project.Config.Predicates[guide.predicate].Name
		result, err := g.evaluate(name, guide.evaluation.Evaluator, options, scored)
		if err != nil {
			return 0, err
		}
		sum += result.guiding()
	}
	return sum / float64(len(guides)), nil
}

// guiding returns the score of an evaluation, higher being better.
func (e *Evaluation) guiding() float64 {
	if e.primary.LowerIsBetter {
		return -e.primary.Number
	}
	return e.primary.Number
}
