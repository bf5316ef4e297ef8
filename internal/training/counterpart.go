package training

import (
	"iter"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// counterpart returns the open predicate that a rule equates a neural predicate with, or -1. Such a rule says N(A, Y)
// -> L(A, Y), maybe under conditions, or links other arguments: truth about the one is then truth about the other, and
// what is inferred is what the network should have seen.
func (g *learner) counterpart(neural int) int {
	if twin := g.twin(neural); twin >= 0 {
		return twin
	}
	return g.linked(neural).inferred
}

// twin is the counterpart of the same arguments, or -1: the first one of which labels say something, if there is any.
func (g *learner) twin(neural int) int {
	first := -1
	for _, rule := range g.Program.Rules {
		inferred := equated(g.Program, rule, neural)
		if _, told := g.chained().ends[inferred]; told {
			return inferred
		}
		if first < 0 {
			first = inferred
		}
	}
	return first
}

// equates tells whether a rule equates what some network sees with what is inferred, or passes that on to what is
// labelled.
func (g *learner) equates(rule int) bool {
	if g.chained().rules[rule] {
		return true
	}
	for k, declared := range g.Project.Config.Predicates {
		if declared.Neural == nil {
			continue
		}
		if equated(g.Program, g.Program.Rules[rule], k) >= 0 || slices.Contains(g.linked(k).rules, rule) {
			return true
		}
	}
	return false
}

// passesOn tells whether a rule equates what some network sees with what is inferred, or is the other half of that:
// where what is seen of a thing is what it is, !N(A) -> !L(A) says nothing of other things either.
func (g *learner) passesOn(rule int) bool {
	if g.passing == nil {
		g.passing = make([]bool, len(g.Program.Rules))
		for r := range g.passing {
			g.passing[r] = g.equates(r) || g.reverses(g.Program.Rules[r])
		}
	}
	return g.passing[rule]
}

// reverses tells whether a rule says L -> N of the very atoms of which others say that N -> L.
func (g *learner) reverses(rule *program.Rule) bool {
	for neural, declared := range g.Project.Config.Predicates {
		if declared.Neural == nil {
			continue
		}
		seen, inferred := tied(g.Program, rule, neural)
		switch {
		case seen == nil:
		case slices.Equal(seen.Args, inferred.Args):
			if slices.ContainsFunc(g.Program.Rules, func(other *program.Rule) bool {
				return equated(g.Program, other, neural) == inferred.Predicate
			}) {
				return true
			}
		case g.linked(neural).follows(g.Model, rule.Index):
			return true
		}
	}
	return false
}

// relates tells whether any rule may say of one thing what follows from others. Rules that pass on what networks see
// do not, nor do those of one atom that sum over the classes of a thing at most.
func (g *learner) relates() bool { return slices.ContainsFunc(g.Program.Rules, g.mayRelate) }

// relatesBy tells the same of weights, by which rules that are doubted relate nothing if they are as presumed.
func (g *learner) relatesBy(theta []float64) bool {
	return slices.ContainsFunc(g.Program.Rules, func(rule *program.Rule) bool {
		r := rule.Index
		doubted := g.presumed != nil && theta[r] == g.presumed[r] && theta[r] != rule.Weight.Value
		return !doubted && g.mayRelate(rule)
	})
}

func (g *learner) mayRelate(rule *program.Rule) bool {
	return !g.passesOn(rule.Index) && (len(rule.Atoms) != 1 || g.sumsThings(rule))
}

// sumsThings tells whether a rule of one atom sums over more than the classes of a thing.
func (g *learner) sumsThings(rule *program.Rule) bool {
	atom, class := &rule.Atoms[0], -1
	for k, declared := range g.Project.Config.Predicates {
		if declared.Neural != nil && (k == atom.Predicate || g.counterpart(k) == atom.Predicate) {
			class = declared.Neural.Class
		}
	}
	for at, term := range atom.Args {
		if at != class && term.IsVariable() && rule.Variables[term.Variable].Summation {
			return true
		}
	}
	return false
}

// equated returns the open predicate that one rule equates a neural one with, or -1.
func equated(p *program.Program, rule *program.Rule, neural int) int {
	seen, inferred := sides(p, rule, neural)
	if seen == nil || !slices.Equal(seen.Args, inferred.Args) {
		return -1
	}
	return inferred.Predicate
}

// sides returns the two open atoms of a rule that says that what a network sees is inferred; nil of another rule.
func sides(p *program.Program, rule *program.Rule, neural int) (seen, inferred *program.Atom) {
	seen, inferred = tied(p, rule, neural)
	if seen == nil || rule.Comparator == program.LessEqual && seen.Coef.Number < 0 {
		return nil, nil // L -> N: what is inferred need not be seen
	}
	return seen, inferred
}

// tied returns the two open atoms of a rule by which what a network sees and what is inferred grow together, whichever
// is to be no less than the other; nil of another rule.
func tied(p *program.Program, rule *program.Rule, neural int) (seen, inferred *program.Atom) {
	for k := range rule.Atoms {
		atom := &rule.Atoms[k]
		switch {
		case p.Predicates[atom.Predicate].Closed:
		case atom.Predicate == neural && seen == nil:
			seen = atom
		case inferred == nil:
			inferred = atom
		default:
			return nil, nil
		}
	}
	if len(rule.Sums) > 0 || seen == nil || inferred == nil || p.Predicates[inferred.Predicate].Perceived ||
		seen.Coef.Number*inferred.Coef.Number >= 0 {
		return nil, nil
	}
	return seen, inferred
}

// teacherOf returns the predicate whose inferred values a network imitates: the one that the configuration names, or by
// default its counterpart; -1 for none.
func (g *learner) teacherOf(neural int) (int, error) {
	declared := g.Project.Config.Predicates[neural].Neural
	switch {
	case declared == nil:
		return -1, nil
	case declared.Teacher != "":
		return g.Project.Predicate(declared.Teacher)
	case g.Project.Learning.Auto && len(declared.Classes) > 0:
		return g.counterpart(neural), nil
	}
	return -1, nil
}

// matched visits the rows of a network's atoms that have a target of theirs, with its variable: by a link, or else that
// of the same arguments.
func (g *learner) matched(neural int, perceived, inferred *relation.Relation) iter.Seq2[int32, int32] {
	variables := g.linked(neural).variables
	if variables == nil {
		return inferredLike(perceived, inferred)
	}
	return func(visit func(row, variable int32) bool) {
		for row := int32(perceived.Observed); int(row) < perceived.Len(); row++ {
			if variable, tied := variables[perceived.Number(row)]; tied && !visit(row, variable) {
				return
			}
		}
	}
}

// inferredLike visits the rows of perceived atoms that targets have the arguments of, with the variables of these.
func inferredLike(perceived, inferred *relation.Relation) iter.Seq2[int32, int32] {
	return func(visit func(row, variable int32) bool) {
		tuple := make([]symbol.ID, 0, perceived.Arity)
		for row := int32(perceived.Observed); int(row) < perceived.Len(); row++ {
			tuple = perceived.Tuple(tuple[:0], row)
			target, ok := inferred.Find(tuple...)
			if ok && inferred.Role(target) == relation.Target && !visit(row, inferred.Number(target)) {
				return
			}
		}
	}
}

// completeChoices adds what a table of truth leaves out that names the one true class of each thing: that its other
// classes are false. The labels are those from first on, of one predicate about things and their classes. They are
// completed only if each labelled thing has one label, which is true, and an atom for every class there is, unless a
// thing is known to have one class, of those that it has atoms for.
func completeChoices(labels *learn.Labels, first int, atoms *relation.Relation, of subject, one bool) {
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

// learned tells which rules have a weight to learn.
func (g *learner) learned() []bool {
	learned := make([]bool, len(g.Program.Rules))
	for r, rule := range g.Program.Rules {
		learned[r] = !rule.Weight.Hard && !rule.Weight.Fixed
	}
	return learned
}

// written returns the rules' weights as written.
func (g *learner) written() []float64 {
	theta := make([]float64, len(g.Program.Rules))
	for r, rule := range g.Program.Rules {
		theta[r] = rule.Weight.Value
	}
	return theta
}

// presumes returns the weights that learning begins with: those written, but for rules that are doubted.
func (g *learner) presumes() []float64 {
	if g.presumed != nil {
		return slices.Clone(g.presumed)
	}
	return g.written()
}

// relative tells whether the MAP state depends on the ratios of the learned weights alone.
func (g *learner) relative() bool {
	for _, rule := range g.Program.Rules {
		if rule.Weight.Fixed && !rule.Weight.Hard {
			return false
		}
	}
	return true
}

// teacher ties the classes that networks perceive to the inferred ones that they imitate; nil if none does.
func (g *learner) teacher() (*learn.Teacher, error) {
	t := new(learn.Teacher)
	for k, declared := range g.Project.Config.Predicates {
		teacher, err := g.teacherOf(k)
		if err != nil {
			return nil, err
		}
		if teacher < 0 {
			continue
		}
		perceived, inferred := g.Base.Relations[k], g.Base.Relations[teacher]
		pairs := inferredLike(perceived, inferred)
		if g.linked(k).inferred == teacher {
			pairs = g.matched(k, perceived, inferred)
		}
		groups := imitations(perceived.Columns[declared.Neural.Entity], perceived.Number, pairs)
		t.Groups = append(t.Groups, groups...)
	}
	if len(t.Groups) == 0 {
		return nil, nil
	}
	return t, nil
}

// imitations pairs perceived atoms, by their rows, with targets, one group per entity, in the order of the atoms.
func imitations(things []symbol.ID, input func(row int32) int32, pairs iter.Seq2[int32, int32]) []learn.TeacherGroup {
	var groups []learn.TeacherGroup
	place := make(map[symbol.ID]int)
	for row, variable := range pairs {
		thing := things[row]
		at, seen := place[thing]
		if !seen {
			at = len(groups)
			place[thing] = at
			groups = append(groups, learn.TeacherGroup{})
		}
		group := &groups[at]
		group.Inputs = append(group.Inputs, input(row))
		group.Variables = append(group.Variables, variable)
	}
	return groups
}
