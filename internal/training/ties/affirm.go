package ties

import "slices"

// affirmation ties one of a network's two classes to a target: of N(A, 'yes') -> L(A), truth about the latter is truth
// about both classes. The target is that of the other arguments, or, of Pair(P, A, B) & N(P, 'yes') -> L(A, B), the one
// that ground rules tie to the input of the class, one to one.
type affirmation struct {
	inferred  int // the predicate of the targets; -1 for none
	class     string
	variables map[int32]int32 // the target of each input of the class; nil where it has the other arguments
}

// affirmed returns the affirmation of a neural predicate.
func (t *Ties) affirmed(neural int) affirmation {
	if known, found := t.affirms[neural]; found {
		return known
	}
	if t.affirms == nil {
		t.affirms = make(map[int]affirmation)
	}
	found := t.findAffirmation(neural)
	t.affirms[neural] = found
	return found
}

func (t *Ties) findAffirmation(neural int) affirmation {
	declared, tied := t.g.Project.Config.Predicates[neural].Neural, affirmation{inferred: -1}
	if len(declared.Classes) != 2 {
		return tied
	}
	for _, rule := range t.g.Program.Rules {
		seen, inferred := sides(t.g.Program, rule, neural)
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
		if variables := oneToOne(t.g.Model, rule.Index); variables != nil {
			tied = affirmation{inferred.Predicate, class, variables}
		}
	}
	return tied
}
