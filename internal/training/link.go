package training

import (
	"iter"
	"maps"
	"slices"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
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
	declared, found := g.Project.Config.Predicates[neural].Neural, link{inferred: -1}
	if declared == nil || g.twin(neural) >= 0 {
		return found
	}
	for _, rule := range g.Program.Rules {
		inferred := g.toldOfAll(rule, neural)
		if inferred < 0 || found.inferred >= 0 && found.inferred != inferred {
			continue
		}
		if variables := oneToOne(g.Model, rule.Index); variables != nil && !found.has(variables) {
			found.add(rule.Index, inferred, variables)
		}
	}
	return found
}

// toldOfAll returns the open predicate that a rule says to follow from what a network sees, of all its classes; or -1.
func (g *learner) toldOfAll(rule *program.Rule, neural int) int {
	declared := g.Project.Config.Predicates[neural].Neural
	seen, inferred := sides(g.Program, rule, neural)
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

// chains say which targets that nobody has labelled are about the same as labelled ones: M(A, Y) -> L(A, Y), also by
// way of others such as M. Truth about the one is then truth about the other: a network that M is equated with learns
// from it.
type chains struct {
	ends  map[int]int  // the labelled predicate where the chain of another one ends; a labelled one is its own
	rules map[int]bool // that chains are made of
}

// chained returns the chains of the rules.
func (g *learner) chained() *chains {
	if g.chains != nil {
		return g.chains
	}
	g.chains = &chains{make(map[int]int), make(map[int]bool)}
	silent := make([]bool, len(g.Program.Predicates))
	for k, p := range g.Program.Predicates {
		if p.Closed || p.Perceived {
			continue
		}
		if silent[k] = !g.hasTruth(k); !silent[k] {
			g.chains.ends[k] = k
		}
	}
	for grown := true; grown; {
		grown = false
		next := make(map[int]int)
		for k := range silent {
			if _, done := g.chains.ends[k]; !silent[k] || done {
				continue
			}
			if end := g.lengthen(k, silent); end >= 0 {
				next[k], grown = end, true
			}
		}
		for from, end := range next {
			g.chains.ends[from] = end
		}
	}
	return g.chains
}

// hasTruth tells whether there is truth about a predicate to learn from.
func (g *learner) hasTruth(predicate int) bool {
	truth, err := g.Truth(load.Learn, predicate) // an error has been told where labels were read
	return err == nil && truth != nil && truth.Len() > 0
}

// lengthen finds rules by which a predicate is about the same as one whose chain is known, and returns its end, or -1.
func (g *learner) lengthen(from int, silent []bool) int {
	end := -1
	for _, rule := range g.Program.Rules {
		to := equated(g.Program, rule, from)
		reached, known := g.chains.ends[to]
		if !known || end >= 0 && reached != end || !g.same(from, to, silent) {
			continue
		}
		end = reached
		g.chains.rules[rule.Index] = true
	}
	return end
}

// same tells whether a predicate from which another one follows is about the same, and no kind of it of which there are
// more, as of Dog(A) -> Animal(A) and Cat(A) -> Animal(A): the converse follows as well, or what nobody has labelled
// leads there from it alone.
func (g *learner) same(from, to int, silent []bool) bool {
	alone := true
	for _, rule := range g.Program.Rules {
		if equated(g.Program, rule, to) == from {
			return true
		}
		for k, unknown := range silent {
			alone = alone && (!unknown || k == from || k == to || equated(g.Program, rule, k) != to)
		}
	}
	return alone
}

// labelledTwin is the labelled predicate where the chain of a network's twin ends, or else the twin; -1 without one.
func (g *learner) labelledTwin(neural int) int {
	twin := g.twin(neural)
	if end, chained := g.chained().ends[twin]; chained {
		return end
	}
	return twin
}

// lend gives targets without labels those of the ends of their chains: known has the place of each variable's label.
func (g *learner) lend(known map[int32]int) {
	var tuple []symbol.ID
	for from, atoms := range g.Tables.Store.Relations {
		to, chained := g.chained().ends[from]
		if !chained || to == from {
			continue
		}
		for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
			tuple = atoms.Tuple(tuple[:0], row)
			end, there := g.Tables.Store.Relations[to].Find(tuple...)
			if !there || g.Tables.Store.Relations[to].Role(end) != relation.Target {
				continue
			}
			if label, labelled := known[g.Tables.Store.Relations[to].Number(end)]; labelled {
				known[atoms.Number(row)] = label
			}
		}
	}
}
