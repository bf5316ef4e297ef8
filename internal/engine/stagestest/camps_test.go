package stagestest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
)

// Linear rules about friends and foes of which some are none contradict each other all around, so that it costs least
// if nothing is decided: all values are a half, of all weights near those written. Weaker rules tell much.
func TestRulesThatDecideNothingGetWeaker(t *testing.T) {
	t.Parallel()
	const n, labels, ties = 300, 40, 450
	random := rand.New(rand.NewPCG(4, 7))
	files := map[string]string{"model.json": `{
		"rules": ["1: Sees(A, Y) -> Camp(A, Y)",
			"1: Friend(A, B) & Camp(A, Y) -> Camp(B, Y)", "1: Friend(A, B) & Camp(B, Y) -> Camp(A, Y)",
			"1: Foe(A, B) & Camp(A, Y) -> !Camp(B, Y)",
			"Camp(A, +Y) = 1 ."],
		"networks": {"net": {"features": "features.tsv"}},
		"predicates": {
			"Sees/2": {"neural": {"network": "net", "class": 1, "classes": ["0", "1"]}},
			"Friend/2": {"observations": ["friends.tsv"]},
			"Foe/2": {"observations": ["foes.tsv"]},
			"Camp/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}
		}
	}`}
	camps := make([]int, n)
	for i := range camps {
		if random.Float64() < 0.4 {
			camps[i] = 1
		}
		mean := 0.32 * float64(2*camps[i]-1)
		files["features.tsv"] += fmt.Sprintf("%d\t%.3f %.3f %.3f\n", i, mean+random.NormFloat64(), random.NormFloat64(),
			random.NormFloat64())
		files["targets.tsv"] += fmt.Sprintf("%d\t0\n%d\t1\n", i, i)
		truth := "test.tsv"
		if i < labels {
			truth = "train.tsv"
		}
		files[truth] += fmt.Sprintf("%d\t%d\n", i, camps[i])
	}
	for k, name := range []string{"foes.tsv", "friends.tsv"} {
		for tied := map[[2]int]bool{}; len(tied) < ties; {
			a, b := random.IntN(n), random.IntN(n)
			right := random.Float64() < 0.8
			if a == b || tied[[2]int{a, b}] || ((camps[a] == camps[b]) == (k == 1)) != right {
				continue
			}
			tied[[2]int{a, b}] = true
			files[name] += fmt.Sprintf("%d\t%d\n", a, b)
		}
	}
	report := run(t, writeProject(t, files), project.Options{Seed: 1}, engine.Stages{Learn: true, Infer: true})
	result := report.Evaluations[len(report.Evaluations)-1]
	if right := result.Values["Accuracy"]; right < 0.72 {
		t.Errorf("%.1f %% are right, want 72", 100*right)
	}
}
