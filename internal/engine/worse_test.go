package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Weights by which labels are told worse than by those written are noticed: energy makes those rules strong that the
// truth breaks least, and these may be about few things, and mean nothing. A method that finds better ones is not
// blamed, nor what competes with the weights written anyway.
func TestWorseWeightsAreNoticed(t *testing.T) {
	const written = `"2: Witness(A) -> Good(A) ^2", "2: !Witness(A) -> !Good(A) ^2"`
	files := map[string]string{}
	random := rand.New(rand.NewPCG(3, 5))
	rules := written
	for tag := range 5 {
		rules += fmt.Sprintf(`, "1: Tag(A, 't%d') -> !Good(A) ^2"`, tag)
	}
	for k := range 300 {
		good, witness := k%2, k%2
		if random.Float64() < 0.2 {
			witness = 1 - good
		}
		files["witness.tsv"] += fmt.Sprintf("%d\t%d\n", k, witness)
		for tag := range 5 { // of no meaning
			if random.Float64() < 0.2 {
				files["tag.tsv"] += fmt.Sprintf("%d\tt%d\n", k, tag)
			}
		}
		files["targets.tsv"] += fmt.Sprintf("%d\n", k)
		files["train.tsv"] += fmt.Sprintf("%d\t%d\n", k, good)
	}
	files["model.json"] = `{"rules": [` + rules + `], "predicates": {
		"Witness/1": {"observations": ["witness.tsv"]}, "Tag/2": {"observations": ["tag.tsv"]},
		"Good/1": {"targets": ["targets.tsv"], "truth": {"learn": ["train.tsv"]}}}}`
	for method, told := range map[string]bool{"energy": true, "likelihood": false, "auto": false} {
		report := run(t, writeProject(t, files), project.Options{Seed: 1, Set: []string{"learn.method=" + method}},
			engine.Stages{Learn: true, Infer: true})
		isWorse := func(w source.Plain) bool { return w.ID == "learn-worse" }
		if slices.ContainsFunc(report.Warnings, isWorse) != told {
			t.Errorf("%s: want it told %t, not %v", method, told, report.Warnings)
		}
	}
}
