package repro

import (
	"context"
	"os"
	"strconv"
	"testing"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/task"
	"github.com/deeppsl/deeppsl/internal/training"
)

// cora grounds the second task on real data.
func cora(b *testing.B) *session.Grounding {
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
	t := T2{Dataset: "cora", Split: 1, Method: "deeppsl", Faithful: true, Seed: 1}
	path, err := t.citation(data).Write(b.TempDir(), split)
	if err != nil {
		b.Fatal(err)
	}
	project, err := project.Load(path, project.Options{Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	g, err := engine.Ground(context.Background(), project, load.Learn)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// BenchmarkTrainCora is one whole training of the second task on Cora, split 1, as printed: 75 epochs.
func BenchmarkTrainCora(b *testing.B) {
	g := cora(b)
	for b.Loop() {
		if err := g.Reset(1); err != nil {
			b.Fatal(err)
		}
		if _, err := training.Train(context.Background(), g); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInferBetweenEpochs is what a user waits for between the epochs of BenchmarkTrainCora: the medians of warm
// MAP inferences, with and without the networks, all with a proven gap. Later epochs move less than earlier ones.
func BenchmarkInferBetweenEpochs(b *testing.B) {
	g := cora(b)
	for b.Loop() {
		if err := g.Reset(1); err != nil {
			b.Fatal(err)
		}
		training, err := training.Train(context.Background(), g)
		if err != nil {
			b.Fatal(err)
		}
		warm := training.Epochs[1:]
		half := len(warm) / 2
		for _, part := range []struct {
			name   string
			epochs []learn.Epoch
		}{{"", warm}, {"-first-half", warm[:half]}, {"-second-half", warm[half:]}} {
			all, solving, gap := make([]float64, len(part.epochs)), make([]float64, len(part.epochs)), 0.0
			for k, epoch := range part.epochs {
				all[k], solving[k] = 1e3*epoch.Inference, 1e3*(epoch.Inference-epoch.Forward)
				gap = max(gap, epoch.Gap)
			}
			b.ReportMetric(median(all).Median, "ms-with-networks"+part.name)
			b.ReportMetric(median(solving).Median, "ms"+part.name)
			b.ReportMetric(gap, "worst-gap"+part.name)
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

// BenchmarkDigits is inference of 640 sums of pictures of one pixel per digit, so that nearly all time is the rules':
// what an example costs, by the length of the numbers.
func BenchmarkDigits(b *testing.B) {
	for _, n := range []int{1, 2, 4} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			const examples = 640
			pictures := pixelPerDigit(2 * n * examples)
			d := &task.Digits{Digits: n, Net: "lenet5", Train: pictures, Validation: pictures.Slice(0, 0), Test: pictures,
				Options: task.Set("inference.gap", "1e-6")}
			g, err := engine.Ground(context.Background(), linearDigits(b, d), load.Learn)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, _, err := batch.Infer(context.Background(), g, load.Infer); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*examples/b.Elapsed().Seconds(), "examples/s")
		})
	}
}
