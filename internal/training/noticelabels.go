package training

import (
	"maps"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// begins looks at the labels before anything is learned.
func (n *notices) begins() error {
	if n.g.Project.Config.Examples[load.Learn] != nil {
		return nil // see lookAtExamples
	}
	for _, look := range []func() error{n.labels, n.classes, n.unseen, n.directed, n.scored} {
		if err := look(); err != nil {
			return err
		}
	}
	n.tell(1)
	return nil
}

// labels notices labels that nothing depends on: those in no ground rule.
func (n *notices) labels() error {
	g := n.g
	reached := reachedBy(g.Model)
	for k, declared := range g.Project.Config.Predicates {
		atoms := g.Tables.Store.Relations[k]
		truth, err := g.Truth(load.Learn, k)
		if err != nil {
			return err
		}
		if truth != nil && atoms.FreeLen() > 0 && atoms.Free == relation.Target {
			n.outOfReach(declared, atoms, truth, reached)
		}
	}
	return nil
}

// scored notices that what inference is scored by was learned from. Names that mean other things when answers are
// scored, such as those of another network of friends numbered from 0 as well, are no reason: then some labels differ.
func (n *notices) scored() error {
	both, other, all := 0, 0, 0
	for k := range n.g.Project.Config.Predicates {
		told, err := n.g.Truth(load.Learn, k)
		if err != nil {
			return err
		}
		asked, err := n.g.Truth(load.Infer, k)
		if err != nil {
			return err
		}
		if atoms := n.g.Tables.Store.Relations[k]; told != nil && asked != nil && atoms.Free == relation.Target {
			same, differ := shared(told, asked)
			both, other, all = both+same, other+differ, all+int(asked.Len())
		}
	}
	if both >= fewLabels && other <= both/100 {
		n.see("learn-scored", source.Span{}, "", `keep what "truth" has under "infer" out of what it has under "learn"`,
			"%d of the %d labels that answers are scored by were learned from: scores say nothing about others", both, all)
	}
	return nil
}

// shared counts the tuples that two relations have in common, with the same truth and with another.
func shared(a, b *relation.Relation) (same, differ int) {
	tuple := make([]symbol.ID, 0, a.Arity)
	for row := range int32(a.Len()) {
		tuple = a.Tuple(tuple[:0], row)
		switch found, too := b.Find(tuple...); {
		case !too:
		case a.Value(row) == b.Value(found):
			same++
		default:
			differ++
		}
	}
	return same, differ
}

// classes notices classes that nothing is learned about, and things that are of several though a network's classes
// exclude each other.
func (n *notices) classes() error {
	g := n.g
	for k, declared := range g.Project.Config.Predicates {
		if declared.Neural == nil || len(declared.Neural.Classes) == 0 {
			continue
		}
		truth, err := n.truthOf(k)
		if err != nil {
			return err
		}
		if truth != nil && truth.Len() > 0 {
			n.classesOf(declared, truth)
		}
	}
	return nil
}

// usualLabels is how many labels classes have in the mean where one without is no chance.
const usualLabels = 5

// unseen notices classes of targets that no label names, though the others have many: what is of such a class is taken
// for one of them. Those that a network sees by the same name have been noticed.
func (n *notices) unseen() error {
	g := n.g
	seen := make(map[int]bool)
	for k, declared := range g.Project.Config.Predicates {
		if declared.Neural != nil {
			seen[g.ties.LabelledTwin(k)] = true
		}
	}
	for k, declared := range g.Project.Config.Predicates {
		atoms := g.Tables.Store.Relations[k]
		truth, err := g.Truth(load.Learn, k)
		if err != nil {
			return err
		}
		labelled, exclusive := classesOf(truth)
		if seen[k] || !exclusive || atoms.FreeLen() == 0 || atoms.Free != relation.Target || relates(atoms) {
			continue
		}
		labels, without, some := 0, 0, ""
		for _, count := range labelled {
			labels += count
		}
		for _, class := range atoms.Columns[atoms.Arity-1] {
			if _, told := labelled[class]; !told {
				if labelled[class] = 0; without == 0 {
					some = g.Base.Symbols.Name(class)
				}
				without++
			}
		}
		if without > 0 && labels >= usualLabels*len(labelled) {
			n.see("learn-unlabelled", declared.Span, "", "give it labels, or leave it out",
				"%d of the %d classes of %s have no label to learn from, such as %q: hardly anything will be taken for one",
				without, len(labelled), declared.Name, some)
		}
	}
	return nil
}

// mixture is what labels say of a thing's classes: how many labels there are, how many classes they say it has, and the
// sum of their truth, which is one where they are shares, as those of several judges.
type mixture struct {
	labels, classes int
	sum             float64
}

// rounded is by how much shares of one that are written with few digits may miss it.
const rounded = 0.01

// classesOf looks at what truth says of a network's classes.
func (n *notices) classesOf(declared *load.Predicate, truth *relation.Relation) {
	labelled, told, things := make(map[string]bool), make(map[string]bool), make(map[symbol.ID]*mixture)
	symbols := n.g.Base.Symbols
	for row := range int32(truth.Len()) {
		thing, class := truth.Columns[declared.Neural.Entity][row], truth.Columns[declared.Neural.Class][row]
		if things[thing] == nil {
			things[thing] = new(mixture)
		}
		things[thing].labels++
		things[thing].sum += truth.Value(row)
		if truth.Value(row) >= 0.5 {
			things[thing].classes++
			labelled[symbols.Name(class)] = true
		}
		if truth.Value(row) > 0 { // degrees tell of a class, too
			told[symbols.Name(class)] = true
		}
	}
	n.foreign(declared, truth.Name, labelled)
	// Of what things are not, networks learn what they may be: the classes that are left.
	narrowed := func(t *mixture) bool { return t.classes == 0 && t.labels < len(declared.Neural.Classes) }
	left, ruledOut := 0, make(map[string]int)
	for _, t := range things {
		if narrowed(t) {
			left++
		}
	}
	for row := range int32(truth.Len()) {
		if narrowed(things[truth.Columns[declared.Neural.Entity][row]]) {
			ruledOut[symbols.Name(truth.Columns[declared.Neural.Class][row])]++
		}
	}
	var without []string
	for _, class := range declared.Neural.Classes {
		if !told[class] && ruledOut[class] == left {
			without = append(without, class)
		}
	}
	if len(without) > 0 {
		n.see("learn-unlabelled", declared.Span, "", "give it labels, or leave it out",
			"%d of the %d classes of %s have no label to learn from, such as %q", len(without), len(declared.Neural.Classes),
			truth.Name, without[0])
	}
	other := 0
	for _, t := range things {
		all := t.labels == len(declared.Neural.Classes)
		shares := all && math.Abs(t.sum-1) < rounded
		if !shares && (t.classes > 1 || all && t.classes == 0) {
			other++
		}
	}
	for _, spec := range n.g.Networks.Specs {
		if spec.Name == declared.Neural.Network && spec.Exclusive() && other > 0 {
			n.see("learn-exclusive", declared.Neural.Span, "",
				`write "output": "sigmoid" where classes do not exclude each other`,
				"%d of %d things with labels of %s are of several classes or of none, but the network gives each thing just one",
				other, len(things), truth.Name)
		}
	}
}

// foreign notices classes with labels that a network cannot see, having no output for them.
func (n *notices) foreign(declared *load.Predicate, labels string, labelled map[string]bool) {
	known := declared.Neural.Classes
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(labelled)), func(class string) bool {
		return slices.Contains(known, class)
	})
	if len(others) > 0 {
		n.see("learn-foreign", declared.Neural.Span, "", `name it under "classes"`,
			"%d of the %d classes with labels of %s are none of network %q, such as %q", len(others), len(labelled), labels,
			declared.Neural.Network, others[0])
	}
}

