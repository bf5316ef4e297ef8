package gomlx_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
	"github.com/deeppsl/deeppsl/neural/gomlx"
)

const rows, classes = 9, 3

// table returns feature vectors.
func table(t *testing.T, width int) *features.Table {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	ids, values := make([]string, rows), make([]float32, rows*width)
	for r := range ids {
		ids[r] = fmt.Sprint("r", r)
	}
	for k := range values {
		values[k] = 2*random.Float32() - 1
	}
	features, err := features.NewDense(ids, width, values)
	if err != nil {
		t.Fatal(err)
	}
	return features
}

// bound is a network with all of its classes of all rows bound.
func bound(t *testing.T, spec neural.Spec, width int) (*neural.System, *neural.Perception) {
	t.Helper()
	spec.Name, spec.Features, spec.Outputs, spec.Normalize = "n", "x", classes, neural.NoNormalization
	system, err := neural.New([]neural.Spec{spec}, map[string]*features.Table{"x": table(t, width)}, 3)
	if err != nil {
		t.Fatal(err)
	}
	b := neural.Binding{Network: "n"}
	for k := range int32(rows * classes) {
		b.Inputs, b.Rows, b.Classes = append(b.Inputs, k), append(b.Rows, k/classes), append(b.Classes, k%classes)
	}
	perception, err := system.Bind(rows*classes, b)
	if err != nil {
		t.Fatal(err)
	}
	return system, perception
}

// compare checks that a network of package neural and the same one as a graph have the same outputs and gradients.
func compare(t *testing.T, name string, spec neural.Spec, build func(*gomlx.Builder) *graph.Node, width int) {
	t.Helper()
	ours, mine := bound(t, spec, width)
	theirs, other := bound(t, neural.Spec{Kind: "function", Function: gomlx.New(build)}, width)
	random := rand.New(rand.NewPCG(3, 4))
	values := make(map[string][]float32)
	for _, p := range ours.Parameters() {
		if strings.HasSuffix(p.Name, "biases") || strings.Contains(p.Name, "skip") { // they begin at 0, and should matter
			for k := range p.Value {
				p.Value[k] = random.Float32() - 0.5
			}
		}
		values[p.Name] = p.Value
	}
	gradients := make(map[string][]float32)
	for _, p := range theirs.Parameters() {
		if copy(p.Value, values[p.Name]) != len(p.Value) {
			t.Fatalf("%s: there is no parameter %s of %d values", name, p.Name, len(p.Value))
		}
		gradients[p.Name] = p.Gradient
	}
	upstream := make([]float64, rows*classes)
	for k := range upstream {
		upstream[k] = random.Float64() - 0.5
	}
	x, y := make([]float64, len(upstream)), make([]float64, len(upstream))
	for range 2 { // the second time, what is compiled and kept is used again
		err := errors.Join(mine.Forward(x, true, 1), mine.Backward(upstream),
			other.Forward(y, true, 1), other.Backward(upstream))
		if err != nil {
			t.Fatal(err)
		}
	}
	for k := range x {
		if math.Abs(x[k]-y[k]) > 1e-6 {
			t.Errorf("%s: output %d is %v, in GoMLX %v", name, k, x[k], y[k])
		}
	}
	for _, p := range ours.Parameters() {
		for k, g := range p.Gradient {
			if want := gradients[p.Name][k]; math.Abs(float64(g-want)) > 2e-5 {
				t.Errorf("%s: gradient %d of %s is %v, in GoMLX %v", name, k, p.Name, g, want)
			}
		}
	}
}

// activate is an activation as a graph.
func activate(a neural.Activation, x *graph.Node) *graph.Node {
	zero := graph.ZerosLike(x)
	switch a {
	case neural.Tanh:
		return graph.Tanh(x)
	case neural.Sigmoid:
		return graph.Sigmoid(x)
	case neural.ELU:
		return graph.Where(graph.GreaterThan(x, zero), x, graph.AddScalar(graph.Exp(graph.MinScalar(x, 0)), -1))
	}
	return graph.Where(graph.GreaterThan(x, zero), x, zero)
}

var activations = []neural.Activation{neural.ReLU, neural.ELU, neural.Tanh, neural.Sigmoid}

