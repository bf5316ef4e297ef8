package ties

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
)

// Counterpart returns the open predicate that a rule equates a neural predicate with, or -1. Such a rule says N(A, Y)
// -> L(A, Y), maybe under conditions, or links other arguments: truth about the one is then truth about the other, and
// what is inferred is what the network should have seen.
func (t *Ties) Counterpart(neural int) int {
	if twin := t.twin(neural); twin >= 0 {
		return twin
	}
	return t.linked(neural).inferred
}

// twin is the counterpart of the same arguments, or -1: the first one of which labels say something, if there is any.
func (t *Ties) twin(neural int) int {
	first := -1
	for _, rule := range t.g.Program.Rules {
		inferred := equated(t.g.Program, rule, neural)
		if _, told := t.chained().ends[inferred]; told {
			return inferred
		}
		if first < 0 {
			first = inferred
		}
	}
	return first
}

// LabelledTwin is the labelled predicate where the chain of a network's twin ends, or else the twin; -1 without one.
func (t *Ties) LabelledTwin(neural int) int {
	twin := t.twin(neural)
	if end, chained := t.chained().ends[twin]; chained {
		return end
	}
	return twin
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

// Twins returns the input of each target that a rule says is as a network sees it.
func (t *Ties) Twins() map[int32]int32 {
	inputs := make(map[int32]int32)
	for k, perceived := range t.g.Tables.Store.Relations {
		if t.g.Project.Config.Predicates[k].Neural == nil {
			continue
		}
		inferred := t.Counterpart(k)
		if inferred < 0 {
			continue
		}
		for row, variable := range t.Matched(k, perceived, t.g.Tables.Store.Relations[inferred]) {
			inputs[variable] = perceived.Number(row)
		}
	}
	return inputs
}
