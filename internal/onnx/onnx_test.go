package onnx

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// float32s are numbers that a test file has in base64.
type float32s []float32

// UnmarshalJSON implements json.Unmarshaler.
func (f *float32s) UnmarshalJSON(text []byte) error {
	var data []byte
	if err := json.Unmarshal(text, &data); err != nil {
		return err
	}
	*f = make(float32s, len(data)/4)
	for k := range *f {
		(*f)[k] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*k:]))
	}
	return nil
}

// numbers are those in [-1,1) that python/onnx_fixtures.py makes.
func numbers(n int) []float32 {
	list := make([]float32, n)
	for k := range list {
		list[k] = float32(float64(uint32(uint64(k)*2654435761))/(1<<31) - 1)
	}
	return list
}

// tokens are the words that it makes.
func tokens(n int) []float32 {
	list := make([]float32, n)
	for k := range list {
		list[k] = float32(uint32(uint64(k)*2654435761) >> 16 % 11)
	}
	return list
}

func readJSON(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mustRead(t testing.TB, data []byte, options Options) *Model {
	t.Helper()
	m, err := Read(data, options)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// values returns those of the file for the parameters, and gradients of 0.
func values(m *Model) (values, gradients [][]float32) {
	for _, p := range m.Parameters() {
		values, gradients = append(values, p.Value), append(gradients, make([]float32, len(p.Value)))
	}
	return values, gradients
}

// worst returns the largest difference of two lists, as a share of the largest number or of 1.
func worst(t testing.TB, got, want []float32) float64 {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	worst, largest := 0.0, 1.0
	for k := range got {
		if got[k] != want[k] && !(got[k] != got[k] && want[k] != want[k]) {
			worst = max(worst, math.Abs(float64(got[k])-float64(want[k])))
			if math.IsNaN(worst) {
				return worst
			}
		}
		if v := math.Abs(float64(want[k])); v < math.Inf(1) {
			largest = max(largest, v)
		}
	}
	return worst / largest
}

// Operators give what onnxruntime gives.
func TestOperators(t *testing.T) {
	var cases []struct {
		Name    string
		Model   []byte
		Width   int
		Outputs float32s
	}
	readJSON(t, "operators.json", &cases)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			m := mustRead(t, c.Model, Options{Features: c.Width, Frozen: true})
			x := numbers(3 * c.Width)
			if c.Name == "Acosh" {
				for k := range x {
					x[k] = float32(math.Abs(float64(x[k])))
				}
			}
			out := make([]float32, 3*m.Outputs())
			if err := m.Forward(nil, x, out, 1); err != nil {
				t.Fatal(err)
			}
			if m.Ending() != "" {
				finish(m, out)
			}
			if got := worst(t, out, c.Outputs); !(got < 1e-5) {
				t.Errorf("off by %v: %v, want %v", got, out, c.Outputs)
			}
		})
	}
}

// finish applies what the network ended with.
func finish(m *Model, out []float32) {
	for lo := 0; lo < len(out); lo += m.Outputs() {
		row := out[lo : lo+m.Outputs()]
		if m.Ending() == "Sigmoid" {
			for k, v := range row {
				row[k] = float32(sigmoid(float64(v)))
			}
			continue
		}
		along{1, len(row), 1}.softmax(row, row, false)
	}
}

// The gradient of each operator by what enters is that of differences. A parameter is added to the features, in front
// of the operator.
func TestGradientsOfOperators(t *testing.T) {
	var cases []struct {
		Name  string
		Model []byte
		Width int
	}
	readJSON(t, "operators.json", &cases)
	tried := 0
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			m := mustRead(t, c.Model, Options{Features: c.Width, Frozen: true})
			if n := len(m.steps); n == 0 || m.steps[n-1].compute.backward == nil {
				return
			}
			tried++
			checkInput(t, m, c.Width)
		})
	}
	if tried < 70 {
		t.Errorf("%d operators have a gradient", tried)
	}
}