func TestMLP(t *testing.T) {
	for _, a := range activations {
		compare(t, "mlp with "+string(a), neural.Spec{Kind: "mlp", Hidden: []int{20, 7}, Activation: a},
			func(b *gomlx.Builder) *graph.Node {
				hidden := activate(a, b.Dense("hidden1", b.Rows(), 20))
				output := b.Dense("output", activate(a, b.Dense("hidden2", hidden, 7)), b.Outputs())
				return graph.Add(output, graph.MatMul(b.Rows(), b.Parameter("skip", 70, b.Outputs())))
			}, 70)
	}
	compare(t, "no hidden layer", neural.Spec{Kind: "mlp", Hidden: []int{}}, func(b *gomlx.Builder) *graph.Node {
		return b.Dense("output", b.Rows(), b.Outputs())
	}, 5)
}

// The kernels of convolutions with several filters are odd: GoMLX's gradient of those with an even one is wrong.
func TestCNN(t *testing.T) {
	type convolutions = []neural.Convolution
	few := convolutions{{Filters: 3, Kernel: 3, Padding: 1, Pool: 2}, {Filters: 4, Kernel: 3, Padding: 1}}
	for _, a := range activations {
		compareCNN(t, few, a)
	}
	compareCNN(t, convolutions{{Filters: 22, Kernel: 2}, {Filters: 3, Kernel: 3, Pool: 2}}, neural.ELU)
	compareCNN(t, convolutions{{Filters: 40, Kernel: 2}, {Filters: 5, Kernel: 3, Padding: 2, Pool: 3}}, neural.Tanh)
}

func compareCNN(t *testing.T, convolutions []neural.Convolution, a neural.Activation) {
	t.Helper()
	spec := neural.Spec{Kind: "cnn", Image: []int{7, 6, 2}, Convolutions: convolutions, Hidden: []int{5}, Activation: a}
	compare(t, fmt.Sprint("cnn with ", a), spec, func(b *gomlx.Builder) *graph.Node {
		channels := 2
		x := graph.Reshape(b.Rows(), b.Batch(), 7, 6, channels)
		for i, c := range convolutions {
			layer := fmt.Sprintf("convolution%d", i+1)
			w, bias := b.Parameter(layer, c.Kernel, c.Kernel, channels, c.Filters), b.Parameter(layer, c.Filters)
			x = graph.Convolve(x, w).PaddingPerDim([][2]int{{c.Padding, c.Padding}, {c.Padding, c.Padding}}).Done()
			x = activate(a, graph.Add(x, graph.Reshape(bias, 1, 1, 1, c.Filters)))
			channels = c.Filters
			if c.Pool > 1 {
				h, w := x.Shape().Dim(1)/c.Pool, x.Shape().Dim(2)/c.Pool
				x = graph.Slice(x, graph.AxisRange(), graph.AxisRange(0, h*c.Pool), graph.AxisRange(0, w*c.Pool))
				x = graph.ReduceMax(graph.Reshape(x, b.Batch(), h, c.Pool, w, c.Pool, channels), 2, 4)
			}
		}
		x = activate(a, b.Dense("hidden1", graph.Reshape(x, b.Batch(), -1), 5))
		return b.Dense("output", x, b.Outputs())
	}, 84)
}

func TestErrors(t *testing.T) {
	for want, build := range map[string]func(b *gomlx.Builder) *graph.Node{
		"the outputs are": func(b *gomlx.Builder) *graph.Node { return graph.ReduceAllSum(b.Rows()) },
		"one has shape [2 3], and cannot also have [3 2]": func(b *gomlx.Builder) *graph.Node {
			b.Parameter("one", 2, 3)
			return b.Parameter("one", 3, 2)
		},
		"not today": func(*gomlx.Builder) *graph.Node { panic(errors.New("not today")) },
	} {
		spec := neural.Spec{Name: "wrong", Kind: "function", Function: gomlx.New(build), Features: "x", Outputs: 2}
		_, err := neural.New([]neural.Spec{spec}, map[string]*features.Table{"x": table(t, 4)}, 1)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `network "wrong"`) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
