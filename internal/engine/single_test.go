package engine

import (
	"context"
	"testing"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/training"
)

// TestPredicateOfOneArgument checks that a network of one output learns how far rows are what a predicate says, of
// atoms that are derived, listed, or those of the rows.
func TestPredicateOfOneArgument(t *testing.T) {
	for _, atoms := range []string{
		`"neural": {"network": "judge", "atoms": "Good(A) <- Thing(A)"}`,
		`"neural": {"network": "judge"}, "targets": [["a"], ["b"], ["c"], ["d"]]`,
		`"neural": {"network": "judge"}`,
	} {
		t.Run(atoms, func(t *testing.T) { checkGood(t, atoms) })
	}
}

// checkGood learns which of four rows are good, where the configuration says which atoms there are.
func checkGood(t *testing.T, atoms string) {
	t.Helper()
	path := writeFiles(t, map[string]string{
		"model.json": `{
  "rules": ["1: Level(A) = Good(A) ^2"],
  "networks": {"judge": {"features": "features.tsv"}},
  "predicates": {
    "Good/1": {` + atoms + `, "truth": {"learn": "good.tsv"}},
    "Thing/1": {"observations": [["a"], ["b"], ["c"], ["d"]]},
    "Level/1": {"targets": [["a"], ["b"], ["c"], ["d"]]}
  },
  "options": {"network.epochs": 200, "learn.loss": "binary-cross-entropy"}
}`,
		"features.tsv": "a\t1\nb\t2\nc\t-1\nd\t-2\n",
		"good.tsv":     "a\t1\nc\t0\n",
	})
	project := loaded(t, path, project.Options{Seed: 1})
	g, err := Ground(context.Background(), project, load.Learn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := training.Fit(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	answer, err := g.Infer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for k, good := range []bool{true, true, false, false} {
		if x, y := answer.Perceived[k], answer.Values[k]; (x > 0.5) != good || (y > 0.5) != good {
			t.Errorf("row %d is seen as %v and inferred as %v", k, x, y)
		}
	}
}