// checkInput compares the gradient by the features with differences.
func checkInput(t *testing.T, m *Model, width int) {
	t.Helper()
	const rows, h = 2, 1e-3
	x := numbers(rows * width)
	for k := range x { // away from where two are equal, and from kinks at 0
		x[k] = x[k]*0.7 + 0.11
	}
	up := numbers(rows * m.outputs)
	loss := func(x []float32) (sum float64) {
		got, _, err := m.execute(m.work(), m.setting(nil), x, rows, false)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range got[m.output].reals {
			sum += float64(v) * float64(up[k])
		}
		return sum
	}
	// The features as a parameter: the value of the input is marked.
	marked := *m
	marked.parameters = []Parameter{{"x", append([]int{rows}, m.row...), x}}
	marked.places = []int32{m.input}
	marked.input = int32(len(m.constants))
	marked.constants = append(slices.Clone(m.constants), nil)
	marked.piece = rows
	gradient := make([]float32, len(x))
	if err := marked.Backward(nil, [][]float32{x}, x, up, [][]float32{gradient}, 1); err != nil {
		t.Fatal(err)
	}
	for k := range x {
		was := x[k]
		x[k] = was + h
		more := loss(x)
		x[k] = was - h
		less := loss(x)
		x[k] = was
		want := (more - less) / (2 * h)
		if got := float64(gradient[k]); math.Abs(got-want) > 2e-2*(1+math.Abs(want)) {
			t.Errorf("gradient by feature %d is %v, by differences %v", k, got, want)
		}
	}
}

// networks are the exported ones, with their features and whether the files have log-probabilities.
var networks = map[string]struct {
	features int
	make     func(n int) []float32
}{
	"mlp": {6, numbers}, "lenet": {784, numbers}, "lenet-script": {784, numbers}, "resnet18": {3 * 32 * 32, numbers},
	"transformer": {6, tokens},
}

const rows, learned = 1000, 40

type reference struct {
	Outputs   float32s
	Gradients map[string]float32s
	Values    map[string]float32s
}

// Networks of PyTorch give what onnxruntime gives, and have PyTorch's gradients.
func TestNetworks(t *testing.T) {
	for name, network := range networks {
		t.Run(name, func(t *testing.T) {
			var want reference
			readJSON(t, name+".json", &want)
			m := mustRead(t, readFile(t, name+".onnx"), Options{Features: network.features})
			parameters, gradients := values(m)
			x := network.make(rows * network.features)
			out := make([]float32, rows*m.Outputs())
			if err := m.Forward(parameters, x, out, 2); err != nil {
				t.Fatal(err)
			}
			logits := slices.Clone(out)
			if m.Ending() != "" {
				finish(m, out)
			}
			if got := worst(t, out, want.Outputs); !(got < 1e-4) {
				t.Errorf("outputs are off by %v", got)
			}
			up := numbers(learned * m.Outputs())
			if m.Ending() == "Softmax" { // whose derivative whoever takes the softmax adds
				down := make([]float32, len(up))
				finish(m, logits)
				for lo := 0; lo < len(up); lo += m.Outputs() {
					along{1, m.Outputs(), 1}.descend(down[lo:], logits[lo:], up[lo:], false)
				}
				up = down
			}
			if err := m.Backward(nil, parameters, x[:learned*network.features], up, gradients, 2); err != nil {
				t.Fatal(err)
			}
			compareGradients(t, m, gradients, want)
		})
	}
}

