package neural

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
)

// images returns a dense table of images of a given size, from -1 to 1.
func images(tb testing.TB, rows, size int, seed uint64) *Features {
	tb.Helper()
	values := make([]float32, rows*size)
	newStream(seed, "images").initialize(values, []int{1, 1}, func(_, _ int) float64 { return 1 })
	f, err := NewDense(names(rows), size, values)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// allClasses binds all classes of the rows 0 to n-1.
func allClasses(tb testing.TB, s *System, n int) *Perception {
	tb.Helper()
	classes := s.networks[0].width
	b := Binding{Network: s.networks[0].spec.Name}
	for k := range n * classes {
		b.Inputs, b.Rows, b.Classes = append(b.Inputs, int32(k)), append(b.Rows, int32(k/classes)),
			append(b.Classes, int32(k%classes))
	}
	p, err := s.Bind(n*classes, b)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// cnnSpec returns a network over 7×6 images with two channels. Its kernels are odd: GoMLX's gradient of a convolution
// with an even one is wrong.
func cnnSpec(name string, activation Activation) Spec {
	return Spec{Name: name, Kind: "cnn", Features: "words", Image: []int{7, 6, 2}, Activation: activation, Outputs: 3,
		Convolutions: []Convolution{{Filters: 3, Kernel: 3, Padding: 1, Pool: 2}, {Filters: 4, Kernel: 3, Padding: 1}},
		Hidden:       []int{5}}
}

// Gradients by finite differences: each activation, with padding, pools that leave pixels out, dropout, several dense
// layers, none, and no convolution.
func TestCNNByDifferences(t *testing.T) {
	for name, change := range map[string]func(s *Spec){
		"relu":           func(s *Spec) { s.Activation = ReLU },
		"elu":            func(s *Spec) { s.Activation = ELU },
		"tanh":           func(s *Spec) { s.Activation = Tanh },
		"sigmoid":        func(s *Spec) { s.Activation, s.Output = Sigmoid, SigmoidOutput },
		"dropout":        func(s *Spec) { s.Dropout, s.InputDropout, s.Hidden = 0.3, 0.2, []int{5, 4} },
		"no hidden":      func(s *Spec) { s.Hidden = nil },
		"even kernel":    func(s *Spec) { s.Convolutions[1] = Convolution{Filters: 4, Kernel: 2} },
		"no convolution": func(s *Spec) { s.Convolutions = nil },
		"large pool":     func(s *Spec) { s.Convolutions = []Convolution{{Filters: 2, Kernel: 3, Padding: 2, Pool: 4}} },
	} {
		t.Run(name, func(t *testing.T) {
			spec := cnnSpec("n", Tanh)
			change(&spec)
			s := mustNew(t, []Spec{spec}, images(t, 6, 84, 1), 2)
			p := allClasses(t, s, 6)
			x, gradients := both(t, p, true, 5)
			checkDifferences(t, s.Parameters(), gradients, 2e-3, 4e-3, func() float64 {
				if err := p.Forward(x, true, 5); err != nil {
					t.Fatal(err)
				}
				return dot(x, upstreamOf(len(x)))
			})
		})
	}
}

// The same network as a GoMLX graph with its own convolution, which tests register.
func init() {
	Register("test-cnn", Kind{Build: func(b *Builder) *graph.Node {
		var channels = 2
		x := graph.Reshape(b.Rows(), b.Batch(), 7, 6, channels)
		for i, c := range cnnSpec("", "").Convolutions {
			layer := fmt.Sprintf("convolution%d", i+1)
			w := b.Parameter(layer, "weights", He, c.Kernel, c.Kernel, channels, c.Filters)
			bias := b.Parameter(layer, "biases", Zeros, c.Filters)
			x = graph.Convolve(x, w).PaddingPerDim([][2]int{{c.Padding, c.Padding}, {c.Padding, c.Padding}}).Done()
			x = b.Activate(graph.Add(x, graph.Reshape(bias, 1, 1, 1, c.Filters)))
			channels = c.Filters
			if c.Pool > 1 {
				h, w := x.Shape().Dim(1)/c.Pool, x.Shape().Dim(2)/c.Pool
				x = graph.Slice(x, graph.AxisRange(), graph.AxisRange(0, h*c.Pool), graph.AxisRange(0, w*c.Pool))
				x = graph.ReduceMax(graph.Reshape(x, b.Batch(), h, c.Pool, w, c.Pool, channels), 2, 4)
			}
		}
		x = b.Activate(b.Dense("hidden1", graph.Reshape(x, b.Batch(), -1), 5))
		return b.Output(b.Dense("output", x, 3))
	}})
}

func TestCNNAgainstGoMLX(t *testing.T) {
	for _, activation := range activations {
		table := images(t, 9, 84, 2)
		ours := cnnSpec("n", activation)
		theirs := Spec{Name: "n", Kind: "test-cnn", Features: "words", Activation: activation, Outputs: 3}
		s, r := mustNew(t, []Spec{ours}, table, 4), mustNew(t, []Spec{theirs}, table, 4)
		for _, p := range s.parameters {
			copy(r.byName[p.Name].Value, p.Value)
		}
		x, g := both(t, allClasses(t, s, 9), true, 1)
		y, h := both(t, allClasses(t, r, 9), true, 1)
		for i := range y {
			if math.Abs(x[i]-y[i]) > 1e-6 {
				t.Errorf("%s: x[%d] = %v, GoMLX has %v", activation, i, x[i], y[i])
			}
		}
		for i := range h {
			if math.Abs(float64(g[i]-h[i])) > 1e-5 {
				t.Errorf("%s: gradient %d is %v, GoMLX has %v", activation, i, g[i], h[i])
			}
		}
	}
}
