package repro

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/alloctest"
	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/task"
	"github.com/deeppsl/deeppsl/internal/training"
	"github.com/deeppsl/deeppsl/neural/features"
)

// tinyT1 is a training on few drawn digits.
func tinyT1(dir string) *T1 {
	drawn := dataset.DrawDigits(160, 5)
	return &T1{Net: "lenet", Runs: 1, Epochs: 2, Seed: 3, Threads: 1, Watch: true, Dir: dir,
		Set: []string{"learn.starts=1"}, train: drawn.Slice(0, 120), test: drawn.Slice(120, 160)}
}

// Training must know sums and nothing else: with the labels of each pair drawn anew, but for their sum, the network
// ends with the same bits, on any number of threads.
func TestT1ReadsNoLabels(t *testing.T) {
	var weights, tables [][]byte
	for threads := 1; threads <= 2; threads++ {
		task := tinyT1(t.TempDir())
		task.Threads = threads
		if threads == 2 {
			redraw(task.train.Labels)
		}
		w, table := trained(t, task)
		weights, tables = append(weights, w), append(tables, table)
	}
	if !bytes.Equal(tables[0], tables[1]) {
		t.Error("the project tells more than sums")
	}
	if !bytes.Equal(weights[0], weights[1]) {
		t.Error("other labels with the same sums gave other weights")
	}
}

// redraw replaces the digits of each pair by others with the same sum.
func redraw(labels []byte) {
	random := rand.New(rand.NewPCG(1, 2))
	for k := 0; k < len(labels); k += 2 {
		sum := int(labels[k]) + int(labels[k+1])
		least, most := max(0, sum-9), min(9, sum)
		labels[k] = byte(least + random.IntN(most-least+1))
		labels[k+1] = byte(sum) - labels[k]
	}
}