// compareGradients finds each of PyTorch's parameters among ours by its values, as exporters transpose and rename some.
func compareGradients(t *testing.T, m *Model, gradients [][]float32, want reference) {
	t.Helper()
	found := 0
	for k, p := range m.Parameters() {
		for name, value := range want.Values {
			place := sameNumbers(p, value)
			if _, exact := want.Values[p.Name]; place == nil || exact && name != p.Name {
				continue
			}
			found++
			theirs := make([]float32, len(place))
			for i, at := range place {
				theirs[i] = want.Gradients[name][at]
			}
			if got := worst(t, gradients[k], theirs); !(got < 1e-3) {
				t.Errorf("the gradient by %s (%s) is off by %v", p.Name, name, got)
			}
			break
		}
	}
	if found != len(m.Parameters()) || found < len(want.Values) {
		t.Errorf("%d of %d parameters are among PyTorch's %d", found, len(m.Parameters()), len(want.Values))
	}
}

// sameNumbers returns the places of a parameter's values among others, as they are or transposed; nil if they are not.
func sameNumbers(p Parameter, values []float32) []int {
	if len(p.Value) != len(values) {
		return nil
	}
	place := make([]int, len(values))
	for k := range place {
		place[k] = k
	}
	same := func() bool {
		for k, at := range place {
			if p.Value[k] != values[at] {
				return false
			}
		}
		return true
	}
	if same() {
		return place
	}
	if len(p.Shape) == 2 {
		for k := range place {
			place[k] = k%p.Shape[1]*p.Shape[0] + k/p.Shape[1]
		}
		if same() {
			return place
		}
	}
	return nil
}

// Outputs and gradients have the same bits for any number of threads, and from a tape.
func TestThreads(t *testing.T) {
	m := mustRead(t, readFile(t, "lenet.onnx"), Options{Features: 784})
	parameters, one := values(m)
	const n = 50
	x, up := numbers(n*784), numbers(n*m.Outputs())
	out := make([]float32, len(up))
	if err := m.Forward(parameters, x, out, 1); err != nil {
		t.Fatal(err)
	}
	if err := m.Backward(nil, parameters, x, up, one, 1); err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{2, 3} {
		_, many := values(m)
		again := make([]float32, len(up))
		tape, err := m.Record(parameters, x, again, threads)
		if err != nil || tape == nil {
			t.Fatal(tape, err)
		}
		if err := m.Backward(tape, parameters, x, up, many, threads); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out, again) || !slices.EqualFunc(one, many, slices.Equal) {
			t.Errorf("%d threads: other bits than one thread", threads)
		}
	}
}

// What is written with the same values is read as the same network, and with others as another one.
func TestWrite(t *testing.T) {
	for name, network := range networks {
		m := mustRead(t, readFile(t, name+".onnx"), Options{Features: network.features})
		parameters, _ := values(m)
		for k := range parameters {
			parameters[k] = slices.Clone(parameters[k])
			for i := range parameters[k] {
				parameters[k][i] *= 1.5
			}
		}
		var file bytes.Buffer
		if err := m.Write(&file, parameters); err != nil {
			t.Fatal(err)
		}
		again := mustRead(t, file.Bytes(), Options{Features: network.features})
		read, _ := values(again)
		if !slices.EqualFunc(read, parameters, slices.Equal) || len(again.steps) != len(m.steps) {
			t.Errorf("%s: what was written is read as something else", name)
		}
		file.Reset()
		own, _ := values(m)
		if err := m.Write(&file, own); err != nil {
			t.Fatal(err)
		}
		if name == "mlp" {
			t.Logf("%d bytes of %d", file.Len(), len(m.data))
		}
	}
}

// The documentation names all operators that are supported, and no other.
func TestOperatorsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "networks.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| products |")
	table, _, _ = strings.Cut(table, "\n\n")
	table = regexp.MustCompile(`\([^)]*\)|\n\|[^|]*\|`).ReplaceAllString(table, ",")
	documented := strings.FieldsFunc(table, func(r rune) bool { return strings.ContainsRune(" ,|\n", r) })
	slices.Sort(documented)
	if want := Operators(); !slices.Equal(documented, want) {
		t.Errorf("documented are %v,\nsupported are %v", documented, want)
	}
}
