package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/training"
)

// train trains and infers.
func train(t *testing.T, grounding *session.Grounding) *session.Answer {
	t.Helper()
	if _, err := training.Train(context.Background(), grounding); err != nil {
		t.Fatal(err)
	}
	return infer(t, grounding)
}

func infer(t *testing.T, grounding *session.Grounding) *session.Answer {
	t.Helper()
	answer, err := grounding.Infer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// sameBits compares two answers.
func sameBits(t *testing.T, what string, want, got *session.Answer) {
	t.Helper()
	if got.Objective != want.Objective || !slices.Equal(got.Values, want.Values) ||
		!slices.Equal(got.Perceived, want.Perceived) {
		t.Errorf("%s: objective %v, want %v", what, got.Objective, want.Objective)
	}
}

// Hard ground rules that are left out as nothing satisfies them are counted, with targets in them or not.
func TestViolatedGroundRulesAreCounted(t *testing.T) {
	path := writeProject(t, map[string]string{"model.json": `{"rules": ["A(X) -> B(X) .", "T(X) >= 1 + A(X) .", "1: T(X)"],
		"predicates": {"A/1": {"observations": [["a"], ["b"], ["c"]]}, "B/1": {"observations": [["b"]]},
			"T/1": {"targets": [["a"], ["b"], ["c"]]}}, "options": {"ground.discardviolated": true}}`})
	_, grounding := ground(t, path, project.Options{}, load.Infer)
	var discarded []int64
	for _, count := range grounding.Counts() {
		discarded = append(discarded, count.Discarded)
	}
	if !slices.Equal(discarded, []int64{2, 3, 0}) {
		t.Errorf("%d ground rules are discarded", discarded)
	}
}

// A grounding that is reset to a seed is one that was made with it: experiments over many seeds need only one.
func TestResetForgetsEverything(t *testing.T) {
	path := seeing(t)
	_, grounding := ground(t, path, project.Options{Seed: 1}, load.Learn)
	train(t, grounding)
	for _, seed := range []uint64{9, 1} {
		if err := grounding.Reset(seed); err != nil {
			t.Fatal(err)
		}
		_, fresh := ground(t, path, project.Options{Seed: seed}, load.Learn)
		sameBits(t, "reset", train(t, fresh), train(t, grounding))
	}
}

// Saved networks perceive the same; a damaged file changes nothing.
func TestSavedNetworks(t *testing.T) {
	path := seeing(t)
	_, trained := ground(t, path, project.Options{Seed: 1}, load.Learn)
	want := train(t, trained)
	file := filepath.Join(t.TempDir(), "networks.safetensors")
	if err := trained.SaveNetworks(file); err != nil {
		t.Fatal(err)
	}
	_, fresh := ground(t, path, project.Options{Seed: 2}, load.Learn)
	before := infer(t, fresh)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(t.TempDir(), "half")
	if err := os.WriteFile(half, data[:len(data)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	if err := fresh.LoadNetworks(half); err == nil || !strings.Contains(err.Error(), half) {
		t.Errorf("half a file: %v", err)
	}
	sameBits(t, "after half a file", before, infer(t, fresh))
	if err := fresh.LoadNetworks(file); err != nil {
		t.Fatal(err)
	}
	if got := infer(t, fresh); !slices.Equal(got.Perceived, want.Perceived) {
		t.Error("the loaded networks perceive otherwise")
	}
	_, plain := ground(t, "examples/acquaintances/model.json", project.Options{Seed: 1}, load.Learn)
	if plain.SaveNetworks(file) == nil || plain.LoadNetworks(file) == nil {
		t.Error("a project without networks saved or loaded some")
	}
}

// Truth that is set replaces that of the tables, for every split of an experiment.
func TestSetTruth(t *testing.T) {
	project, grounding := ground(t, seeing(t), project.Options{Seed: 1}, load.Learn)
	answer := infer(t, grounding)
	score := func() float64 {
		evaluations, err := grounding.Evaluate(answer, load.Infer)
		if err != nil || len(evaluations) != 1 {
			t.Fatalf("%d evaluations, %v", len(evaluations), err)
		}
		return evaluations[0].Values["Accuracy"]
	}
	rows := func(kind string) [][]string { return [][]string{{"7", kind}} }
	total := 0.0
	for _, kind := range []string{"cat", "dog"} {
		if err := project.SetTruth(load.Infer, "is", rows(kind)); err != nil {
			t.Fatal(err)
		}
		total += score()
	}
	if total != 1 {
		t.Errorf("entity 7 is a cat and a dog with accuracies that sum to %v", total)
	}
	if err := project.SetTruth(load.Infer, "Iss", nil); err == nil ||
		!strings.Contains(err.Error(), "did you mean Is?") {
		t.Errorf("unknown predicate: %v", err)
	}
	for _, row := range [][]string{
		{"7"}, {"7", "cat", "2"}, {"7", "cat", "x"}, {"7", "cat", "NaN"}, {"7", "cat", "1", "1"},
	} {
		if err := project.SetTruth(load.Infer, "Is", [][]string{row}); err != nil {
			t.Fatal(err)
		}
		if _, err := grounding.Evaluate(answer, load.Infer); err == nil || !strings.Contains(err.Error(), "truth of Is") {
			t.Errorf("row %q: %v", row, err)
		}
	}
}
