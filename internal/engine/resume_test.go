package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/project"
)

// seeing is a project whose network learns, with dropout, to tell cats from dogs through a rule.
func seeing(t *testing.T) string {
	t.Helper()
	return seeingWith(t, func(config string) string { return config })
}

// seeingWith is seeing with another configuration, which may also name more.tsv, half of what
// test.tsv knows, and nearer.tsv, other facts.
func seeingWith(t *testing.T, change func(config string) string) string {
	t.Helper()
	files := map[string]string{
		"model.json": `{
			"rules": "model.psl",
			"networks": {"seer": {"features": "features.tsv", "normalize": "none", "hidden": [5], "dropout": 0.3}},
			"predicates": {
				"Sees/2": {"neural": {"network": "seer", "class": 1, "classes": ["cat", "dog"]},
					"truth": {"learn": ["train.tsv"]}},
				"Near/2": {"observations": ["near.tsv"]},
				"Is/2": {"targets": ["targets.tsv"], "evaluations": ["CategoricalEvaluator"],
					"truth": {"learn": ["train.tsv"], "validation": ["test.tsv"], "infer": ["test.tsv"]}}
			},
			"options": {"learn.epochs": 9, "learn.steps": 3}
		}`,
		"model.psl": "1: Sees(A, C) -> Is(A, C) ^2\n0.5: Near(A, B) & Is(A, C) -> Is(B, C) ^2\nfixed 9: Is(A, +C) = 1 ^2\n",
	}
	for k := range 16 {
		kind, cat := "dog", 0.2+0.04*float64(k)
		if k%2 == 0 {
			kind, cat = "cat", 1-cat/2
		}
		files["features.tsv"] += fmt.Sprintf("%d\t%.2f %.2f %d\n", k, cat, 1-cat, k%3)
		files["targets.tsv"] += fmt.Sprintf("%d\tcat\n%[1]d\tdog\n", k)
		files["near.tsv"] += fmt.Sprintf("%d\t%d\n", k, (k+2)%16)
		files["nearer.tsv"] += fmt.Sprintf("%d\t%d\n", k, (k+1)%16)
		known := "test.tsv"
		if k < 6 {
			known = "train.tsv"
		}
		files[known] += fmt.Sprintf("%d\t%s\n", k, kind)
		if k >= 6 && k < 11 {
			files["more.tsv"] += fmt.Sprintf("%d\t%s\n", k, kind)
		}
	}
	files["model.json"] = change(files["model.json"])
	return writeProject(t, files)
}

// A run that is interrupted, at whichever epoch, and resumed ends with the bits of one that was not.
func TestInterruptedTraining(t *testing.T) {
	t.Parallel()
	path := seeing(t)
	want := run(t, path, project.Options{Seed: 5}, learnAndInfer)
	for _, stops := range [][]int{{0}, {4}, {8}, {9}, {1, 2, 6}} {
		t.Run(fmt.Sprint(stops), func(t *testing.T) {
			options := project.Options{Seed: 5, Checkpoint: filepath.Join(t.TempDir(), "checkpoint")}
			for _, stop := range stops {
				interrupt(t, path, options, stop)
			}
			sameRun(t, want, run(t, path, options, learnAndInfer))
			sameRun(t, want, run(t, path, options, learnAndInfer)) // nothing is left to do
		})
	}
}

// The same holds for the other ways to learn.
func TestInterruptedTrainingOtherwise(t *testing.T) {
	path := seeing(t)
	for _, set := range [][]string{
		{"network.epochs=5"}, {"learn.method=implicit"}, {"learn.optimiser=adagrad"}, {"learn.patience=2"},
		{"learn.schedule=inverse", "learn.mu=0"},
	} {
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			options := project.Options{Seed: 5, Set: set}
			want := run(t, path, options, learnAndInfer)
			options.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
			interrupt(t, path, options, 1)
			sameRun(t, want, run(t, path, options, learnAndInfer))
		})
	}
}

// More epochs than a finished run had are those that a longer run would have done.
func TestResumeWithMoreEpochs(t *testing.T) {
	path := seeing(t)
	options := project.Options{Seed: 5, Checkpoint: filepath.Join(t.TempDir(), "checkpoint")}
	options.Set = []string{"learn.epochs=4"}
	run(t, path, options, learnAndInfer)
	options.Set = nil
	sameRun(t, run(t, path, project.Options{Seed: 5}, learnAndInfer), run(t, path, options, learnAndInfer))
}

// interrupt runs until the context ends after an epoch.
func interrupt(t *testing.T, path string, options project.Options, epoch int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	options.OnEpoch = func(line learn.Epoch) {
		if line.Number == epoch {
			cancel()
		}
	}
	project := loaded(t, path, options)
	report, err := engine.Run(ctx, project, learnAndInfer)
	if err != nil || report.Status != "interrupted" || report.LearningEnded != "interrupted" || report.Answer == nil {
		t.Fatalf("interrupted after epoch %d: %v, %+v", epoch, err, report)
	}
}

