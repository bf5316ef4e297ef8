package training

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// completeChoices adds what a table of truth leaves out that names the one true class of each thing: that its other
// classes are false. The labels are those from first on, of one predicate about things and their classes. They are
// completed only if each labelled thing has one label, which is true, and an atom for every class there is, unless a
// thing is known to have one class, of those that it has atoms for.
func completeChoices(labels *label.Labels, first int, atoms *relation.Relation, of subject, one bool) {
	if atoms.Arity < 2 || first == len(labels.Truth) {
		return
	}
	labelled := make(map[int32]int32, len(labels.Truth)-first)
	for k := first; k < len(labels.Truth); k++ {
		entity := labels.Entities[k]
		if _, again := labelled[entity]; again || labels.Truth[k] != 1 {
			return
		}
		labelled[entity] = labels.Variables[k]
	}
	distinct, candidates := make(map[symbol.ID]bool), make(map[int32]int)
	tuple := make([]symbol.ID, 0, atoms.Arity)
	for row := atoms.Observed; row < atoms.Len(); row++ {
		tuple = atoms.Tuple(tuple[:0], int32(row))
		entity, _ := of.of(tuple)
		distinct[tuple[atoms.Arity-1]] = true
		candidates[entity]++
	}
	for entity := range labelled {
		if !one && candidates[entity] != len(distinct) {
			return
		}
	}
	for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
		tuple = atoms.Tuple(tuple[:0], row)
		entity, _ := of.of(tuple)
		if right, known := labelled[entity]; known && right != atoms.Number(row) {
			labels.Variables, labels.Truth = append(labels.Variables, atoms.Number(row)), append(labels.Truth, 0)
			labels.Entities, labels.Classes = append(labels.Entities, entity),
				append(labels.Classes, int32(tuple[atoms.Arity-1]))
		}
	}
}

// choosesOne tells whether each thing has one class by a predicate's last argument: answers are scored by it, or a hard
// rule says so.
func (g *learner) choosesOne(predicate int) bool {
	scored := slices.ContainsFunc(g.Project.Config.Predicates[predicate].Evaluations, func(e load.Evaluation) bool {
		return e.Evaluator == "categorical"
	})
	return scored || slices.ContainsFunc(g.Program.Rules, func(rule *program.Rule) bool {
		return sumsToOne(rule, predicate)
	})
}

// sumsToOne tells whether a rule is P(A, +Y) = 1 for all things A of a predicate.
func sumsToOne(rule *program.Rule, predicate int) bool {
	if !rule.Weight.Hard || rule.Comparator != program.Equal || len(rule.Atoms) != 1 || len(rule.Sums) != 1 {
		return false
	}
	atom, sum := &rule.Atoms[0], &rule.Sums[0]
	last := len(atom.Args) - 1
	all := len(sum.Filter)+len(rule.Conditions) == 0 && len(rule.Variables) == len(atom.Args) // no constant, none twice
	return atom.Predicate == predicate && all && sum.Variable == atom.Args[last].Variable &&
		rule.Constant.Op == program.Number && atom.Coef.Op == program.Number && rule.Constant.Number == -atom.Coef.Number
}
