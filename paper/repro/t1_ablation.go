package repro

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/fit"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/task"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// T1Ablation asks what gets T1 going. Nearly uniform outputs make all conjunctions of the paper's rules false, whose
// potentials are then 0 and flat: the dying hinge. The paper's answer is the regulariser Ω with its weight μ.
type T1Ablation struct {
	Pairs, Epochs int
	Seed          uint64
	Threads       int
	OnSetting     func(name string, number, settings int)

	train, test *dataset.Images // if not nil, in place of MNIST
}

// T1AblationRow is what came of a setting. Shares are in percent.
type T1AblationRow struct {
	Setting string `json:"setting"`
	// Active is the share of conjunctions of two digits whose truth is above 0 before training, and ActiveAfter after
	// it.
	Active      float64 `json:"active"`
	ActiveAfter float64 `json:"active_after"`
	// Gradient is the length of the first batch's gradient by what the network sees.
	Gradient     float64 `json:"gradient"`
	DigitsBefore float64 `json:"digit_accuracy_before"`
	Digits       float64 `json:"digit_accuracy"`
	Sums         float64 `json:"sum_accuracy"`
}

// T1AblationResult is the table.
type T1AblationResult struct {
	Task   string          `json:"task"`
	Pairs  int             `json:"train_pairs"`
	Epochs int             `json:"epochs"`
	Seed   uint64          `json:"seed"`
	Rows   []T1AblationRow `json:"rows"`
}

// labelledPictures are those that one setting knows the digits of, before it learns from sums: a few of each.
const labelledPictures = 100

// ablation is a setting: what differs from the rules as printed and the settings that they learn with.
type ablation struct {
	name     string
	options  []string
	rules    string // if not "", in place of the printed ones
	labelled bool
	ours     bool // the task's own rules and settings
}

// ablations are the settings, from what --faithful takes on.
func ablations() (all []ablation) {
	exact := []string{"inference.method=auto"}
	printed := []string{"learn.mu=0.001", "learn.steps=2", "learn.optimiser=adagrad", "learn.schedule=inverse",
		"learn.decay=1e-7", "sgd.threshold=1e-6"}
	both := ruleTwo("Plus(D1, D2, S) & (I1 % I2)")
	all = append(all, ablation{name: "the rules as printed (--faithful)"})
	for _, mu := range []string{"0", "0.001", "0.1", "10"} {
		all = append(all, ablation{name: "μ = " + mu, options: []string{"learn.mu=" + mu}})
	}
	return append(all,
		ablation{name: "the table's μ, N and Adagrad", options: printed},
		ablation{name: "an exact argmin", options: exact},
		ablation{name: "the exact derivative", options: slices.Concat(exact, []string{"learn.method=implicit"})},
		ablation{name: "the first rule alone", rules: ruleTwo("")},
		ablation{name: "the second rule where S is not the sum", rules: ruleTwo("!Plus(D1, D2, S) & (I1 % I2)")},
		ablation{name: "Plus in both rules", rules: both},
		ablation{name: fmt.Sprintf("%d labelled pictures first", labelledPictures), labelled: true},
		ablation{name: "labelled, Plus in both rules", labelled: true, rules: both},
		ablation{name: "labelled, Plus in both, an exact argmin", labelled: true, rules: both, options: exact},
		ablation{name: "labelled, Plus in both, an exact argmin, the table's μ, N and Adagrad", labelled: true, rules: both,
			options: slices.Concat(exact, printed)},
		ablation{name: "a latent row of the table (the default)", ours: true},
	)
}

