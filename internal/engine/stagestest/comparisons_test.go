package stagestest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// comparisons is a project in which labels say which of two things is the better one, and how good each is follows
// from its features, as a sum.
func comparisons(t *testing.T, seed uint64) string {
	const things, pairs, labels = 150, 500, 150
	random := rand.New(rand.NewPCG(seed, 21))
	features, targets, known, rest := "", "", "", ""
	good, asked := make([]float64, things), make(map[string]bool)
	slopes := make([]float64, 6)
	for k := range slopes {
		slopes[k] = random.NormFloat64()
	}
	for k := range good {
		features += fmt.Sprintf("t%d", k)
		for _, slope := range slopes {
			u := random.NormFloat64()
			good[k] += slope * u
			features += fmt.Sprintf("\t%.3f", u)
		}
		features += "\n"
	}
	for pair := range pairs {
		a, b := random.IntN(things), random.IntN(things)
		row, better := fmt.Sprintf("t%d\tt%d", a, b), 0
		if a == b || asked[row] {
			continue
		}
		asked[row] = true
		if good[a]+0.3*random.NormFloat64() > good[b] {
			better = 1
		}
		targets += row + "\n"
		if pair < labels {
			known += fmt.Sprintf("%s\t%d\n", row, better)
		} else {
			rest += fmt.Sprintf("%s\t%d\n", row, better)
		}
	}
	return writeProject(t, map[string]string{
		"features.tsv": features, "pairs.tsv": targets, "known.tsv": known, "rest.tsv": rest,
		"model.json": `{"rules": ["1: Asked(A, B) & Good(A) & !Good(B) -> Beats(A, B) ^2",
				"1: Asked(A, B) & !Good(A) & Good(B) -> !Beats(A, B) ^2"],
			"networks": {"eye": {"features": "features.tsv"}},
			"predicates": {"Good/1": {"neural": {"network": "eye"}}, "Asked/2": {"observations": ["pairs.tsv"]},
				"Beats/2": {"targets": ["pairs.tsv"], "truth": {"learn": ["known.tsv"], "infer": ["rest.tsv"]}}}}`,
	})
}

// How much networks decay that see what nobody has labelled is chosen by labels of what follows from it.
func TestComparisons(t *testing.T) {
	t.Parallel()
	const seeds = 4
	mean := 0.0
	for seed := range uint64(seeds) {
		accuracy := lastAccuracy(run(t, comparisons(t, seed), project.Options{Seed: seed}, learnAndInfer))
		t.Logf("seed %d: %.3f", seed, accuracy)
		mean += accuracy / seeds
	}
	if mean < 0.94 {
		t.Errorf("a mean accuracy of %.3f", mean)
	}
}
