package ties

import (
	"iter"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// Teacher ties the classes that networks perceive to the inferred ones that they imitate; nil if none does.
func (t *Ties) Teacher() (*learn.Teacher, error) { return t.teacher(t.teacherOf) }

// Counterparts ties the classes that networks perceive to the inferred ones that rules equate them with, whether they
// imitate them or not; nil if none are.
func (t *Ties) Counterparts() (*learn.Teacher, error) {
	return t.teacher(func(neural int) (int, error) {
		if declared := t.g.Project.Config.Predicates[neural].Neural; declared == nil || len(declared.Classes) == 0 {
			return -1, nil
		}
		return t.Counterpart(neural), nil
	})
}

// teacher ties the classes of each neural predicate to those of another predicate, of -1 to none.
func (t *Ties) teacher(of func(neural int) (int, error)) (*learn.Teacher, error) {
	teacher := new(learn.Teacher)
	for k, declared := range t.g.Project.Config.Predicates {
		imitated, err := of(k)
		if err != nil {
			return nil, err
		}
		if imitated < 0 {
			continue
		}
		perceived, inferred := t.g.Base.Relations[k], t.g.Base.Relations[imitated]
		pairs := inferredLike(perceived, inferred)
		if t.linked(k).inferred == imitated {
			pairs = t.Matched(k, perceived, inferred)
		}
		groups := imitations(perceived.Columns[declared.Neural.Entity], perceived.Number, pairs)
		teacher.Groups = append(teacher.Groups, groups...)
	}
	if len(teacher.Groups) == 0 {
		return nil, nil
	}
	return teacher, nil
}

// teacherOf returns the predicate whose inferred values a network imitates: the one that the configuration names, or by
// default its counterpart; -1 for none.
func (t *Ties) teacherOf(neural int) (int, error) {
	declared := t.g.Project.Config.Predicates[neural].Neural
	switch {
	case declared == nil:
		return -1, nil
	case declared.Teacher != "":
		return t.g.Project.Predicate(declared.Teacher)
	case t.g.Project.Learning.Auto && len(declared.Classes) > 0:
		return t.Counterpart(neural), nil
	}
	return -1, nil
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
