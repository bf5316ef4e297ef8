package learn

import (
	"context"
	"math"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// mistaken is a perception whose gradients have some signs wrong.
type mistaken struct{ perception.Networks }

func (m mistaken) Backward(upstream []float64) error {
	wrong := make([]float64, len(upstream))
	for k, v := range upstream {
		wrong[k] = v * float64(k%3-1)
	}
	return m.Networks.Backward(wrong)
}

// checkedTask is the toy task with small gaps.
func checkedTask(t *testing.T) Task {
	t.Helper()
	task := toyTask(1)
	task.NewSolver = func(field *mrf.Field) (solve.Solver, error) {
		return newton.New(field, solve.Settings{Gap: 1e-12, Threads: 1}), nil
	}
	solver, err := task.NewSolver(task.Field)
	if err != nil {
		t.Fatal(err)
	}
	task.Solver = solver
	return task
}

// checkGradients compares the gradients of a task and returns the cosines of rules and networks.
func checkGradients(t *testing.T, task Task, method Method) (rules, networks float64, found *Checked) {
	t.Helper()
	settings := toySettings(method)
	if method == Perceptron || method == Energy || method == Likelihood {
		settings = weightDefaults(method)
	}
	trainer := start(t, task, settings, nil)
	before := trainer.values()
	found, err := trainer.CheckGradients(context.Background(), CheckSettings{Samples: 30, Step: 3e-3, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	for k, values := range trainer.values().Numbers {
		for i, v := range values {
			if v != before.Numbers[k][i] {
				t.Fatalf("%v: parameter %d of %d has changed", method, i, k)
			}
		}
	}
	cosine := func(of func(Slope) bool) float64 {
		var product, a, b float64
		for _, s := range found.Slopes {
			if of(s) && !s.Kink {
				product, a, b = product+s.Gradient*s.Difference, a+s.Gradient*s.Gradient, b+s.Difference*s.Difference
			}
		}
		return product / math.Sqrt(a*b)
	}
	return cosine(func(s Slope) bool { return s.Rule >= 0 }), cosine(func(s Slope) bool { return s.Rule < 0 }), found
}

// Gradients that are derivatives are found to be, by rule and by network, and a mistake in one of them is noticed.
func TestCheckGradients(t *testing.T) {
	for _, method := range []Method{Implicit, Perceptron, Energy} {
		rules, networks, found := checkGradients(t, checkedTask(t), method)
		kinks := 0
		for _, s := range found.Slopes {
			if s.Kink {
				kinks++
			}
		}
		if !(rules > 0.999) || !(networks > 0.999) || len(found.Slopes) != 6+30 || kinks > 5 || found.Loose {
			t.Errorf("%v: cosine %v of rules and %v of the network, of %d, %d at kinks", method, rules, networks,
				len(found.Slopes), kinks)
		}
		task := checkedTask(t)
		task.Perception = mistaken{task.Perception}
		if again, networks, _ := checkGradients(t, task, method); !(networks < 0.99) || again != rules {
			t.Errorf("%v: cosine %v of a network with a mistake, and %v of rules, want %v", method, networks, again, rules)
		}
	}
	if _, networks, _ := checkGradients(t, checkedTask(t), ConvexDifference); !(networks > 0.2 && networks < 0.9999) {
		t.Errorf("the surrogate has the cosine %v: that of no surrogate", networks)
	}
}

// A MAP state that is not unique is said to be loose.
func TestLooseState(t *testing.T) {
	task := checkedTask(t)
	theta := make([]float64, len(task.Theta))
	theta[len(theta)-1] = 1 // the sums alone
	task.Theta = theta
	for r := range task.Learned {
		task.Learned[r] = false
	}
	task.Learned[len(theta)-1] = true
	if _, _, found := checkGradients(t, task, Implicit); !found.Loose {
		t.Error("a state of which only sums are known is not loose")
	}
}
