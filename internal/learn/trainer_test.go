package learn

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

func TestTrainingLowersTheLoss(t *testing.T) {
	for _, method := range []Method{ConvexDifference, Implicit} {
		trainer, history := train(t, toyTask(1), toySettings(method))
		first, last := history[0].Loss, history[len(history)-1].Loss
		if last > 0.8*first {
			t.Errorf("%v: the loss went from %v to %v", method, first, last)
		}
		_, theta, _ := trainer.State()
		if theta[len(theta)-1] != 20 {
			t.Errorf("%v: a fixed weight moved to %v", method, theta[len(theta)-1])
		}
		for r, w := range theta {
			if !(w > 0) {
				t.Errorf("%v: rule %d has the weight %v", method, r, w)
			}
		}
	}
}

// The first MAP state is searched for from where another one is, if there is one.
func TestTrainingBeginsNear(t *testing.T) {
	settings := toySettings(ConvexDifference)
	settings.Epochs, settings.Deviation = 0, 0
	far, first := train(t, toyTask(1), settings)
	near := start(t, toyTask(1), settings, nil)
	y, multipliers := far.Reached()
	near.Near(Solution{Y: y, Multipliers: multipliers})
	if _, again := finish(t, near); again[0].Iterations >= first[0].Iterations {
		t.Errorf("%d steps near the state, %d from nothing", again[0].Iterations, first[0].Iterations)
	}
}

// A negative decay is that which suits the number of labels, as it is when networks are fitted alone.
func TestDecaySuitsTheNumberOfLabels(t *testing.T) {
	settings := toySettings(ConvexDifference)
	settings.Decay = perception.DecayMass / 4
	want := essence(train(t, toyTask(1), settings))
	settings.Decay = -1
	if got := essence(train(t, toyTask(1), settings)); !reflect.DeepEqual(got, want) {
		t.Errorf("with the decay of four labels: %v, want %v", got, want)
	}
	settings.Decay = 0
	if without := essence(train(t, toyTask(1), settings)); reflect.DeepEqual(without, want) {
		t.Error("the decay changes nothing")
	}
}

func TestThreadsChangeNothing(t *testing.T) {
	settings := toySettings(ConvexDifference)
	one := essence(train(t, toyTask(1), settings))
	for _, threads := range []int{2, 4} {
		if got := essence(train(t, toyTask(threads), settings)); !reflect.DeepEqual(got, one) {
			t.Errorf("%d threads: %v, want %v", threads, got, one)
		}
	}
}

// A run that is cancelled and resumed from its last checkpoint must end with the bits of one that was not.
func TestResumeEqualsUninterrupted(t *testing.T) {
	settings := toySettings(ConvexDifference)
	want := essence(train(t, toyTask(1), settings))
	task := func() Task { return toyTask(1) }
	if got := essence(interrupted(t, task, settings, 4)); !reflect.DeepEqual(got, want) {
		t.Errorf("resumed: %v, want %v", got, want)
	}
}

func TestResumeRefusesWhatDoesNotFit(t *testing.T) {
	settings := toySettings(ConvexDifference)
	trainer, _ := train(t, toyTask(1), settings)
	saved := save(t, trainer)
	other := settings
	other.Alpha = 0.2
	damaged := append([]byte(nil), saved...)
	damaged[len(damaged)-1] ^= 1
	for _, test := range []struct {
		name     string
		settings Settings
		data     []byte
	}{
		{"other settings", other, saved},
		{"a damaged file", settings, damaged},
		{"a truncated file", settings, saved[:len(saved)/2]},
		{"no checkpoint", settings, []byte("nonsense")},
		{"nothing", settings, nil},
	} {
		fresh := start(t, toyTask(1), test.settings, nil)
		if err := fresh.Resume(test.data, ""); err == nil {
			t.Errorf("%s was resumed", test.name)
		}
	}
}

func TestTheBestEpochIsKept(t *testing.T) {
	task, settings := toyTask(1), toySettings(ConvexDifference)
	scores := []float64{0.1, 0.5, 0.9, 0.3, 0.2, 0.2, 0.2, 0.2, 0.2}
	settings.Patience = 3
	at := 0
	var states [][]float64
	task.Validate = func(_ context.Context, y, _ []float64) (float64, error) {
		states = append(states, append([]float64(nil), y...))
		at++
		return scores[min(at-1, len(scores)-1)], nil
	}
	trainer, history := train(t, task, settings)
	if got := history[len(history)-2].Number; got != 4 {
		t.Errorf("the last epoch is %d, want 4: the third after the best", got)
	}
	y, _, _ := trainer.State()
	for i := range y {
		if math.Abs(y[i]-states[2][i]) > 1e-4 {
			t.Fatalf("variable %d is %v, in the best epoch it was %v", i, y[i], states[2][i])
		}
	}
}

// Where the score tells no epochs apart, the one with the smallest loss is kept, and patience still ends learning.
func TestTiesOfTheScoreGoToTheSmallestLoss(t *testing.T) {
	task, settings := toyTask(1), toySettings(ConvexDifference)
	settings.Patience = 4
	task.Validate = func(context.Context, []float64, []float64) (float64, error) { return 0.75, nil }
	trainer, history := train(t, task, settings)
	least := 0
	for k, line := range history {
		if line.Loss < history[least].Loss {
			least = k
		}
	}
	if len(history) != settings.Patience+1 || least == 0 || trainer.Kept() != least {
		t.Errorf("%d lines, epoch %d kept, the smallest loss is epoch %d's", len(history), trainer.Kept(), least)
	}
}

func TestNoLabelsIsAnError(t *testing.T) {
	task := toyTask(1)
	task.Labels = &label.Labels{}
	if _, err := NewTrainer(task, toySettings(ConvexDifference)); err == nil {
		t.Error("training without labels was accepted")
	}
}
