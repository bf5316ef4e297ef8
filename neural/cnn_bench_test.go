package neural

import (
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// flops returns the floating-point operations of an image's forward pass: two for each weight and place it is used at.
// A backward pass takes twice as many, less those for the gradient by the image itself.
func (net *cnn) flops() (all, first int) {
	for i, c := range net.convolutions {
		n := 2 * c.raw.height * c.raw.width * len(c.weights.Value)
		if i == 0 {
			first = n
		}
		all += n
	}
	for _, d := range net.dense {
		all += 2 * len(d.weights.Value)
	}
	return all, first
}

// benchmarkCNN measures batches of 32 images, which are 16 pairs of the paper's task T1.
func benchmarkCNN(b *testing.B, preset string, step func(p *Perception, x []float64), passes func(all, first int) int) {
	const batch = 32
	spec := Spec{Name: "digit", Preset: preset, Features: "words", Outputs: 10}
	s, err := New([]Spec{spec}, map[string]*features.Table{"words": images(b, 1024, 784, 1)}, 1)
	if err != nil {
		b.Fatal(err)
	}
	p := allClasses(b, s, batch)
	x, rows := make([]float64, p.inputs), make([]int32, batch)
	step(p, x)
	for i := 0; b.Loop(); i++ {
		for k := range rows {
			rows[k] = int32((i*batch + k) % 1024)
		}
		if err := p.Select(rows); err != nil {
			b.Fatal(err)
		}
		step(p, x)
	}
	images, flops := float64(batch*b.N), float64(passes(s.networks[0].cnn.flops()))
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(1e9*seconds/images, "ns/image")
	b.ReportMetric(flops/1e9, "GFLOP/image")
	b.ReportMetric(flops*images/1e9/seconds, "GFLOP/s")
}

// BenchmarkCNNForward and BenchmarkCNNTrain report what the networks need beside how fast it is done. Training is a
// forward and a backward pass, without the optimiser's step.
func BenchmarkCNNForward(b *testing.B) {
	for _, preset := range Presets() {
		b.Run(preset, func(b *testing.B) {
			benchmarkCNN(b, preset, func(p *Perception, x []float64) {
				if err := p.Forward(x, false, 1); err != nil {
					b.Fatal(err)
				}
			}, func(all, _ int) int { return all })
		})
	}
}

func BenchmarkCNNTrain(b *testing.B) {
	for _, preset := range Presets() {
		b.Run(preset, func(b *testing.B) {
			var upstream []float64
			benchmarkCNN(b, preset, func(p *Perception, x []float64) {
				if upstream == nil {
					upstream = upstreamOf(len(x))
				}
				if err := p.Forward(x, true, 1); err != nil {
					b.Fatal(err)
				}
				if err := p.Backward(upstream); err != nil {
					b.Fatal(err)
				}
			}, func(all, first int) int { return 3*all - first })
		})
	}
}
