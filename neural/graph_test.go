package neural

import (
	"bytes"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// exported returns the path of a network that PyTorch has written.
func exported(name string) string { return filepath.Join("..", "internal", "onnx", "testdata", name) }

func mlpSpec() Spec { return Spec{Name: "n", Features: "words", File: exported("mlp.onnx")} }

// A network of a file has the gradients of differences, as it is written and with some of its tensors fixed.
func TestGraphByDifferences(t *testing.T) {
	for name, change := range map[string]func(s *Spec){
		"softmax": func(*Spec) {},
		"sigmoid": func(s *Spec) { s.Output = SigmoidOutput },
		"fixed":   func(s *Spec) { s.Fixed = []string{"0", "3.bias"} },
	} {
		t.Run(name, func(t *testing.T) {
			spec := mlpSpec()
			change(&spec)
			s := mustNew(t, []Spec{spec}, images(t, 7, 6, 1), 2)
			if name == "fixed" && !slices.Equal(parameterNames(s), []string{"n.3.weight", "n.5.weight", "n.5.bias"}) {
				t.Errorf("%v learn", parameterNames(s))
			}
			checkDifferences(t, allClasses(t, s, 7), 5, 2e-3, 4e-3)
		})
	}
}

// Outputs and gradients have the same bits for any number of threads, in more pieces than one.
func TestGraphSameBitsForAnyThreads(t *testing.T) {
	table := images(t, 300, 784, 2)
	var wantX []float64
	var want []float32
	for _, threads := range []int{1, 2, 3} {
		previous := runtime.GOMAXPROCS(threads)
		spec := Spec{Name: "digit", File: exported("lenet.onnx"), Features: "words"}
		x, gradients := both(t, allClasses(t, mustNew(t, []Spec{spec}, table, 1), 300), true, 9)
		runtime.GOMAXPROCS(previous)
		if wantX == nil {
			wantX, want = x, gradients
		}
		if !slices.Equal(x, wantX) || !slices.Equal(gradients, want) {
			t.Errorf("%d threads: other bits than one thread", threads)
		}
	}
}

// Backward is of the last Forward, whatever an optimiser has written since.
func TestGraphBackwardIsOfTheLastForward(t *testing.T) {
	checkBackwardIsOfTheLastForward(t, allClasses(t, mustNew(t, []Spec{mlpSpec()}, images(t, 9, 6, 2), 1), 9))
}

// A frozen network says what the same one says that learns, computes a row once, and has no gradient.
func TestGraphFrozen(t *testing.T) {
	table := images(t, 30, 6, 2)
	learns, frozen := mlpSpec(), mlpSpec()
	frozen.Frozen = true
	want, _ := both(t, allClasses(t, mustNew(t, []Spec{learns}, table, 1), 20), false, 1)
	graph, err := ReadGraph(&frozen, 6)
	if err != nil {
		t.Fatal(err)
	}
	frozen.Graph = graph
	for range 2 { // two systems share what is known
		s := mustNew(t, []Spec{frozen}, table, 1)
		x, gradients := both(t, allClasses(t, s, 20), true, 1)
		if len(gradients) != 0 || len(s.Parameters()) != 0 {
			t.Errorf("a frozen network has %d gradients", len(gradients))
		}
		if !slices.Equal(x, want) {
			t.Errorf("frozen, it says %v, and %v when it learns", x, want)
		}
		have := graph.known[table].have
		if slices.Contains(have[:20], false) || slices.Contains(have[20:], true) {
			t.Errorf("%v is known of the first 20 rows", have)
		}
	}
	s := mustNew(t, []Spec{frozen}, table, 1)
	graph.known[table].out[0] += 1 // so it shows whether a row is computed again
	x := make([]float64, 60)
	if err := allClasses(t, s, 20).Forward(x, false, 0); err != nil || x[0] == want[0] {
		t.Errorf("a row that is known was computed again; %v", err)
	}
}

// What has been learned is written as ONNX and as a checkpoint, and read from both.
func TestGraphIsSaved(t *testing.T) {
	table := images(t, 9, 6, 2)
	s := mustNew(t, []Spec{mlpSpec()}, table, 1)
	for _, p := range s.Parameters() {
		for k := range p.Value {
			p.Value[k] *= 1.25
		}
	}
	want, _ := both(t, allClasses(t, s, 9), false, 1)
	for _, name := range []string{"tuned.onnx", "tuned.safetensors"} {
		path := filepath.Join(t.TempDir(), name)
		if err := s.SaveFile(path); err != nil {
			t.Fatal(err)
		}
		spec := mlpSpec()
		if spec.File = path; strings.HasSuffix(name, ".safetensors") {
			spec.File, spec.Checkpoint = mlpSpec().File, path
		}
		got, _ := both(t, allClasses(t, mustNew(t, []Spec{spec}, table, 3), 9), false, 1)
		if !slices.Equal(got, want) {
			t.Errorf("%s: it says %v, and said %v when it was saved", name, got, want)
		}
	}
}

// Networks and files that do not go together are errors at the key.
func TestGraphErrors(t *testing.T) {
	table := images(t, 3, 6, 1)
	for want, change := range map[string]func(s *Spec){
		"kind: has the layers of its file":                         func(s *Spec) { s.Hidden = []int{4} },
		"kind: file, head and fixed are for":                       func(s *Spec) { s.Kind = "mlp" },
		"file: file is missing":                                    func(s *Spec) { s.Kind, s.File = "onnx", "" },
		"file: open":                                               func(s *Spec) { s.File = "nowhere.onnx" },
		"has 3 outputs, and 4 are wanted":                          func(s *Spec) { s.Outputs = 4 },
		"rows of shape [1 28 28], and the features have 6 numbers": func(s *Spec) { s.File = exported("lenet.onnx") },
		"ends with a Softmax; leave output out": func(s *Spec) {
			s.File, s.Output = exported("transformer.onnx"), SigmoidOutput
		},
		"no tensor is called 7": func(s *Spec) { s.Fixed = []string{"7"} },
		"it has no output":      func(s *Spec) { s.Head = "logits" },
		`output "none" is for`:  func(s *Spec) { *s = Spec{Name: "n", Features: "words", Outputs: 2, Output: NoOutput} },
	} {
		spec := mlpSpec()
		change(&spec)
		_, err := New([]Spec{spec}, map[string]*features.Table{"words": table}, 1)
		key, text, keyed := strings.Cut(want, ": ")
		if !keyed {
			text = want
		}
		var known *SpecError
		if err == nil || !strings.Contains(err.Error(), text) ||
			!errors.As(err, &known) || keyed && known.Key != key {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
	s := mustNew(t, []Spec{{Name: "n", Features: "words", Outputs: 2}}, table, 1)
	if err := s.SaveONNX(new(bytes.Buffer)); err == nil {
		t.Error("an mlp is saved as ONNX")
	}
}

// Outputs that are no truth values are an error where truth values are promised.
func TestGraphChecksTruth(t *testing.T) {
	spec := mlpSpec()
	spec.Output = NoOutput
	p := allClasses(t, mustNew(t, []Spec{spec}, images(t, 9, 6, 2), 1), 9)
	err := p.Forward(make([]float64, 27), false, 0)
	if err == nil || !strings.Contains(err.Error(), "truth values from 0 to 1") {
		t.Errorf("the error is %v", err)
	}
}
