package training

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// link ties what a network sees to targets of other arguments, one to one: where a row of features is about a pair,
// Pair(P, A, B) & Alike(P) -> Same(A, B) says about which.
type link struct {
	rule, inferred int             // the rule that ties, and the predicate of the targets; -1 for none
	variables      map[int32]int32 // the target of each input
}

// linked returns the link of a neural predicate. There is none where a rule speaks of the same arguments, or of some of
// the network's classes alone.
func (g *learner) linked(neural int) link {
	if known, found := g.links[neural]; found {
		return known
	}
	found := g.findLink(neural)
	if g.links == nil {
		g.links = make(map[int]link)
	}
	g.links[neural] = found
	return found
}

func (g *learner) findLink(neural int) link {
	declared := g.Project.Config.Predicates[neural].Neural
	if declared == nil || g.twin(neural) >= 0 {
		return link{rule: -1, inferred: -1}
	}
	for _, rule := range g.Program.Rules {
		seen, inferred := sides(g.Program, rule, neural)
		if seen == nil || len(declared.Classes) > 0 && !seen.Args[declared.Class].IsVariable() {
			continue
		}
		if variables := oneToOne(g.Model, rule.Index); variables != nil {
			return link{rule.Index, inferred.Predicate, variables}
		}
	}
	return link{rule: -1, inferred: -1}
}

// affirmation ties one of a network's two classes to a target: of N(A, 'yes') -> L(A), truth about the latter is truth
// about both classes. The target is that of the other arguments, or, of Pair(P, A, B) & N(P, 'yes') -> L(A, B), the one
// that ground rules tie to the input of the class, one to one.
type affirmation struct {
	inferred  int // the predicate of the targets; -1 for none
	class     string
	variables map[int32]int32 // the target of each input of the class; nil where it has the other arguments
}

// affirmed returns the affirmation of a neural predicate.
func (g *learner) affirmed(neural int) affirmation {
	if known, found := g.affirms[neural]; found {
		return known
	}
	if g.affirms == nil {
		g.affirms = make(map[int]affirmation)
	}
	found := g.findAffirmation(neural)
	g.affirms[neural] = found
	return found
}

func (g *learner) findAffirmation(neural int) affirmation {
	declared, tied := g.Project.Config.Predicates[neural].Neural, affirmation{inferred: -1}
	if len(declared.Classes) != 2 {
		return tied
	}
	for _, rule := range g.Program.Rules {
		seen, inferred := sides(g.Program, rule, neural)
		if seen == nil || len(seen.Args) <= declared.Class || seen.Args[declared.Class].IsVariable() {
			continue
		}
		class := seen.Args[declared.Class].Constant
		others := slices.Delete(slices.Clone(seen.Args), declared.Class, declared.Class+1)
		if slices.Equal(others, inferred.Args) {
			return affirmation{inferred.Predicate, class, nil}
		}
		if tied.inferred >= 0 {
			continue
		}
		if variables := oneToOne(g.Model, rule.Index); variables != nil {
			tied = affirmation{inferred.Predicate, class, variables}
		}
	}
	return tied
}

// oneToOne returns the variable of each input that a rule ties to one; nil if it ties several to one or one to several.
func oneToOne(model *mrf.Model, rule int) map[int32]int32 {
	variables, inputs := make(map[int32]int32), make(map[int32]int32)
	var buffer mrf.RowBuffer
	for _, block := range model.Blocks {
		if block.Rule != rule {
			continue
		}
		for j := range block.Len {
			targets, seen := block.Ids(j, &buffer), block.InputRow(j)
			if len(targets) != 1 || len(seen) != 1 {
				continue // one of the two is known
			}
			variable, input := targets[0], seen[0]
			if other, tied := variables[input]; tied && other != variable {
				return nil
			}
			if other, tied := inputs[variable]; tied && other != input {
				return nil
			}
			variables[input], inputs[variable] = variable, input
		}
	}
	if len(variables) == 0 {
		return nil
	}
	return variables
}
