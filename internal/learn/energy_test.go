package learn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// exactSolver solves to far below the differences' step.
func exactSolver(field *mrf.Field) (solve.Solver, error) {
	return newton.New(field, solve.Settings{Gap: 1e-8, Feasibility: 2e-7, Threads: field.Threads}), nil
}

// attempt is a random model with labels that its hard rules allow: the MAP state of other weights has them.
func attempt(t *testing.T, seed uint64, kinds []mrftest.Form) (task Task, x []float64) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 11))
	model, theta, x := mrftest.Random(random, mrftest.Shape{Variables: 15, Inputs: 5, Blocks: 7, Potentials: 8,
		Kinds: kinds, Arity: 3, Scales: true})
	field := mrf.NewField(model)
	other := make([]float64, len(theta))
	for r := range other {
		other[r] = 3 * random.Float64()
	}
	solver, _ := exactSolver(field)
	y := optimum(t, solver, other, x)
	task = Task{Field: field, Solver: solver, NewSolver: exactSolver, Theta: theta, Labels: new(label.Labels)}
	for i := range int32(8) {
		task.Labels.Variables = append(task.Labels.Variables, 2*i%15)
		task.Labels.Truth = append(task.Labels.Truth, min(max(y[2*i%15], 0), 1))
	}
	return task, x
}

func optimum(t *testing.T, solver solve.Solver, theta, x []float64) []float64 {
	t.Helper()
	result, err := solveAt(solver, theta, x)
	if err != nil || result.Status != solve.Optimal {
		t.Fatalf("%v, %v", result.Status, err)
	}
	return result.Y
}

// The losses of optimal energies must have the derivatives that differences of optima say, with hard rules too.
func TestValueGradients(t *testing.T) {
	for name, kinds := range map[string][]mrftest.Form{
		"squared": mrftest.Squared, "soft": mrftest.Soft,
		"hard": append(append([]mrftest.Form{}, mrftest.Squared...), mrftest.Hard...), "all": mrftest.All,
	} {
		for _, method := range []Method{Perceptron, Energy} {
			t.Run(name+"/"+method.String(), func(t *testing.T) {
				for seed := range uint64(2) {
					task, x := attempt(t, seed, kinds)
					checkValue(t, task, method, x)
				}
			})
		}
	}
}

func checkValue(t *testing.T, task Task, method Method, x []float64) {
	t.Helper()
	v, err := newEnergies(task, method)
	if err != nil {
		t.Fatal(err)
	}
	evaluate := func() float64 {
		result, err := solveAt(task.Solver, task.Theta, x)
		if err == nil && result.Status == solve.Optimal {
			err = v.at(context.Background(), task.Field, result.Y, result.Multipliers)
		}
		var infeasible *InfeasibleError
		if result.Status == solve.Infeasible || errors.As(err, &infeasible) {
			return math.NaN() // inputs that moved made the hard rules contradict each other
		}
		if err != nil {
			t.Fatal(err)
		}
		return v.loss
	}
	if loss := evaluate(); !(loss > -1e-7) && method == Perceptron {
		t.Errorf("the energy with labels is less than that without: %v", loss)
	}
	weights, inputs := append([]float64(nil), v.weights...), append([]float64(nil), v.inputs...)
	if between(t, "weight", weights, task.Theta, evaluate) < len(weights) {
		t.Error("the weights decided about feasibility")
	}
	between(t, "input", inputs, x, evaluate)
}

// between compares derivatives with differences on both sides of a point, which enclose the subgradients at a kink. It
// returns how many of them exist.
func between(t *testing.T, what string, gradient, at []float64, value func() float64) (compared int) {
	t.Helper()
	const h, tolerance = 5e-4, 2e-3
	middle := value()
	for k := range at {
		old := at[k]
		at[k] = old + h
		up := (value() - middle) / h
		at[k] = old - h
		down := (middle - value()) / h
		at[k] = old
		if math.IsNaN(up + down) {
			continue
		}
		compared++
		lo, hi := min(up, down)-tolerance, max(up, down)+tolerance
		if gradient[k] < lo || gradient[k] > hi {
			t.Errorf("derivative by %s %d: %v, differences say %v to %v", what, k, gradient[k], down, up)
		}
	}
	return compared
}