// reachedBy tells which variables are in a ground rule.
func reachedBy(m *mrf.Model) []bool {
	reached := make([]bool, m.Variables)
	var buffer mrf.RowBuffer
	for _, b := range m.Blocks {
		for j := range b.Len {
			for _, i := range b.Ids(j, &buffer) {
				reached[i] = true
			}
		}
	}
	return reached
}

// outOfReach says how many labels of a predicate are about atoms in no ground rule.
func (n *notices) outOfReach(declared *load.Predicate, atoms, truth *relation.Relation, reached []bool) {
	labels, lost := 0, 0
	tuple := make([]symbol.ID, 0, atoms.Arity)
	for row := range int32(truth.Len()) {
		tuple = truth.Tuple(tuple[:0], row)
		at, ok := atoms.Find(tuple...)
		if !ok || atoms.Role(at) != relation.Target {
			continue
		}
		if labels++; !reached[atoms.Number(at)] {
			lost++
		}
	}
	n.unreached(declared.Name, declared.Span, lost, labels)
}

// unreached says how many labels nothing depends on.
func (n *notices) unreached(what string, place source.Span, lost, labels int) {
	if lost > 0 {
		n.see("learn-unreached", place, what,
			"a rule should speak of these atoms: look at the spelling of constants, and at which targets the rules join",
			"%d of %d labels of %s are about atoms that are in no ground rule: nothing is learned from them", lost, labels,
			what)
	}
}

