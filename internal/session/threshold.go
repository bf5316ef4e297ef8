package session

import (
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
)

// LearnedThreshold is the value from which on atoms count as true in an evaluation, as learning has found it.
type LearnedThreshold struct {
	Threshold float64 `json:"threshold"`
	// Default is the threshold without learning, and Value what the primary value of the evaluation is with that.
	Default float64 `json:"default"`
	Value   float64 `json:"value"`
}

// LearnThresholds finds from which value on an atom of each predicate had best count as true, by an answer about atoms
// whose truth some phases have: for predicates with a discrete evaluation that nobody has written a threshold for. part
// deals these atoms, by their numbers, out to parts from 0 on; what is NotJudged tells nothing.
func (g *Grounding) LearnThresholds(answer *Answer, phases []load.Phase, part func(free int32) int) error {
	g.thresholds = make(map[int]float64)
	for k := range g.Project.Config.Predicates {
		evaluations, err := g.evaluationsIn(phases[0], k)
		if err != nil {
			return err
		}
		for _, e := range evaluations {
			options := g.evaluationOptions(e)
			if _, learned := g.thresholds[k]; learned || !learnsThreshold(e.Evaluator, options) {
				continue
			}
			scored, err := g.scoredIn(answer, phases, k, options)
			if err != nil {
				return err
			}
			if scored == nil {
				continue
			}
			parts := make([]int, len(scored.Rows))
			for at, row := range scored.Rows {
				if parts[at] = -1; scored.Atoms.Role(row) != relation.Observed {
					parts[at] = part(scored.Atoms.Number(row))
				}
				if parts[at] == NotJudged {
					scored.Truth[at] = math.NaN()
				}
			}
			if threshold, better := eval.LearnThreshold(options, scored, parts); better {
				g.thresholds[k] = threshold
			}
		}
	}
	return nil
}

// NotJudged is the part of atoms by which no threshold is found.
const NotJudged = -2

// scoredIn is scored by the truth of several phases, of which the first that has an atom's counts.
func (g *Grounding) scoredIn(answer *Answer, phases []load.Phase, predicate int, options map[string]string) (
	all *eval.Scored, err error) {
	for _, phase := range phases {
		scored, err := g.scored(answer, phase, predicate, options)
		switch {
		case err != nil:
			return nil, err
		case all == nil:
			all = scored
		case scored != nil:
			for k, truth := range scored.Truth {
				if math.IsNaN(all.Truth[k]) {
					all.Truth[k] = truth
				}
			}
		}
	}
	return all, nil
}

// HasThreshold tells whether it was learned from which value on a predicate's atoms are true.
func (g *Grounding) HasThreshold(predicate int) bool {
	_, learned := g.thresholds[predicate]
	return learned
}

// Threshold is the value from which on a predicate's atoms are true: the one that was learned, or else the usual one.
func (g *Grounding) Threshold(predicate int) float64 {
	if threshold, learned := g.thresholds[predicate]; learned {
		return threshold
	}
	return eval.DefaultThreshold
}

// LearnsThresholds tells whether there is a predicate for which LearnThresholds may find one.
func (g *Grounding) LearnsThresholds(phase load.Phase) (bool, error) {
	for k := range g.Project.Config.Predicates {
		if learns, err := g.LearnsThreshold(phase, k); learns || err != nil {
			return learns, err
		}
	}
	return false, nil
}

// LearnsThreshold tells whether LearnThresholds may find one for a predicate.
func (g *Grounding) LearnsThreshold(phase load.Phase, predicate int) (bool, error) {
	evaluations, err := g.evaluationsIn(phase, predicate)
	return slices.ContainsFunc(evaluations, func(e load.Evaluation) bool {
		return learnsThreshold(e.Evaluator, g.evaluationOptions(e))
	}), err
}

// learnsThreshold tells whether an evaluation has a threshold, and none that is written.
func learnsThreshold(evaluator string, options map[string]string) bool {
	_, written := options["discreteevaluator.threshold"]
	return evaluator == "discrete" && !written
}

// evaluateLearned is evaluate with the threshold that was learned, if one was.
func (g *Grounding) evaluateLearned(predicate int, evaluator string, options map[string]string, scored *eval.Scored) (
	*Evaluation, error) {
	name := g.Project.Config.Predicates[predicate].Name
	plain, err := g.evaluate(name, evaluator, options, scored)
	threshold, learned := g.thresholds[predicate]
	if err != nil || !learned || !learnsThreshold(evaluator, options) {
		return plain, err
	}
	scored.Decision = threshold
	result, err := g.evaluate(name, evaluator, options, scored)
	if err == nil {
		result.Learned = &LearnedThreshold{threshold, eval.DefaultThreshold, plain.primary.Number}
	}
	return result, err
}
