package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// So few examples are learned by heart from most beginnings, and none can be held out to notice. The likeliest of
// several beginnings is right about others too.
func TestLearnFromFewExamples(t *testing.T) {
	for _, seed := range []uint64{1, 3, 4} {
		r := run(t, fewSums(t, 80, seed), project.Options{Seed: 1}, learnAndInfer)
		if accuracy := lastAccuracy(r); accuracy < 0.85 {
			t.Errorf("seed %d: accuracy %.3f after starts %+v", seed, accuracy, r.Starts)
		}
	}
}

// fewSums is a project about sums of two things of four kinds, which nobody has labelled, by a table.
func fewSums(t *testing.T, examples int, seed uint64) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 4))
	const things = 1000
	features, kind := images(random, 4, 6, things)
	var table string
	for a := range 4 {
		for b := range 4 {
			table += fmt.Sprintf("k%d\tk%d\t%d\n", a, b, a+b)
		}
	}
	rows := func(n, lo, hi int) string {
		text := "a,b,Sum\n"
		for range n {
			i, j := lo+random.IntN(hi-lo), lo+random.IntN(hi-lo)
			text += fmt.Sprintf("i%d,i%d,%d\n", i, j, kind[i]+kind[j])
		}
		return text
	}
	return writeProject(t, map[string]string{
		"features.tsv": features, "table.tsv": table,
		"train.csv": rows(examples, 0, things/2), "test.csv": rows(300, things/2, things),
		"model.json": `{"rules": ["1: Sees('a', A) & Sees('b', B) & Adds(A, B, S) -> Sum(S) ^2", "Sum(+S) = 1 ."],
			"networks": {"eye": {"features": "features.tsv"}},
			"predicates": {
				"Sees/2": {"neural": {"network": "eye", "class": 1, "classes": ["k0", "k1", "k2", "k3"],
					"slots": ["a", "b"]}},
				"Adds/3": {"observations": ["table.tsv"]},
				"Sum/1": {"targets": [["0"], ["1"], ["2"], ["3"], ["4"], ["5"], ["6"]]}
			},
			"examples": {"learn": "train.csv", "infer": "test.csv"}}`,
	})
}
