package engine_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/export"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
)

const exported = `{
  "rules": ["3: Likes(A, X) & Likes(B, X) & (A != B) -> Knows(A, B)", "1: !Knows(A, B) ^2",
    "Knows(A, B) = Knows(B, A) ."],
  "predicates": {
    "Likes/2": {"observations": [["ann", "jazz", 0.9], ["bob", "jazz", 0.7], ["cid", "golf", 1], ["ann", "golf", 0.4]]},
    "Knows/2": {"targets": [["ann", "bob"], ["bob", "ann"], ["ann", "cid"], ["cid", "ann"], ["bob", "cid"],
      ["cid", "bob"]]}
  }
}`

// A problem that was exported and read must be solved to the bits of the one that it comes from, by every method.
func TestReplayHasTheSameBits(t *testing.T) {
	path := writeProject(t, map[string]string{"model.json": exported})
	for _, set := range [][]string{nil, {"inference.gap=1e-9"}, {"inference.method=sgd", "random.seed=5"}} {
		options := project.Options{Seed: 1, Set: set}
		_, grounding := ground(t, path, options, load.Infer)
		want := infer(t, grounding)
		got := replay(t, grounding, options)
		if got.Status != want.Status || got.Objective != want.Objective || got.DualBound != want.DualBound ||
			got.Method != want.Method || got.GroundRules != grounding.Potentials() {
			t.Errorf("%v: %s, %v ≥ %v, want %s, %v ≥ %v", set, got.Status, got.Objective, got.DualBound,
				want.Status, want.Objective, want.DualBound)
		}
		for i, v := range want.Values {
			if got.Answer.Values[i] != v {
				t.Errorf("%v: variable %d is %v, want %v", set, i, got.Answer.Values[i], v)
			}
		}
	}
}

func replay(t *testing.T, grounding *session.Grounding, options project.Options) *engine.Report {
	t.Helper()
	var dump bytes.Buffer
	if err := grounding.Export(&dump, export.JSON); err != nil {
		t.Fatal(err)
	}
	problem, err := engine.ReadProblem(&dump, options)
	if err != nil {
		t.Fatal(err)
	}
	report, err := problem.Solve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return report
}
