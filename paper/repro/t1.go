package repro

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/neural"
)

// T1 is the paper's first task: a network learns to read digits from the sums of numbers. Pairs are made of consecutive
// pictures in MNIST's order, as DeepStochLog makes them: 30,000 training and 5,000 test pairs of one digit each, and as
// many pictures for longer numbers.
type T1 struct {
	Digits int    // of each number; 0 means 1
	Net    string // lenet or paper
	// TrainPairs are the first ones that are trained on; 0 means all. The last HoldOut of them are held out, to choose
	// the best epoch by.
	TrainPairs, HoldOut int
	Runs, Epochs        int     // Epochs 0 means the task's own
	Dropout             float64 // of the hidden layers
	// Shift is how many pixels training moves pictures by, at random and at most; 0 means the task's own, which is 2 for
	// few pictures and 1 for many, and -1 means none.
	Shift int
	// Faithful takes the paper's rules as printed, its Algorithm 1 and its inference, with settings that they learn with.
	Faithful bool
	Seed     uint64
	Threads  int
	// Set holds options that win over the task's own.
	Set []string
	// Dir keeps the project's files, pictures included; "" uses a folder that is removed.
	Dir string
	// Watch scores the test examples after every epoch, for the curve and the time to 97 %.
	Watch bool
	// OnBatch and OnEpoch, if set, are called as training goes on.
	OnBatch func(engine.Batch)
	OnEpoch func(run int, e T1Epoch)

	train, test *dataset.Images // if not nil, in place of MNIST
	variant     variant
}

// variant is what an ablation changes about the project.
type variant struct {
	rules      string // if not "", in place of the task's
	checkpoint string // that the network begins with
}

// T1Nets are the networks: their names here and as presets.
var T1Nets = map[string]string{"lenet": "lenet5", "paper": "paper-cnn"}

// T1Epoch is a line of a learning curve.
type T1Epoch struct {
	engine.Epoch
	Seconds float64 // of training, from the start to the end of the epoch
	Sums    float64 // share of the test examples that are right after it; NaN if they were not watched
}

// T1Run is the outcome of one training.
type T1Run struct {
	Seed         uint64
	Sums, Digits float64 // shares of the test examples and of their pictures that are right
	TrainSeconds float64
	SecondsTo97  float64 // NaN if it was not reached or watched
	RulesShare   float64 // of the time that is spent on rules: labels, inference, its gradient
	Curve        []T1Epoch
	Answer       *engine.Answer
	reading      []int8 // of the test pictures
}

// T1Result sums the runs up.
type T1Result struct {
	Task          string `json:"task"`
	Digits        int    `json:"digits"`
	Net           string `json:"net"`
	TrainPairs    int    `json:"train_pairs"`
	Runs          int    `json:"runs"`
	SumAccuracy   Mean   `json:"sum_accuracy"`
	DigitAccuracy Mean   `json:"digit_accuracy"`
	TrainSeconds  Median `json:"train_seconds"`
	SecondsTo97   Median `json:"seconds_to_97"`
	RulesShare    Median `json:"rules_share"`
	PeakRSS       int64  `json:"peak_rss_bytes"`
	GroundRules   int    `json:"ground_rules"` // of an example
	Epochs        int    `json:"epochs"`
	Faithful      bool   `json:"faithful"`
	Seed          uint64 `json:"seed"`

	runs []T1Run
	test *dataset.Images
}

// Run repeats the experiment.
func (t *T1) Run(ctx context.Context) (*T1Result, error) {
	d, err := t.digits()
	if err != nil {
		return nil, err
	}
	dir := t.Dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "deeppsl-t1-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
	}
	trainer, err := t.trainer(ctx, d, dir)
	if err == nil && t.Dir != "" {
		err = d.writeImages(dir)
	}
	if err != nil {
		return nil, err
	}
	result := &T1Result{Task: "t1", Digits: d.Digits, Net: t.Net, TrainPairs: (d.Train.Len() + d.Validation.Len()) /
		(2 * d.Digits), Runs: t.Runs, Faithful: t.Faithful, Seed: t.Seed, test: d.Test,
		GroundRules: trainer.grounding.Potentials()}
	for k := range t.Runs {
		run, err := trainer.run(ctx, k)
		if err != nil {
			return nil, err
		}
		result.runs = append(result.runs, run)
	}
	result.sum()
	return result, nil
}

// trainer writes the project into a folder and loads it.
func (t *T1) trainer(ctx context.Context, d *digits, dir string) (*t1Trainer, error) {
	path, err := d.write(dir)
	if err != nil {
		return nil, err
	}
	trainer := &t1Trainer{T1: t, digits: d}
	return trainer, trainer.load(ctx, path)
}

