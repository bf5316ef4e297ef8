package learn

import (
	"context"
	"errors"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/learn/perceptiontest"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// toyModel is a citation model of 12 documents.
func toyModel(seed uint64) (model *mrf.Model, theta, x []float64) {
	return mrftest.Citation{Documents: 12, Classes: 3, Links: 20, Exponent: 2, Seed: seed}.Model()
}

// toyTask is a toy model of whose documents four labels are known.
func toyTask(threads int) Task {
	model, theta, _ := toyModel(5)
	field := mrf.NewField(model)
	field.Threads = threads
	learned := make([]bool, len(theta))
	for r := range learned {
		learned[r] = r != len(theta)-1 // the sum's weight is fixed
	}
	return Task{
		Field: field, Solver: newton.New(field, solve.Settings{Gap: 1e-8, Threads: threads}),
		Perception: perceptiontest.NewLogits(model.Inputs), Theta: theta, Learned: learned,
		Labels: &label.Labels{Variables: []int32{0, 4, 8, 9}, Truth: []float64{1, 1, 1, 1}},
	}
}

func toySettings(method Method) Settings {
	return Settings{Method: method, Alpha: 0.1, Mu: 0.12, Epochs: 12, Steps: 3,
		Loss:      label.Loss{Kind: label.CrossEntropy, Floor: label.DefaultFloor},
		Optimiser: perception.Adam, RuleRate: 1e-2, NetworkRate: 5e-2, Deviation: 0.1, Ridge: 1e-3, Seed: 9}
}

// ones are terms with the coefficient 1.
func ones(indices ...int) (terms []mrftest.Term) {
	for _, i := range indices {
		terms = append(terms, mrftest.Term{Index: i, Coef: 1})
	}
	return terms
}

// solveAt solves for some weights and inputs.
func solveAt(solver solve.Solver, theta, x []float64) (*solve.Result, error) {
	solver.SetWeights(theta)
	solver.SetInputs(x)
	return solver.Solve(context.Background())
}

// start makes a trainer that goes on from a checkpoint, if there is one.
func start(t *testing.T, task Task, settings Settings, saved []byte) *Trainer {
	t.Helper()
	trainer, err := NewTrainer(task, settings)
	if err == nil && saved != nil {
		err = trainer.Resume(saved, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	return trainer
}

// finish runs a trainer to its end.
func finish(t *testing.T, trainer *Trainer) (*Trainer, []Epoch) {
	t.Helper()
	outcome, err := trainer.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return trainer, outcome.Epochs
}

func train(t *testing.T, task Task, settings Settings) (*Trainer, []Epoch) {
	t.Helper()
	return finish(t, start(t, task, settings, nil))
}

func save(t *testing.T, trainer *Trainer) []byte {
	t.Helper()
	saved, err := trainer.Checkpoint("")
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

// interrupted cancels a run after an epoch in which it saves, and finishes it in a trainer of a task made anew.
func interrupted(t *testing.T, task func() Task, settings Settings, after int) (*Trainer, []Epoch) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	first := start(t, task(), settings, nil)
	var saved []byte
	first.OnEpoch = func(line Epoch) {
		if line.Number == after {
			saved = save(t, first)
			cancel()
		}
	}
	if _, err := first.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("the first part ended with %v", err)
	}
	return finish(t, start(t, task(), settings, saved))
}

// essence is what must not depend on threads or interruptions: everything but times.
func essence(trainer *Trainer, history []Epoch) any {
	for k := range history {
		history[k].Inference, history[k].Forward, history[k].Gradient = 0, 0, 0
		history[k].Validation = 0 // NaN is not equal to itself
	}
	y, theta, x := trainer.State()
	return []any{history, y, theta, x}
}

// weightDefaults returns the settings that the table of options has for learning the weights of rules with the method.
func weightDefaults(method Method) Settings {
	s := Settings{Method: method, Steps: 1, NetworkRate: 1e-2, Optimiser: perception.Adam, Movement: 5e-4,
		Loss: label.Loss{Kind: label.SquaredError, Floor: label.DefaultFloor}}
	switch method {
	case Likelihood:
		s.Epochs, s.RuleRate, s.Update, s.L2 = 100, 0.1, Logarithmic, 1e-4
	case Energy:
		// Without a force towards the middle the energy is least in a corner: all weight on the rule that is broken
		// least.
		s.Epochs, s.RuleRate, s.Update, s.Barrier, s.Sharpen = 100, 0.5, Mirror, 1, 0.1
	default:
		s.Epochs, s.RuleRate, s.Update, s.Barrier = 100, 0.5, Mirror, 0.02
		s.L2 = 0.1
	}
	return s
}
