package neural

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// lenetSpec is the network of lenet.safetensors, whose layers PyTorch's class calls conv1, fc1 and so on.
func lenetSpec() Spec {
	return Spec{Name: "digit", Kind: "cnn", Features: "words", Normalize: NoNormalization, Outputs: 4,
		Hidden: []int{12, 8}, Convolutions: []Convolution{{Filters: 3, Kernel: 5, Pool: 2}, {Filters: 4, Kernel: 5, Pool: 2}},
		Checkpoint: exported("lenet.safetensors"), Layers: map[string]string{"convolution1": "conv1",
			"convolution2": "conv2", "hidden1": "fc1", "hidden2": "fc2", "output": "fc3"}}
}

// The state_dict of a convolutional network of PyTorch, read into our own kind, gives PyTorch's probabilities: filters
// and the inputs of the first dense layer lie in another order there.
func TestCNNOfPyTorch(t *testing.T) {
	const rows, width = 50, 784
	ids, values := make([]string, rows), make([]float32, rows*width)
	for k := range values {
		values[k] = float32(float64(uint32(uint64(k)*2654435761))/(1<<31) - 1)
	}
	for k := range ids {
		ids[k] = strconv.Itoa(k)
	}
	table, err := features.NewDense(ids, width, values)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, rows*4)
	if err := allClasses(t, mustNewAsRead(t, lenetSpec(), table), rows).Forward(x, false, 0); err != nil {
		t.Fatal(err)
	}
	var reference struct{ Outputs string }
	text, err := os.ReadFile(exported("lenet.json"))
	if err == nil {
		err = json.Unmarshal(text, &reference)
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := base64.StdEncoding.DecodeString(reference.Outputs)
	if err != nil {
		t.Fatal(err)
	}
	for k, got := range x {
		want := math.Exp(float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*k:]))))
		if math.Abs(got-want) > 1e-5 {
			t.Fatalf("output %d of row %d is %v, want %v", k%4, k/4, got, want)
		}
	}
}

// mustNewAsRead makes a system with the parameters that its checkpoint has.
func mustNewAsRead(t *testing.T, spec Spec, table *features.Table) *System {
	t.Helper()
	s, err := New([]Spec{spec}, map[string]*features.Table{"words": table}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