// trained trains, and returns the network's weights and the table of examples.
func trained(t *testing.T, task *T1) (weights, table []byte) {
	t.Helper()
	d, err := task.digits()
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := task.trainer(context.Background(), d, task.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trainer.Run(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(task.Dir, "reader.safetensors")
	if err := trainer.Grounding.SaveNetworks(path); err != nil {
		t.Fatal(err)
	}
	return read(t, path), read(t, filepath.Join(task.Dir, "data", "train.csv"))
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What training and inference take does not grow with the number of pairs, but for the table of pairs.
func TestT1MemoryIsFlat(t *testing.T) {
	peak := func(pairs int) uint64 {
		pictures := pixelPerDigit(2 * pairs)
		d := &task.Digits{Digits: 1, Net: "lenet5", Train: pictures, Validation: pictures.Slice(0, 0),
			Test:    pictures.Slice(0, 20),
			Options: task.Set("learn.method", "energy", "learn.epochs", "1", "learn.batch", "16")}
		g, err := engine.Ground(context.Background(), linearDigits(t, d), load.Learn)
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC() // what other tests have left in pools goes with the second collection
		return alloctest.Peak(func() {
			if _, err := training.Train(context.Background(), g); err != nil {
				t.Fatal(err)
			}
			if _, _, err := batch.Infer(context.Background(), g, load.Infer); err != nil {
				t.Fatal(err)
			}
		})
	}
	const few, many, table = 200, 1600, 2000 // bytes for a pair, most of them while it is read
	small, large := peak(few), peak(many)
	t.Logf("%d pairs took %d bytes, %d pairs %d", few, small, many, large)
	if large > small+(many-few)*table {
		t.Errorf("%d pairs took %d bytes, and %d pairs %d", few, small, many, large)
	}
}

// The ablation runs through all settings, and the one with the default's rules begins with a gradient.
func TestT1Ablation(t *testing.T) {
	drawn := dataset.DrawDigits(160, 5)
	a := T1Ablation{Pairs: 40, Epochs: 1, Seed: 1, train: drawn.Slice(0, 120), test: drawn.Slice(120, 160)}
	r, err := a.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != len(ablations()) || r.Pairs != 40 {
		t.Fatalf("%+v", r)
	}
	for k, row := range r.Rows {
		if last := k == len(r.Rows)-1; last && row.Gradient < 1e-4 {
			t.Errorf("%s: the gradient is %v", row.Setting, row.Gradient)
		}
	}
	path, err := WriteT1Ablation(t.TempDir(), r)
	if err != nil || !bytes.Contains(read(t, path), []byte(r.Rows[0].Setting)) {
		t.Errorf("%s: %v", path, err)
	}
}

func TestT1WritesItsFiles(t *testing.T) {
	task := tinyT1(t.TempDir())
	r, err := task.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r.TrainPairs != 60 || r.Epochs != 2 || r.GroundRules != 140 || len(r.runs[0].Reading) != 40 {
		t.Errorf("%+v", r)
	}
	paths, err := WriteT1(t.TempDir(), r)
	if err != nil || len(paths) != 4 {
		t.Errorf("%v, %v", paths, err)
	}
}

func TestT1Faithful(t *testing.T) {
	task := tinyT1("")
	task.Faithful = true
	r, err := task.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r.GroundRules != 100+100*19+1 {
		t.Errorf("%d ground rules, want one for each pair of digits, one for each pair and sum, and one for all sums",
			r.GroundRules)
	}
}

// The paper's rules, with the settings of their reproduction, must learn from sums alone, where nothing is active at
// first; and not without Ω.
func TestPrintedRulesLearn(t *testing.T) {
	pictures, random := pixelPerDigit(1400), rand.New(rand.NewPCG(1, 3))
	clear(pictures.Pixels)
	for k := range pictures.Labels {
		pictures.Labels[k] = byte(random.IntN(10))
		pictures.Pixels[10*k+int(pictures.Labels[k])] = 255
	}
	for _, mu := range []string{"1", "0"} {
		asPrinted := &T1{Faithful: true}
		d := &task.Digits{Digits: 1, Net: "lenet5", Faithful: true, Train: pictures.Slice(0, 1200),
			Validation: pictures.Slice(0, 0), Test: pictures.Slice(1200, 1400),
			Options: replaced(asPrinted.options(1, 600), map[string]string{"learn.rate.networks": "0.05", "learn.mu": mu})}
		r, err := engine.Run(context.Background(), linearDigits(t, d), engine.Stages{})
		if err != nil {
			t.Fatal(err)
		}
		share, known := r.Predictions.Accuracy(-1)
		if known != 100 || (mu == "1" && share < 1) || (mu == "0" && share > 0.3) {
			t.Errorf("μ = %s: %v of %d test sums are right", mu, share, known)
		}
	}
}

// Pictures that are no harder to tell apart than numbers must be learned from sums alone, and added without a mistake.
func TestProgramsAdd(t *testing.T) {
	for _, n := range []int{1, 2} {
		pictures := pixelPerDigit(420 * n)
		d := &task.Digits{Digits: n, Net: "lenet5", Train: pictures.Slice(0, 400*n), Validation: pictures.Slice(0, 0),
			Test: pictures.Slice(400*n, 420*n), Options: task.Set(
				"learn.method", "energy", "learn.epochs", "20", "learn.batch", "4", "learn.rate.networks", "0.1",
				"learn.decay", "0", "inference.gap", "1e-6")}
		p := linearDigits(t, d)
		r, err := engine.Run(context.Background(), p, engine.Stages{})
		if err != nil {
			t.Fatal(err)
		}
		if share, known := r.Predictions.Accuracy(-1); share < 1 || known != 10 {
			t.Errorf("%d digits: %v of %d test sums are right", n, share, known)
		}
	}
}

// linearDigits loads a project with a linear network, and pictures in memory.
func linearDigits(t testing.TB, d *task.Digits) *project.Project {
	t.Helper()
	path, err := d.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	linear := strings.Replace(string(config), `"kind": "cnn", "preset": "lenet5"`, `"kind": "mlp"`, 1)
	if err := os.WriteFile(path, []byte(linear), 0o666); err != nil {
		t.Fatal(err)
	}
	table, err := task.Pixels(d.Images())
	if err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(path, project.Options{Seed: 1,
		Features: map[string]*features.Table{"data/images.idx.gz": table}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// replaced gives some options other values.
func replaced(options []task.Option, by map[string]string) []task.Option {
	for k, o := range options {
		if value, ok := by[o.Name]; ok {
			options[k].Value = value
		}
	}
	return options
}

// pixelPerDigit are pictures of ten pixels, of which the one at the digit's place is on.
func pixelPerDigit(n int) *dataset.Images {
	m := &dataset.Images{Rows: 1, Columns: 10, Pixels: make([]byte, 10*n), Labels: make([]byte, n)}
	for k := range n {
		m.Labels[k] = byte((k*k*31 + k*17 + k/7) % 10)
		m.Pixels[10*k+int(m.Labels[k])] = 255
	}
	return m
}
