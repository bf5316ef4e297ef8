package neural

import (
	"math"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
)

// observedAfter changes the parameters of a network of kind mlp over 40 rows and returns its state, and its findings.
func observedAfter(t *testing.T, spec Spec, change func(s *System)) (perception.State, []perception.Symptom) {
	t.Helper()
	spec.Name, spec.Features = "n", "words"
	s := mustNew(t, []Spec{spec}, mustDense(t, 4, gauss("state", 160, 0, 1)...), 3)
	p := allClasses(t, s, 40)
	change(s)
	if err := p.Forward(make([]float64, p.inputs), false, 0); err != nil {
		t.Fatal(err)
	}
	state := p.States()[0]
	var symptoms []perception.Symptom
	for _, f := range state.Findings() {
		symptoms = append(symptoms, f.Symptom)
	}
	return state, symptoms
}

// fillOf sets all values of a parameter.
func fillOf(name string, value float32) func(s *System) {
	return func(s *System) {
		for i := range s.byName["n."+name].Value {
			s.byName["n."+name].Value[i] = value
		}
	}
}

// Each way in which a network fails to be one is found, and a network that has just been drawn has none of them.
func TestStates(t *testing.T) {
	relu, tanh := Spec{Hidden: []int{8, 6}, Outputs: 3}, Spec{Hidden: []int{8}, Outputs: 3, Activation: Tanh}
	for name, test := range map[string]struct {
		spec   Spec
		change func(s *System)
		want   []perception.Symptom
	}{
		"fresh": {relu, func(*System) {}, nil},
		"uniform": {relu, func(s *System) {
			fillOf("output.weights", 0)(s)
			fillOf("output.biases", 0)(s)
		}, []perception.Symptom{perception.UniformOutputs}},
		"dead": {relu, fillOf("hidden2.biases", -1e3),
			[]perception.Symptom{perception.ConstantOutputs, perception.DeadNodes}},
		"one class": {relu, func(s *System) { s.byName["n.output.biases"].Value[1] = 8 },
			[]perception.Symptom{perception.OneClass}},
		"saturated": {tanh, func(s *System) {
			w := s.byName["n.hidden1.weights"].Value
			for i := range w {
				w[i] *= 1e4
			}
		}, []perception.Symptom{perception.DeadNodes}},
	} {
		if state, got := observedAfter(t, test.spec, test.change); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v, of %+v", name, got, test.want, state)
		}
	}
}

// The measures are what they are said to be.
func TestStateMeasures(t *testing.T) {
	var s perception.State
	describe(&s, []float32{1, 0, 0, 1}, 2, SoftmaxOutput)
	if s.Certainty != 1 || s.Spread != 0.5 || s.Majority != 0.5 || s.Outputs != 2 {
		t.Errorf("two sure rows of two classes: %+v", s)
	}
	s = perception.State{}
	describe(&s, []float32{0.5, 0.5, 0.5, 0.9}, 1, SigmoidOutput)
	h := 1 - (3+(-0.9*math.Log(0.9)-0.1*math.Log(0.1))/math.Ln2)/4
	if math.Abs(s.Certainty-h) > 1e-6 || math.Abs(s.Spread-0.15) > 1e-6 || s.Majority != 1 {
		t.Errorf("four pairs: %+v, want a certainty of %v", s, h)
	}
	layer := ReLU.state("hidden1", []float32{0, 1, 0, 0, 0, 2}, 3)
	if layer.Dead != 1./3 || layer.Saturated != 4./6 {
		t.Errorf("a layer of three nodes and two rows: %+v", layer)
	}
}

// What is computed once more for the state of hidden layers is what was computed.
func TestStatesSeeTheHiddenLayers(t *testing.T) {
	state, _ := observedAfter(t, Spec{Hidden: []int{8, 6}, Outputs: 3}, func(*System) {})
	if len(state.Layers) != 2 || state.Layers[1].Layer != "hidden2" || state.Layers[1].Nodes != 6 {
		t.Fatalf("layers are %+v", state.Layers)
	}
	mapped := func(x []float32, rows int, weights, biases []float32) []float32 {
		y := make([]float32, rows*len(biases))
		affine{2, len(x) / rows, len(biases)}.forward(x, rows, weights, biases, y, "")
		return y
	}
	x := mapped([]float32{1, 2, 3, 4}, 2, []float32{1, 0, -1, 2, 1, 0}, []float32{10, 20, 30})
	if want := []float32{15, 22, 29, 21, 24, 27}; !slices.Equal(x, want) {
		t.Errorf("x·W + b is %v, want %v", x, want)
	}
	s := newSmall(t, Tanh, 1)
	p := bindT2(t, s, 9, 3, 20)
	if err := p.Forward(make([]float64, p.inputs), false, 0); err != nil {
		t.Fatal(err)
	}
	for _, state := range p.States() {
		n := s.network(state.Network)
		if len(state.Layers) != len(n.spec.Hidden) || state.Outputs == 0 {
			t.Errorf("%s: %+v", state.Network, state)
		}
	}
	// The twins' last layer is what they give out, so that both can be compared.
	twins := p.passes[slices.IndexFunc(p.passes, func(p *pass) bool { return p.network.spec.Name == "similar" })]
	hidden := slices.Clone(twins.group.z)
	Tanh.apply(hidden)
	again := mapped(hidden, len(twins.group.rows), s.byName["similar.hidden2.weights"].Value,
		s.byName["similar.hidden2.biases"].Value)
	Tanh.apply(again)
	for i, v := range twins.out {
		if math.Abs(float64(v-again[i])) > 1e-6 {
			t.Fatalf("output %d is %v, and %v once more", i, v, again[i])
		}
	}
}

// Filters and dense layers of images are looked at too.
func TestCNNStates(t *testing.T) {
	s := mustNew(t, []Spec{cnnSpec("n", ReLU)}, images(t, 30, 84, 2), 1)
	p := allClasses(t, s, 30)
	s.byName["n.convolution2.biases"].Value[1] = -1e3
	if err := p.Forward(make([]float64, p.inputs), false, 0); err != nil {
		t.Fatal(err)
	}
	layers := p.States()[0].Layers
	if len(layers) != 3 || layers[1].Layer != "convolution2" || layers[1].Nodes != 4 || layers[1].Dead != 0.25 {
		t.Errorf("layers are %+v; one of four filters is dead", layers)
	}
}
