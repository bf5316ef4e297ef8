package learn

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// couples is a task of pairs of rules. Each pair is about three targets of its own: the first rule is right about all
// of them, the second about one in three. So many pairs are as many times the same problem.
func couples(t *testing.T, pairs int, unit float64) Task {
	t.Helper()
	b := mrftest.New(3*pairs, 0, 2*pairs)
	task := Task{Labels: new(label.Labels)}
	for k := range 2 * pairs {
		b.Rule(k, mrf.Absolute, 2)
		for i := range 3 {
			truth := float64(i % 2)
			if k%2 == 1 && i < 2 {
				truth = 1 - truth
			}
			b.Add(-truth, ones(3*(k/2)+i), nil)
		}
		task.Theta, task.Learned = append(task.Theta, unit), append(task.Learned, true)
	}
	for i := range 3 * pairs {
		task.Labels.Variables = append(task.Labels.Variables, int32(i))
		task.Labels.Truth = append(task.Labels.Truth, float64(i%3%2))
	}
	task.NewSolver = func(field *mrf.Field) (solve.Solver, error) {
		return newton.New(field, solve.Settings{Gap: 1e-10, Threads: 1}), nil
	}
	task.Field = mrf.NewField(b.Model())
	solver, err := task.NewSolver(task.Field)
	if err != nil {
		t.Fatal(err)
	}
	task.Solver = solver
	return task
}

// What is learned, and when learning ends, must depend neither on how many rules there are nor on what weights are
// measured in, and a reason is given.
func TestWeightsOfManyRules(t *testing.T) {
	for _, method := range []Method{Perceptron, Energy} {
		for _, update := range []Update{Mirror, Projected} {
			var want []float64
			var steps int
			for _, test := range []struct {
				pairs int
				unit  float64
			}{{1, 1}, {10, 1}, {100, 64}, {620, 1}, {1000, 1.0 / 64}} {
				name := fmt.Sprintf("%v, %v, %d rules of weight %v", method, update, 2*test.pairs, test.unit)
				settings := weightDefaults(method)
				settings.Update = update
				trainer := start(t, couples(t, test.pairs, test.unit), settings, nil)
				outcome, err := trainer.Run(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				got := []float64{trainer.Theta[0] / test.unit, trainer.Theta[1] / test.unit}
				if want == nil {
					want, steps = got, outcome.Steps
					if !(got[0] > 1.2 && got[1] < 0.8) || steps < 2 {
						t.Errorf("%s: %v after %d epochs: hardly anything has moved", name, got, steps)
					}
				}
				if math.Abs(got[0]-want[0]) > 1e-3 || math.Abs(got[1]-want[1]) > 1e-3 || outcome.Steps != steps ||
					outcome.Ended != Settled && outcome.Ended != Completed {
					t.Errorf("%s: %v after %d epochs, ended by %v; of 2 rules %v after %d", name, got, outcome.Steps,
						outcome.Ended, want, steps)
				}
			}
		}
	}
}

// However large a step is, shares are numbers and add up to one.
func TestMirrorStepsOfAnySize(t *testing.T) {
	for _, rate := range []float64{1e3, 1e9, 1e30} {
		weights := []float32{1, 2, 3, 4}
		s := newSimplex(Mirror, []float64{1, 2, 3, 4}, []bool{true, true, true, false})
		s.Step(weights, []float64{-5, 2, 1, -1e9}, rate)
		sum := weights[0] + weights[1] + weights[2]
		if !(math.Abs(float64(sum)-6) < 1e-3) || !(weights[0] > 5.9) || weights[3] != 4 {
			t.Errorf("rate %g: weights %v; want nearly all on the first three's first", rate, weights)
		}
	}
}
