package neural

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// A tensor is one of a file in the safetensors format that another program would write.
type tensor struct {
	name, kind string
	shape      []int
	values     []float32
}

// foreign writes such a file, with the metadata of a format unless it is empty, and returns its path.
func foreign(t *testing.T, format string, tensors ...tensor) string {
	t.Helper()
	header, values := map[string]any{}, []byte(nil)
	if format != "" {
		header[metadataKey] = map[string]string{"format": format}
	}
	for _, x := range tensors {
		start := len(values)
		for _, v := range x.values {
			bits := math.Float32bits(v)
			switch x.kind {
			case "F64":
				values = binary.LittleEndian.AppendUint64(values, math.Float64bits(float64(v)))
			case "BF16":
				values = binary.LittleEndian.AppendUint16(values, uint16(bits>>16))
			case "F16": // of numbers that have one
				values = binary.LittleEndian.AppendUint16(values, uint16(bits>>16&0x8000|(bits>>23&255-112)<<10|bits>>13&1023))
			default:
				values = binary.LittleEndian.AppendUint32(values, bits)
			}
		}
		header[x.name] = entry{x.kind, x.shape, [2]int{start, len(values)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	path := filepath.Join(t.TempDir(), "foreign.safetensors")
	if err := os.WriteFile(path, append(file, values...), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// counted returns the numbers from first on, in steps that all types of numbers have.
func counted(first float32, n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = first + float32(i)/4
	}
	return values
}

// reader returns a network of three features, two hidden layers of two nodes and two classes that begins with a file.
func reader(t *testing.T, path string, change func(s *Spec)) (*System, error) {
	t.Helper()
	spec := Spec{Name: "n", Features: "words", Hidden: []int{2, 2}, Outputs: 2, Normalize: NoNormalization,
		Checkpoint: path}
	change(&spec)
	table := mustDense(t, 3, 1, 2, 3, 4, 5, 6)
	return New([]Spec{spec}, map[string]*features.Table{"words": table}, 1)
}

func same(*Spec) {}

// perceptron has the layers of reader, by the names and in the layout of PyTorch.
func perceptron(names [3]string, weight, bias, kind string) []tensor {
	a, b, c := names[0]+".", names[1]+".", names[2]+"."
	return []tensor{
		{a + bias, kind, []int{2}, counted(0.5, 2)}, {a + weight, kind, []int{2, 3}, counted(1, 6)},
		{b + bias, kind, []int{2}, counted(-1.5, 2)}, {b + weight, kind, []int{2, 2}, counted(2, 4)},
		{c + bias, kind, []int{2}, counted(0.25, 2)}, {c + weight, kind, []int{2, 2}, counted(-3, 4)},
	}
}

var ours = [3]string{"hidden1", "hidden2", "output"}

// wantPerceptron checks the values of perceptron, whose matrices are transposed here.
func wantPerceptron(t *testing.T, s *System) {
	t.Helper()
	for name, want := range map[string][]float32{
		"hidden1.weights": {1, 1.75, 1.25, 2, 1.5, 2.25}, "hidden2.weights": {2, 2.5, 2.25, 2.75},
		"output.weights": {-3, -2.5, -2.75, -2.25}, "hidden1.biases": {0.5, 0.75}, "hidden2.biases": {-1.5, -1.25},
		"output.biases": {0.25, 0.5},
	} {
		if got := s.byName["n."+name].Value; !slices.Equal(got, want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// What PyTorch's users save is read as it is meant: names, with those of a module before them or not, other types of
// numbers, and matrices with a row for each output.
func TestForeignCheckpoints(t *testing.T) {
	for _, kind := range []string{"F32", "F64", "BF16", "F16"} {
		s, err := reader(t, foreign(t, "pt", perceptron(ours, "weight", "bias", kind)...), same)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		wantPerceptron(t, s)
	}
	inModule := [3]string{"model.hidden1", "model.hidden2", "model.output"}
	s, err := reader(t, foreign(t, "pt", perceptron(inModule, "weight", "bias", "F32")...), same)
	if err != nil {
		t.Fatal(err)
	}
	wantPerceptron(t, s)
	s, err = reader(t, foreign(t, "", perceptron([3]string{"0", "2", "4"}, "weight", "bias", "F32")...), func(s *Spec) {
		s.Layout, s.Layers = OutputsFirst, map[string]string{"hidden1": "0", "hidden2": "2", "output": "4"}
	})
	if err != nil {
		t.Fatal(err)
	}
	wantPerceptron(t, s)
}

// Keras has a row for each input, as here, and so has who says so.
func TestForeignCheckpointsInputsFirst(t *testing.T) {
	for called, layout := range map[string]Layout{"kernel": "", "weight": InputsFirst} {
		tensors := perceptron(ours, called, "bias", "F32")
		tensors[1].shape = []int{3, 2}
		s, err := reader(t, foreign(t, "", tensors...), func(s *Spec) { s.Layout = layout })
		if err != nil {
			t.Fatal(err)
		}
		if got := s.byName["n.output.weights"].Value; !slices.Equal(got, counted(-3, 4)) {
			t.Errorf("%s: the output's weights are %v", called, got)
		}
	}
}

// What a file leaves open is an error that says what to write, and a file that is not whole is one.
func TestForeignCheckpointErrors(t *testing.T) {
	good := perceptron(ours, "weight", "bias", "F32")
	path := foreign(t, "pt", good...)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file := func(data []byte) string {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	strange, wrong, whole := slices.Clone(good), slices.Clone(good), slices.Clone(good)
	strange[1].name, wrong[1].shape, whole[2].kind = "fc1.weight", []int{3, 2}, "I32"
	for name, test := range map[string]struct {
		path   string
		change func(s *Spec)
		want   string
	}{
		"which way":     {foreign(t, "", good...), same, `write "layout": "inputs-first"`},
		"cut":           {file(data[:len(data)-4]), same, "truncated or damaged"},
		"longer":        {file(append(slices.Clone(data), 0)), same, "truncated or damaged"},
		"unknown names": {foreign(t, "pt", strange...), same, `"layers": {"hidden1": "NAME"}`},
		"other shape":   {foreign(t, "pt", wrong...), same, "of shape [3 2], the network's is F32 of shape [2 3]"},
		"whole numbers": {foreign(t, "pt", whole...), same, "type I32; BF16, F16, F32, F64 are read"},
		"no scale":      {path, func(s *Spec) { s.Normalize = "" }, `"none", "rows" or "l2"`},
		"no such layer": {path, func(s *Spec) { s.Layers = map[string]string{"hiden1": "fc1"} }, "did you mean hidden1?"},
		"no such way":   {path, func(s *Spec) { s.Layout = "rows" }, `unknown layout "rows"`},
		"no file":       {"", func(s *Spec) { s.Layout = InputsFirst }, "checkpoint names none"},
	} {
		_, err := reader(t, test.path, test.change)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		}
	}
}

// Filters that could be either way round are refused where nothing says it: the layer behind them would be, too.
func TestForeignConvolutions(t *testing.T) {
	spec := Spec{Name: "n", Kind: "cnn", Features: "words", Image: []int{4, 4}, Outputs: 2, Normalize: NoNormalization,
		Convolutions: []Convolution{{Filters: 1, Kernel: 1}}}
	spec.Checkpoint = foreign(t, "", tensor{"convolution1.bias", "F32", []int{1}, counted(0, 1)},
		tensor{"convolution1.weight", "F32", []int{1, 1, 1, 1}, counted(1, 1)},
		tensor{"output.bias", "F32", []int{2}, counted(0, 2)}, tensor{"output.weight", "F32", []int{2, 16}, counted(0, 32)})
	_, err := New([]Spec{spec}, map[string]*features.Table{"words": mustDense(t, 16, counted(0, 32)...)}, 1)
	if err == nil || !strings.Contains(err.Error(), "[height, width, channels, filters]") {
		t.Errorf("error %v", err)
	}
	spec.Layout = OutputsFirst
	words := mustDense(t, 16, counted(0, 32)...)
	if _, err = New([]Spec{spec}, map[string]*features.Table{"words": words}, 1); err != nil {
		t.Error(err)
	}
}
