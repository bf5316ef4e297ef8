package preflight

import (
	"fmt"
	"strings"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// lintUse reports predicates that nothing asks for, and targets that no rule says anything about.
func (m *Model) lintUse(out *source.Diagnostics) {
	ruled := uses(m.Program.Rules)
	derived := uses(m.Derivations)
	serving := m.serving()
	for k, p := range m.Config.Predicates {
		r := m.Tables.Store.Relations[k]
		switch targets := r.FreeLen(); {
		case ruled[k]:
		case targets > 0 && r.Free == relation.Target:
			out.Warnf("untouched-target", p.Span, "add a rule about it, if only a prior: 1: !"+form(p),
				"no rule is about %s, so its %s can have any value", p.Name, count(targets, "target"))
		case !derived[k] && !serving[strings.ToLower(p.Name)]:
			out.Warnf("unused-predicate", p.Span, "remove it, or check how the rules spell it", "no rule uses %s", p.Name)
		}
	}
}

// lintTargets reports a program without anything to infer, nor a network whose outputs its rules could see.
func (m *Model) lintTargets(out *source.Diagnostics) {
	for _, r := range m.Tables.Store.Relations {
		if r.FreeLen() > 0 {
			return
		}
	}
	out.Warnf("nothing-to-infer", source.Span{},
		`list the atoms whose values are asked for under "targets" of a predicate`,
		"nothing is inferred: no predicate has targets")
}

// uses tells which predicates the rules have, by number.
func uses(rules []*program.Rule) map[int]bool {
	used := make(map[int]bool)
	for _, rule := range rules {
		for _, a := range atoms(rule) {
			used[a.Predicate] = true
		}
	}
	return used
}

// serving tells, by name in lower case, which predicates another declaration needs: as the teacher of a network, for
// its links, or for their strings.
func (m *Model) serving() map[string]bool {
	names := make(map[string]bool)
	for _, name := range m.Links {
		names[strings.ToLower(name)] = true
	}
	for _, p := range m.Config.Predicates {
		if p.Neural != nil {
			names[strings.ToLower(p.Neural.Teacher)] = true
		}
		if p.Similarity != nil {
			names[strings.ToLower(p.Similarity.Over.Predicate)] = true
		}
		if p.Corpus != nil {
			names[strings.ToLower(p.Corpus.Predicate)] = true
		}
	}
	return names
}

// form writes an atom of a predicate with variables.
func form(p *load.Predicate) string {
	args := make([]string, p.Arity())
	for k := range args {
		args[k] = string(rune('A' + k%26))
	}
	return p.Name + "(" + strings.Join(args, ", ") + ")"
}

// lintNames reports predicates whose names differ by an underscore or a plural only, and so are easily mistaken. Names
// that differ by case only are one name.
func (m *Model) lintNames(out *source.Diagnostics) {
	first := make(map[string]*load.Predicate)
	for _, p := range m.Config.Predicates {
		name := strings.TrimSuffix(strings.ReplaceAll(strings.ToLower(p.Name), "_", ""), "s")
		if before := first[name]; before != nil && !strings.EqualFold(before.Name, p.Name) {
			out.Warnf("near-duplicate-name", p.Span, "if they are one predicate, keep one name; otherwise tell them apart",
				"the names %s and %s are almost the same", before.Name, p.Name)
			continue
		}
		first[name] = p
	}
}

// lintTruth reports evaluations that have nothing to compare with, and truth that is given away as an observation.
func (m *Model) lintTruth(k int, p *load.Predicate, out *source.Diagnostics) {
	atoms, truth := m.Tables.Store.Relations[k], m.Tables.Truth[k]
	if truth == nil || truth.Len() == 0 {
		if len(p.Evaluations) > 0 {
			out.Warnf("evaluation-without-truth", p.Evaluations[0].Span, "give the known values under \"truth\"",
				"%s has no truth in this phase to be scored against", p.Name)
		}
		return
	}
	if atoms.FreeLen() > 0 {
		Unasked(p, m.Tables.Store, atoms, truth, out)
	}
	overlap, example := 0, int32(0)
	tuple := make([]symbol.ID, 0, truth.Arity)
	for row := range int32(truth.Len()) {
		if atoms.Observed == 0 {
			break
		}
		tuple = truth.Tuple(tuple[:0], row)
		if at, ok := atoms.Find(tuple...); ok && int(at) < atoms.Observed {
			if overlap == 0 {
				example = at
			}
			overlap++
		}
	}
	if overlap > 0 {
		out.Warnf("observed-truth", p.Span,
			"what is observed is not predicted: make them targets, or drop them from the truth",
			"%s of %s %s observed too, for example %s", count(overlap, "atom"), "the truth of "+p.Name,
			map[bool]string{true: "is", false: "are"}[overlap == 1], m.Tables.Store.Atom(atoms, example))
	}
}

// Unasked tells of truth about atoms that there are not: nothing is learned from it, and it is not scored. Of pairs,
// the converse may be what is asked for.
func Unasked(p *load.Predicate, store *relation.Store, atoms, truth *relation.Relation, out *source.Diagnostics) {
	missed, converse, example := 0, 0, int32(0)
	tuple := make([]symbol.ID, 0, truth.Arity)
	for row := range int32(truth.Len()) {
		tuple = truth.Tuple(tuple[:0], row)
		if _, ok := atoms.Find(tuple...); ok {
			continue
		}
		if missed++; missed == 1 {
			example = row
		}
		if truth.Arity == 2 {
			if _, ok := atoms.Find(tuple[1], tuple[0]); ok {
				converse++
			}
		}
	}
	if missed == 0 {
		return
	}
	turned := ""
	hint := `ask for it under "targets", or check the spelling; what is not asked for is not found, and no score says so`
	if converse > 0 {
		turned = fmt.Sprintf("; of %s, the targets have the converse", ground.Amount(float64(converse), true))
		hint = "write the truth in the order of the targets, or targets and rules for both orders"
	}
	out.Warnf("truth-without-target", p.Span, hint, "%s of the %s of %s %s neither learned from nor scored, such as that "+
		"of %s, which is no target%s", ground.Amount(float64(missed), true), count(truth.Len(), "truth value"), p.Name,
		map[bool]string{true: "is", false: "are"}[missed == 1], store.Atom(truth, example), turned)
}

// fewTruths is up to how many truth values nothing follows from their being the same.
const fewTruths = 4

// lintOneSided reports truth that says only what is so, or only what is not, where atoms are scored one by one, or
// learned as such: whatever is inferred, half of what can be wrong cannot be seen. Of classes, naming the right one is
// enough.
func (m *Model) lintOneSided(k int, p *load.Predicate, out *source.Diagnostics) {
	truth := m.Tables.Truth[k]
	if truth == nil || truth.Len() <= fewTruths || m.Tables.Store.Relations[k].FreeLen() == 0 {
		return
	}
	single, place := m.Learns && truth.Arity == 1, p.Span
	for _, e := range p.Evaluations {
		if e.Evaluator == "discrete" || e.Evaluator == "auc" {
			single, place = true, e.Span
			break
		}
	}
	value := truth.Value(0)
	if !single || value != 0 && value != 1 {
		return
	}
	for row := range int32(truth.Len()) {
		if truth.Value(row) != value {
			return
		}
	}
	out.Warnf("one-sided-truth", place, fmt.Sprintf("list what is otherwise too, such as candidates that were rejected: "+
		"their arguments and %v", 1-value), "every truth value of %s is %v: scores say nothing about the others",
		p.Name, value)
}

// count returns "1 thing" or "n things".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%s %ss", ground.Amount(float64(n), true), thing)
}
