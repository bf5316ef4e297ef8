package neural

import (
	"os"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/neural/features"
	"github.com/deeppsl/deeppsl/paper/published"
)

// mnist returns the images of MNIST, the first for training, and their digits. Only a machine that has the data can.
func mnist(tb testing.TB, training, test int) (table *features.Table, digits []byte) {
	tb.Helper()
	data := os.Getenv("DEEPPSL_DATA")
	if data == "" {
		tb.Skip("DEEPPSL_DATA is not set: it names the folder of published data sets that this reads")
	}
	first, second, err := (&published.Cache{Data: data, Dir: tb.TempDir()}).MNIST()
	if err != nil {
		tb.Skip(err)
	}
	const size = 28 * 28
	pixels := append(first.Pixels[:training*size:training*size], second.Pixels[:test*size]...)
	digits = append(first.Labels[:training:training], second.Labels[:test]...)
	values := make([]float32, len(pixels))
	for i, p := range pixels {
		values[i] = float32(p) / 255
	}
	table, err = features.NewDense(names(training+test), size, values)
	if err != nil {
		tb.Fatal(err)
	}
	return table, digits
}

// epoch takes one step of Adam on the cross-entropy for each batch of the first images.
func epoch(tb testing.TB, p *Perception, digits []byte, training, batch int, optimiser *perception.Optimiser) {
	tb.Helper()
	x, upstream := make([]float64, p.inputs), make([]float64, p.inputs)
	rows := make([]int32, batch)
	for lo := 0; lo+batch <= training; lo += batch {
		for k := range rows {
			rows[k] = int32(lo + k)
		}
		if err := p.Select(rows); err != nil {
			tb.Fatal(err)
		}
		if err := p.Forward(x, true, uint64(lo)); err != nil {
			tb.Fatal(err)
		}
		clear(upstream)
		for k := range rows {
			i := 10*k + int(digits[lo+k])
			upstream[i] = -1 / max(x[i], 1e-7) / float64(batch)
		}
		if err := p.Backward(upstream); err != nil {
			tb.Fatal(err)
		}
		optimiser.Step(p.Parameters(), 1e-3)
	}
}

// accuracy returns the share of the images from lo to hi whose digit is the likeliest class.
func accuracy(tb testing.TB, s *System, digits []byte, lo, hi int) float64 {
	tb.Helper()
	rows := allRows(hi)[lo:]
	out, err := s.Predict("digit", rows)
	if err != nil {
		tb.Fatal(err)
	}
	right := 0
	for k, r := range rows {
		best := 0
		for c, v := range row(out, k, 10) {
			if v > out[10*k+best] {
				best = c
			}
		}
		if best == int(digits[r]) {
			right++
		}
	}
	return float64(right) / float64(len(rows))
}

func newDigits(tb testing.TB, preset string, table *features.Table, batch int) (*System, *Perception) {
	tb.Helper()
	spec := Spec{Name: "digit", Preset: preset, Features: "images", Outputs: 10}
	s, err := New([]Spec{spec}, map[string]*features.Table{"images": table}, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return s, allClasses(tb, s, batch)
}

// A tenth of MNIST, seen twice, teaches LeNet-5 most digits.
func TestLearnsDigits(t *testing.T) {
	table, digits := mnist(t, 6400, 2000)
	s, p := newDigits(t, "lenet5", table, 32)
	optimiser := &perception.Optimiser{Kind: perception.Adam}
	for range 2 {
		epoch(t, p, digits, 6400, 32, optimiser)
	}
	if share := accuracy(t, s, digits, 6400, 8400); share < 0.9 {
		t.Errorf("%v of the digits are right", share)
	}
}

// BenchmarkMNISTEpoch is one epoch of MNIST with the optimiser's steps, batches as 16 pairs of the paper's task T1 make
// them; it reports the share of the test digits that are right after it.
func BenchmarkMNISTEpoch(b *testing.B) {
	const training, test, batch = 60000, 10000, 32
	for _, preset := range Presets() {
		b.Run(preset, func(b *testing.B) {
			table, digits := mnist(b, training, test)
			s, p := newDigits(b, preset, table, batch)
			optimiser := &perception.Optimiser{Kind: perception.Adam}
			for b.Loop() {
				epoch(b, p, digits, training, batch, optimiser)
			}
			b.ReportMetric(training*float64(b.N)/b.Elapsed().Seconds(), "images/s")
			b.ReportMetric(accuracy(b, s, digits, training, training+test), "accuracy")
		})
	}
}
