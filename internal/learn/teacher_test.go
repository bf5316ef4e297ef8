package learn

import (
	"math"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
)

// crossEntropy is that of the inputs x to what a teacher shows, summed over its groups.
func crossEntropy(teacher *Teacher, x []float64) (sum float64) {
	for k, group := range teacher.Groups {
		for j, input := range group.Inputs {
			sum -= teacher.target[k][j] * math.Log(x[input])
		}
	}
	return sum
}

func TestTeacherGradient(t *testing.T) {
	teacher := &Teacher{Groups: []TeacherGroup{
		{Inputs: []int32{0, 2}, Variables: []int32{1, 0}}, {Inputs: []int32{3}, Variables: []int32{2}},
	}}
	teacher.watch([]float64{0.2, 0.6, 0.5})
	for k, want := range [][]float64{{0.9, 0.1}, {1}} {
		for j, q := range teacher.target[k] {
			if math.Abs(q-want[j]) > 1e-12 {
				t.Errorf("group %d has the targets %v, want %v", k, teacher.target[k], want)
			}
		}
	}
	x := []float64{0.3, 0.4, 0.7, 0.9}
	loss := func() float64 { return 3 * crossEntropy(teacher, x) / 2 }
	gx := make([]float64, len(x))
	teacher.addGradient(3, x, gx)
	compare(t, "input", gx, x, loss, 1e-6, 1e-6)
}

// A group whose variables are all 0 has nothing to imitate, and no gradient.
func TestTeacherWithoutAnOpinion(t *testing.T) {
	teacher := &Teacher{Groups: []TeacherGroup{{Inputs: []int32{0}, Variables: []int32{0}}}}
	teacher.watch([]float64{0})
	gx := []float64{0}
	teacher.addGradient(1, []float64{0.5}, gx)
	if gx[0] != 0 {
		t.Errorf("the gradient is %v", gx[0])
	}
}

// With a teacher, what is perceived of an unlabelled object must come closer to what is inferred for it.
func TestNetworksLearnFromTheirTeacher(t *testing.T) {
	distance := func(imitation float64) float64 {
		task, settings := toyTask(1), toySettings(ConvexDifference)
		task.Teacher = new(Teacher)
		for d := range int32(12) {
			group := TeacherGroup{Inputs: []int32{3 * d, 3*d + 1, 3*d + 2}, Variables: []int32{3 * d, 3*d + 1, 3*d + 2}}
			task.Teacher.Groups = append(task.Teacher.Groups, group)
		}
		settings.Imitation, settings.ImitationStart = imitation, 2
		trainer, _ := train(t, task, settings)
		y, _, x := trainer.State()
		task.Teacher.watch(y)
		return crossEntropy(task.Teacher, x)
	}
	if without, with := distance(0), distance(0.5); with >= without {
		t.Errorf("the cross-entropy to the inferred classes is %v with a teacher, %v without", with, without)
	}
}

// What is known of inputs is kept, and the rest imitates the state.
func TestImitated(t *testing.T) {
	groups := []TeacherGroup{{Inputs: []int32{0, 1}, Variables: []int32{2, 3}},
		{Inputs: []int32{4, 5}, Variables: []int32{0, 1}}}
	known := &label.Labels{Variables: []int32{4, 5}, Truth: []float64{0, 1}}
	all := known.Join(Imitated(groups, []float64{0.9, 0.1, 0.2, 0.6}))
	if !slices.Equal(all.Variables, []int32{4, 5, 0, 1}) || math.Abs(all.Truth[2]-0.1) > 1e-12 ||
		math.Abs(all.Truth[3]-0.9) > 1e-12 || all.Truth[0] != 0 {
		t.Errorf("labels %+v", all)
	}
}
