package perception

import (
	"math"
	"strings"
)

// State describes the outputs and hidden layers of a network as the last Forward left them. It tells a network
// that learns from one that only seems to.
type State struct {
	Network string `json:"network"`
	Outputs int    `json:"outputs"` // how many distributions over classes, or pairs, were computed
	// Certainty is 1 less the mean entropy of the outputs, in units of the uniform distribution's: 0 says that they are
	// uniform, 1 that they are 0 and 1.
	Certainty float64 `json:"certainty"`
	// Spread is the mean distance (total variation) of an output from the mean of all: 0 says that all are the same.
	Spread float64 `json:"spread"`
	// Majority is the largest share of outputs that have the same most probable class.
	Majority float64 `json:"majority"`
	// Layers are the hidden ones of which something is known, from the first.
	Layers []LayerState `json:"layers"`
}

// LayerState describes the nodes of a hidden layer over a sample of rows. A node is flat on a row if its activation has
// less than a hundredth of its largest slope there, so that no gradient gets through.
type LayerState struct {
	Layer string `json:"layer"`
	Nodes int    `json:"nodes"`
	// Dead is the share of nodes that are flat on all rows.
	Dead float64 `json:"dead"`
	// Saturated is the share of nodes and rows that are flat. Of relu that is half as a rule, and no fault.
	Saturated float64 `json:"saturated"`
}

// Observable is a Perception whose networks can be looked at.
type Observable interface {
	// States describes each network after a Forward, best one without dropout.
	States() []State
}

// LayerGradient compares a layer's weights with their gradient, by Euclidean norms.
type LayerGradient struct {
	Network  string  `json:"network"`
	Layer    string  `json:"layer"`
	Weights  float64 `json:"weights"`
	Gradient float64 `json:"gradient"`
}

// LayerGradients describes the weights of all layers, between Backward and the optimiser's Step, which clears
// gradients.
func LayerGradients(parameters []*Parameter) []LayerGradient {
	var layers []LayerGradient
	for _, p := range parameters {
		parts := strings.Split(p.Name, ".") // the network's name may have dots
		if p.Bias || len(p.Shape) < 2 || len(parts) < 3 {
			continue
		}
		layers = append(layers, LayerGradient{
			Network: strings.Join(parts[:len(parts)-2], "."), Layer: parts[len(parts)-2],
			Weights: math.Sqrt(squares(p.Value)), Gradient: math.Sqrt(squares(p.Gradient)),
		})
	}
	return layers
}

// Symptom is something wrong with a network.
type Symptom uint8

const (
	// UniformOutputs: all classes are as probable, for all rows.
	UniformOutputs Symptom = iota
	// ConstantOutputs: the outputs are the same for all rows, whatever their features.
	ConstantOutputs
	// OneClass: the same class is the most probable one of nearly all rows.
	OneClass
	// DeadNodes: half of a layer's nodes or more are flat on all rows.
	DeadNodes
	// SaturatedNodes: nearly all nodes of a layer are flat on nearly all rows.
	SaturatedNodes
	// VanishingGradient: next to nothing of the gradient reaches a layer, or there is none at all.
	VanishingGradient
	// ExplodingGradient: a layer's gradient is out of proportion to its weights, or no number.
	ExplodingGradient
)

var symptomNames = [...]string{"uniform outputs", "constant outputs", "one class", "dead nodes", "saturated nodes",
	"vanishing gradient", "exploding gradient"}

// String names the symptom.
func (s Symptom) String() string { return symptomNames[s] }

// Finding is a symptom with its place. Layer is "" if it is of the network as a whole, and Value is the figure that
// shows it: the field of State or LayerState, or a gradient's norm.
type Finding struct {
	Symptom        Symptom
	Network, Layer string
	Value          float64
}

// Where a state becomes a symptom.
const (
	uniformBelow   = 1e-3 // certainty
	constantBelow  = 1e-3 // spread
	oneClassFrom   = 0.99 // majority
	fewOutputs     = 10   // below so many, outputs may agree by chance
	deadFrom       = 0.5
	saturatedFrom  = 0.95
	vanishingBelow = 1e-6 // of the largest gradient of the network's layers
	explodingAbove = 1e4  // times the weights, or times 1 if they are smaller
)

// Findings tells what is wrong with the network.
func (s *State) Findings() []Finding {
	var found []Finding
	add := func(symptom Symptom, layer string, value float64) {
		found = append(found, Finding{symptom, s.Network, layer, value})
	}
	switch {
	case s.Certainty < uniformBelow:
		add(UniformOutputs, "", s.Certainty)
	case s.Outputs < fewOutputs:
	case s.Spread < constantBelow:
		add(ConstantOutputs, "", s.Spread)
	case s.Majority >= oneClassFrom:
		add(OneClass, "", s.Majority)
	}
	for _, layer := range s.Layers {
		switch {
		case layer.Dead >= deadFrom:
			add(DeadNodes, layer.Layer, layer.Dead)
		case layer.Saturated >= saturatedFrom:
			add(SaturatedNodes, layer.Layer, layer.Saturated)
		}
	}
	return found
}

// GradientFindings tells which layers get too little or too much of the gradient. One that is no number spoils all
// layers, so it is told of the first.
func GradientFindings(layers []LayerGradient) []Finding {
	largest := make(map[string]float64)
	for _, g := range layers {
		largest[g.Network] = max(largest[g.Network], g.Gradient)
	}
	var found []Finding
	spoiled := make(map[string]bool)
	for _, g := range layers {
		top := largest[g.Network]
		finding := Finding{Network: g.Network, Layer: g.Layer, Value: g.Gradient}
		switch {
		case spoiled[g.Network]:
			continue
		case top == 0 || math.IsNaN(top) || math.IsInf(top, 0):
			spoiled[g.Network] = true
			finding.Layer, finding.Value = "", top
			if finding.Symptom = VanishingGradient; top != 0 {
				finding.Symptom = ExplodingGradient
			}
		case g.Gradient > explodingAbove*max(1, g.Weights):
			finding.Symptom = ExplodingGradient
		case g.Gradient < vanishingBelow*top:
			finding.Symptom = VanishingGradient
		default:
			continue
		}
		found = append(found, finding)
	}
	return found
}
