package enginetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// texts is a classification in two of texts, of whose many words some are more often in those of a class. Of the first
// twenty, which are labelled, so many are of the class 0, and of the others the share common.
func texts(t *testing.T, seed uint64, first int, common float64) string {
	t.Helper()
	const words, telling, labelled, asked = 800, 25, 20, 120
	random := rand.New(rand.NewPCG(seed, 3))
	var rows, targets, train, test strings.Builder
	for k := range labelled + asked {
		class := 1
		if k < first || k >= labelled && random.Float64() < common {
			class = 0
		}
		fmt.Fprintf(&rows, "t%d", k)
		for w := range words {
			often := 0.05
			switch {
			case w/telling == class:
				often = 0.3
			case w >= 2*telling: // as of other words, few are in many texts
				often = 8 / float64(w-2*telling+10)
			}
			if random.Float64() < often {
				fmt.Fprintf(&rows, "\t%d", w)
			}
		}
		rows.WriteString("\n")
		fmt.Fprintf(&targets, "t%d\tc0\nt%d\tc1\n", k, k)
		if k < labelled {
			fmt.Fprintf(&train, "t%d\tc%d\n", k, class)
		} else {
			fmt.Fprintf(&test, "t%d\tc%d\n", k, class)
		}
	}
	return Write(t, map[string]string{
		"features.tsv": rows.String(), "targets.tsv": targets.String(), "train.tsv": train.String(),
		"test.tsv": test.String(),
		"model.json": `{"rules": ["1: Seen(A, C) -> Is(A, C) ^2", "Is(A, +C) = 1 ."],
			"networks": {"eye": {"features": "features.tsv", "format": "sparse"}},
			"predicates": {
				"Seen/2": {"neural": {"network": "eye", "class": 1, "classes": ["c0", "c1"]}},
				"Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
					"evaluations": ["CategoricalEvaluator"]}
			}}`,
	})
}

// Of few labels of many words, networks learn each by heart, and most other texts come to be of the class that more of
// them have. If held-out labels are told better so, classes are as common as among labels, and a few more of each; not
// where labels are as many of each class, and things are not.
func TestSharesOfManyColumns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		first  int
		common float64
		shared int // of three
		least  float64
	}{
		{12, 0.5, 3, 0.75},
		{10, 0.85, 0, 0.85},
	} {
		mean, shared := 0.0, 0
		for seed := range uint64(3) {
			r := Run(t, texts(t, seed, test.first, test.common), project.Options{Seed: seed}, LearnAndInfer)
			mean += LastAccuracy(r) / 3
			if r.Training.CrossFit.Shared {
				shared++
			}
		}
		t.Logf("%d of twenty: %.3f right, shared %d times", test.first, mean, shared)
		if mean < test.least || shared != test.shared {
			t.Errorf("%d of twenty labels: %.3f right, want at least %v; shared %d times, want %d",
				test.first, mean, test.least, shared, test.shared)
		}
	}
}
