package stagestest

import (
	"math"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/training"
)

// alike is a project with a siamese network that sees string similarities, and with two guided predicates.
const alike = `{
	"rules": ["10: Pair(A, B) & Alike(A, B) -> Same(A, B) ^2", "1: !Same(A, B) ^2", "1: Same(A, B) -> Near(A, B) ^2"],
	"networks": {"twins": {"kind": "siamese", "features": "features.tsv", "hidden": [2], "measures": ["MEASURE"]}},
	"predicates": {
		"Pair/2": {"observations": {"learn": ["pairs.tsv"], "validation": ["pairs.tsv"]}},
		"Alike/2": {"neural": {"network": "twins", "atoms": "Alike(A, B) <- Pair(A, B)"}, "truth": ["truth.tsv"]},
		"Same/2": {"targets": ["pairs.tsv"], "truth": ["truth.tsv"],
			"evaluations": [{"evaluator": "DiscreteEvaluator", "primary": true}]},
		"Near/2": {"targets": ["pairs.tsv"], "truth": ["inverse.tsv"],
			"evaluations": [{"evaluator": "DiscreteEvaluator", "primary": true}]}
	},
	"options": {"learn.loss": "binary-cross-entropy", "network.epochs": "200", "network.rate": "0.1", "learn.epochs": "1",
		"learn.method": "deeppsl"}
}`

// loadAlike writes the project. Features say nothing, so that only the similarity can tell the pairs apart.
func loadAlike(t *testing.T, measure string) (*project.Project, error) {
	path := writeProject(t, map[string]string{
		"model.json":   strings.Replace(alike, "MEASURE", measure, 1),
		"features.tsv": "a cat\t1\nthe cat\t1\na dog\t1\nthe dog\t1\n",
		"pairs.tsv":    "a cat\tthe cat\na dog\tthe dog\na cat\tthe dog\na dog\tthe cat\n",
		"truth.tsv":    "a cat\tthe cat\t1\na dog\tthe dog\t1\na cat\tthe dog\t0\na dog\tthe cat\t0\n",
		"inverse.tsv":  "a cat\tthe cat\t0\na dog\tthe dog\t0\na cat\tthe dog\t1\na dog\tthe cat\t1\n",
	})
	return project.Load(path, project.Options{Seed: 3})
}

// Two evaluations guide together: Same is right where Near is wrong, so that their mean is 1/2 of the first.
func TestMeasuresAndGuides(t *testing.T) {
	project, err := loadAlike(t, "Jaccard")
	if err != nil {
		t.Fatal(err)
	}
	g, err := engine.Ground(t.Context(), project, load.Learn)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		training, err := training.Train(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if got := training.Epochs[0].Validation; math.Abs(got-0.5) > 1e-9 {
			t.Errorf("guided by %v, want 1/2", got)
		}
		if err := g.Reset(4); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUnknownMeasure(t *testing.T) {
	project, err := loadAlike(t, "Jacard")
	if err == nil {
		_, err = engine.Ground(t.Context(), project, load.Learn)
	}
	if err == nil || !strings.Contains(err.Error(), "there is no measure Jacard") {
		t.Errorf("%v", err)
	}
}
