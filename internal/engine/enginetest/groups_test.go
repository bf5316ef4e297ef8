package enginetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// groups is a project of groups that choose what their three members like most in the mean, of whom a network sees what
// nobody has labelled: of 500 groups 250 are known.
func groups(t *testing.T, seed uint64) string {
	t.Helper()
	const people, columns, kinds, all, known, size = 60, 5, 4, 500, 250, 3
	random := rand.New(rand.NewPCG(seed, 17))
	files := make(map[string]string)
	var tastes [columns][kinds]float64
	for c := range columns {
		for k := range kinds {
			tastes[c][k] = random.NormFloat64()
		}
	}
	var likes [people][kinds]float64
	for p := range people {
		files["features.tsv"] += fmt.Sprintf("p%d", p)
		files["people.tsv"] += fmt.Sprintf("p%d\n", p)
		for c := range columns {
			x := random.NormFloat64()
			files["features.tsv"] += fmt.Sprintf("\t%.3f", x)
			for k := range kinds {
				likes[p][k] += x * tastes[c][k]
			}
		}
		files["features.tsv"] += "\n"
	}
	for g := range all {
		var sum [kinds]float64
		for _, p := range random.Perm(people)[:size] {
			files["in.tsv"] += fmt.Sprintf("g%d\tp%d\n", g, p)
			for k := range kinds {
				sum[k] += likes[p][k]
			}
		}
		best, table := 0, "train.tsv"
		for k := range kinds {
			if sum[k] += random.NormFloat64(); sum[k] > sum[best] {
				best = k
			}
		}
		if g >= known {
			table = "test.tsv"
		}
		for k := range kinds {
			files["targets.tsv"] += fmt.Sprintf("g%d\tk%d\n", g, k)
		}
		files[table] += fmt.Sprintf("g%d\tk%d\t1\n", g, best)
	}
	files["model.json"] = `{"rules": ["1: Picks(G, K) = Likes(+P, K) / 3 ^2 {P: In(G, P)}", "Picks(G, +K) = 1 ."],
		"networks": {"eye": {"features": "features.tsv"}},
		"predicates": {"Person/1": {"observations": ["people.tsv"]}, "In/2": {"observations": ["in.tsv"]},
			"Kind/1": {"observations": [["k0"], ["k1"], ["k2"], ["k3"]]},
			"Likes/2": {"neural": {"network": "eye", "class": 1, "classes": ["k0", "k1", "k2", "k3"],
				"atoms": "Likes(P, K) <- Person(P) & Kind(K)"}},
			"Picks/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["CategoricalEvaluator"]}}}`
	return Write(t, files)
}

// What several like is added up, and each is not given one vote.
func TestGroupsThatChoose(t *testing.T) {
	t.Parallel()
	const seeds = 3
	mean := 0.0
	for seed := range uint64(seeds) {
		report := Run(t, groups(t, seed), project.Options{Seed: seed}, LearnAndInfer)
		mean += report.Evaluations[0].Values["Accuracy"] / seeds
		if !report.CrossFit.Calibrated {
			t.Errorf("seed %d: the loss is that of values as they are", seed)
		}
	}
	if mean < 0.75 {
		t.Errorf("%.3f of the groups are right, want at least 0.75", mean)
	}
}
