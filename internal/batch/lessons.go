package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Lessons shows a trainer the examples it learns from, in their order. It implements learn.Batches.
type Lessons struct {
	Stage
	size int
	// members are the examples that are learned from, in their order.
	members []int32
	// teacher makes what networks imitate in one example, and counterparts what rules equate with what they see; nil if
	// that is nothing.
	teacher, counterparts func() (*learn.Teacher, error)
	kinds                 []int32 // of the examples: their shapes, and which of their labels are known
	// shown are the examples of the latest batch, in the order of its scene.
	shown []int32
	scene *Scene
}

// NewLessons prepares learning from some of the examples, nil for all, as far as their labels are known.
func NewLessons(g *session.Grounding, e *Examples, members []int32, solver func(*mrf.Field) (solve.Solver, error),
	teacher, counterparts func() (*learn.Teacher, error)) *Lessons {
	if members == nil {
		members = e.All()
	}
	l := &Lessons{Stage: Stage{Grounding: g, Examples: e, Solver: solver}, members: members, teacher: teacher,
		counterparts: counterparts}
	l.size = min(Size(g, g.Settings.Batch, e), len(members))
	l.kinds = e.kinds()
	return l
}

// kinds numbers what tells scenes of examples to learn from apart: the shape, and which labels are known.
func (e *Examples) kinds() []int32 {
	kinds, numbers := make([]int32, e.Count), make(map[string]int32)
	key := make([]byte, 0, 4+len(e.Labels))
	for k := range e.Count {
		key = append(key[:0], byte(e.Shapes[k]), byte(e.Shapes[k]>>8), byte(e.Shapes[k]>>16), byte(e.Shapes[k]>>24))
		for _, truth := range e.Truth[k*len(e.Labels) : (k+1)*len(e.Labels)] {
			key = append(key, byte(min(truth, 0)))
		}
		number, known := numbers[string(key)]
		if !known {
			number = int32(len(numbers))
			numbers[string(key)] = number
		}
		kinds[k] = number
	}
	return kinds
}

// Len returns the number of batches.
func (l *Lessons) Len() int { return (len(l.members) + l.size - 1) / l.size }

// Widen has one batch of all examples, or of as many as can be side by side.
func (l *Lessons) Widen() {
	l.size = min(Size(l.Grounding, len(l.members), l.Examples), len(l.members))
}

// Example returns which example a label is of, as numbered in the latest batch.
func (l *Lessons) Example(entity int32) int32 { return l.shown[int(entity)/len(l.Examples.Labels)] }

// Size returns the number of examples of a batch.
func (l *Lessons) Size() int { return l.size }

// Show implements learn.Batches. The last batch is as large as the others: it begins among the examples before. Within
// a batch, the order of the examples has no meaning, and those of one shape come together.
func (l *Lessons) Show(ctx context.Context, k int) (*learn.Scene, error) {
	first := min(k*l.size, len(l.members)-l.size)
	l.shown = append(l.shown[:0], l.members[first:first+l.size]...)
	slices.SortStableFunc(l.shown, func(a, b int32) int { return int(l.kinds[a] - l.kinds[b]) })
	var err error
	if l.scene, err = l.Stage.Scene(ctx, l.shown, l.kinds); err != nil {
		return nil, err
	}
	if l.scene.Labels == nil {
		if err := l.prepare(); err != nil {
			return nil, err
		}
	}
	l.fill()
	return &l.scene.Scene, l.scene.show(l.Examples, l.shown)
}

// prepare lists the known labels of a new scene, and what its networks imitate.
func (l *Lessons) prepare() error {
	s := l.scene
	s.Labels = new(label.Labels)
	for p, e := range l.shown {
		for k, column := range l.Examples.Labels {
			if l.Examples.Truth[int(e)*len(l.Examples.Labels)+k] == Blank {
				continue
			}
			for candidate, i := range column.Variables {
				class := int32(candidate)
				if column.Candidates == nil {
					class = label.NoClass
				}
				s.Labels.Variables = append(s.Labels.Variables, i+int32(p*s.Variables))
				s.Labels.Entities = append(s.Labels.Entities, int32(p*len(l.Examples.Labels)+k))
				s.Labels.Classes = append(s.Labels.Classes, class)
			}
		}
	}
	s.Labels.Truth = make([]float64, len(s.Labels.Variables))
	var err error
	if s.Teacher, err = l.repeated(l.teacher); err == nil {
		s.Counterparts, err = l.repeated(l.counterparts)
	}
	return err
}

// repeated ties what networks see to variables in each example of the scene.
func (l *Lessons) repeated(tie func() (*learn.Teacher, error)) (*learn.Teacher, error) {
	s := l.scene
	teacher, err := tie()
	if teacher == nil || err != nil {
		return nil, err
	}
	teacher.Repeat(len(s.shapes), s.inputs, s.Variables)
	seen := make([]bool, len(s.shapes)*s.inputs)
	for p, shape := range s.shapes {
		for _, i := range shape.inputs {
			seen[p*s.inputs+int(i)] = true
		}
	}
	teacher.Groups = slices.DeleteFunc(teacher.Groups, func(g learn.TeacherGroup) bool { return !seen[g.Inputs[0]] })
	if len(teacher.Groups) == 0 {
		return nil, nil
	}
	return teacher, nil
}

// fill writes the truth of the examples that are shown.
func (l *Lessons) fill() {
	truth := l.scene.Labels.Truth
	clear(truth)
	at := 0
	for _, e := range l.shown {
		for k, label := range l.Examples.Labels {
			switch known := l.Examples.Truth[int(e)*len(l.Examples.Labels)+k]; {
			case known == Blank:
				continue
			case label.Candidates == nil:
				truth[at] = known
			default:
				truth[at+int(known)] = 1
			}
			at += len(label.Variables)
		}
	}
}

// Explain names the example and its hard ground rules that contradict each other, if that is what ended learning.
func (l *Lessons) Explain(ctx context.Context, err error) error {
	infeasible := (*learn.InfeasibleError)(nil)
	if !errors.As(err, &infeasible) || l.scene == nil {
		return err
	}
	var labels *label.Labels
	if infeasible.Labelled {
		labels = l.scene.Labels
	}
	if len(infeasible.Conflict) == 0 {
		return err
	}
	k, _ := l.scene.locate(infeasible.Conflict[0])
	example := int(l.shown[k])
	rules := l.contradiction(ctx, l.scene, k, example, infeasible.Conflict, labels)
	return fmt.Errorf("%w These cannot hold together, in %s:\n    %s", err, l.Examples.describe(example),
		strings.Join(rules, "\n    "))
}

// Write writes all that is learned from.
func (l *Lessons) Write(w io.Writer) {
	e := l.Examples
	fmt.Fprintln(w, e.rows, e.Truth)
	if len(l.members) < e.Count {
		fmt.Fprintln(w, l.members)
	}
	for _, facts := range e.facts {
		for _, f := range facts {
			fmt.Fprint(w, f.predicate, f.tuple, f.value)
		}
		fmt.Fprintln(w)
	}
}

// describe names an example and its place.
func (e *Examples) describe(k int) string {
	return fmt.Sprintf("example %s (%s)", e.name(k), e.span(k))
}
