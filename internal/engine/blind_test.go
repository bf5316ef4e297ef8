package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// fraud is one payment in twenty, of which a network sees something, and others at the same shop say something. A prior
// of linear rules as strong as this one hides all there is.
func fraud(seed uint64) map[string]string {
	random := rand.New(rand.NewPCG(seed, 77))
	files := map[string]string{"model.json": `{
		"rules": ["2: Looks(A) -> Is(A)", "2: !Looks(A) -> !Is(A)",
			"1: At(A, S) & At(B, S) & Is(A) & (A != B) -> Is(B)", "5: !Is(A)"],
		"networks": {"net": {"features": "features.tsv"}},
		"predicates": {"Looks/1": {"neural": {"network": "net"}}, "At/2": {"observations": ["at.tsv"]},
			"Is/1": {"targets": ["things.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["AUC"]}}}`}
	var features, at, things, train, test strings.Builder
	for i := range 900 {
		shop, truth, share := random.IntN(225), 0, 0.03
		if shop%10 == 0 {
			share = 0.3
		}
		if random.Float64() < share {
			truth = 1
		}
		fmt.Fprintf(&features, "p%d\t%.3f\t%.3f\t%.3f\n", i, random.NormFloat64()+0.9*float64(truth), random.NormFloat64(),
			random.NormFloat64())
		fmt.Fprintf(&at, "p%d\ts%d\n", i, shop)
		fmt.Fprintf(&things, "p%d\n", i)
		labels := &train
		if i >= 300 {
			labels = &test
		}
		fmt.Fprintf(labels, "p%d\t%d\n", i, truth)
	}
	files["features.tsv"], files["at.tsv"], files["things.tsv"] = features.String(), at.String(), things.String()
	files["train.tsv"], files["test.tsv"] = train.String(), test.String()
	return files
}

// Where the rules as they stand say the same of all, weaker ones that tell something take their place.
func TestPriorsThatHideAll(t *testing.T) {
	t.Parallel()
	const seeds = 3
	sum := 0.0
	for seed := range uint64(seeds) {
		r := run(t, writeProject(t, fraud(seed)), project.Options{}, learnAndInfer)
		t.Logf("seed %d: AUROC %.3f", seed, r.Evaluations[0].Values["AUROC"])
		sum += r.Evaluations[0].Values["AUROC"]
	}
	if mean := sum / seeds; mean < 0.62 {
		t.Errorf("AUROC %.3f, should be at least 0.62", mean)
	}
}
