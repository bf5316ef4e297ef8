package task

import (
	"cmp"
	"context"
	"math"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/training"
	"github.com/deeppsl/deeppsl/neural/features"
)

// FewPictures are so few that small batches make up for it, which are more steps and noisier ones, and pictures that
// move.
const FewPictures = 6000

// DigitOptions are settings that were chosen by the sums of validation pairs, for a network (lenet or paper), numbers
// of n digits and so many training pairs. Epochs of 0 are the task's own.
func DigitOptions(net string, n, pairs, epochs int) []Option {
	pictures := 2 * n * pairs
	own := max(12, 6*n, min(120, 360000/pictures))
	rate, gap := "0.002", "1e-6"
	if n == 1 {
		gap = "1e-5" // without carries, learning is the same
	}
	if net == "paper" {
		rate = "5e-4" // with more, its wide layers stay blurred or never start
	}
	batch := max(4, 16/n)
	if pictures <= FewPictures {
		batch = 4
	}
	return Set("learn.method", "energy", "learn.epochs", strconv.Itoa(cmp.Or(epochs, own)),
		"learn.batch", strconv.Itoa(batch), "learn.rate.networks", rate, "learn.schedule", "linear", "learn.decay", "0",
		"inference.gap", gap)
}

// DigitsEpoch is a line of a learning curve.
type DigitsEpoch struct {
	learn.Epoch
	Seconds float64 // of training, from the start to the end of the epoch
	Sums    float64 // share of the test examples that are right after it; NaN if they were not watched
}

// DigitsRun is the outcome of one training.
type DigitsRun struct {
	Seed         uint64
	Sums, Digits float64 // shares of the test examples and of their pictures that are right
	TrainSeconds float64
	SecondsTo97  float64 // NaN if it was not reached or watched
	RulesShare   float64 // of the time that is spent on rules: labels, inference, its gradient
	Curve        []DigitsEpoch
	Answer       *session.Answer
	Reading      []int8 // of the test pictures
}

// DigitsTrainer trains on a project about digits, as often as is wanted.
type DigitsTrainer struct {
	*Digits
	Seed    uint64
	Threads int
	Set     []string // options that win over the project's
	Watch   bool     // score the test examples after every epoch, for the curve and the time to 97 %
	// OnBatch and OnEpoch, if set, are called as training goes on.
	OnBatch func(learn.Batch)
	OnEpoch func(run int, e DigitsEpoch)
	// Grounding is the project's, once it is loaded.
	Grounding *session.Grounding

	present  *DigitsRun
	number   int
	watching error
}

// Load writes the project into a folder and loads it, with the pictures in memory.
func (t *DigitsTrainer) Load(ctx context.Context, dir string) error {
	path, err := t.Write(dir)
	if err != nil {
		return err
	}
	table, err := Pixels(t.Images())
	if err != nil {
		return err
	}
	project, err := project.Load(path, project.Options{Seed: t.Seed, Threads: t.Threads, Set: t.Set, OnBatch: t.OnBatch,
		OnEpoch:  func(e learn.Epoch) { t.epoch(ctx, e) },
		Features: map[string]*features.Table{"data/images.idx.gz": table}})
	if err != nil {
		return err
	}
	t.Grounding, err = engine.Ground(ctx, project, load.Learn)
	return err
}

// Pixels makes features of pictures, which are named by their number.
func Pixels(m *dataset.Images) (*features.Table, error) {
	ids, values := make([]string, m.Len()), make([]float32, len(m.Pixels))
	for k := range ids {
		ids[k] = strconv.Itoa(k)
	}
	for k, v := range m.Pixels {
		values[k] = float32(v) / 255
	}
	return features.NewDense(ids, m.Rows*m.Columns, values)
}

// Run trains once, and scores.
func (t *DigitsTrainer) Run(ctx context.Context, k int) (DigitsRun, error) {
	run := DigitsRun{Seed: t.Seed + uint64(k), SecondsTo97: math.NaN()}
	t.present, t.number = &run, k
	if err := t.Grounding.Reset(run.Seed); err != nil {
		return run, err
	}
	if _, err := training.Train(ctx, t.Grounding); err != nil {
		return run, err
	}
	if t.watching != nil {
		return run, t.watching
	}
	predictions, answer, err := batch.Infer(ctx, t.Grounding, load.Infer)
	if err != nil {
		return run, err
	}
	run.Sums, _ = predictions.Accuracy(-1)
	run.Answer = answer
	run.Reading, err = t.Read()
	run.Digits = t.Right(run.Reading)
	last := run.Curve[len(run.Curve)-1]
	run.TrainSeconds = last.Seconds
	return run, err
}

// epoch adds a line to the learning curve.
func (t *DigitsTrainer) epoch(ctx context.Context, e learn.Epoch) {
	line := DigitsEpoch{Epoch: e, Seconds: e.Inference + e.Gradient, Sums: math.NaN()}
	run := t.present
	if n := len(run.Curve); n > 0 {
		line.Seconds += run.Curve[n-1].Seconds
	}
	if t.Watch && t.watching == nil {
		predictions, _, err := batch.Infer(ctx, t.Grounding, load.Infer)
		if t.watching = err; err == nil {
			line.Sums, _ = predictions.Accuracy(-1)
		}
	}
	if math.IsNaN(run.SecondsTo97) && line.Sums >= 0.97 {
		run.SecondsTo97 = line.Seconds
	}
	run.RulesShare += e.Inference - e.Forward
	run.Curve = append(run.Curve, line)
	if t.OnEpoch != nil {
		t.OnEpoch(t.number, line)
	}
}

// Right returns the share of test pictures that are read right.
func (t *DigitsTrainer) Right(reading []int8) float64 {
	right := 0
	for k, digit := range reading {
		if byte(digit) == t.Test.Labels[k] {
			right++
		}
	}
	return float64(right) / float64(len(reading))
}

// Read returns the digits that the network sees in the test pictures.
func (t *DigitsTrainer) Read() ([]int8, error) {
	rows := make([]int32, t.Test.Len())
	for k := range rows {
		rows[k] = int32(t.Train.Len() + t.Validation.Len() + k)
	}
	shares, err := t.Grounding.Classify("reader", rows)
	if err != nil {
		return nil, err
	}
	reading := make([]int8, len(rows))
	for k := range rows {
		best := 0
		for c, v := range shares[10*k : 10*k+10] {
			if v > shares[10*k+best] {
				best = c
			}
		}
		reading[k] = int8(best)
	}
	return reading, nil
}
