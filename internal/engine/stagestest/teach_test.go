package stagestest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// documents is a graph with few labels: words that tell little, links among documents of one class, or with a turn of
// those that follow each other. No option is set.
func documents(t *testing.T, seed uint64, turn, labelled int, rules string) string {
	t.Helper()
	const things, classes, words, links = 160, 4, 60, 3
	random := rand.New(rand.NewPCG(seed, 7))
	files := map[string]string{}
	row := func(name, format string, cells ...any) { files[name] += fmt.Sprintf(format+"\n", cells...) }
	linked := make(map[[2]int]bool)
	for k := range things {
		text := ""
		for w := range words {
			if chance := 0.06 + 0.1*float64(max(0, 1-(w%classes+classes-k%classes)%classes)); random.Float64() < chance {
				text += fmt.Sprintf(" %d", w)
			}
		}
		row("features.tsv", "d%d\t%s", k, text)
		part := "test.tsv"
		if k < labelled {
			part = "train.tsv"
		}
		row(part, "d%d\tc%d", k, k%classes)
		for c := range classes {
			row("targets.tsv", "d%d\tc%d", k, c)
		}
		for range links {
			other := random.IntN(things)
			if random.Float64() < 0.9 {
				other = other/classes*classes + (k+turn)%classes
			}
			if pair := [2]int{min(k, other), max(k, other)}; other != k && !linked[pair] {
				linked[pair] = true
				row("cite.tsv", "d%d\td%d", k, other)
				row("cite.tsv", "d%[2]d\td%[1]d", k, other)
			}
		}
	}
	files["model.psl"] = rules
	similar := ""
	if turn == 0 {
		similar = `"Similar/2": {"neural": {"network": "twins", "atoms": "Similar(B, A) <- Cite(B, A)"}},`
	}
	files["model.json"] = `{"rules": "model.psl",
		"networks": {"reader": {"features": "features.tsv", "format": "sparse", "width": 60, "hidden": [16]},
			"twins": {"kind": "siamese", "encoder": "reader"}},
		"predicates": {
			"Sees/2": {"neural": {"network": "reader", "class": 1, "classes": ["c0", "c1", "c2", "c3"]}},` + similar + `
			"Cite/2": {"observations": ["cite.tsv"]},
			"Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["CategoricalEvaluator"]}
		}}`
	return writeProject(t, files)
}

// A graph with few labels is learned from with every default: what relations spread from them teaches the networks,
// though the words of so few documents tell hardly anything.
func TestTeaching(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, rules string
		turn        int
		labelled    int
		least       float64
	}{
		{"alike", "1: Sees(A, Y) -> Is(A, Y) ^2\n1: Is(B, Y) & Similar(B, A) & Cite(B, A) -> Is(A, Y) ^2\n" +
			"20: Is(A, +Y) = 1 ^2\n", 0, 16, 0.85},
		{"opposed", "1: Sees(A, Y) -> Is(A, Y) ^2\n1: Is(B, Y) & Cite(B, A) -> Is(A, Y) ^2\n" +
			"1: Is(B, Y) & Cite(B, A) -> !Is(A, Y) ^2\n20: Is(A, +Y) = 1 ^2\n", 1, 60, 0.48},
	} {
		t.Run(test.name, func(t *testing.T) {
			const seeds = 2
			accuracy := 0.0
			for seed := range uint64(seeds) {
				path := documents(t, seed+1, test.turn, test.labelled, test.rules)
				r := run(t, path, project.Options{Seed: seed + 1}, learnAndInfer)
				accuracy += lastAccuracy(r) / seeds
				t.Logf("seed %d: %.3f, %+v", seed+1, lastAccuracy(r), r.CrossFit.Rounds)
			}
			if accuracy < test.least {
				t.Errorf("accuracy %.3f, want at least %.2f", accuracy, test.least)
			}
		})
	}
}
