package training

import (
	"errors"
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// labels returns the known values of a phase for the atoms with the given role: variables or inputs with their truth.
func (g *learner) labels(phase load.Phase, role relation.Role) (*label.Labels, error) {
	labels := new(label.Labels)
	for k, atoms := range g.Tables.Store.Relations {
		if atoms.FreeLen() == 0 || atoms.Free != role || g.Project.Config.Predicates[k].Given {
			continue
		}
		truth, err := g.Truth(phase, k)
		if err != nil {
			return nil, err
		}
		if truth == nil {
			continue
		}
		first, subject := len(labels.Truth), g.about(k)
		if strangers := addLabels(labels, atoms, truth, role, subject); strangers > 0 {
			g.TellUnasked(k, truth)
		}
		if s := &g.Project.Learning; (s.Auto || s.Compared) && subject.entity == 0 {
			completeChoices(labels, first, atoms, subject, g.choosesOne(k))
			if subject.own {
				numberCandidates(labels, first)
			}
		}
	}
	return labels, nil
}

// subject says what atoms of a predicate are about: the argument entity, of more than two all but the last, or, if they
// relate things, all of them. Where things have candidates of their own, of which one is true, it is all but the last.
type subject struct {
	entity       int
	related, own bool
}

// either is the entity of a subject of which no argument is alone, and each that of one where every atom is a thing of
// its own.
const either, each = -1, -2

func (g *learner) about(predicate int) subject {
	if declared := g.Project.Config.Predicates[predicate].Neural; declared != nil && len(declared.Classes) > 0 {
		return subject{entity: declared.Entity}
	}
	atoms := g.Tables.Store.Relations[predicate]
	truth, err := g.Truth(load.Learn, predicate)
	known := err == nil && truth != nil
	switch {
	case !relates(atoms):
		several := known && atoms.Arity == 2 && !g.choosesOne(predicate) && !namesOne(truth)
		if several && g.parted(atoms, truth) == each {
			return subject{entity: each, related: true} // such as all users and films, of which some have been rated
		}
		return subject{}
	case !known:
		return subject{entity: either, related: true}
	case g.choosesOne(predicate) && namesOne(truth):
		return subject{own: true}
	case atoms.Arity > 2:
		return subject{entity: either, related: true}
	}
	return subject{entity: g.parted(atoms, truth), related: true}
}

// parted is how a relation's atoms with labels and without lie apart.
func (g *learner) parted(atoms, truth *relation.Relation) int {
	entity := apart(atoms, truth, 2*g.Project.Learning.Folds)
	if entity == each && !g.Project.SharesAtoms(load.Learn, load.Infer) {
		return either // what inference is about is known of nothing there
	}
	return entity
}

// of returns what an atom is about, and the class that it speaks of. An atom that relates things of one kind is about
// the one whose number is least, so that nothing is held out whose converse is learned from.
func (s subject) of(tuple []symbol.ID) (about, class int32) {
	last := len(tuple) - 1
	switch {
	case s.related && s.entity == either:
		return int32(slices.Min(tuple)), label.NoClass
	case s.related && s.entity == each:
		return together(tuple), label.NoClass
	case s.related:
		return int32(tuple[s.entity]), label.NoClass
	case last > 1:
		return together(tuple[:last]), int32(tuple[last])
	case last == 1:
		return int32(tuple[s.entity]), int32(tuple[last-s.entity])
	case last == 0:
		return int32(tuple[s.entity]), label.NoClass
	}
	return 0, label.NoClass
}

// together returns the number of several constants that are one thing: a negative one, as those of constants are not.
func together(constants []symbol.ID) int32 {
	sum := uint32(2166136261)
	for _, constant := range constants {
		sum = (sum ^ uint32(constant)) * 16777619 // FNV-1a, by whole constants
	}
	return int32(sum | 1<<31)
}

// apart returns the argument that no atom with a label shares with one without, as where the candidates of some records
// of a file are labelled: nothing that inference knows is about what it is asked then, so what is held out must not be
// known in part. Where most of what is asked has both arguments in common with labels, as of users who have rated some
// of the things, it is each: what is held out is to be about what is known otherwise, as that is. Where both arguments
// are things of one kind, or too few to hold any out, it is either.
func apart(atoms, truth *relation.Relation, fewest int) int {
	said := [2]map[symbol.ID]bool{distinct(truth.Columns[0]), distinct(truth.Columns[1])}
	alone := [2]bool{len(said[0]) >= fewest, len(said[1]) >= fewest}
	things := distinct(atoms.Columns[0])
	if slices.ContainsFunc(atoms.Columns[1], func(c symbol.ID) bool { return things[c] }) {
		return either
	}
	asked, met := 0, 0
	tuple := make([]symbol.ID, 0, 2)
	for row := atoms.Observed; row < atoms.Len(); row++ {
		tuple = atoms.Tuple(tuple[:0], int32(row))
		if _, labelled := truth.Find(tuple...); labelled {
			continue
		}
		first, second := said[0][tuple[0]], said[1][tuple[1]]
		alone[0], alone[1] = alone[0] && !first, alone[1] && !second
		if asked++; first && second {
			met++
		}
	}
	switch {
	case asked == 0:
		return either
	case 2*met > asked:
		return each
	}
	return slices.Index(alone[:], true)
}

// addLabels adds the known values of a predicate's atoms with the role; it returns how many are of no atom at all.
func addLabels(labels *label.Labels, atoms, truth *relation.Relation, role relation.Role, of subject) (strangers int) {
	tuple := make([]symbol.ID, 0, atoms.Arity)
	for row := range int32(truth.Len()) {
		tuple = truth.Tuple(tuple[:0], row)
		at, ok := atoms.Find(tuple...)
		if !ok {
			strangers++
		} else if atoms.Role(at) == role {
			labels.Variables = append(labels.Variables, atoms.Number(at))
			labels.Truth = append(labels.Truth, truth.Value(row))
			about, class := of.of(tuple)
			labels.Entities, labels.Classes = append(labels.Entities, about), append(labels.Classes, class)
		}
	}
	return strangers
}

// namesOne tells whether truth names one atom of each thing, such as what a query is best answered by, and of others at
// most that they are false.
func namesOne(truth *relation.Relation) bool {
	named, tuple := make(map[int32]bool), make([]symbol.ID, 0, truth.Arity)
	for row := range int32(truth.Len()) {
		tuple = truth.Tuple(tuple[:0], row)
		thing := together(tuple[:len(tuple)-1])
		switch value := truth.Value(row); {
		case value != 0 && value != 1, value == 1 && named[thing]:
			return false
		default:
			named[thing] = named[thing] || value == 1
		}
	}
	for _, one := range named {
		if !one {
			return false
		}
	}
	return true
}

// numberCandidates makes the classes of the labels from first on the places that they have among a thing's candidates,
// where another thing has others: nobody learns from one of them what another is.
func numberCandidates(labels *label.Labels, first int) {
	order := make([]int, len(labels.Variables)-first)
	for k := range order {
		order[k] = first + k
	}
	slices.SortFunc(order, func(a, b int) int { return int(labels.Variables[a] - labels.Variables[b]) })
	counts := make(map[int32]int32)
	for _, k := range order {
		labels.Classes[k] = counts[labels.Entities[k]]
		counts[labels.Entities[k]]++
	}
}

// relates tells whether atoms relate things to each other, and do not give them classes by their last argument.
// Classes are few beside the things, or each thing may be of each. Where something is named by the last and another
// argument they have to be both, as digits are of the rows of a table that happen to have the same names; things of two
// files, or users and what they rate, are neither. What has more than two arguments is about all but the last together.
func relates(atoms *relation.Relation) bool {
	last := atoms.Arity - 1
	if last < 1 {
		return false
	}
	things, others := subjects(atoms), distinct(atoms.Columns[last])
	few, complete := 4*len(others) <= things, things*len(others) == atoms.Len()
	for _, column := range atoms.Columns[:last] {
		for _, constant := range column {
			if others[constant] {
				return !few || !complete
			}
		}
	}
	return !few && !complete
}

// subjects counts what atoms say different things of, by all arguments but the last.
func subjects(atoms *relation.Relation) int {
	if atoms.Arity == 2 {
		return len(distinct(atoms.Columns[0]))
	}
	found, tuple := make(map[int32]bool), make([]symbol.ID, 0, atoms.Arity)
	for row := range int32(atoms.Len()) {
		tuple = atoms.Tuple(tuple[:0], row)
		found[together(tuple[:len(tuple)-1])] = true
	}
	return len(found)
}

// distinct returns the constants of a column.
func distinct(column []symbol.ID) map[symbol.ID]bool {
	found := make(map[symbol.ID]bool)
	for _, constant := range column {
		found[constant] = true
	}
	return found
}

// taught returns the labels of a lesson for the atoms with the given role.
func (g *learner) taught(l lesson, role relation.Role) (*label.Labels, error) {
	labels, err := g.labels(load.Learn, role)
	if err == nil && role == relation.Target && len(g.repeats) > 0 {
		labels = labels.Where(func(entity int32) bool { _, repeats := g.repeats[entity]; return !repeats })
	}
	if err == nil && l.division != nil {
		labels = labels.Where(l.division.learns)
	}
	if err != nil || !l.anew {
		return labels, err
	}
	more, err := g.labels(load.Validation, role)
	if err != nil {
		return nil, err
	}
	labels.Variables = append(labels.Variables, more.Variables...)
	labels.Truth = append(labels.Truth, more.Truth...)
	labels.Entities = append(labels.Entities, more.Entities...)
	labels.Classes = append(labels.Classes, more.Classes...)
	return labels, nil
}

// unlabelled is the error of nothing to learn from. It tells of truth that there is all the same.
func (g *learner) unlabelled(what string) error {
	text := fmt.Sprintf("%s: nothing to learn from: %s, which \"truth\" gives them", g.Project.Config.Name, what)
	for k, declared := range g.Project.Config.Predicates {
		truth, err := g.Truth(load.Learn, k)
		if err != nil {
			return err
		}
		switch {
		case truth != nil && truth.Len() > 0:
			text += fmt.Sprintf("; of %s of %s none is of a target, such as that of %s",
				source.Count(truth.Len(), "truth value"), declared.Name, g.Tables.Store.Atom(truth, 0))
		case len(declared.Truth.Phases[load.Infer]) > 0:
			text += fmt.Sprintf("; the truth of %s under \"infer\" is scored by alone", declared.Name)
		}
	}
	return errors.New(text)
}

// exampleTaught returns the examples of a lesson.
func (g *learner) exampleTaught(l lesson) (*batch.Examples, error) {
	e, err := batch.Read(g.Grounding, load.Learn)
	if err != nil || !l.anew {
		return e, err
	}
	more, err := batch.Read(g.Grounding, load.Validation)
	if err != nil {
		return nil, err
	}
	same := func(a, b batch.Label) bool { return a.Name == b.Name && slices.Equal(a.Variables, b.Variables) }
	if !slices.EqualFunc(e.Labels, more.Labels, same) {
		return nil, fmt.Errorf("%s: learn.refit: the examples of validation have other labels than those of learning",
			g.Project.Config.Name)
	}
	return e.Joined(more), nil
}

// Told returns the targets whose values learning was told and that inference is not scored by.
func Told(g *session.Grounding) (told session.Known, err error) {
	l := newLearner(g)
	phases := []load.Phase{load.Learn, load.Validation}
	if !g.Project.Learning.Refit {
		phases = phases[:1]
	}
	told.Variables, told.Values, err = l.knownOf(phases...)
	return told, err
}

// knows tells whether inference is to know what learning was told: if inference.known says so, or else if held-out
// labels were told better by it.
func (g *learner) knows(training *Training) bool {
	s := &g.Project.Phases[load.Infer]
	switch {
	case s.Skip || g.Project.Config.HasExamples() || !g.Project.SharesAtoms(load.Learn, load.Infer):
		return false
	case s.Known != nil:
		return *s.Known
	}
	return training.Rehearsed != nil && training.Rehearsed.Known
}

// knownOf is Told by the truth of some phases.
func (g *learner) knownOf(phases ...load.Phase) (variables []int32, values []float64, err error) {
	asked, err := g.labels(load.Infer, relation.Target)
	if err != nil {
		return nil, nil, err
	}
	left := make(map[int32]bool, len(asked.Variables))
	for _, i := range asked.Variables {
		left[i] = true
	}
	for _, phase := range phases {
		told, err := g.labels(phase, relation.Target)
		if err != nil {
			return nil, nil, err
		}
		for k, i := range told.Variables {
			if !left[i] {
				left[i] = true
				variables, values = append(variables, i), append(values, told.Truth[k])
			}
		}
	}
	return variables, values, nil
}
