package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// lessons shows a trainer the examples it learns from, in their order. It implements learn.Batches.
type lessons struct {
	stage
	size  int
	kinds []int32 // of the examples: their shapes, and which of their labels are known
	// shown are the examples of the latest batch, in the order of its scene.
	shown []int32
	scene *scene
}

// newLessons prepares learning from examples, as far as their labels are known.
func (g *Grounding) newLessons(e *examples, solver func(*mrf.Field) (solve.Solver, error)) *lessons {
	l := &lessons{stage: stage{grounding: g, examples: e, solver: solver}, size: g.size(g.settings.batch, e)}
	l.kinds = e.kinds()
	return l
}

// kinds numbers what tells scenes of examples to learn from apart: the shape, and which labels are known.
func (e *examples) kinds() []int32 {
	kinds, numbers := make([]int32, e.count), make(map[string]int32)
	key := make([]byte, 0, 4+len(e.labels))
	for k := range e.count {
		key = append(key[:0], byte(e.shapes[k]), byte(e.shapes[k]>>8), byte(e.shapes[k]>>16), byte(e.shapes[k]>>24))
		for _, truth := range e.truth[k*len(e.labels) : (k+1)*len(e.labels)] {
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
func (l *lessons) Len() int { return (l.examples.count + l.size - 1) / l.size }

// Size returns the number of examples of a batch.
func (l *lessons) Size() int { return l.size }

// Show implements learn.Batches. The last batch is as large as the others: it begins among the examples before. Within
// a batch, the order of the examples has no meaning, and those of one shape come together.
func (l *lessons) Show(ctx context.Context, k int) (*learn.Scene, error) {
	first := min(k*l.size, l.examples.count-l.size)
	l.shown = l.shown[:0]
	for e := first; e < first+l.size; e++ {
		l.shown = append(l.shown, int32(e))
	}
	slices.SortStableFunc(l.shown, func(a, b int32) int { return int(l.kinds[a] - l.kinds[b]) })
	var err error
	if l.scene, err = l.stage.scene(ctx, l.shown, l.kinds); err != nil {
		return nil, err
	}
	if l.scene.Labels == nil {
		if err := l.prepare(); err != nil {
			return nil, err
		}
	}
	l.fill()
	return &l.scene.Scene, l.scene.show(l.examples, l.shown)
}

// prepare lists the known labels of a new scene, and what its networks imitate.
func (l *lessons) prepare() error {
	s := l.scene
	s.Labels = new(learn.Labels)
	for p, e := range l.shown {
		for k, label := range l.examples.labels {
			if l.examples.truth[int(e)*len(l.examples.labels)+k] == blank {
				continue
			}
			for _, i := range label.variables {
				s.Labels.Variables = append(s.Labels.Variables, i+int32(p*s.variables))
			}
		}
	}
	s.Labels.Truth = make([]float64, len(s.Labels.Variables))
	teacher, err := l.grounding.teacher()
	if teacher == nil || err != nil {
		return err
	}
	teacher.Repeat(len(s.shapes), s.inputs, s.variables)
	seen := make([]bool, len(s.shapes)*s.inputs)
	for p, shape := range s.shapes {
		for _, i := range shape.inputs {
			seen[p*s.inputs+int(i)] = true
		}
	}
	teacher.Groups = slices.DeleteFunc(teacher.Groups, func(g learn.TeacherGroup) bool { return !seen[g.Inputs[0]] })
	if len(teacher.Groups) > 0 {
		s.Teacher = teacher
	}
	return nil
}

// fill writes the truth of the examples that are shown.
func (l *lessons) fill() {
	truth := l.scene.Labels.Truth
	clear(truth)
	at := 0
	for _, e := range l.shown {
		for k, label := range l.examples.labels {
			switch known := l.examples.truth[int(e)*len(l.examples.labels)+k]; {
			case known == blank:
				continue
			case label.candidates == nil:
				truth[at] = known
			default:
				truth[at+int(known)] = 1
			}
			at += len(label.variables)
		}
	}
}

// explain names the example and its hard ground rules that contradict each other, if that is what ended learning.
func (l *lessons) explain(ctx context.Context, err error) error {
	infeasible := (*learn.InfeasibleError)(nil)
	if !errors.As(err, &infeasible) || l.scene == nil {
		return err
	}
	var labels *learn.Labels
	if infeasible.Labelled {
		labels = l.scene.Labels
	}
	if len(infeasible.Conflict) == 0 {
		return err
	}
	k, _ := l.scene.locate(infeasible.Conflict[0])
	example := int(l.shown[k])
	rules := l.contradiction(ctx, l.scene, k, example, infeasible.Conflict, labels)
	return fmt.Errorf("%w These cannot hold together, in %s:\n    %s", err, l.examples.describe(example),
		strings.Join(rules, "\n    "))
}

// write writes all that is learned from.
func (e *examples) write(w io.Writer) {
	fmt.Fprintln(w, e.rows, e.truth)
	for _, facts := range e.facts {
		for _, f := range facts {
			fmt.Fprint(w, f.predicate, f.tuple, f.value)
		}
		fmt.Fprintln(w)
	}
}

// describe names an example and its place.
func (e *examples) describe(k int) string {
	return fmt.Sprintf("example %s (%s)", e.name(k), e.span(k))
}
