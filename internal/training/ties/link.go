package ties

import (
	"iter"
	"maps"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
)

// link ties what a network sees to targets of other arguments, one to one: where a row of features is about a pair,
// Pair(P, A, B) & Alike(P) -> Same(A, B) says about which. Several rules may each tie other rows, as those of a first
// and a second message to whose mood they tell.
type link struct {
	rules     []int           // that tie
	inferred  int             // the predicate of the targets; -1 for none
	variables map[int32]int32 // the target of each input
}

// linked returns the link of a neural predicate. There is none where a rule speaks of the same arguments, or of some of
// the network's classes alone.
func (t *Ties) linked(neural int) link {
	if known, found := t.links[neural]; found {
		return known
	}
	found := t.findLink(neural)
	if t.links == nil {
		t.links = make(map[int]link)
	}
	t.links[neural] = found
	return found
}

func (t *Ties) findLink(neural int) link {
	declared, found := t.g.Project.Config.Predicates[neural].Neural, link{inferred: -1}
	if declared == nil || t.twin(neural) >= 0 {
		return found
	}
	for _, rule := range t.g.Program.Rules {
		inferred := t.toldOfAll(rule, neural)
		if inferred < 0 || found.inferred >= 0 && found.inferred != inferred {
			continue
		}
		if variables := oneToOne(t.g.Model, rule.Index); variables != nil && !found.has(variables) {
			found.add(rule.Index, inferred, variables)
		}
	}
	return found
}

// toldOfAll returns the open predicate that a rule says to follow from what a network sees, of all its classes; or -1.
func (t *Ties) toldOfAll(rule *program.Rule, neural int) int {
	declared := t.g.Project.Config.Predicates[neural].Neural
	seen, inferred := sides(t.g.Program, rule, neural)
	if seen == nil || len(declared.Classes) > 0 && !seen.Args[declared.Class].IsVariable() {
		return -1
	}
	return inferred.Predicate
}

// has tells whether any of these inputs has a target.
func (l *link) has(variables map[int32]int32) bool {
	for input := range variables {
		if _, tied := l.variables[input]; tied {
			return true
		}
	}
	return false
}

// follows tells whether a rule ties inputs to those very targets, and to no others.
func (l link) follows(model *mrf.Model, rule int) bool {
	for input, variable := range ties(model, rule) {
		if target, tied := l.variables[input]; !tied || target != variable {
			return false
		}
	}
	return l.inferred >= 0
}

// add adds what a rule ties.
func (l *link) add(rule, inferred int, variables map[int32]int32) {
	if l.variables == nil {
		l.variables = make(map[int32]int32, len(variables))
	}
	l.rules, l.inferred = append(l.rules, rule), inferred
	maps.Copy(l.variables, variables)
}

// ties visits the input and the variable of each ground rule of a rule that has one of each.
func ties(model *mrf.Model, rule int) iter.Seq2[int32, int32] {
	return func(visit func(input, variable int32) bool) {
		var buffer mrf.RowBuffer
		for _, block := range model.Blocks {
			if block.Rule != rule {
				continue
			}
			for j := range block.Len {
				targets, seen := block.Ids(j, &buffer), block.InputRow(j)
				if len(targets) == 1 && len(seen) == 1 && !visit(seen[0], targets[0]) {
					return
				}
			}
		}
	}
}

// oneToOne returns the variable of each input that a rule ties to one; nil if it ties several to one or one to several.
func oneToOne(model *mrf.Model, rule int) map[int32]int32 {
	variables, inputs := make(map[int32]int32), make(map[int32]int32)
	for input, variable := range ties(model, rule) {
		if other, tied := variables[input]; tied && other != variable {
			return nil
		}
		if other, tied := inputs[variable]; tied && other != input {
			return nil
		}
		variables[input], inputs[variable] = variable, input
	}
	if len(variables) == 0 {
		return nil
	}
	return variables
}
