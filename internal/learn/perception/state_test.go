package perception

import (
	"math"
	"slices"
	"testing"
)

func symptoms(found []Finding) (symptoms []Symptom) {
	for _, f := range found {
		symptoms = append(symptoms, f.Symptom)
	}
	return symptoms
}

func TestFindings(t *testing.T) {
	well := State{Network: "n", Outputs: 50, Certainty: 0.4, Spread: 0.3, Majority: 0.5,
		Layers: []LayerState{{"hidden1", 16, 0.1, 0.5}}}
	for name, test := range map[string]struct {
		change func(s *State)
		want   []Symptom
	}{
		"well":         {func(*State) {}, nil},
		"uniform":      {func(s *State) { s.Certainty, s.Majority = 1e-4, 1 }, []Symptom{UniformOutputs}},
		"constant":     {func(s *State) { s.Spread, s.Majority = 1e-5, 1 }, []Symptom{ConstantOutputs}},
		"one class":    {func(s *State) { s.Majority = 0.995 }, []Symptom{OneClass}},
		"few outputs":  {func(s *State) { s.Outputs, s.Majority = 3, 1 }, nil},
		"dead":         {func(s *State) { s.Layers[0].Dead = 0.6 }, []Symptom{DeadNodes}},
		"saturated":    {func(s *State) { s.Layers[0].Saturated = 0.99 }, []Symptom{SaturatedNodes}},
		"several":      {func(s *State) { s.Majority, s.Layers[0].Dead = 1, 1 }, []Symptom{OneClass, DeadNodes}},
		"hardly alive": {func(s *State) { s.Layers[0].Dead, s.Layers[0].Saturated = 0.4, 0.9 }, nil},
	} {
		state := well
		state.Layers = slices.Clone(well.Layers)
		test.change(&state)
		if got := symptoms(state.Findings()); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestGradientFindings(t *testing.T) {
	parameter := func(name string, weight, gradient float32) *Parameter {
		return &Parameter{Name: name, Shape: []int{1, 1}, Value: []float32{weight}, Gradient: []float32{gradient}}
	}
	for name, test := range map[string]struct {
		first, last float32 // gradients of the layers
		want        []Finding
	}{
		"well":      {0.01, 1, nil},
		"vanishing": {1e-8, 1, []Finding{{VanishingGradient, "a.net", "hidden1", float64(float32(1e-8))}}},
		"none":      {0, 0, []Finding{{VanishingGradient, "a.net", "", 0}}},
		"exploding": {1, 1e6, []Finding{{ExplodingGradient, "a.net", "output", 1e6}}},
		"no number": {1, float32(math.Inf(1)), []Finding{{ExplodingGradient, "a.net", "", math.Inf(1)}}},
	} {
		bias := parameter("a.net.output.biases", 1, 0)
		bias.Bias = true
		layers := LayerGradients([]*Parameter{parameter("a.net.hidden1.weights", 2, test.first),
			parameter("a.net.output.weights", -3, test.last), bias})
		if len(layers) != 2 || layers[0].Network != "a.net" || layers[0].Weights != 2 || layers[1].Weights != 3 {
			t.Fatalf("layers are %+v", layers)
		}
		if got := GradientFindings(layers); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	nan := GradientFindings([]LayerGradient{{"n", "a", 1, math.NaN()}, {"n", "b", 1, 1}})
	if len(nan) != 1 || nan[0].Symptom != ExplodingGradient {
		t.Errorf("a gradient that is no number: %v", nan)
	}
}
