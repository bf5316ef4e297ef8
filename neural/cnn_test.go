package neural

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// images returns a dense table of images of a given size, from -1 to 1.
func images(tb testing.TB, rows, size int, seed uint64) *features.Table {
	tb.Helper()
	values := make([]float32, rows*size)
	newStream(seed, "images").initialize(values, []int{1, 1}, func(_, _ int) float64 { return 1 })
	f, err := features.NewDense(names(rows), size, values)
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

// cnnSpec returns a network over 7×6 images with two channels.
func cnnSpec(name string, activation Activation) Spec {
	return Spec{Name: name, Kind: "cnn", Features: "words", Image: []int{7, 6, 2}, Activation: activation, Outputs: 3,
		Convolutions: []Convolution{{Filters: 3, Kernel: 3, Padding: 1, Pool: 2}, {Filters: 4, Kernel: 3, Padding: 1}},
		Hidden:       []int{5}, Normalize: NoNormalization}
}

// Gradients by finite differences: each activation, with padding, pools that leave pixels out, dropout, several dense
// layers, none, and no convolution.
func TestCNNByDifferences(t *testing.T) {
	for name, change := range map[string]func(s *Spec){
		"relu":           func(s *Spec) { s.Activation = ReLU },
		"elu":            func(s *Spec) { s.Activation = ELU },
		"tanh":           func(s *Spec) { s.Activation = Tanh },
		"sigmoid":        func(s *Spec) { s.Activation, s.Output = Sigmoid, SigmoidOutput },
		"shift":          func(s *Spec) { s.Shift = 2 },
		"dropout":        func(s *Spec) { s.Dropout, s.InputDropout, s.Hidden = 0.3, 0.2, []int{5, 4} },
		"no hidden":      func(s *Spec) { s.Hidden = nil },
		"even kernel":    func(s *Spec) { s.Convolutions[1] = Convolution{Filters: 4, Kernel: 2} },
		"no convolution": func(s *Spec) { s.Convolutions = []Convolution{} },
		"large pool":     func(s *Spec) { s.Convolutions = []Convolution{{Filters: 2, Kernel: 3, Padding: 2, Pool: 4}} },
	} {
		t.Run(name, func(t *testing.T) {
			spec := cnnSpec("n", Tanh)
			change(&spec)
			s := mustNew(t, []Spec{spec}, images(t, 6, 84, 1), 2)
			checkDifferences(t, allClasses(t, s, 6), 5, 2e-3, 4e-3)
		})
	}
}

func TestCNNSameBitsForAnyThreads(t *testing.T) {
	table := images(t, 300, 784, 2)
	for _, preset := range Presets() {
		rows := 70
		if preset == "lenet5" {
			rows = 300 // more than two pieces
		}
		var wantX []float64
		var wantGradients []float32
		for _, threads := range []int{1, 2, 4} {
			previous := runtime.GOMAXPROCS(threads)
			spec := Spec{Name: "digit", Preset: preset, Features: "words", Outputs: 10, Dropout: 0.1}
			x, gradients := both(t, allClasses(t, mustNew(t, []Spec{spec}, table, 1), rows), true, 9)
			runtime.GOMAXPROCS(previous)
			if wantX == nil {
				wantX, wantGradients = x, gradients
			}
			if !slices.Equal(x, wantX) || !slices.Equal(gradients, wantGradients) {
				t.Errorf("%s, %d threads: other bits than one thread", preset, threads)
			}
		}
	}
}

// Backward is of the last Forward, whatever an optimiser has written since.
func TestCNNBackwardIsOfTheLastForward(t *testing.T) {
	s := mustNew(t, []Spec{cnnSpec("n", ELU)}, images(t, 9, 84, 2), 1)
	checkBackwardIsOfTheLastForward(t, allClasses(t, s, 9))
}

func TestCNNFrozen(t *testing.T) {
	spec := cnnSpec("n", ELU)
	spec.Frozen = true
	s := mustNew(t, []Spec{spec}, images(t, 9, 84, 2), 1)
	p := allClasses(t, s, 9)
	before := snapshot(s)
	if _, gradients := both(t, p, true, 1); len(gradients) != 0 {
		t.Errorf("a frozen network has %d gradients", len(gradients))
	}
	for _, p := range s.parameters {
		if !isZero(p.Gradient) {
			t.Errorf("%s is frozen and has a gradient", p.Name)
		}
	}
	if !slices.Equal(before, snapshot(s)) {
		t.Error("a frozen network changed")
	}
}

// The presets are the networks of the literature, by their layers and numbers of parameters.
func TestPresets(t *testing.T) {
	for preset, want := range map[string]struct{ parameters, flops int }{
		"paper-cnn": {3*3*32 + 32 + 3*3*32*64 + 64 + 12*12*64*128 + 128 + 128*10 + 10, 24_000_000},
		"lenet5":    {5*5*6 + 6 + 5*5*6*16 + 16 + 256*120 + 120 + 120*84 + 84 + 84*10 + 10, 560_000},
	} {
		spec := Spec{Name: "digit", Preset: preset, Features: "words", Outputs: 10}
		s := mustNew(t, []Spec{spec}, images(t, 2, 784, 1), 1)
		got := 0
		for _, p := range s.Parameters() {
			got += len(p.Value)
		}
		if got != want.parameters {
			t.Errorf("%s has %d parameters, want %d", preset, got, want.parameters)
		}
		if got, _ := s.networks[0].cnn.flops(); math.Abs(float64(got)/float64(want.flops)-1) > 0.05 {
			t.Errorf("%s needs %d operations for an image, want about %d", preset, got, want.flops)
		}
	}
	changed := Spec{Name: "digit", Preset: "lenet5", Hidden: []int{30}, Activation: Tanh}.withDefaults()
	if changed.Kind != "cnn" || !slices.Equal(changed.Hidden, []int{30}) || changed.Activation != Tanh ||
		len(changed.Convolutions) != 2 {
		t.Errorf("what the specification says does not stand before the preset: %+v", changed)
	}
}

// A cnn of which nothing is said has convolutions, whatever the size of its images, unless it is said to have none.
func TestConvolutionsByDefault(t *testing.T) {
	for _, c := range []struct {
		width, parameters int
		convolutions      []Convolution
	}{
		{784, 5*5*6 + 6 + 5*5*6*16 + 16 + 256*120 + 120 + 120*84 + 84 + 84*10 + 10, nil},
		{64, 3*3*8 + 8 + 3*3*8*16 + 16 + 64*120 + 120 + 120*84 + 84 + 84*10 + 10, nil},
		{9, 3*3*8 + 8 + 72*120 + 120 + 120*84 + 84 + 84*10 + 10, nil},
		{1, 8 + 8 + 8*120 + 120 + 120*84 + 84 + 84*10 + 10, nil},
		{64, 64*10 + 10, []Convolution{}},
	} {
		spec := Spec{Name: "digit", Kind: "cnn", Features: "words", Outputs: 10, Convolutions: c.convolutions}
		s := mustNew(t, []Spec{spec}, images(t, 2, c.width, 1), 1)
		got := 0
		for _, p := range s.Parameters() {
			got += len(p.Value)
		}
		if got != c.parameters {
			t.Errorf("%d pixels, convolutions %v: %d parameters, want %d", c.width, c.convolutions, got, c.parameters)
		}
	}
}

// Images are square unless the specification says what they are.
func TestSquareImages(t *testing.T) {
	spec := Spec{Name: "n", Kind: "cnn", Features: "words", Outputs: 2}
	s := mustNew(t, []Spec{spec}, images(t, 3, 49, 1), 1)
	if got := s.networks[0].cnn.image; got != (shape{7, 7, 1}) {
		t.Errorf("49 features are images of %v", got)
	}
}

func TestShiftMovesImages(t *testing.T) {
	s := shape{2, 3, 1}
	image, out := []float32{1, 2, 3, 4, 5, 6}, make([]float32, 6)
	for _, c := range []struct {
		down, right int
		want        []float32
	}{
		{0, 0, image}, {1, 0, []float32{0, 0, 0, 1, 2, 3}}, {-1, 0, []float32{4, 5, 6, 0, 0, 0}},
		{0, 2, []float32{0, 0, 1, 0, 0, 4}}, {0, -1, []float32{2, 3, 0, 5, 6, 0}}, {-1, 1, []float32{0, 4, 5, 0, 0, 0}},
	} {
		if s.shift(image, out, c.down, c.right); !slices.Equal(out, c.want) {
			t.Errorf("by %d, %d: %v, want %v", c.down, c.right, out, c.want)
		}
	}
	two := shape{1, 2, 2}
	if two.shift([]float32{1, 2, 3, 4}, out[:4], 0, 1); !slices.Equal(out[:4], []float32{0, 0, 1, 2}) {
		t.Errorf("with channels: %v", out[:4])
	}
}

// Gradients by outputs that are as good as 0 are 0, and others as they were.
func TestGradientsOfSureOutputs(t *testing.T) {
	y, gradient := []float32{1, 1e-30, 0, 0.75, 0.25, 0}, []float32{-1, 1, 1, 1, -3, 2}
	SoftmaxOutput.descend(gradient, y, 3)
	if want := []float32{0, 0, 0, 0.75, -0.75, 0}; !slices.Equal(gradient, want) {
		t.Errorf("%v, want %v", gradient, want)
	}
	gradient = []float32{1, 1}
	SigmoidOutput.descend(gradient, []float32{1e-30, 0.5}, 1)
	if gradient[0] != 0 || gradient[1] != 0.25 {
		t.Errorf("sigmoid: %v", gradient)
	}
}
