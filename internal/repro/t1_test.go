package repro

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/neural"
)

// tinyT1 is a training on few drawn digits.
func tinyT1(dir string) *T1 {
	drawn := dataset.DrawDigits(160, 5)
	return &T1{Net: "lenet", Runs: 1, Epochs: 2, Seed: 3, Threads: 1, Watch: true, Dir: dir,
		train: drawn.Slice(0, 120), test: drawn.Slice(120, 160)}
}

// Training must know sums and nothing else: with the labels of each pair swapped it ends with the same bits.
func TestT1ReadsNoLabels(t *testing.T) {
	var curves [][]T1Epoch
	var tables [][]byte
	for _, swapped := range []bool{false, true} {
		task := tinyT1(t.TempDir())
		for k := 0; swapped && k < task.train.Len(); k += 2 {
			l := task.train.Labels
			l[k], l[k+1] = l[k+1], l[k]
		}
		task.Threads = 1
		if swapped {
			task.Threads = 2
		}
		r, err := task.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		table, err := os.ReadFile(filepath.Join(task.Dir, "data", "train.csv"))
		if err != nil {
			t.Fatal(err)
		}
		curves, tables = append(curves, r.runs[0].Curve), append(tables, table)
	}
	if !slices.Equal(tables[0], tables[1]) {
		t.Error("the project tells more than sums")
	}
	for k, line := range curves[0] {
		if other := curves[1][k]; line.Loss != other.Loss || line.Sums != other.Sums {
			t.Errorf("epoch %d: loss %v and %v, sums %v and %v", k, line.Loss, other.Loss, line.Sums, other.Sums)
		}
	}
}

func TestT1WritesItsFiles(t *testing.T) {
	task := tinyT1(t.TempDir())
	r, err := task.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r.TrainPairs != 60 || r.Epochs != 2 || r.GroundRules != 140 || len(r.runs[0].reading) != 40 {
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
	if r.GroundRules != 2*2*100+1 {
		t.Errorf("%d ground rules, want each rule once for each pair of digits and order, and the sum", r.GroundRules)
	}
}

// Pictures that are no harder to tell apart than numbers must be learned from sums alone, and added without a mistake.
func TestProgramsAdd(t *testing.T) {
	for _, n := range []int{1, 2} {
		pictures := pixelPerDigit(420 * n)
		d := &digits{Digits: n, Net: "lenet5", Train: pictures.Slice(0, 400*n), Validation: pictures.Slice(0, 0),
			Test: pictures.Slice(400*n, 420*n), Options: []namedValue{
				{"learn.method", "energy"}, {"learn.epochs", "20"}, {"learn.batch", "4"}, {"learn.rate.networks", "0.1"},
				{"learn.decay", "0"}, {"inference.gap", "1e-6"},
			}}
		p := linearDigits(t, d, pictures)
		r, err := p.Run(context.Background(), deeppsl.Stages{})
		if err != nil {
			t.Fatal(err)
		}
		if share, known := r.Predictions.Accuracy(-1); share < 1 || known != 10 {
			t.Errorf("%d digits: %v of %d test sums are right", n, share, known)
		}
	}
}

// linearDigits loads a project with a linear network, and pictures in memory.
func linearDigits(t testing.TB, d *digits, pictures *dataset.Images) *deeppsl.Project {
	t.Helper()
	path, err := d.write(t.TempDir())
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
	p, err := deeppsl.Load(path, deeppsl.Options{Seed: 1,
		Features: map[string]*neural.Features{"data/images.idx.gz": rows(t, pictures)}})
	if err != nil {
		t.Fatal(err)
	}
	return p
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

func rows(t testing.TB, m *dataset.Images) *neural.Features {
	t.Helper()
	ids, values := make([]string, m.Len()), make([]float32, len(m.Pixels))
	for k := range ids {
		ids[k] = strconv.Itoa(k)
	}
	for k, v := range m.Pixels {
		values[k] = float32(v) / 255
	}
	table, err := neural.NewDense(ids, m.Columns, values)
	if err != nil {
		t.Fatal(err)
	}
	return table
}
