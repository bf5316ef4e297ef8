package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// Few labels are learned by heart from what says nothing of them. That they are right is no answer, and that others are
// not is told.
func TestChanceOfHeldOutLabels(t *testing.T) {
	const things, labels = 90, 30
	random := rand.New(rand.NewPCG(5, 6))
	features, targets, known := "", "", ""
	for k := range things {
		features += fmt.Sprintf("t%d", k)
		for range 12 {
			features += fmt.Sprintf("\t%.3f", random.NormFloat64())
		}
		features += "\n"
		for class := range 3 {
			targets += fmt.Sprintf("t%d\tc%d\n", k, class)
		}
		if k < labels {
			known += fmt.Sprintf("t%d\tc%d\n", k, random.IntN(3))
		}
	}
	path := writeProject(t, map[string]string{
		"features.tsv": features, "targets.tsv": targets, "known.tsv": known,
		"model.json": `{"rules": ["1: Sees(A, C) -> Is(A, C) ^2", "Is(A, +C) = 1 ."],
			"networks": {"eye": {"features": "features.tsv"}},
			"predicates": {
				"Sees/2": {"neural": {"network": "eye", "class": 1, "classes": ["c0", "c1", "c2"]}},
				"Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["known.tsv"]}}
			}}`,
	})
	wantNotice(t, run(t, path, project.Options{Seed: 1}, learnAndInfer), "learn-chance", "if they are held out")
}
