package stagestest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/training"
)

// circles writes three circles of twenty things each, of which every fifth has features that tell its circle; those of
// the others are noise. Two of each circle have labels.
func circles(t *testing.T, network string) string {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 0))
	files := map[string]string{"model.json": `{
		"rules": ["1: Sees(A, C) -> Is(A, C) ^2", "fixed 9: Is(A, +C) = 1 ^2"],
		"networks": {"seer": {"features": "features.tsv", "hidden": [4]` + network + `}},
		"predicates": {
			"Sees/2": {"neural": {"network": "seer", "class": 1, "classes": ["x", "y", "z"]}, "truth": {"learn": ["train.tsv"]}},
			"Next/2": {"observations": ["next.tsv"]},
			"Is/2": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["CategoricalEvaluator"]}
		},
		"options": {"network.epochs": 200, "learn.epochs": 3, "inference.gap": 1e-6}
	}`}
	classes := []string{"x", "y", "z"}
	for thing := range 60 {
		circle, place := thing/20, thing%20
		files["features.tsv"] += fmt.Sprintf("%d\t", thing)
		for k := range 3 {
			value := random.NormFloat64()
			if k == circle && place%5 == 0 {
				value += 5
			}
			files["features.tsv"] += fmt.Sprintf("%.3f ", value)
		}
		files["features.tsv"] += "\n"
		files["next.tsv"] += fmt.Sprintf("%d\t%d\n", thing, circle*20+(place+1)%20)
		for _, c := range classes {
			files["targets.tsv"] += fmt.Sprintf("%d\t%s\n", thing, c)
		}
		table := "test.tsv"
		if place == 0 || place == 7 {
			table = "train.tsv"
		}
		files[table] += fmt.Sprintf("%d\t%s\n", thing, classes[circle])
	}
	return writeProject(t, files)
}

// A network that propagates learns by things that have no labels, and so do rules through it: its parameters, outputs
// and answers have the same bits for any number of threads.
func TestPropagationLearns(t *testing.T) {
	accuracy := func(r *engine.Report) float64 { return r.Evaluations[0].Values[r.Evaluations[0].Primary] }
	var reports []*engine.Report
	for _, threads := range []int{1, 3} {
		reports = append(reports, run(t, circles(t, `, "propagate": "Next", "steps": 8`),
			project.Options{Seed: 1, Threads: threads}, learnAndInfer))
	}
	plain := run(t, circles(t, ""), project.Options{Seed: 1, Set: []string{"learn.propagate=false"}}, learnAndInfer)
	if got, want := accuracy(reports[0]), 0.9; got < want || accuracy(plain) > want-0.2 {
		t.Errorf("accuracy %v, want %v at least; %v without propagation", got, want, accuracy(plain))
	}
	if !slices.Equal(reports[0].Answer.Perceived, reports[1].Answer.Perceived) {
		t.Error("other bits with three threads")
	}
}

// The gradient of the whole chain is that of differences.
func TestPropagationGradients(t *testing.T) {
	path := circles(t, `, "propagate": "Next"`)
	for _, method := range []string{"implicit", "energy"} {
		p := loaded(t, path, project.Options{Seed: 1, Set: []string{"learn.method=" + method}})
		found, err := engine.CheckGradients(t.Context(), p, training.GradientOptions{Samples: 20, Step: 1e-3})
		if err != nil || found.Cosine < 0.999 {
			t.Errorf("%s: cosine %v, error %v", method, found, err)
		}
	}
}
