package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
)

// noise is a graph of which neither features nor links tell anything.
func noise(t *testing.T, seed uint64) string {
	t.Helper()
	const things, labelled, classes = 150, 60, 4
	random := rand.New(rand.NewPCG(seed, 3))
	files := map[string]string{"model.json": `{
		"rules": ["1: Sees(A, C) -> Is(A, C) ^2", "1: Link(A, B) & Is(A, C) -> Is(B, C) ^2", "fixed 10: Is(A, +C) = 1 ^2"],
		"networks": {"seer": {"features": "features.tsv", "hidden": []}},
		"predicates": {
			"Sees/2": {"neural": {"network": "seer", "class": 1, "classes": ["0", "1", "2", "3"]}},
			"Link/2": {"observations": ["links.tsv"]},
			"Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"]}}
		}}`}
	for k := range things {
		files["features.tsv"] += fmt.Sprintf("%d\t%.3f %.3f %.3f\n", k, random.NormFloat64(), random.NormFloat64(),
			random.NormFloat64())
		if k < labelled {
			files["train.tsv"] += fmt.Sprintf("%d\t%d\n", k, random.IntN(classes))
		}
		for c := range classes {
			files["targets.tsv"] += fmt.Sprintf("%d\t%d\n", k, c)
		}
	}
	for k := range things {
		for _, step := range []int{1 + random.IntN(70), 71 + random.IntN(70)} {
			files["links.tsv"] += fmt.Sprintf("%d\t%d\n", k, (k+step)%things)
		}
	}
	return writeProject(t, files)
}

// Networks do not learn what is inferred no better than by a guess, which would only make them surer of it; now and
// then noise looks better than that.
func TestGuessesAreNotTaught(t *testing.T) {
	t.Parallel()
	taught := 0
	for seed := range uint64(8) {
		report := run(t, noise(t, seed+3), project.Options{Seed: 1}, engine.Stages{Learn: true})
		if report.CrossFit.Rounds > 0 {
			taught++
		}
	}
	if taught > 1 {
		t.Errorf("networks learned from noise %d times of 8", taught)
	}
}
