package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// A siamese network says the same of who likes whom and of the converse, which is told; of who is near whom it is not.
func TestPairsWithADirection(t *testing.T) {
	t.Parallel()
	for name, label := range map[string]func(a, b float64) bool{
		"directed":  func(a, b float64) bool { return a > b },
		"symmetric": func(a, b float64) bool { return a*b > 0 },
	} {
		r := run(t, pairsBothWays(t, label), project.Options{}, learnAndInfer)
		if name == "directed" {
			wantNotice(t, r, "learn-directed", "of 120 pairs with labels both ways, 120 have another one each way, but the "+
				"siamese network twins says the same of both")
			continue
		}
		for _, w := range r.Warnings {
			if w.ID == "learn-directed" {
				t.Errorf("%s: %v", name, w)
			}
		}
	}
}

// pairsBothWays is a project about 16 things of one feature and all their pairs.
func pairsBothWays(t *testing.T, label func(a, b float64) bool) string {
	random := rand.New(rand.NewPCG(3, 1))
	var features, pairs, train strings.Builder
	at := make([]float64, 16)
	for k := range at {
		at[k] = random.NormFloat64()
		fmt.Fprintf(&features, "t%d\t%g\n", k, at[k])
	}
	for a := range at {
		for b := range at {
			if a == b {
				continue
			}
			truth := 0
			if label(at[a], at[b]) {
				truth = 1
			}
			fmt.Fprintf(&pairs, "t%d\tt%d\n", a, b)
			fmt.Fprintf(&train, "t%d\tt%d\t%d\n", a, b, truth)
		}
	}
	return writeProject(t, map[string]string{
		"model.json": `{
			"rules": ["1: Fits(A, B) -> Likes(A, B) ^2", "1: !Fits(A, B) -> !Likes(A, B) ^2"],
			"networks": {"twins": {"kind": "siamese", "features": "features.tsv", "hidden": [4]}},
			"predicates": {
				"Fits/2": {"neural": {"network": "twins", "atoms": "Fits(A, B) <- Met(A, B)"}},
				"Met/2": {"observations": ["pairs.tsv"]},
				"Likes/2": {"targets": ["pairs.tsv"], "truth": {"learn": ["train.tsv"]}}}}`,
		"features.tsv": features.String(), "pairs.tsv": pairs.String(), "train.tsv": train.String(),
	})
}
