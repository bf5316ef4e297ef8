package gomlx_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/gomlx"
)

// cosines is a network that a program brings along: it looks at rows through cosines.
func cosines(b *gomlx.Builder) *graph.Node {
	return b.Dense("output", graph.Cos(b.Dense("angles", b.Rows(), 8)), b.Outputs())
}

// sums is a project about pairs of items, which are zeros or ones, though nobody says which: only sums are known.
var sums = map[string]string{
	"sums.psl": `
fixed 1: Adds(D1, +D2, +S) = Digit('a', D1) ^2
fixed 1: Adds(+D1, D2, +S) = Digit('b', D2) ^2
Adds(+D1, +D2, S) = Sum(S) .
Sum(+S) = 1 .
`,
	"adds.tsv":  "0\t0\t0\n0\t1\t1\n1\t0\t1\n1\t1\t2\n",
	"items.tsv": "p\t1.0\t0.1\t0.0\nq\t0.9\t0.0\t0.2\nr\t0.1\t1.0\t0.1\ns\t0.0\t0.8\t0.3\n",
	"pairs.csv": "a,b,Sum\np,r,1\nr,s,2\nq,p,0\ns,q,1\np,q,0\nr,r,2\nq,r,1\ns,p,1\n",
}

// configuration is that of the project, with a number of epochs.
func configuration(epochs int) string {
	return fmt.Sprintf(`{
  "rules": "sums.psl",
  "networks": {"seer": {"features": "items.tsv"}},
  "predicates": {
    "Digit/2": {"neural": {"network": "seer", "class": 1, "classes": ["0", "1"], "slots": ["a", "b"]}},
    "Adds/3": {"targets": ["adds.tsv"]},
    "Sum/1": {"targets": [["0"], ["1"], ["2"]]}
  },
  "examples": {"learn": "pairs.csv", "infer": "pairs.csv"},
  "options": {"learn.method": "energy", "learn.epochs": %d, "learn.batch": 4, "learn.rate.networks": 0.02,
    "learn.decay": 0, "learn.deviation": 0}
}`, epochs)
}

// run learns and infers, and returns the report.
func run(t *testing.T, dir string, spec neural.Spec, epochs int, stages engine.Stages) *engine.Report {
	t.Helper()
	path := filepath.Join(dir, "sums.json")
	if err := os.WriteFile(path, []byte(configuration(epochs)), 0o666); err != nil {
		t.Fatal(err)
	}
	spec.Name, spec.Kind, spec.Function, spec.Features = "seer", "function", gomlx.New(cosines), "items.tsv"
	loaded, err := project.Load(path, project.Options{Seed: 1, Specs: map[string]neural.Spec{"seer": spec}})
	if err != nil {
		t.Fatal(err)
	}
	report, err := engine.Run(context.Background(), loaded, stages)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func accuracy(r *engine.Report) float64 {
	share, _ := r.Predictions.Accuracy(-1)
	return share
}

// A program's own network learns from sums; its checkpoint is then used as it is, and tuned further.
func TestOwnKindInExamples(t *testing.T) {
	dir := t.TempDir()
	for name, text := range sums {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	both, infer := engine.Stages{Learn: true, Infer: true}, engine.Stages{Infer: true}
	learned := run(t, dir, neural.Spec{}, 80, both)
	if got := accuracy(learned); got != 1 {
		t.Fatalf("%v of the sums are right", got)
	}
	saved := filepath.Join(dir, "seer.safetensors")
	if err := learned.Grounding.SaveNetworks(saved); err != nil {
		t.Fatal(err)
	}
	if got := accuracy(run(t, dir, neural.Spec{}, 0, infer)); got == 1 {
		t.Error("a network that has learned nothing adds too: this test says nothing")
	}
	frozen := run(t, dir, neural.Spec{Checkpoint: "seer.safetensors", Frozen: true}, 3, both)
	if got := accuracy(frozen); got != 1 || frozen.Objective != learned.Objective {
		t.Errorf("frozen: %v of the sums are right, energy %v, want that of the checkpoint, %v", got, frozen.Objective,
			learned.Objective)
	}
	tuned := run(t, dir, neural.Spec{Checkpoint: "seer.safetensors"}, 20, both)
	fresh, first := learned.Training.Epochs[0].Loss, tuned.Training.Epochs[0].Loss
	last := tuned.Training.Epochs[19].Loss
	if got := accuracy(tuned); got != 1 || first > fresh/10 || last >= first {
		t.Errorf("tuned: %v of the sums are right; the loss goes from %v to %v, and begins at %v without the checkpoint", got,
			first, last, fresh)
	}
}
