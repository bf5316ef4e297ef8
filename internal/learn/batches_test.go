package learn

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/learn/perceptiontest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// shown is a set of batches over a table of logits, one row per example.
type shown struct {
	perceptiontest.Logits
	table  *perception.Parameter
	labels *label.Labels
	truth  [][]float64 // by batch
	scene  Scene
	batch  int
}

func (s *shown) Len() int { return len(s.truth) }

func (s *shown) Size() int { return len(s.labels.Truth) / 3 }

func (s *shown) Show(_ context.Context, k int) (*Scene, error) {
	s.batch = k
	copy(s.labels.Truth, s.truth[k])
	return &s.scene, nil
}

func (s *shown) part(values []float32) []float32 {
	n := len(s.X)
	return values[s.batch*n : (s.batch+1)*n]
}

func (s *shown) Forward(x []float64, train bool, seed uint64) error {
	s.Logits.Parameter.Value = s.part(s.table.Value)
	return s.Logits.Forward(x, train, seed)
}

func (s *shown) Backward(upstream []float64) error {
	s.Logits.Parameter.Gradient = s.part(s.table.Gradient)
	return s.Logits.Backward(upstream)
}

func (s *shown) Parameters() []*perception.Parameter { return []*perception.Parameter{s.table} }

// batchTask splits the examples, copies of the toy model with labels of their own, into batches.
func batchTask(examples, batches, threads int) Task {
	one, theta, _ := toyModel(5)
	size := examples / batches
	model := mrftest.Repeat(one, size)
	field := mrf.NewField(model)
	field.Threads = threads
	s := &shown{labels: new(label.Labels), truth: make([][]float64, batches)}
	s.table = perceptiontest.NewLogits(examples * one.Inputs).Parameter
	s.Logits = *perceptiontest.NewLogits(model.Inputs)
	for e := range size {
		for _, i := range []int32{0, 1, 2} {
			s.labels.Variables = append(s.labels.Variables, i+int32(e*one.Variables))
			s.labels.Truth = append(s.labels.Truth, 0)
		}
	}
	for e := range examples {
		truth := []float64{0, 0, 0}
		truth[e%3] = 1
		s.truth[e/size] = append(s.truth[e/size], truth...)
	}
	settings := solve.Settings{Gap: 1e-9, Threads: threads}
	solver := newton.New(field, settings)
	s.scene = Scene{Field: field, Solver: solver, Perception: s, Labels: s.labels}
	return Task{
		Field: field, Solver: solver, Perception: s, Theta: theta,
		Learned: make([]bool, len(theta)), Labels: s.labels, Batches: s,
		NewSolver: func(field *mrf.Field) (solve.Solver, error) { return newton.New(field, settings), nil },
	}
}

// With nothing shared between examples, plain gradient descent moves each as far whatever batch it is in, but for the
// mean over the batch's labels.
func TestBatchesAreIndependent(t *testing.T) {
	for _, method := range []Method{Energy, Perceptron, ConvexDifference} {
		var tables [][]float32
		for _, batches := range []int{1, 3} {
			settings := toySettings(method)
			settings.Optimiser, settings.Epochs, settings.Steps = perception.SGD, 3, 1
			settings.RuleRate, settings.Deviation = 0, 0
			settings.NetworkRate = 1 / float64(batches)
			if method == ConvexDifference {
				settings.Loss.Kind, settings.NetworkRate = label.SquaredError, 1/float64(batches)
			}
			task := batchTask(6, batches, 1)
			train(t, task, settings)
			tables = append(tables, task.Perception.Parameters()[0].Value)
		}
		moved := 0.0
		for k, v := range tables[0] {
			moved = max(moved, math.Abs(float64(v)))
			if math.Abs(float64(v-tables[1][k])) > 1e-4 {
				t.Fatalf("%v: parameter %d is %v in one batch and %v in three", method, k, v, tables[1][k])
			}
		}
		if moved < 1e-2 {
			t.Errorf("%v: nothing was learned: the largest parameter is %v", method, moved)
		}
	}
}

func TestBatchesLowerTheLossAndResume(t *testing.T) {
	settings := toySettings(Energy)
	whole := batchTask(6, 3, 2)
	trainer, history := train(t, whole, settings)
	if first, last := history[0].Loss, history[len(history)-1].Loss; !(last < 0.9*first) {
		t.Errorf("the loss went from %v to %v", first, last)
	}
	want := slices.Clone(trainer.networks[0].Value)

	settings.Epochs = 5
	begun, _ := train(t, batchTask(6, 3, 1), settings)
	settings.Epochs = 12
	resumed, _ := finish(t, start(t, batchTask(6, 3, 4), settings, save(t, begun)))
	if !slices.Equal(resumed.networks[0].Value, want) {
		t.Error("a resumed run with other threads ends elsewhere")
	}
}
