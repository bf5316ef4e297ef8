package neural

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/fit"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/neural/features"
)

// matrixElsewhere is matrixFunction with parameters and features of its own, as another program would have them.
type matrixElsewhere struct {
	width, classes int
	features       []float32
	fails          bool
}

func (m *matrixElsewhere) Begin(uint64) (Instance, error) {
	made := &matrixInstance{matrixElsewhere: m, seen: make(map[int][]float32)}
	for _, size := range []int{m.width * m.classes, m.classes} {
		made.values = append(made.values, make([]float32, size))
		made.gradients = append(made.gradients, make([]float32, size))
	}
	return made, nil
}

type matrixInstance struct {
	*matrixElsewhere
	seen              map[int][]float32 // by pass
	values, gradients [][]float32
	updates           []Update
}

func (m *matrixInstance) Forward(pass int, rows []int32, _ bool, _ uint64, outputs []float32) error {
	if m.fails {
		return errors.New("out of order")
	}
	m.seen[pass] = nil
	for _, r := range rows {
		m.seen[pass] = append(m.seen[pass], row(m.features, int(r), m.width)...)
	}
	matrixFunction{}.Forward(m.values, m.seen[pass], outputs)
	return nil
}

func (m *matrixInstance) Backward(pass int, upstream []float32) error {
	matrixFunction{}.Backward(m.values, m.seen[pass], upstream, m.gradients)
	return nil
}

func (m *matrixInstance) Step(u Update) {
	m.updates = append(m.updates, u)
	for k, values := range m.values {
		for i := range values {
			values[i] -= float32(u.Rate) * m.gradients[k][i]
		}
		clear(m.gradients[k])
	}
}

func (m *matrixInstance) State() []byte {
	var state []byte
	for _, values := range m.values {
		state, _ = binary.Append(state, binary.LittleEndian, values)
	}
	return state
}

func (m *matrixInstance) Restore(state []byte) {
	r := bytes.NewReader(state)
	for _, values := range m.values {
		_ = binary.Read(r, binary.LittleEndian, values)
	}
}

// elsewhereSystem is a network of two classes for four rows of two features, and its perception of all.
func elsewhereSystem(t *testing.T, spec Spec) (*matrixElsewhere, *System, *Perception) {
	t.Helper()
	ids := []string{"a", "b", "c", "d"}
	names, err := features.NewNames(ids)
	if err != nil {
		t.Fatal(err)
	}
	values := []float32{1, -2, 0.5, 3, -1, 0, 2, 2}
	external := &matrixElsewhere{width: 2, classes: 2, features: values}
	tables := map[string]*features.Table{"f": names}
	if spec.External == nil {
		if tables["f"], err = features.NewDense(ids, 2, values); err != nil {
			t.Fatal(err)
		}
	} else {
		spec.External = external
	}
	spec.Name, spec.Features, spec.Outputs, spec.Normalize = "n", "f", 2, NoNormalization
	system, err := New([]Spec{spec}, tables, 7)
	if err != nil {
		t.Fatal(err)
	}
	binding := Binding{Network: "n"}
	for k := range int32(8) {
		binding.Inputs = append(binding.Inputs, k)
		binding.Rows, binding.Classes = append(binding.Rows, k/2), append(binding.Classes, k%2)
	}
	bound, err := system.Bind(8, binding)
	if err != nil {
		t.Fatal(err)
	}
	return external, system, bound
}

// fitTwo fits two labels, one of which is held out to choose the epoch.
func fitTwo(t *testing.T, bound *Perception) *fit.Result {
	t.Helper()
	fitter := fit.Fitter{Perception: bound, Inputs: 8, Loss: label.CrossEntropy, Optimiser: perception.SGD, Rate: 0.05,
		Labels: &label.Labels{Variables: []int32{0, 1, 2, 3}, Truth: []float64{1, 0, 0, 1}},
		Held:   &label.Labels{Variables: []int32{6, 7}, Truth: []float64{0.2, 0.8}}, Epochs: 30}
	fit, err := fitter.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fit
}

// A network that another program computes learns what the same network does here, and is given back its best state.
func TestExternalIsANetwork(t *testing.T) {
	external, system, bound := elsewhereSystem(t, Spec{External: &matrixElsewhere{}})
	_, here, ours := elsewhereSystem(t, Spec{Function: matrixFunction{}})
	for _, p := range here.Parameters() {
		clear(p.Value)
	}
	fit, want := fitTwo(t, bound), fitTwo(t, ours)
	if fit.Kept != want.Kept || fit.Kept == 0 || fit.Kept == fit.Epochs ||
		!slices.EqualFunc(fit.X, want.X, closeBy[float64]) {
		t.Errorf("epoch %d with %v, want %d with %v", fit.Kept, fit.X, want.Kept, want.X)
	}
	made := system.networks[0].instance.(*matrixInstance)
	if u := made.updates; len(u) != fit.Epochs || u[0].Optimiser != "sgd" || u[0].Rate != 0.05 {
		t.Errorf("steps %+v of %d epochs", u, fit.Epochs)
	}
	predicted, err := system.Predict("n", []int32{3, 0})
	if err != nil || !closeBy(float64(predicted[0]), fit.X[6]) || !closeBy(float64(predicted[3]), fit.X[1]) {
		t.Errorf("%v, %v of %v", predicted, err, fit.X)
	}
	var file bytes.Buffer
	if err := system.Save(&file); err != nil {
		t.Fatal(err)
	}
	state := made.State()
	for _, values := range made.values {
		clear(values)
	}
	if err := system.Load(&file); err != nil || !bytes.Equal(made.State(), state) {
		t.Errorf("%v: %v after loading, want %v", err, made.State(), state)
	}
	external.fails = true
	err = bound.Forward(make([]float64, 8), true, 1)
	if err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Error(err)
	}
}

func TestExternalIsChecked(t *testing.T) {
	external, _, bound := elsewhereSystem(t, Spec{External: &matrixElsewhere{}})
	external.features[2] = float32(math.NaN())
	err := bound.Forward(make([]float64, 8), false, 0)
	if err == nil || !strings.Contains(err.Error(), `row "b" is NaN`) {
		t.Error(err)
	}
	_, _, truths := elsewhereSystem(t, Spec{External: external, Output: NoOutput})
	if err := truths.Forward(make([]float64, 8), false, 0); err != nil {
		t.Error(err) // all 0
	}
	names, err := features.NewNames([]string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	for text, spec := range map[string]Spec{
		"layers of its own":     {External: external, Outputs: 2, Hidden: []int{3}},
		"names and no numbers":  {Outputs: 2},
		"outputs is missing":    {External: external},
		"where it is computed":  {External: external, Outputs: 2, Checkpoint: "x"},
		"no others":             {Outputs: 2, Kind: elsewhere},
		"features where it is ": {External: external, Outputs: 2, Normalize: RowsToUnitSum},
	} {
		spec.Name, spec.Features = "n", "f"
		_, err := New([]Spec{spec}, map[string]*features.Table{"f": names}, 7)
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
