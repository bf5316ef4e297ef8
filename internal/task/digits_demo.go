package task

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/report"
)

// DigitsDemo is the paper's first task on digits that are drawn on the spot: a network learns to read them, though it
// is told nothing but sums.
type DigitsDemo struct {
	Seed    uint64
	Threads int
	// Digits is the length of the numbers that are added; 0 means 1.
	Digits int
	// Pairs are those to learn from; 0 means 3000 for digits, and fewer for longer numbers. Half as many are to test.
	Pairs int
	// Epochs is the number of passes through them; 0 means 20.
	Epochs int
	// Dir receives the project and the figures.
	Dir     string
	OnBatch func(learn.Batch)
	OnEpoch func(DigitsEpoch)
}

// DigitsResult is what the demo found.
type DigitsResult struct {
	Task      string   `json:"task"`
	Length    int      `json:"digits"`
	Pairs     int      `json:"train_pairs"`
	TestPairs int      `json:"test_pairs"`
	Sums      float64  `json:"sum_accuracy"`
	Digits    float64  `json:"digit_accuracy"`
	First     float64  `json:"sum_accuracy_after_one_epoch"`
	Epochs    int      `json:"epochs"`
	Seconds   float64  `json:"train_seconds"`
	Gap       float64  `json:"gap"`
	Config    string   `json:"config"`
	Files     []string `json:"files"`
	Seed      uint64   `json:"seed"`
}

// digitPairs is the usual number of training pairs, and FewestPairs the least that there is anything to learn from.
const (
	digitPairs  = 3000
	FewestPairs = 20
	demoEpochs  = 20
)

// Run draws, trains, and writes the files.
func (d *DigitsDemo) Run(ctx context.Context) (*DigitsResult, error) {
	n := max(1, d.Digits)
	pairs := cmp.Or(d.Pairs, digitPairs/n)
	if pairs < FewestPairs {
		return nil, fmt.Errorf("%d pairs are too few: want at least %d", pairs, FewestPairs)
	}
	train := 2 * n * pairs
	drawn := dataset.DrawDigits(train+2*n*(pairs/2), d.Seed)
	digits := &Digits{Digits: n, Net: "lenet5", Train: drawn.Slice(0, train), Validation: drawn.Slice(train, train),
		Test:    drawn.Slice(train, drawn.Len()),
		Options: OfRun(DigitOptions("lenet", n, pairs, cmp.Or(d.Epochs, demoEpochs)), nil, d.Seed)}
	t := &DigitsTrainer{Digits: digits, Seed: d.Seed, Threads: d.Threads, Watch: true, OnBatch: d.OnBatch}
	if d.OnEpoch != nil {
		t.OnEpoch = func(_ int, e DigitsEpoch) { d.OnEpoch(e) }
	}
	err := t.Load(ctx, d.Dir)
	if err == nil {
		err = digits.WriteImages(d.Dir)
	}
	if err != nil {
		return nil, err
	}
	run, err := t.Run(ctx, 0)
	if err != nil {
		return nil, err
	}
	result := &DigitsResult{Task: "demo digits", Pairs: pairs, TestPairs: pairs / 2, Sums: 100 * run.Sums,
		Digits: 100 * run.Digits, First: 100 * run.Curve[0].Sums, Epochs: len(run.Curve), Seconds: run.TrainSeconds,
		Gap: run.Answer.Gap, Config: filepath.Join(d.Dir, digits.Name()+".json"), Length: n, Seed: d.Seed}
	result.Files, err = d.draw(&run, digits)
	return result, err
}

// draw writes the learning curve, a confusion matrix of the test pictures and those that were misread.
func (d *DigitsDemo) draw(run *DigitsRun, digits *Digits) (paths []string, err error) {
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"curve.svg", func(w io.Writer) error { return DrawCurve(w, "Sums of drawn digits", []DigitsRun{*run}) }},
		{"confusion.svg", func(w io.Writer) error { return run.DrawConfusion(w, digits.Test) }},
		{"misread.svg", func(w io.Writer) error { return run.DrawMisread(w, digits.Test) }},
	} {
		path := filepath.Join(d.Dir, file.name)
		if err := report.WriteFileFunc(path, file.write); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Text prints the result and where the files are.
func (r *DigitsResult) Text(w io.Writer) error {
	of := "digits"
	if r.Length > 1 {
		of = fmt.Sprintf("numbers of %d digits", r.Length)
	}
	_, err := fmt.Fprintf(w, "%d pairs of drawn %s, of which only the sums were told; %d other pairs to test, "+
		"seed %d\n\n", r.Pairs, of, r.TestPairs, r.Seed)
	if err != nil {
		return err
	}
	table := report.NewTable("", "right %")
	table.Row("sums, after one epoch", decimal(r.First))
	table.Row(fmt.Sprintf("sums, after %d", r.Epochs), decimal(r.Sums))
	table.Row("digits, which nobody labelled", decimal(r.Digits))
	if err := table.Text(w); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%.1f s of training\n", r.Seconds)
	for _, file := range r.Files {
		fmt.Fprintf(w, "wrote %s\n", file)
	}
	fmt.Fprintf(w, "project %s (try: deeppsl run %[1]s)\n", r.Config)
	return err
}
