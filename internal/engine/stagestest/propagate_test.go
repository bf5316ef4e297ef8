package stagestest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
)

// archive writes documents of three kinds, of which words say little. Those that cite each other are mostly alike, or
// citations mean nothing.
func archive(t *testing.T, seed uint64, alike bool, more string) string {
	random := rand.New(rand.NewPCG(seed, 17))
	kinds := []string{"a", "b", "c"}
	files := make(map[string]string)
	kind := make([]int, 120)
	for k := range kind {
		kind[k] = random.IntN(3)
	}
	for k := range kind {
		words := [3]float64{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
		words[kind[k]] += 0.8
		files["words.tsv"] += fmt.Sprintf("d%d\t%.3f\t%.3f\t%.3f\n", k, words[0], words[1], words[2])
		for range 3 {
			other := random.IntN(len(kind))
			for alike && kind[other] != kind[k] && random.Float64() < 0.9 {
				other = random.IntN(len(kind))
			}
			files["cites.tsv"] += fmt.Sprintf("d%d\td%d\n", k, other)
		}
		classify(files, fmt.Sprint("d", k), kinds, kinds[kind[k]], k < 45)
	}
	files["cites.tsv"] = unique(files["cites.tsv"])
	files["model.json"] = `{
		"rules": ["1: Reads(D, K) = Is(D, K) ^2"],
		"networks": {"reader": {"features": "words.tsv", "hidden": [8]` + more + `}},
		"predicates": {"Cites/2": {"observations": ["cites.tsv"]},
			"Reads/2": {"neural": {"network": "reader", "class": 1, "classes": ["a", "b", "c"]}},
			"Is/2": {"targets": ["targets.tsv"], "evaluations": ["Categorical"],
				"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`
	return writeProject(t, files)
}

// Networks propagate along a relation of what is alike, by held-out labels alone; not along one without meaning, nor if
// that is turned off. What was learned is read back as it is.
func TestPropagates(t *testing.T) {
	better := 0.0
	for seed := range uint64(2) {
		path := archive(t, seed, true, "")
		r := run(t, path, project.Options{Seed: seed}, learnAndInfer)
		if len(r.CrossFit.Propagated) != 1 || r.CrossFit.Propagated[0].Along != "Cites" {
			t.Fatalf("seed %d: %+v", seed, r.CrossFit)
		}
		plain := run(t, path, project.Options{Seed: seed, Set: []string{"learn.propagate=false"}}, learnAndInfer)
		if len(plain.CrossFit.Propagated) != 0 {
			t.Errorf("seed %d: %+v", seed, plain.CrossFit)
		}
		better += accuracy(r) - accuracy(plain)
		if seed == 0 {
			readsBack(t, seed, r)
		}
		r = run(t, archive(t, seed, false, ""), project.Options{Seed: seed}, learnAndInfer)
		if len(r.CrossFit.Propagated) != 0 {
			t.Errorf("seed %d: along citations without meaning: %+v", seed, r.CrossFit)
		}
	}
	if better < 0.2 {
		t.Errorf("%v better in two runs", better)
	}
}

// readsBack gives what a run has learned to another one, as a checkpoint and as a session would.
func readsBack(t *testing.T, seed uint64, learned *engine.Report) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "networks.safetensors")
	if err := learned.Learned.SaveNetworks(file); err != nil {
		t.Fatal(err)
	}
	path := archive(t, seed, true, fmt.Sprintf(`, "checkpoint": %q`, file))
	again := run(t, path, project.Options{Seed: seed, Set: []string{"runtime.learn=false"}}, engine.Stages{Infer: true})
	read := run(t, archive(t, seed, true, ""), project.Options{Seed: seed}, engine.Stages{Infer: true}).Grounding
	if err := read.LoadNetworks(file); err != nil {
		t.Fatal(err)
	}
	if err := read.Perceive(); err != nil {
		t.Fatal(err)
	}
	for k, x := range learned.Answer.Perceived {
		if again.Answer.Perceived[k] != x || read.Inputs[k] != x {
			t.Fatalf("input %d: %v learned, %v and %v read", k, x, again.Answer.Perceived[k], read.Inputs[k])
		}
	}
}
