package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// weighing is a toy model with two folds of random inputs, whose labels are what it would infer with other weights.
func weighing(t *testing.T, wanted func(theta []float64)) (*Weigher, []float64) {
	t.Helper()
	task := toyTask(1)
	random := rand.New(rand.NewPCG(3, 3))
	written := append([]float64(nil), task.Theta...)
	aim := append([]float64(nil), task.Theta...)
	wanted(aim)
	w := &Weigher{Field: task.Field, Solver: newton.New(task.Field, solve.Settings{Gap: 1e-10, Threads: 1}),
		Theta: task.Theta, Learned: task.Learned, Ridge: 1e-9}
	for range 2 {
		x := make([]float64, task.Field.Model.Inputs)
		for i := range x {
			x[i] = random.Float64()
		}
		result, err := solveAt(w.Solver, aim, x)
		if err != nil {
			t.Fatal(err)
		}
		labels := new(label.Labels)
		for i, v := range result.Y {
			labels.Variables, labels.Truth = append(labels.Variables, int32(i)), append(labels.Truth, v)
			labels.Entities, labels.Classes = append(labels.Entities, int32(i)), append(labels.Classes, label.NoClass)
		}
		w.Folds = append(w.Folds, Fold{Inputs: x, Labels: labels})
	}
	return w, written
}

// Weights move to those that the held-out labels were made with, and fixed ones stay.
func TestWeigherFindsWeights(t *testing.T) {
	w, written := weighing(t, func(theta []float64) { theta[0], theta[1] = 3*theta[0], theta[1]/3 })
	said := 0
	w.OnStep = func(step, steps int) {
		if step != said+1 && step != steps || steps != weighings+1 {
			t.Errorf("step %d of %d after %d", step, steps, said)
		}
		said = step
	}
	before, after, err := w.Run(t.Context())
	if err != nil || said != weighings+1 {
		t.Fatal(said, err)
	}
	last := len(written) - 1
	if after > before-1 || w.Theta[0] < 1.2*written[0] || w.Theta[1] > 0.8*written[1] || w.Theta[last] != written[last] {
		t.Errorf("objective %v to %v, weights %v to %v", before, after, written, w.Theta)
	}
}

// Weights that cannot be better stay as written, and it ends soon.
func TestWeigherStays(t *testing.T) {
	w, written := weighing(t, func([]float64) {})
	steps := 0
	w.OnStep = func(int, int) { steps++ }
	before, after, err := w.Run(t.Context())
	if err != nil || after != before {
		t.Fatalf("objective %v to %v, %v", before, after, err)
	}
	if most := 4*(weighingPatience+1) + 2; steps > most {
		t.Errorf("%d steps, want %d at most", steps, most)
	}
	for r := range written {
		if math.Abs(w.Theta[r]/written[r]-1) > 1e-3 {
			t.Errorf("weight %d moved from %v to %v", r, written[r], w.Theta[r])
		}
	}
}

// The gradient is that of differences of the objective, which infers anew.
func TestWeigherGradient(t *testing.T) {
	w, written := weighing(t, func(theta []float64) { theta[0], theta[1] = 2*theta[0], theta[1]/2 })
	w.prepare()
	logs := &perception.Parameter{Value: make([]float32, len(written)), Gradient: make([]float32, len(written))}
	at := func(r int, log float64) float64 {
		copy(w.Theta, written)
		w.Theta[r] *= math.Exp(log)
		value, err := w.objective(t.Context(), logs)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	for r, learned := range w.Learned {
		if !learned {
			continue
		}
		const h = 1e-3
		want := (at(r, h) - at(r, -h)) / (2 * h)
		at(r, 0)
		if got := float64(logs.Gradient[r]); math.Abs(got-want) > 1e-2*math.Abs(want)+2e-5 {
			t.Errorf("rule %d: %v, differences give %v", r, got, want)
		}
	}
}

// The search goes on from other weights where it is told to, with what is found there, and ends where inferences have
// taken as many iterations as they may.
func TestWeigherBegins(t *testing.T) {
	w, written := weighing(t, func(theta []float64) { theta[0], theta[1] = 3*theta[0], theta[1]/3 })
	w.Start = slices.Clone(written)
	w.Start[0], w.Start[1] = 3*written[0], written[1]/3
	w.Most = 1 // the first inference takes as many
	before, after, err := w.Run(t.Context())
	if err != nil || after != before || !slices.Equal(w.Theta, written) {
		t.Fatalf("objective %v to %v, weights %v to %v, %v", before, after, written, w.Theta, err)
	}
	w.Most, w.spent = 0, 0
	before, after, err = w.Run(t.Context())
	if err != nil || after > before-1 || w.Theta[0] < 2*written[0] || w.Theta[1] > 0.6*written[1] {
		t.Errorf("objective %v to %v, weights %v to %v, %v", before, after, written, w.Theta, err)
	}
}
