package neural

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/neural/features"
)

func TestParseSpecs(t *testing.T) {
	decay := 0.01
	got, err := ParseSpecs([]byte(`{
		"similar": {"kind": "siamese", "encoder": "neural", "distance": 16},
		"neural": {"features": "words", "hidden": [16], "dropout": 0.2, "outputs": 7, "normalize": "rows",
			"inputDropout": 0.1, "activation": "elu", "decay": 0.01, "frozen": true}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Spec{
		{Name: "neural", Features: "words", Hidden: []int{16}, Dropout: 0.2, Outputs: 7, Normalize: RowsToUnitSum,
			InputDropout: 0.1, Activation: ELU, Decay: &decay, Frozen: true},
		{Name: "similar", Kind: "siamese", Encoder: "neural", Distance: 16},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseSpecErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`[]`, "JSON object from names"},
		{`{"n": 3}`, `network "n": a network is written as a JSON object`},
		{`{"n": {"hiden": [3]}}`, `network "n": unknown key "hiden"; allowed are kind, features, more, format, columns, `},
		{`{"n": {"hiden": [3]}}`, "did you mean hidden?"},
		{`{"n": {"Hidden": [3]}}`, `unknown key "Hidden"`},
		{`{"n": {"hidden": 3}}`, "hidden must be a list of whole numbers, not a JSON number"},
		{`{"n": {"decay": "small"}}`, "decay must be a number, not a JSON string"},
		{`{"n": {"hidden": [1.5]}}`, "hidden must be a whole number, not a JSON number 1.5"},
		{`{"n": {"convolutions": 3}}`, "convolutions must be a list, not a JSON number"},
		{`{"n": {"convolutions": [3]}}`, "convolutions: a convolution is written as a JSON object"},
		{`{"n": {"convolutions": [{"filters": "6"}]}}`, "filters must be a whole number, not a JSON string"},
		{`{"n": {"convolutions": [{"filter": 6}]}}`, `unknown key "filter"; allowed are filters, kernel, padding, pool`},
	} {
		if _, err := ParseSpecs([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.text, err, test.want)
		}
	}
}

// cnnOver23 returns a network over 2×3 images.
func cnnOver23(convolutions ...Convolution) Spec {
	return Spec{Name: "n", Kind: "cnn", Features: "words", Image: []int{2, 3}, Outputs: 2, Convolutions: convolutions}
}

func TestSpecErrors(t *testing.T) {
	negative := -1.0
	encoder := Spec{Name: "neural", Features: "words", Hidden: []int{4}, Outputs: 3}
	for _, test := range []struct {
		spec Spec
		want string
	}{
		{Spec{Name: "neural"}, "a name of its own"},
		{Spec{}, "a name of its own"},
		{Spec{Name: "n", Kind: "mpl"}, `unknown kind "mpl"; allowed are cnn, mlp, onnx, siamese; did you mean mlp?`},
		{Spec{Name: "n", Features: "word", Outputs: 1}, `unknown features "word"; allowed are words; did you mean words?`},
		{Spec{Name: "n", Features: "words"}, "outputs is missing"},
		{Spec{Name: "n", Activation: "gelu"}, `unknown activation "gelu"`},
		{Spec{Name: "n", Output: "sofmax"}, "did you mean softmax?"},
		{Spec{Name: "n", Normalize: "L2"}, "did you mean l2?"},
		{Spec{Name: "n", Format: "txt"}, `unknown format "txt"; allowed are sparse, dense, csv`},
		{Spec{Name: "n", Width: -1}, "width -1"},
		{Spec{Name: "n", Decay: &negative}, "decay -1: a number from 0 is wanted"},
		{Spec{Name: "n", Dropout: 1}, "dropout 1, inputDropout 0: probabilities in [0,1)"},
		{Spec{Name: "n", InputDropout: -0.1}, "inputDropout -0.1"},
		{Spec{Name: "n", Hidden: []int{3, 0}}, "hidden [3 0]: every layer needs a node"},
		{Spec{Name: "n", Outputs: -1}, "outputs -1"},
		{Spec{Name: "n", Encoder: "neural"}, `not for kind "mlp"`},
		{Spec{Name: "n", Kind: "cnn", Propagate: "Cites"}, `propagate is for networks of kind "mlp", not "cnn"`},
		{Spec{Name: "n", Kind: "siamese", Propagate: "Cites"}, `propagate is for networks of kind "mlp", not "siamese"`},
		{Spec{Name: "n", Kind: "mlp", Steps: 3}, "propagate names no predicate"},
		{Spec{Name: "n", Propagate: "Cites", Steps: -1}, "steps -1: 1 to 1000 are wanted"},
		{Spec{Name: "n", Propagate: "Cites", Restart: 1.5}, "restart 1.5: a number above 0"},
		{Spec{Name: "n", Kind: "siamese", Output: SoftmaxOutput}, "has one output, a sigmoid"},
		{Spec{Name: "n", Kind: "siamese", Outputs: 2}, "outputs 2"},
		{Spec{Name: "n", Kind: "siamese", Shared: 1}, "no encoder to share layers with"},
		{Spec{Name: "n", Kind: "siamese", Features: "words", Hidden: []int{}}, "hidden is missing"},
		{Spec{Name: "n", Kind: "siamese", Encoder: "neuron"}, `encoder "neuron"`},
		{Spec{Name: "n", Kind: "siamese", Encoder: "neural", Features: "names"}, "those of the encoder"},
		{Spec{Name: "n", Kind: "siamese", Encoder: "neural", Shared: 2}, "has 1 hidden layers"},
		{Spec{Name: "n", Preset: "lenet"}, `unknown preset "lenet"; allowed are lenet5, paper-cnn; did you mean lenet5?`},
		{Spec{Name: "n", Kind: "mlp", Image: []int{2, 3}}, `for networks of kind "cnn", not "mlp"`},
		{Spec{Name: "n", Kind: "siamese", Preset: "lenet5"}, `for networks of kind "cnn", not "siamese"`},
		{Spec{Name: "n", Kind: "cnn", Features: "words", Image: []int{2}}, "image [2]: height, width and"},
		{Spec{Name: "n", Kind: "cnn", Features: "words", Image: []int{2, 0}}, "image [2 0]: height, width and"},
		{Spec{Name: "n", Kind: "cnn", Features: "words", Outputs: 2}, "product is the 6 features"},
		{Spec{Name: "n", Kind: "cnn", Features: "words", Image: []int{2, 3}}, "outputs is missing"},
		{cnnOver23(Convolution{Filters: 0, Kernel: 1}), "convolutions: number 1: filters 0, kernel 1: both must be positive"},
		{cnnOver23(Convolution{Filters: 1, Kernel: 2, Padding: 2}), "number 1: padding 2: 0 to 1, less than the kernel"},
		{cnnOver23(Convolution{Filters: 1, Kernel: 1, Pool: 17}), "number 1: pool 17: 1 to 16"},
		{cnnOver23(Convolution{Filters: 1, Kernel: 1, Pool: 3}), "number 1 has no pixel left: kernel 1 and pool 3"},
		{cnnOver23(Convolution{Filters: 1, Kernel: 2}, Convolution{Filters: 1, Kernel: 2}), "number 2 has no pixel left"},
		{cnnOver23(Convolution{Filters: 1 << 40, Kernel: 1}), "number 1 makes too large an image"},
		{cnnOver23(Convolution{Filters: 1 << 16, Kernel: 1}, Convolution{Filters: 1 << 16, Kernel: 1}),
			"n.convolution2.weights of shape [1 1 65536 65536] is too large"},
		{Spec{Name: "n", Features: "words", Outputs: 2, Hidden: []int{1 << 40}}, "is too large"},
		{Spec{Name: "n", Features: "words", Outputs: 2, Checkpoint: "none"}, "open none: no such file"},
		{Spec{Name: "n", Kind: "siamese", Encoder: "neural", Distance: 16}, "give the twins a hidden layer of 16"},
	} {
		table := sparseTable(t, 9, 6, 27, 5)
		_, err := New([]Spec{encoder, test.spec}, map[string]*features.Table{"words": table}, 1)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want one with %q", test.spec, err, test.want)
		}
	}
}

// No text makes a network that cannot say what is wrong with it.
func FuzzParseSpecs(f *testing.F) {
	f.Add(`{"n": {"features": "words", "hidden": [3], "outputs": 2}}`)
	f.Add(`{"n": {"preset": "lenet5", "features": "words", "convolutions": [{"filters": 2, "kernel": 2}]}}`)
	f.Add(`{"n": {"kind": "cnn", "features": "words", "outputs": 2, "convolutions": [{"filters": 1, "kernel": 9}]}}`)
	table := map[string]*features.Table{"words": sparseTable(f, 9, 6, 27, 5)}
	f.Fuzz(func(t *testing.T, text string) {
		specs, err := ParseSpecs([]byte(text))
		if err != nil {
			return
		}
		for i := range specs {
			specs[i].Checkpoint = ""
		}
		if _, err := New(specs, table, 1); err != nil && err.Error() == "" {
			t.Error("an error that says nothing")
		}
	})
}