// ruleTwo are the paper's rules with other conditions in the second one, or without it if there are none.
func ruleTwo(conditions string) string {
	var lines []string
	for line := range strings.Lines(task.DigitProgram("paper")) {
		if strings.Contains(line, "-> !Sum") {
			if conditions == "" {
				continue
			}
			line = strings.Replace(line, "(I1 % I2)", conditions, 1)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

// Run trains with each setting.
func (a *T1Ablation) Run(ctx context.Context) (*T1AblationResult, error) {
	dir, err := os.MkdirTemp("", "deeppsl-t1-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &T1AblationResult{Task: "t1 ablation", Pairs: a.Pairs, Epochs: a.Epochs, Seed: a.Seed}
	all := ablations()
	for k, setting := range all {
		if a.OnSetting != nil {
			a.OnSetting(setting.name, k, len(all))
		}
		row, err := a.one(ctx, setting, filepath.Join(dir, fmt.Sprint(k)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", setting.name, err)
		}
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}

// one trains with a setting.
func (a *T1Ablation) one(ctx context.Context, s ablation, dir string) (row T1AblationRow, err error) {
	row.Setting = s.name
	train, test, err := a.pictures()
	if err != nil {
		return row, err
	}
	t := &T1{Net: "lenet", TrainPairs: a.Pairs, Runs: 1, Epochs: a.Epochs, Shift: -1, Faithful: !s.ours, Seed: a.Seed,
		Threads: a.Threads, Set: s.options, train: train, test: test, variant: variant{rules: s.rules}}
	t.OnBatch = func(b learn.Batch) {
		if b.Epoch == 0 && b.Done == 1 {
			row.Gradient = b.Gradient
		}
	}
	if s.labelled {
		t.variant.checkpoint = filepath.Join(dir, "labelled.safetensors")
	}
	d, err := t.digits()
	if err != nil {
		return row, err
	}
	if s.labelled {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return row, err
		}
		if err := fitLabelled(ctx, d, a.Seed, t.variant.checkpoint); err != nil {
			return row, err
		}
	}
	trainer, err := t.trainer(ctx, d, dir)
	if err != nil {
		return row, err
	}
	err = row.fill(ctx, trainer)
	return row, err
}

// scoredPictures are the test pictures that settings are scored on, the first ones.
const scoredPictures = 1000

// pictures returns those to train on and those to test.
func (a *T1Ablation) pictures() (train, test *dataset.Images, err error) {
	train, test, err = (&T1{train: a.train, test: a.test}).images()
	if err == nil {
		test = test.Slice(0, min(scoredPictures, test.Len()))
	}
	return train, test, err
}

// fill trains and fills in the row.
func (row *T1AblationRow) fill(ctx context.Context, trainer *task.DigitsTrainer) error {
	if err := trainer.Grounding.Reset(trainer.Seed); err != nil {
		return err
	}
	var err error
	if row.Active, err = active(trainer); err != nil {
		return err
	}
	reading, err := trainer.Read()
	if err != nil {
		return err
	}
	row.DigitsBefore = 100 * trainer.Right(reading)
	run, err := trainer.Run(ctx, 0)
	if err != nil {
		return err
	}
	row.Digits, row.Sums = 100*run.Digits, 100*run.Sums
	row.ActiveAfter, err = active(trainer)
	return err
}

// active returns the percentage of conjunctions of two digits whose truth is above 0, over the first training pairs. Of
// the others, the paper's rules have potentials of 0 whatever the sum is.
func active(t *task.DigitsTrainer) (float64, error) {
	const most = 1000
	pairs := min(most, t.Train.Len()/2)
	rows := make([]int32, 2*pairs)
	for k := range rows {
		rows[k] = int32(k)
	}
	x, err := t.Grounding.Classify("reader", rows)
	active := 0
	for k := range pairs {
		for _, first := range x[20*k : 20*k+10] {
			for _, second := range x[20*k+10 : 20*k+20] {
				if first+second > 1 {
					active++
				}
			}
		}
	}
	return float64(active) / float64(pairs), err
}

// fitLabelled trains the network on the digits of the first pictures, and saves it.
func fitLabelled(ctx context.Context, d *task.Digits, seed uint64, path string) error {
	pictures := d.Train.Slice(0, min(labelledPictures, d.Train.Len()))
	table, err := task.Pixels(pictures)
	if err != nil {
		return err
	}
	system, err := neural.New([]neural.Spec{{Name: "reader", Preset: d.Net, Features: "images", Outputs: 10}},
		map[string]*features.Table{"images": table}, seed)
	if err != nil {
		return err
	}
	binding, labels := neural.Binding{Network: "reader"}, label.Labels{}
	for k, digit := range pictures.Labels {
		for class := range int32(10) {
			x := int32(10*k) + class
			binding.Inputs, binding.Rows = append(binding.Inputs, x), append(binding.Rows, int32(k))
			binding.Classes = append(binding.Classes, class)
			labels.Variables, labels.Truth = append(labels.Variables, x), append(labels.Truth, truth(class == int32(digit)))
		}
	}
	networks, err := system.Bind(len(binding.Inputs), binding)
	if err != nil {
		return err
	}
	fitter := fit.Fitter{Perception: networks, Labels: &labels, Loss: label.CrossEntropy, Inputs: len(binding.Inputs),
		Optimiser: perception.Adam, Rate: 0.002, Epochs: 60, Seed: seed}
	if _, err := fitter.Run(ctx); err != nil {
		return err
	}
	return system.SaveFile(path)
}

// truth is 1 for what holds, and 0 for what does not.
func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// table returns the rows as a table.
func (r *T1AblationResult) table() *report.Table {
	table := report.NewTable("setting", "gradient", "active %", "active after %", "digits %", "digits after %",
		"sums after %")
	for _, row := range r.Rows {
		table.Row(row.Setting, report.Number(fmt.Sprintf("%.2g", row.Gradient)), decimals(row.Active, 1),
			decimals(row.ActiveAfter, 1), decimals(row.DigitsBefore, 1), decimals(row.Digits, 1), decimals(row.Sums, 1))
	}
	return table
}

// Text prints the table.
func (r *T1AblationResult) Text(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%d pairs, %d epochs, LeNet-5, seed %d\n\n", r.Pairs, r.Epochs, r.Seed); err != nil {
		return err
	}
	return r.table().Text(w)
}

// WriteT1Ablation writes the table as Markdown and returns the file's path.
func WriteT1Ablation(dir string, r *T1AblationResult) (path string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	path = filepath.Join(dir, "t1-ablation.md")
	return path, report.WriteFileFunc(path, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "# T1: what gets learning from sums going\n\n%d pairs, %d epochs, LeNet-5, seed %d; "+
			"scored on %d test pictures at most. A conjunction of two digits is active if its truth is above 0.\n\n", r.Pairs,
			r.Epochs, r.Seed, scoredPictures)
		if err != nil {
			return err
		}
		return r.table().Markdown(w)
	})
}