// digits reads the pictures and returns the project.
func (t *T1) digits() (*digits, error) {
	net, known := T1Nets[t.Net]
	if !known {
		return nil, fmt.Errorf("no network %q: want lenet or paper", t.Net)
	}
	train, test, err := t.images()
	if err != nil {
		return nil, err
	}
	n := max(1, t.Digits)
	if t.Faithful && n > 1 {
		return nil, fmt.Errorf("the paper's rules are for numbers of one digit, not %d", n)
	}
	pairs := train.Len() / (2 * n)
	if t.TrainPairs > 0 {
		pairs = min(pairs, t.TrainPairs)
	}
	if pairs-t.HoldOut < 1 || test.Len() < 2*n {
		return nil, fmt.Errorf("%d training pairs, %d of them held out, and %d test pictures are too few", pairs,
			t.HoldOut, test.Len())
	}
	learned := 2 * n * (pairs - t.HoldOut)
	d := &digits{Digits: n, Net: net, Faithful: t.Faithful, Dropout: t.Dropout, Shift: t.Shift,
		Train: train.Slice(0, learned), Validation: train.Slice(learned, 2*n*pairs), Test: test,
		Rules: t.variant.rules, Checkpoint: t.variant.checkpoint}
	if t.Shift == 0 && !t.Faithful {
		d.Shift = 1
		if 2*n*pairs <= fewPictures {
			d.Shift = 2
		}
	}
	d.Shift = max(0, d.Shift)
	d.Options = ofRun(t.options(n, pairs), t.Set, t.Seed)
	return d, nil
}

func (t *T1) images() (train, test *dataset.Images, err error) {
	if t.train != nil {
		return t.train, t.test, nil
	}
	cache, err := dataset.NewCache()
	if err != nil {
		return nil, nil, err
	}
	return cache.MNIST()
}

// options are the task's own: the paper's, or those that were chosen by the sums of validation pairs.
func (t *T1) options(n, pairs int) []namedValue {
	set := func(pairs ...string) (out []namedValue) {
		for k := 0; k < len(pairs); k += 2 {
			out = append(out, namedValue{pairs[k], pairs[k+1]})
		}
		return out
	}
	if t.Faithful {
		// 1/19 is the uniform distribution over the sums. α is that of a mean over 16 pairs: 0.0125 for each.
		return set("learn.method", "deeppsl", "learn.alpha", "0.2", "learn.mu", "1", "learn.steps", "1",
			"learn.epochs", strconv.Itoa(override(10, t.Epochs)), "learn.batch", "16", "learn.floor", "1e-3",
			"learn.optimiser", "adam", "learn.rate.networks", "1e-3", "learn.schedule", "linear", "learn.decay", "0",
			"learn.rate.rules", "0", "learn.deviation", "0",
			"inference.method", "sgd", "inference.iterations", "5000", "sgd.full", "true", "sgd.rate", "5e-3",
			"sgd.threshold", "1e-4", "sgd.start", "0.05263157894736842")
	}
	pictures := 2 * n * pairs
	epochs := max(12, 6*n, min(120, 360000/pictures))
	rate, gap := "0.002", "1e-6"
	if n == 1 {
		gap = "1e-5" // without carries, learning is the same
	}
	if t.Net == "paper" {
		rate = "5e-4" // with more, its wide layers stay blurred or never start
	}
	batch := max(4, 16/n)
	if pictures <= fewPictures {
		batch = 4
	}
	return set("learn.method", "energy", "learn.epochs", strconv.Itoa(override(epochs, t.Epochs)),
		"learn.batch", strconv.Itoa(batch), "learn.rate.networks", rate, "learn.schedule", "linear", "learn.decay", "0",
		"inference.gap", gap)
}

// fewPictures are so few that small batches make up for it, which are more steps and noisier ones, and pictures that
// move.
const fewPictures = 6000

// t1Trainer repeats the training.
type t1Trainer struct {
	*T1
	*digits
	grounding *engine.Grounding
	present   *T1Run
	number    int
	watching  error
}

// load loads the project, with the pictures in memory.
func (t *t1Trainer) load(ctx context.Context, path string) error {
	table, err := pixels(t.digits.images())
	if err != nil {
		return err
	}
	project, err := engine.Load(path, engine.Options{Seed: t.Seed, Threads: t.Threads, Set: t.Set, OnBatch: t.OnBatch,
		OnEpoch:  func(e engine.Epoch) { t.epoch(ctx, e) },
		Features: map[string]*neural.Features{"data/images.idx.gz": table}})
	if err != nil {
		return err
	}
	t.grounding, err = project.Ground(ctx, engine.Learn)
	return err
}