// sameRun compares everything but times, bit for bit.
func sameRun(t *testing.T, want, got *engine.Report) {
	t.Helper()
	if got.Objective != want.Objective || got.DualBound != want.DualBound || got.Epochs != want.Epochs {
		t.Errorf("objective %v, at least %v, after %d epochs; want %v, %v, %d", got.Objective, got.DualBound, got.Epochs,
			want.Objective, want.DualBound, want.Epochs)
	}
	if !slices.Equal(got.RuleWeights, want.RuleWeights) || !slices.Equal(got.Answer.Values, want.Answer.Values) ||
		!slices.Equal(got.Answer.Perceived, want.Answer.Perceived) {
		t.Error("other weights, values or perceived inputs")
	}
	if len(got.Training.Epochs) != len(want.Training.Epochs) {
		t.Fatalf("%d lines of the learning curve, want %d", len(got.Training.Epochs), len(want.Training.Epochs))
	}
	for k, line := range got.Training.Epochs {
		other := want.Training.Epochs[k]
		if line.Number != other.Number || line.Loss != other.Loss || line.Validation != other.Validation ||
			!slices.Equal(line.Theta, other.Theta) {
			t.Errorf("epoch %d: %+v, want %+v", k, line, other)
		}
	}
}

// A checkpoint that cannot be continued from is one clear line, and stays as it is.
func TestBadCheckpoints(t *testing.T) {
	path := seeing(t)
	good := filepath.Join(t.TempDir(), "checkpoint")
	run(t, path, project.Options{Checkpoint: good}, learnAndInfer)
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, text, want string
		set              []string
		from, to         string // in the configuration
	}{
		{"truncated", string(text[:len(text)/2]), "the checkpoint is damaged", nil, "", ""},
		{"cut in its head", string(text[:10]), "not a training checkpoint", nil, "", ""},
		{"a table", "a\tb\n", "not a training checkpoint", nil, "", ""},
		{"other settings", string(text), "other settings: Mu 0.12, here 0.5", []string{"learn.mu=0.5"}, "", ""},
		{"networks fitted first", string(text), "other rules, networks", []string{"network.epochs=2"}, "", ""},
		{"other nodes", string(text), "another network", nil, `[5]`, `[6]`},
		{"another dropout", string(text), "other rules, networks", nil, `"dropout": 0.3`, `"dropout": 0.2`},
		{"propagation", string(text), "other rules, networks", nil, `"dropout": 0.3`, `"dropout": 0.3, "propagate": "Near"`},
		{"another decay", string(text), "other rules, networks", nil, `"dropout": 0.3`, `"dropout": 0.3, "decay": 1e-6`},
		{"another gap", string(text), "other rules, networks", []string{"inference.gap=1e-9"}, "", ""},
		{"another method", string(text), "other rules, networks", []string{"inference.method=sgd"}, "", ""},
		{"other rules", string(text), "other rules, networks", nil, `"rules": "model.psl"`,
			`"rules": ["1: Sees(A, C) -> Is(A, C)", "1: Near(A, B) & Is(A, C) -> Is(B, C)", "fixed 9: Is(A, +C) = 1"]`},
		{"other labels", string(text), "other rules, networks", nil, `"learn": ["train.tsv"], "validation"`,
			`"learn": ["more.tsv"], "validation"`},
		{"other facts", string(text), "other rules, networks", nil, `["near.tsv"]`, `["nearer.tsv"]`},
	} {
		bad := filepath.Join(t.TempDir(), "checkpoint")
		if err := os.WriteFile(bad, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		changed := seeingWith(t, func(config string) string { return strings.Replace(config, test.from, test.to, 1) })
		project := loaded(t, changed, project.Options{Checkpoint: bad, Set: test.set})
		_, err := engine.Run(context.Background(), project, learnAndInfer)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), bad) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", test.name, err)
		}
		if after, _ := os.ReadFile(bad); string(after) != test.text {
			t.Errorf("%s: the file was changed", test.name)
		}
	}
}

// Features of the same name that are others now are other features.
func TestResumeOtherFeatures(t *testing.T) {
	path := seeing(t)
	options := project.Options{Checkpoint: filepath.Join(t.TempDir(), "checkpoint")}
	run(t, path, options, learnAndInfer)
	features := filepath.Join(filepath.Dir(path), "features.tsv")
	text, err := os.ReadFile(features)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(features, bytes.Replace(text, []byte("0.3"), []byte("0.4"), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = engine.Run(context.Background(), loaded(t, path, options), learnAndInfer)
	if err == nil || !strings.Contains(err.Error(), "other rules, networks, labels, tables") {
		t.Errorf("learning went on from features that are others: %v", err)
	}
}
