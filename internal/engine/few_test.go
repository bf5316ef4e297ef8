package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
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

// Of so few differences that are hard to see, the likeliest of five beginnings had nearly all learned by heart: of the
// others, 0.38 and 0.48 were right. What is no better than that is told of.
func TestLearnFromFewDifferences(t *testing.T) {
	differences := func(seed uint64) *engine.Report {
		path := fewResults(t, 40, hard, seed, func(a, b int) int { return a - b })
		return run(t, path, project.Options{Seed: 1}, learnAndInfer)
	}
	sum := 0.0
	for _, seed := range []uint64{28, 29} {
		sum += lastAccuracy(differences(seed)) / 2
	}
	if sum < 0.55 {
		t.Errorf("accuracy %.3f in the mean, want at least 0.55", sum)
	}
	r := differences(2)
	told := func(w source.Plain) bool { return w.ID == "learn-by-heart" || w.ID == "learn-chance" }
	if accuracy := lastAccuracy(r); !slices.ContainsFunc(r.Warnings, told) {
		t.Errorf("accuracy %.3f is not told of: %+v, %v", accuracy, r.Starts, r.Warnings)
	}
}

// blurs are kinds of things, and how well features tell them apart.
type blurs struct {
	kinds, width int
	noise        float64
}

var easy, hard = blurs{4, 6, 0.5}, blurs{6, 8, 0.9}

// fewSums is a project about sums of two things of four kinds, which nobody has labelled, by a table.
func fewSums(t *testing.T, examples int, seed uint64) string {
	return fewResults(t, examples, easy, seed, func(a, b int) int { return a + b })
}

// fewResults is a project about a function of the kinds of two things, which nobody has labelled, by a table.
func fewResults(t *testing.T, examples int, of blurs, seed uint64, result func(a, b int) int) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 4))
	const things = 1000
	features, kind := hazy(random, of.kinds, of.width, of.noise, things)
	var table, names, results []string
	for a := range of.kinds {
		names = append(names, fmt.Sprintf(`"k%d"`, a))
		for b := range of.kinds {
			table = append(table, fmt.Sprintf("k%d\tk%d\t%d\n", a, b, result(a, b)))
			if one := fmt.Sprintf(`["%d"]`, result(a, b)); !slices.Contains(results, one) {
				results = append(results, one)
			}
		}
	}
	rows := func(n, lo, hi int) string {
		text := "a,b,Result\n"
		for range n {
			i, j := lo+random.IntN(hi-lo), lo+random.IntN(hi-lo)
			text += fmt.Sprintf("i%d,i%d,%d\n", i, j, result(kind[i], kind[j]))
		}
		return text
	}
	return writeProject(t, map[string]string{
		"features.tsv": features, "table.tsv": strings.Join(table, ""),
		"train.csv": rows(examples, 0, things/2), "test.csv": rows(300, things/2, things),
		"model.json": `{"rules": ["1: Sees('a', A) & Sees('b', B) & Gives(A, B, R) -> Result(R) ^2", "Result(+R) = 1 ."],
			"networks": {"eye": {"features": "features.tsv"}},
			"predicates": {
				"Sees/2": {"neural": {"network": "eye", "class": 1, "classes": [` + strings.Join(names, ", ") + `],
					"slots": ["a", "b"]}},
				"Gives/3": {"observations": ["table.tsv"]},
				"Result/1": {"targets": [` + strings.Join(results, ", ") + `]}
			},
			"examples": {"learn": "train.csv", "infer": "test.csv"}}`,
	})
}

// Beginnings that find the same again and again are enough of them: which of two kinds is the greater is learned alike
// from nearly each, and all twenty learned it before.
func TestEnoughBeginnings(t *testing.T) {
	begun := 0
	path := fewResults(t, 40, easy, 1, func(a, b int) int { return max(a, b) })
	r := run(t, path, project.Options{Seed: 1, OnEpoch: func(line learn.Epoch) {
		if line.Number == 1 && line.Method == "" {
			begun++
		}
	}}, learnAndInfer)
	if accuracy := lastAccuracy(r); accuracy < 0.85 || begun > 15 {
		t.Errorf("accuracy %.3f after %d beginnings: %+v", accuracy, begun, r.Starts)
	}
}
