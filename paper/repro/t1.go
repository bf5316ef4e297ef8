package repro

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/task"
	"github.com/deeppsl/deeppsl/paper/published"
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
	OnBatch func(learn.Batch)
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
type T1Epoch = task.DigitsEpoch

// T1Run is the outcome of one training.
type T1Run = task.DigitsRun

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
		err = d.WriteImages(dir)
	}
	if err != nil {
		return nil, err
	}
	result := &T1Result{Task: "t1", Digits: d.Digits, Net: t.Net, TrainPairs: (d.Train.Len() + d.Validation.Len()) /
		(2 * d.Digits), Runs: t.Runs, Faithful: t.Faithful, Seed: t.Seed, test: d.Test,
		GroundRules: trainer.Grounding.Potentials()}
	for k := range t.Runs {
		run, err := trainer.Run(ctx, k)
		if err != nil {
			return nil, err
		}
		result.runs = append(result.runs, run)
	}
	result.sum()
	return result, nil
}

// trainer writes the project into a folder and loads it.
func (t *T1) trainer(ctx context.Context, d *task.Digits, dir string) (*task.DigitsTrainer, error) {
	trainer := &task.DigitsTrainer{Digits: d, Seed: t.Seed, Threads: t.Threads, Set: t.Set, Watch: t.Watch,
		OnBatch: t.OnBatch, OnEpoch: t.OnEpoch}
	return trainer, trainer.Load(ctx, dir)
}

// digits reads the pictures and returns the project.
func (t *T1) digits() (*task.Digits, error) {
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
	d := &task.Digits{Digits: n, Net: net, Faithful: t.Faithful, Dropout: t.Dropout, Shift: t.Shift,
		Train: train.Slice(0, learned), Validation: train.Slice(learned, 2*n*pairs), Test: test,
		Rules: t.variant.rules, Checkpoint: t.variant.checkpoint}
	if t.Shift == 0 && !t.Faithful {
		d.Shift = 1
		if 2*n*pairs <= task.FewPictures {
			d.Shift = 2
		}
	}
	d.Shift = max(0, d.Shift)
	d.Options = task.OfRun(t.options(n, pairs), t.Set, t.Seed)
	return d, nil
}

func (t *T1) images() (train, test *dataset.Images, err error) {
	if t.train != nil {
		return t.train, t.test, nil
	}
	cache, err := published.NewCache()
	if err != nil {
		return nil, nil, err
	}
	return cache.MNIST()
}

// options are the task's own: the paper's, or those that were chosen by the sums of validation pairs.
func (t *T1) options(n, pairs int) []task.Option {
	if t.Faithful {
		// 1/19 is the uniform distribution over the sums. α is that of a mean over 16 pairs: 0.0125 for each.
		return task.Set("learn.method", "deeppsl", "learn.alpha", "0.2", "learn.mu", "1", "learn.steps", "1",
			"learn.epochs", strconv.Itoa(cmp.Or(t.Epochs, 10)), "learn.batch", "16", "learn.floor", "1e-3",
			"learn.optimiser", "adam", "learn.rate.networks", "1e-3", "learn.schedule", "linear", "learn.decay", "0",
			"learn.rate.rules", "0", "learn.deviation", "0",
			"inference.method", "sgd", "inference.iterations", "5000", "sgd.full", "true", "sgd.rate", "5e-3",
			"sgd.threshold", "1e-4", "sgd.start", "0.05263157894736842")
	}
	// With so many pairs the sums alone tell the digits apart, and what was measured is learned from them alone.
	return append(task.DigitOptions(t.Net, n, pairs, t.Epochs), task.Set("learn.sharpen", "0")...)
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
		mean, ci95 := eval.Interval(column(of))
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
		"%d MiB)\n", r.title(), r.SumAccuracy, r.DigitAccuracy, source.Count(r.Runs, "run"),
		source.Count(r.Epochs, "epoch"),
		r.TrainSeconds.Median, to97, 100*r.RulesShare.Median, r.PeakRSS>>20)
	return err
}

// title says what was learned.
func (r *T1Result) title() string {
	return fmt.Sprintf("Sums of numbers of %s, %s, %s",
		source.Count(r.Digits, "digit"), r.Net, source.Count(r.TrainPairs, "pair"))
}
