package repro

import (
	"context"
	"os"
	"testing"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/internal/dataset"
)

// cora grounds the second task on real data.
func cora(b *testing.B) *deeppsl.Grounding {
	b.Helper()
	if os.Getenv("DEEPPSL_DATA") == "" {
		b.Skip("DEEPPSL_DATA is not set")
	}
	data, err := readPlanetoid("cora")
	if err != nil {
		b.Fatal(err)
	}
	split, err := dataset.RandomSplit(data.Labels, splitOptions(data, 1, 1))
	if err != nil {
		b.Fatal(err)
	}
	t := T2{Dataset: "cora", Split: 1, Method: "deeppsl", Seed: 1}
	path, err := t.citation(data).write(b.TempDir(), split)
	if err != nil {
		b.Fatal(err)
	}
	project, err := deeppsl.Load(path, deeppsl.Options{Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	g, err := project.Ground(context.Background(), deeppsl.Learn)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// BenchmarkTrainCora is one whole training of the second task on Cora, split 1, 75 epochs.
func BenchmarkTrainCora(b *testing.B) {
	g := cora(b)
	for b.Loop() {
		if err := g.Reset(1); err != nil {
			b.Fatal(err)
		}
		if _, err := g.Train(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInferCora is one cold MAP inference on all of Cora, to the default gap of 1e-4.
func BenchmarkInferCora(b *testing.B) {
	g := cora(b)
	for b.Loop() {
		answer, err := g.Infer(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(answer.Gap, "gap")
	}
}
