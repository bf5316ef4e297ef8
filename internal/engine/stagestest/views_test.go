package stagestest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
)

// Of two networks one sees noise, and linear rules pass on what both see. By rules of equal weight all states between
// the two cost the same: the one that other weights have led to must not speak for those written.
func TestViewOfNoiseLosesItsWeight(t *testing.T) {
	const n, labels = 240, 45
	random := rand.New(rand.NewPCG(3, 3))
	files := map[string]string{"model.json": `{
		"rules": ["1: Hears(A, Y) -> Mood(A, Y)", "1: Sees(A, Y) -> Mood(A, Y)", "Mood(A, +Y) = 1 ."],
		"networks": {"voice": {"features": "voice.tsv"}, "face": {"features": "face.tsv"}},
		"predicates": {
			"Hears/2": {"neural": {"network": "voice", "class": 1, "classes": ["0", "1", "2"]}},
			"Sees/2": {"neural": {"network": "face", "class": 1, "classes": ["0", "1", "2"]}},
			"Mood/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}
		}
	}`}
	noise := func(k int) (row string) {
		for range k {
			row += fmt.Sprintf("%.3f ", random.NormFloat64())
		}
		return row
	}
	for i := range n {
		mood := random.IntN(3)
		at := [3]float64{}
		at[mood] = 3
		files["voice.tsv"] += fmt.Sprintf("%d\t%.3f %.3f %.3f %s\n", i, at[0]+random.NormFloat64(),
			at[1]+random.NormFloat64(), at[2]+random.NormFloat64(), noise(3))
		files["face.tsv"] += fmt.Sprintf("%d\t%s\n", i, noise(12))
		for y := range 3 {
			files["targets.tsv"] += fmt.Sprintf("%d\t%d\n", i, y)
		}
		if i < labels {
			files["train.tsv"] += fmt.Sprintf("%d\t%d\n", i, mood)
		} else {
			files["test.tsv"] += fmt.Sprintf("%d\t%d\n", i, mood)
		}
	}
	report := run(t, writeProject(t, files), project.Options{Seed: 1}, engine.Stages{Learn: true, Infer: true})
	result := report.Evaluations[len(report.Evaluations)-1]
	if right := result.Values["Accuracy"]; right < 0.9 {
		t.Errorf("%.1f %% are right, want 90", 100*right)
	}
}