// Labels that no state can have must be named, not averaged away.
func TestContradiction(t *testing.T) {
	// y0 + y1 + y2 ≤ 1 with both y0 and y1 labelled as 1.
	model := mrftest.New(3, 0, 2).
		Rule(0, mrf.Hinge, 2).Add(0.5, []mrftest.Term{{Index: 2, Coef: -1}}, nil).
		Rule(1, mrf.LessEqual, 0).Add(-1, ones(0, 1, 2), nil).Model()
	field := mrf.NewField(model)
	solver, _ := exactSolver(field)
	task := Task{Field: field, Solver: solver, NewSolver: exactSolver, Theta: []float64{1, 0},
		Learned: []bool{true, false}, Labels: &label.Labels{Variables: []int32{0, 1}, Truth: []float64{1, 1}}}
	_, err := start(t, task, weightDefaults(Perceptron), nil).Run(context.Background())
	var infeasible *InfeasibleError
	if !errors.As(err, &infeasible) || !infeasible.Labelled || !reflect.DeepEqual(infeasible.Conflict, []int{1}) {
		t.Errorf("got the error %v", err)
	}
}

// planted is a model in which rule r wants each variable at a value of its own, and labels at the MAP state of given
// weights: the data of a program whose true weights are known.
func planted(t *testing.T, weights []float64, threads int) Task {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	builder := mrftest.New(200, 0, len(weights))
	for r := range weights {
		builder.Rule(r, mrf.Absolute, 2)
		for i := range 200 {
			builder.Add(-random.Float64(), ones(i), nil)
		}
	}
	field := mrf.NewField(builder.Model())
	field.Threads = threads
	solver, _ := exactSolver(field)
	y := optimum(t, solver, weights, nil)
	task := Task{Field: field, Solver: solver, NewSolver: exactSolver, Labels: new(label.Labels)}
	for i := range int32(200) {
		noise := 0.02 * random.NormFloat64()
		task.Labels.Variables = append(task.Labels.Variables, i)
		task.Labels.Truth = append(task.Labels.Truth, min(max(y[i]+noise, 0), 1))
	}
	for range weights {
		task.Theta, task.Learned = append(task.Theta, 1), append(task.Learned, true)
	}
	return task
}

// ranks says which weights are greater than which.
func ranks(weights []float64) (greater []bool) {
	for _, a := range weights {
		for _, b := range weights {
			greater = append(greater, a > b)
		}
	}
	return greater
}

func TestWeightsAreRecovered(t *testing.T) {
	truth := []float64{0.2, 4, 1, 2}
	for _, settings := range []Settings{weightDefaults(Perceptron), weightDefaults(Energy), weightDefaults(Likelihood),
		projected(weightDefaults(Perceptron))} {
		trainer, _ := train(t, planted(t, truth, 1), settings)
		_, theta, _ := trainer.State()
		if !reflect.DeepEqual(ranks(theta), ranks(truth)) {
			t.Errorf("%v, %v: the weights are ranked %v, want %v", settings.Method, settings.Update, theta, truth)
		}
		if !settings.Update.KeepsSum() {
			continue
		}
		sum := 0.0
		for _, w := range theta {
			sum += w
		}
		if sum < 3.999 || sum > 4.001 {
			t.Errorf("%v: the weights add up to %v, not to 4 as at first", settings.Method, sum)
		}
	}
}

func projected(s Settings) Settings {
	s.Update, s.RuleRate = Projected, 0.1
	return s
}

func TestValueThreadsAndResume(t *testing.T) {
	for _, method := range []Method{Perceptron, Energy, Likelihood} {
		settings := weightDefaults(method)
		settings.Epochs = 20
		task := func(threads int) Task { return planted(t, []float64{1, 2, 0.5}, threads) }
		one := essence(train(t, task(1), settings))
		for _, threads := range []int{2, 4} {
			if got := essence(train(t, task(threads), settings)); !reflect.DeepEqual(got, one) {
				t.Errorf("%v: %d threads change the result", method, threads)
			}
		}
		anew := func() Task { return task(1) }
		if got := essence(interrupted(t, anew, settings, 3)); !reflect.DeepEqual(got, one) {
			t.Errorf("%v: a resumed run ends elsewhere", method)
		}
	}
}

// Networks learn from optimal energies too: the losses must fall. The pseudo-likelihood imputes latent variables anew
// at each step and need not fall all the way; its best state is kept.
func TestNetworksLearnFromEnergies(t *testing.T) {
	for _, method := range []Method{Perceptron, Energy, Likelihood} {
		task := toyTask(1)
		task.NewSolver = exactSolver
		settings := weightDefaults(method)
		settings.Epochs, settings.NetworkRate, settings.Barrier = 25, 0.1, 0
		trainer, history := train(t, task, settings)
		least := math.Inf(1)
		for _, line := range history {
			least = min(least, line.Loss)
		}
		if first := history[0].Loss; !(least < first-0.1*math.Abs(first)) {
			t.Errorf("%v: the loss went from %v to %v", method, first, least)
		}
		if kept, err := trainer.infer(context.Background()); err != nil || math.Abs(kept.Loss-least) > 1e-3 {
			t.Errorf("%v: the state that is kept has the loss %v, the best had %v (%v)", method, kept.Loss, least, err)
		}
	}
}
