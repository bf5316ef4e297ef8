package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
	"github.com/deeppsl/deeppsl/internal/solve/newton"
)

// A row in a registry is all that a loss, a method of learning or a solver takes to be an option, with its words, and
// to be used.
func TestRegistriesAreOptions(t *testing.T) {
	losses, solved := 0, 0
	label.RegisterLoss(label.LossInfo{Name: "eighth", Doc: "an eighth of the squared distance",
		Term: func(_ label.Loss, truth, y float64) (value, slope float64) {
			losses++
			return (y - truth) * (y - truth) / 8, (y - truth) / 4
		},
		Mass: func(truth []float64) float64 { return float64(len(truth)) }})
	learn.Register(learn.MethodInfo{Name: "sensitive", Doc: "the derivative, as it stands", Like: "likelihood",
		OfAnswer: true,
		New: func(task learn.Task, s learn.Settings) (learn.Objective, error) {
			return &sensitive{Task: task, loss: s.Loss, slope: make([]float64, task.Field.Model.Variables)}, nil
		}})
	auto.Register(auto.Info{Name: "second", Doc: "newton by another name", Proves: true,
		New: func(f *mrf.Field, s solve.Settings, _ auto.Own) solve.Solver {
			solved++
			return newton.New(f, s)
		}})
	model := filepath.Join(t.TempDir(), "model.json")
	text := `{"rules": ["1: Likes(A, B) -> T(A, B) ^2", "1: !T(A, B) ^2"], "predicates": {
		"Likes/2": {"observations": [["a", "b"], ["a", "c"], ["b", "c"]]},
		"T/2": {"targets": [["a", "b"], ["a", "c"], ["b", "c"]], "truth": [["a", "b", 0.9], ["a", "c", 0.8]]}}}`
	if err := os.WriteFile(model, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var ran struct {
		Weights []float64 `json:"rule_weights"`
		Method  string    `json:"method"`
		Status  string    `json:"status"`
	}
	deeppsl(t, &ran, "run", model, "--learn=sensitive", "-i", "-D", "learn.loss=eighth", "-D", "inference.method=second",
		"--json")
	if len(ran.Weights) != 2 || !(ran.Weights[0] > 2*ran.Weights[1]) || ran.Status != "optimal" || ran.Method != "second" {
		t.Errorf("the run: %+v", ran)
	}
	if losses == 0 || solved == 0 {
		t.Errorf("the loss was asked %d times, %d solvers were made", losses, solved)
	}
	for name, words := range map[string][]string{
		"learn.method":     {"sensitive (the derivative, as it stands)"},
		"learn.loss":       {"eighth (an eighth of the squared distance)"},
		"inference.method": {"second (newton by another name)"},
		"learn.epochs":     {"100 with ", ", sensitive"},
	} {
		var stdout bytes.Buffer
		if code := Main([]string{"options", name, "--json"}, nil, &stdout, &stdout); code != 0 {
			t.Fatal(stdout.String())
		}
		for _, word := range words {
			if !strings.Contains(stdout.String(), word) {
				t.Errorf("no %q in\n%s", word, &stdout)
			}
		}
	}
}

// deeppsl runs a command, and reads its answer.
func deeppsl(t *testing.T, answer any, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := Main(args, nil, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
	if err := json.Unmarshal(stdout.Bytes(), answer); err != nil {
		t.Fatal(err)
	}
}

// sensitive descends on a loss by the implicit function theorem alone.
type sensitive struct {
	learn.Task
	loss  label.Loss
	slope []float64
	at    learn.State
}

func (s *sensitive) Loss(_ context.Context, at learn.State) (float64, error) {
	return s.loss.Value(s.Labels, at.Y), nil
}

func (s *sensitive) Aim(at learn.State) {
	s.at = at
	s.loss.Gradient(s.Labels, at.Y, s.slope)
}

func (s *sensitive) Field() *mrf.Field { return s.Task.Field }

func (s *sensitive) Gradients(inputs, weights []float64) {
	learn.NewSensitivity(s.at.Field).Of(s.at.Y, s.at.Multipliers, s.slope, inputs, weights)
}