// isolated notices labels of examples that nothing depends on.
func (n *notices) isolated(e *batch.Examples, members []int32, scene *batch.Scene) {
	reached := reachedBy(scene.Field.Model)
	for l, label := range e.Labels {
		labels, lost := 0, 0
		for k, example := range members {
			if e.Truth[int(example)*len(e.Labels)+l] == batch.Blank {
				continue
			}
			there := func(i int32) bool { return reached[int(i)+k*scene.Variables] }
			if labels++; !slices.ContainsFunc(label.Variables, there) {
				lost++
			}
		}
		n.unreached(label.Name, source.Span{}, lost, labels)
	}
}

// truthOf returns the truth to learn from about what a network sees: of its own predicate, or of its twin.
func (n *notices) truthOf(k int) (*relation.Relation, error) {
	truth, err := n.g.Truth(load.Learn, k)
	if at := n.g.ties.LabelledTwin(k); err == nil && at >= 0 && (truth == nil || truth.Len() == 0) {
		truth, err = n.g.Truth(load.Learn, at)
	}
	return truth, err
}

// common is the share of one answer from which on others, which are rare, are seldom the most probable one.
const common = 0.9

// usual is the largest share that one answer of a network has among the labels; 0 if these do not say. Of classes that
// do not exclude each other, one is the most probable of all things where all are of it, whatever else they are.
func (n *notices) usual(network string) (largest float64) {
	for _, spec := range n.g.Networks.Specs {
		if spec.Name == network && spec.Outputs > 1 && !spec.Exclusive() {
			return 1
		}
	}
	names, sides := n.answers(network)
	for k := range n.g.Project.Config.Predicates {
		truth, err := n.g.Truth(load.Learn, k)
		if err != nil || truth == nil || truth.Len() == 0 {
			continue
		}
		classes, exclusive := classesOf(truth)
		if sides && !names(classes) {
			share := trueShare(truth)
			largest = max(largest, share, 1-share)
		} else if exclusive && len(classes) > 0 {
			largest = max(largest, label.Count(classes).Majority())
		}
	}
	return largest
}

// answers tells whether a network says yes or no, by one output or of two classes, and whether labels name its classes.
func (n *notices) answers(network string) (names func(classes map[symbol.ID]int) bool, sides bool) {
	var outputs []string
	for _, p := range n.g.Project.Config.Predicates {
		if p.Neural != nil && p.Neural.Network == network {
			outputs = append(outputs, p.Neural.Classes...)
			sides = sides || p.Neural.Class < 0 || len(p.Neural.Classes) == 2
		}
	}
	return func(classes map[symbol.ID]int) bool {
		for id := range classes {
			if slices.Contains(outputs, n.g.Base.Symbols.Name(id)) {
				return true
			}
		}
		return false
	}, sides
}

// trueShare is the share of the rows that are true.
func trueShare(truth *relation.Relation) float64 {
	n := 0
	for row := range int32(truth.Len()) {
		if truth.Value(row) > 0.5 {
			n++
		}
	}
	return float64(n) / float64(truth.Len())
}
