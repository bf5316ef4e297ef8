package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/training"
)

// twoPhases is a project whose phases infer by different methods.
const twoPhases = `{
	"rules": ["1: Near(A, B) -> Knows(A, B) ^2", "1: !Knows(A, B) ^2"],
	"learn": {"options": {"inference.method": "sgd"}},
	"predicates": {
		"Near/2": {"observations": [["ann", "bob"], ["bob", "cid"]]},
		"Knows/2": {"targets": [["ann", "bob"], ["bob", "cid"]], "truth": [["ann", "bob"]]}
	}
}`

// Reset must leave the project as it is, for other groundings of it.
func TestResetLeavesTheProject(t *testing.T) {
	g := grounded(t, writeFiles(t, map[string]string{"model.json": twoPhases}), project.Options{Seed: 3}, load.Learn)
	if err := g.Reset(99); err != nil {
		t.Fatal(err)
	}
	if g.Project.Seed != 3 || g.Seed != 99 {
		t.Errorf("the project has the seed %d, the grounding %d", g.Project.Seed, g.Seed)
	}
}

// Who learns and then infers by hand must get the options of inference, as Run has it.
func TestInferenceHasItsOwnOptions(t *testing.T) {
	g := grounded(t, writeFiles(t, map[string]string{"model.json": twoPhases}), project.Options{}, load.Learn)
	if _, err := training.Train(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	answer, err := g.Infer(context.Background())
	if err != nil || answer.Method == "sgd" || answer.Status != "optimal" {
		t.Errorf("%+v, %v", answer, err)
	}
}

// What no phase is, and examples without a network, must be errors or answers, and no panic.
func TestNoPanic(t *testing.T) {
	path := writeFiles(t, map[string]string{"model.json": twoPhases})
	loaded, err := project.Load(path, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Ground(context.Background(), loaded, load.Phase(9)); err == nil {
		t.Error("phase 9 was ground")
	}
	path = writeFiles(t, map[string]string{"model.json": `{
		"rules": ["1: Tall(A) & Old(A) -> Is(A, 'tree') ^2", "1: !Is(A, K) ^2", "Is(A, +K) = 1 ."],
		"predicates": {
			"Tall/1": {"observations": [["it"]]},
			"Old/1": {"observations": [["it"]]},
			"Is/2": {"targets": [["it", "tree"], ["it", "bush"]]}
		},
		"examples": {"learn": "all.csv", "infer": "all.csv"}
	}`, "all.csv": "Is(it)\ntree\nbush\n"})
	if loaded, err = project.Load(path, project.Options{}); err == nil {
		_, err = Check(context.Background(), loaded)
	}
	if err == nil {
		_, err = Run(context.Background(), loaded, Stages{})
	}
	if err != nil {
		t.Error(err)
	}
}

// Examples whose hard rules contradict each other are named, with what contradicts.
func TestContradictoryExamplesAreNamed(t *testing.T) {
	path := writeFiles(t, map[string]string{"model.json": `{
		"rules": ["1: !Is(A, K) ^2", "Is(A, +K) = 1 .", "!Is(A, K) .  "],
		"predicates": {"Is/2": {"targets": [["it", "tree"], ["it", "bush"]]}},
		"examples": {"infer": "all.csv"}
	}`, "all.csv": "Is(it)\ntree\nbush\n"})
	loaded, err := project.Load(path, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(context.Background(), loaded, Stages{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Status != "infeasible" || !math.IsInf(report.Gap, 1) || report.Feasible || len(report.Conflict) == 0 ||
		!strings.Contains(report.ConflictIn, "all.csv:2:1") || len(report.Predictions.Contradictory) != 2 {
		t.Errorf("%s, gap %v, in %q: %v", report.Status, report.Gap, report.ConflictIn, report.Conflict)
	}
}

// A solver that has been kept gives the bits of a new one, from the same start, and leaves earlier answers as they are.
func TestKeptSolverIsANewOne(t *testing.T) {
	for _, method := range []string{"auto", "newton", "interior", "sgd"} {
		options := project.Options{Set: []string{"inference.method=" + method}}
		again := func(g *session.Grounding, last *session.Answer, weight float64) *session.Answer {
			t.Helper()
			if err := g.SetWeight(1, weight); err != nil {
				t.Fatal(err)
			}
			answer, err := g.InferAgain(context.Background(), last)
			if err != nil {
				t.Fatal(err)
			}
			return answer
		}
		const path = "examples/acquaintances/model.json"
		living := grounded(t, path, options, load.Infer)
		answer := again(living, nil, 8)
		for _, weight := range []float64{7, 9, 0.5} {
			start, fresh := answer, grounded(t, path, options, load.Infer)
			values, multipliers := slices.Clone(start.Values), slices.Clone(start.Multipliers)
			answer = again(living, start, weight)
			if !slices.Equal(start.Values, values) || !slices.Equal(start.Multipliers, multipliers) {
				t.Errorf("%s, %v: the answer before has changed", method, weight)
			}
			want := again(fresh, start, weight)
			if !slices.Equal(answer.Values, want.Values) || !slices.Equal(answer.Multipliers, want.Multipliers) ||
				answer.Gap != want.Gap || answer.Iterations != want.Iterations {
				t.Errorf("%s, %v: gap %v after %d iterations, and %v after %d", method, weight, answer.Gap, answer.Iterations,
					want.Gap, want.Iterations)
			}
		}
	}
}
