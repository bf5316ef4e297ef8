package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/training"
)

// rawProject writes a classification as one finds it: 150 rows of four features in units of their own, the largest in
// the thousands, one of them mistyped by the factor 10⁵, and 18 labels.
func rawProject(t *testing.T, seed uint64, network string) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	files := map[string]string{"model.json": `{
		"rules": ["1: Sees(A, C) -> Is(A, C) ^2", "fixed 9: Is(A, +C) = 1 ^2"],
		"networks": {"seer": {"features": "features.tsv"` + network + `}},
		"predicates": {
			"Sees/2": {"neural": {"network": "seer", "class": 1, "classes": ["x", "y", "z"]}, "truth": {"learn": ["train.tsv"]}},
			"Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["CategoricalEvaluator"]}
		},
		"options": {"network.epochs": 2000, "learn.epochs": 3}
	}`}
	centers, units := [3][4]float64{{0, 3, 3, 0}, {3, 0, 3, 0}, {3, 3, 0, 0}}, []float64{800, 0.002, 1, 30}
	for row := range 150 {
		cells := make([]string, 4)
		for k, unit := range units {
			value := unit * (20 + centers[row%3][k] + random.NormFloat64())
			if row == 149 && k == 3 {
				value *= 1e5
			}
			cells[k] = fmt.Sprintf("%.6g", value)
		}
		files["features.tsv"] += fmt.Sprintf("%d\t%s\n", row, strings.Join(cells, " "))
		name := "test.tsv"
		if row < 18 {
			name = "train.tsv"
		}
		for class, c := range []string{"x", "y", "z"} {
			files["targets.tsv"] += fmt.Sprintf("%d\t%s\n", row, c)
			if class == row%3 {
				files[name] += fmt.Sprintf("%d\t%s\n", row, c)
			}
		}
	}
	return writeProject(t, files)
}

// Raw features, 18 labels and no setting about them: the classes are learned, as they are not without a scale.
func TestRawFeaturesLearn(t *testing.T) {
	for seed := range uint64(3) {
		accuracy := func(network string) float64 {
			report := run(t, rawProject(t, seed, network), project.Options{Seed: seed}, learnAndInfer)
			return report.Evaluations[0].Values[report.Evaluations[0].Primary]
		}
		scaled, raw := accuracy(""), accuracy(`, "normalize": "none"`)
		if scaled < 0.9 || raw > scaled-0.1 {
			t.Errorf("seed %d: accuracy %v, want 0.9 at least; %v without a scale", seed, scaled, raw)
		}
	}
}

// What a network has learned from one table, it sees in another one as there: saved, and loaded over other rows.
func TestScaleGoesWithTheNetwork(t *testing.T) {
	path := rawProject(t, 1, "")
	_, g := ground(t, path, project.Options{Seed: 1}, load.Learn)
	if _, err := training.Fit(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(t.TempDir(), "seer")
	if err := g.SaveNetworks(saved); err != nil {
		t.Fatal(err)
	}
	rows := []int32{20, 21, 22}
	want, err := g.Classify("seer", rows)
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(filepath.Join(filepath.Dir(path), "features.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	few := writeProject(t, map[string]string{
		"model.json": `{
			"rules": ["1: Sees(A, C) -> Is(A, C) ^2"],
			"networks": {"seer": {"features": "features.tsv", "checkpoint": "` + saved + `"}},
			"predicates": {
				"Sees/2": {"neural": {"network": "seer", "class": 1, "classes": ["x", "y", "z"]}},
				"Is/2": {"targets": [["20", "x"]]}
			},
			"options": {"pam.throw": false}
		}`,
		"features.tsv": strings.Join(strings.SplitAfter(string(table), "\n")[20:23], ""),
	})
	_, h := ground(t, few, project.Options{Seed: 2}, load.Infer)
	got, err := h.Classify("seer", []int32{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }) {
		t.Errorf("outputs %v in another table, %v in that of learning", got, want)
	}
}
