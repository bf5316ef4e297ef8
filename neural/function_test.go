package neural

import (
	"math"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// matrixFunction is W·u + b as a program would write it.
type matrixFunction struct{}

func (matrixFunction) Tensors(features, outputs int) []Tensor {
	return []Tensor{{"output", []int{features, outputs}}, {"output", []int{outputs}}}
}

func (matrixFunction) Forward(p [][]float32, features, outputs []float32) {
	classes := len(p[1])
	width := len(p[0]) / classes
	for k := range outputs {
		row, class := k/classes, k%classes
		outputs[k] = p[1][class]
		for f := range width {
			outputs[k] += features[row*width+f] * p[0][f*classes+class]
		}
	}
}

func (matrixFunction) Backward(p [][]float32, features, upstream []float32, gradients [][]float32) {
	classes := len(p[1])
	width := len(p[0]) / classes
	for k, u := range upstream {
		row, class := k/classes, k%classes
		gradients[1][class] += u
		for f := range width {
			gradients[0][f*classes+class] += u * features[row*width+f]
		}
	}
}

// A Function computes, and learns, what an mlp without hidden layers does, from the same initial values.
func TestFunctionIsANetwork(t *testing.T) {
	table, err := features.NewDense([]string{"a", "b", "c"}, 2, []float32{1, -2, 0.5, 3, -1, 0})
	if err != nil {
		t.Fatal(err)
	}
	binding := Binding{Network: "n", Inputs: []int32{0, 1, 2, 3, 4, 5}, Rows: []int32{0, 0, 1, 1, 2, 2},
		Classes: []int32{0, 1, 0, 1, 0, 1}}
	upstream := []float64{1, -1, 0.5, 2, -0.3, 0, 0}
	var outputs [][]float64
	var gradients [][][]float32
	for _, spec := range []Spec{
		{Name: "n", Features: "f", Outputs: 2, Hidden: []int{}, Activation: Tanh},
		{Name: "n", Features: "f", Outputs: 2, Function: matrixFunction{}},
	} {
		system, err := New([]Spec{spec}, map[string]*features.Table{"f": table}, 7)
		if err != nil {
			t.Fatal(err)
		}
		given := Binding{Inputs: []int32{6}}
		perception, err := system.Bind(7, binding, given)
		if err != nil {
			t.Fatal(err)
		}
		x := []float64{0, 0, 0, 0, 0, 0, 0.25}
		if err := perception.Forward(x, false, 0); err != nil {
			t.Fatal(err)
		}
		if err := perception.Backward(upstream); err != nil {
			t.Fatal(err)
		}
		if x[6] != 0.25 {
			t.Errorf("a given atom became %v", x[6])
		}
		outputs = append(outputs, x)
		var own [][]float32
		for _, p := range system.Parameters() {
			own = append(own, p.Gradient)
		}
		gradients = append(gradients, own)
	}
	if !slices.EqualFunc(outputs[0], outputs[1], closeBy[float64]) {
		t.Errorf("outputs %v, want %v", outputs[1], outputs[0])
	}
	for k := range gradients[0] {
		if !slices.EqualFunc(gradients[0][k], gradients[1][k], closeBy[float32]) {
			t.Errorf("gradients %v, want %v", gradients[1][k], gradients[0][k])
		}
	}
}

func closeBy[T float32 | float64](a, b T) bool { return math.Abs(float64(a-b)) < 1e-5 }

func TestFunctionIsChecked(t *testing.T) {
	table, err := features.NewDense([]string{"a"}, 1, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	for name, spec := range map[string]Spec{
		"kind":    {Name: "n", Features: "f", Outputs: 2, Function: matrixFunction{}, Kind: "mlp"},
		"hidden":  {Name: "n", Features: "f", Outputs: 2, Function: matrixFunction{}, Hidden: []int{3}},
		"outputs": {Name: "n", Features: "f", Function: matrixFunction{}},
	} {
		if _, err := New([]Spec{spec}, map[string]*features.Table{"f": table}, 7); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