// pixels makes features of pictures, which are named by their number.
func pixels(m *dataset.Images) (*neural.Features, error) {
	ids, values := make([]string, m.Len()), make([]float32, len(m.Pixels))
	for k := range ids {
		ids[k] = strconv.Itoa(k)
	}
	for k, v := range m.Pixels {
		values[k] = float32(v) / 255
	}
	return neural.NewDense(ids, m.Rows*m.Columns, values)
}

// run trains once, and scores.
func (t *t1Trainer) run(ctx context.Context, k int) (T1Run, error) {
	run := T1Run{Seed: t.Seed + uint64(k), SecondsTo97: math.NaN()}
	t.present, t.number = &run, k
	if err := t.grounding.Reset(run.Seed); err != nil {
		return run, err
	}
	if _, err := t.grounding.Train(ctx); err != nil {
		return run, err
	}
	if t.watching != nil {
		return run, t.watching
	}
	predictions, answer, err := t.grounding.InferExamples(ctx, engine.Infer)
	if err != nil {
		return run, err
	}
	run.Sums, _ = predictions.Accuracy(-1)
	run.Answer = answer
	run.reading, err = t.read()
	run.Digits = t.right(run.reading)
	last := run.Curve[len(run.Curve)-1]
	run.TrainSeconds = last.Seconds
	return run, err
}

// epoch adds a line to the learning curve.
func (t *t1Trainer) epoch(ctx context.Context, e engine.Epoch) {
	line := T1Epoch{Epoch: e, Seconds: e.Inference + e.Gradient, Sums: math.NaN()}
	run := t.present
	if n := len(run.Curve); n > 0 {
		line.Seconds += run.Curve[n-1].Seconds
	}
	if t.Watch && t.watching == nil {
		predictions, _, err := t.grounding.InferExamples(ctx, engine.Infer)
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

// right returns the share of test pictures that are read right.
func (t *t1Trainer) right(reading []int8) float64 {
	right := 0
	for k, digit := range reading {
		if byte(digit) == t.Test.Labels[k] {
			right++
		}
	}
	return float64(right) / float64(len(reading))
}

// read returns the digits that the network sees in the test pictures.
func (t *t1Trainer) read() ([]int8, error) {
	rows := make([]int32, t.Test.Len())
	for k := range rows {
		rows[k] = int32(t.Train.Len() + t.Validation.Len() + k)
	}
	shares, err := t.grounding.Classify("reader", rows)
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

// sum computes the result's statistics.
func (r *T1Result) sum() {
	column := func(of func(*T1Run) float64) []float64 {
		values := make([]float64, len(r.runs))
		for k := range r.runs {
			values[k] = of(&r.runs[k])
		}
		return values
	}
	percent := func(of func(*T1Run) float64) Mean {
		mean, ci95 := engine.Interval(column(of))
		return Mean{100 * mean, 100 * ci95}
	}
	r.SumAccuracy = percent(func(run *T1Run) float64 { return run.Sums })
	r.DigitAccuracy = percent(func(run *T1Run) float64 { return run.Digits })
	r.TrainSeconds = median(column(func(run *T1Run) float64 { return run.TrainSeconds }))
	r.SecondsTo97 = median(column(func(run *T1Run) float64 { return run.SecondsTo97 }))
	r.RulesShare = median(column(func(run *T1Run) float64 { return run.RulesShare / run.TrainSeconds }))
	r.Epochs = len(r.runs[0].Curve)
	r.PeakRSS = report.PeakRSS()
}

// Text prints the result in one line.
func (r *T1Result) Text(w io.Writer) error {
	to97 := ""
	if !math.IsNaN(r.SecondsTo97.Median) {
		to97 = fmt.Sprintf(", %.1f s to 97 %%", r.SecondsTo97.Median)
	}
	_, err := fmt.Fprintf(w, "%s: sums %v, digits %v (%s of %s; training %.1f s%s, %.0f %% of it for the rules; "+
		"%d MiB)\n", r.title(), r.SumAccuracy, r.DigitAccuracy, count(r.Runs, "run"), count(r.Epochs, "epoch"),
		r.TrainSeconds.Median, to97, 100*r.RulesShare.Median, r.PeakRSS>>20)
	return err
}

// title says what was learned.
func (r *T1Result) title() string {
	return fmt.Sprintf("Sums of numbers of %s, %s, %s", count(r.Digits, "digit"), r.Net, count(r.TrainPairs, "pair"))
}

// count prints a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
