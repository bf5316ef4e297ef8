package neural

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// scaledBy returns what a network of kind mlp sees of a dense table, by its first rows.
func scaledBy(t *testing.T, table *features.Table, rows int) (*System, []float32) {
	t.Helper()
	s := mustNew(t, []Spec{{Name: "n", Features: "words", Outputs: 2}}, table, 1)
	if err := s.Standardize("n", allRows(rows)); err != nil {
		t.Fatal(err)
	}
	return s, s.networks[0].features.Values()
}

func mustDense(tb testing.TB, width int, values ...float32) *features.Table {
	tb.Helper()
	f, err := features.NewDense(names(len(values)/width), width, values)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// gauss returns n normal numbers of a mean and a deviation, by the sum of twelve uniform ones.
func gauss(name string, n int, mean, deviation float64) []float32 {
	random, values := newStream(7, name), make([]float32, n)
	for i := range values {
		sum := -6.0
		for k := range 12 {
			sum += random.uniform(uint64(12*i + k))
		}
		values[i] = float32(mean + deviation*sum)
	}
	return values
}

// Whatever the unit of a column, the network sees numbers around 0 of about the size 1.
func TestColumnsOfAnyUnitAreSeenAlike(t *testing.T) {
	for _, unit := range []struct{ mean, deviation float64 }{{0, 1}, {750, 300}, {-1e-6, 1e-8}, {1e6, 1e4}, {3e30, 1e30}} {
		_, seen := scaledBy(t, mustDense(t, 1, gauss("unit", 500, unit.mean, unit.deviation)...), 500)
		mean, square := 0.0, 0.0
		for _, v := range seen {
			mean, square = mean+float64(v)/500, square+float64(v)*float64(v)/500
		}
		if math.Abs(mean) > 0.1 || math.Abs(square-1) > 0.05 {
			t.Errorf("mean %v, deviation %v: seen with mean %v, mean square %v", unit.mean, unit.deviation, mean, square)
		}
	}
}

// Words that are there or not are on the right scale, sparse or dense, and cost no second table.
func TestZerosAndOnesStay(t *testing.T) {
	sparse, err := features.Read(features.SparseText, "f", strings.NewReader("a\t0 3\nb\t1\nc\t0 2\nd\t\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	dense := mustDense(t, 4, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0)
	for _, table := range []*features.Table{sparse, dense} {
		s := mustNew(t, []Spec{{Name: "n", Features: "words", Outputs: 2}}, table, 1)
		if err := s.Standardize("n", nil); err != nil {
			t.Fatal(err)
		}
		if s.networks[0].features != table {
			t.Errorf("sparse %v: the network sees %v", table.Sparse(), s.networks[0].features.Values())
		}
	}
}

// A typing error, of a million for one, changes little of what is seen of the other rows, and is cut off itself; so is
// one in a row that the scale does not come from.
func TestOutliersDoNotSquash(t *testing.T) {
	clean := gauss("clean", 40, 5, 1)
	_, want := scaledBy(t, mustDense(t, 1, clean...), 40)
	for _, rows := range []int{40, 39} {
		dirty := slices.Clone(clean)
		dirty[39] = 1e6
		_, seen := scaledBy(t, mustDense(t, 1, dirty...), rows)
		for r := range 39 {
			if math.Abs(float64(seen[r]-want[r])) > 0.6 || math.Abs(float64(seen[r])) < math.Abs(float64(want[r]))/2-0.2 {
				t.Errorf("row %d is seen as %v, without the outlier as %v", r, seen[r], want[r])
			}
		}
		if seen[39] != cutoff {
			t.Errorf("the outlier is seen as %v, not cut off at %v", seen[39], cutoff)
		}
	}
}

// The scale comes from the rows of learning alone, and constant columns are not seen, even where they change later:
// what the network has for them is what it was initialised with.
func TestScaleIsOfTheRowsOfLearning(t *testing.T) {
	values := []float32{1, 7, 0.1, 2, 7, 0.1, 3, 7, 0.10000001, 1000, 8, 4}
	s, seen := scaledBy(t, mustDense(t, 3, values...), 3)
	if want := []float32{-1, 0, 0, 0, 0, 0, 1, 0, 0, cutoff, 0, 0}; !slices.Equal(seen, want) {
		t.Errorf("seen are %v, want %v", seen, want)
	}
	if constant, all := s.Constant("n"); constant != 2 || all != 3 {
		t.Errorf("%d of %d columns are constant, want 2 of 3", constant, all)
	}
	if err := s.Standardize("n", []int32{3}); err != nil || s.networks[0].features.Values()[0] != -1 {
		t.Errorf("a second call changed the scale: %v, %v", s.networks[0].features.Values(), err)
	}
	if s.Standardize("m", nil) == nil || s.Standardize("n", []int32{4}) == nil {
		t.Error("a network or a row that is not there is no error")
	}
}

// Without Standardize, the rows of the first binding are those of learning, for classifiers and for pairs.
func TestFirstBindingScales(t *testing.T) {
	table := mustDense(t, 2, 1, 10, 2, 20, 3, 30, 9, 90)
	bound, _ := scaledBy(t, table, 3)
	for _, spec := range []Spec{
		{Name: "n", Features: "words", Outputs: 2},
		{Name: "n", Kind: "siamese", Features: "words", Hidden: []int{2}},
	} {
		s := mustNew(t, []Spec{spec}, table, 1)
		binding := Binding{Network: "n", Inputs: []int32{0, 1, 2}, Rows: []int32{1, 0, 2}, Classes: []int32{0, 1, 0}}
		if spec.Kind == "siamese" {
			binding.Classes, binding.Others = nil, []int32{0, 1, 2}
		}
		if _, err := s.Bind(3, binding); err != nil {
			t.Fatal(err)
		}
		if got, want := s.networks[0].features.Values(), bound.networks[0].features.Values(); !slices.Equal(got, want) {
			t.Errorf("%s: seen are %v, want %v", spec.Kind, got, want)
		}
	}
}

// Columns of counts are divided, zeros stay zeros and nothing more is stored; what learning has not seen stays unseen.
func TestSparseColumnsKeepTheirZeros(t *testing.T) {
	table, err := features.Read(features.SparseText, "f", strings.NewReader("a\t0:300 1:-2\nb\t0:300\nc\t1:2 2:1\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	s, seen := scaledBy(t, table, 2)
	if want := []float32{1, -1, 1, 1, 0}; !slices.Equal(seen, want) || !s.networks[0].features.Sparse() {
		t.Errorf("seen are %v, want %v", seen, want)
	}
}

// Images keep their zeros and the proportions of their pixels: bytes are seen as parts of the power of two above them.
func TestImagesAreScaledAsAWhole(t *testing.T) {
	bytesOf, shares := make([]float32, 3*84), make([]float32, 3*84)
	for i := range bytesOf {
		bytesOf[i] = float32((i * 37) % 256)
		shares[i] = bytesOf[i] / 256
	}
	spec := cnnSpec("n", ReLU)
	spec.Normalize = ""
	bytesOf[0], shares[0] = 256, 1
	var outputs [2][]float64
	for k, values := range [][]float32{bytesOf, shares} {
		table := mustDense(t, 84, values...)
		s := mustNew(t, []Spec{spec}, table, 1)
		outputs[k] = make([]float64, 9)
		if err := allClasses(t, s, 3).Forward(outputs[k], false, 0); err != nil {
			t.Fatal(err)
		}
		if k == 1 && s.networks[0].features != table {
			t.Error("images in [0,1] are not left as they are")
		}
	}
	if !slices.Equal(outputs[0], outputs[1]) {
		t.Errorf("bytes give %v, their shares %v", outputs[0], outputs[1])
	}
}

// A rare column is not taken for a constant where the rows are so many that a scale is estimated from some of them.
func TestRareColumnsOfLargeTables(t *testing.T) {
	const rows = 3 * sampled
	values := make([]float32, rows)
	values[1] = 40 // is not among those that are looked at first
	_, seen := scaledBy(t, mustDense(t, 1, values...), rows)
	if seen[1] != 1 || seen[0] != 0 {
		t.Errorf("seen are %v, %v", seen[0], seen[1])
	}
}

// The scale goes with the parameters: a network that reads another table sees it as it saw the first one, also if it
// was bound before.
func TestCheckpointsHaveTheScale(t *testing.T) {
	first, _ := scaledBy(t, mustDense(t, 2, gauss("first", 60, 100, 30)...), 30)
	var file bytes.Buffer
	if err := first.Save(&file); err != nil {
		t.Fatal(err)
	}
	table := mustDense(t, 2, gauss("second", 20, 500, 3)...)
	second := mustNew(t, []Spec{{Name: "n", Features: "words", Outputs: 2}}, table, 2)
	p := allClasses(t, second, 10)
	if err := second.Load(&file); err != nil {
		t.Fatal(err)
	}
	x := make([]float64, 20)
	if err := p.Forward(x, false, 0); err != nil {
		t.Fatal(err)
	}
	joined := mustDense(t, 2, append(slices.Clone(first.networks[0].raw.Values()), table.Values()...)...)
	both, _ := scaledBy(t, joined, 30)
	for i, p := range first.parameters {
		copy(both.parameters[i].Value, p.Value)
	}
	want, err := both.Predict("n", []int32{30, 31, 32, 33, 34, 35, 36, 37, 38, 39})
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if float32(x[i]) != want[i] {
			t.Errorf("output %d is %v, %v beside the rows of learning", i, x[i], want[i])
		}
	}
}

// scaledAs is the specification of a network by how it is scaled.
func scaledAs(n Normalization) []Spec {
	return []Spec{{Name: "n", Features: "words", Outputs: 2, Normalize: n}}
}

// A checkpoint says how its features were scaled: a network is scaled so by default, and none can be otherwise.
func TestCheckpointsOfAnotherScale(t *testing.T) {
	table := mustDense(t, 2, 1, 10, 2, 20, 3, 30, 9, 90)
	path := filepath.Join(t.TempDir(), "saved")
	begin := func(how Normalization) (*System, error) {
		specs := scaledAs(how)
		specs[0].Checkpoint = path
		return New(specs, map[string]*features.Table{"words": table}, 1)
	}
	for _, from := range normalizations {
		saved := mustNew(t, scaledAs(from), table, 1)
		if err := saved.SaveFile(path); err != nil {
			t.Fatal(err)
		}
		for _, to := range normalizations {
			load := mustNew(t, scaledAs(to), table, 1).LoadFile(path)
			_, err := begin(to)
			for _, err := range []error{load, err} {
				wrong := (*SpecError)(nil)
				switch hint := fmt.Sprintf(`write "normalize": %q`, from); {
				case from == to && err != nil:
					t.Errorf("from %s to %s: %v", from, to, err)
				case from != to && (!errors.As(err, &wrong) || wrong.Key != "normalize" || !strings.Contains(err.Error(), hint)):
					t.Errorf("from %s to %s: error %v, want one with %q", from, to, err, hint)
				}
			}
		}
		s, err := begin("")
		if err != nil {
			t.Fatal(err)
		}
		want, wrong := saved.Predict("n", []int32{0, 1, 2, 3})
		got, err := s.Predict("n", []int32{0, 1, 2, 3})
		if err := cmp.Or(wrong, err); err != nil || !slices.Equal(got, want) {
			t.Errorf("from %s to the default: error %v, %v in place of %v", from, err, got, want)
		}
	}
}

// A file that does not say how features were scaled is not believed to say that they were not, nor the other way.
func TestCheckpointsThatSayNoScale(t *testing.T) {
	table := mustDense(t, 2, 1, 10, 2, 20, 3, 30, 9, 90)
	for _, test := range []struct {
		from, to Normalization
		want     string
	}{
		{StandardColumns, NoNormalization, `"columns" or "values"`},
		{StandardColumns, RowsByTFIDF, `"columns" or "values"`},
		{NoNormalization, StandardColumns, `"none", "rows" or "l2"`},
	} {
		var file bytes.Buffer
		if err := mustNew(t, scaledAs(test.from), table, 1).Save(&file); err != nil {
			t.Fatal(err)
		}
		silent := bytes.Replace(file.Bytes(), []byte(normalizeKey), []byte("something."), 1)
		err := mustNew(t, scaledAs(test.to), table, 1).Load(bytes.NewReader(silent))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("from %s, unsaid, to %s: error %v, want one with %q", test.from, test.to, err, test.want)
		}
	}
	var file bytes.Buffer
	if err := mustNew(t, scaledAs(""), table, 1).Save(&file); err != nil {
		t.Fatal(err)
	}
	sparse, err := features.Read(features.SparseText, "f", strings.NewReader("a\t0:3\nb\t1:4\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	err = mustNew(t, scaledAs(""), sparse, 1).Load(&file)
	if err == nil || !strings.Contains(err.Error(), "dense table") {
		t.Errorf("a sparse table on the scale of a dense one: error %v", err)
	}
}

func TestScaleHasTheSameBitsForAnyThreads(t *testing.T) {
	values := gauss("bits", 40*700, 3, 2)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	_, want := scaledBy(t, mustDense(t, 40, values...), 600)
	for _, threads := range []int{2, 5} {
		runtime.GOMAXPROCS(threads)
		if _, seen := scaledBy(t, mustDense(t, 40, values...), 600); !slices.Equal(seen, want) {
			t.Errorf("%d threads: other bits than one", threads)
		}
	}
}

// With "values" all columns, of images too, are moved and divided by the same two numbers, those of the rows of
// learning; the zeros of a sparse table stay.
func TestValuesAreScaledAlike(t *testing.T) {
	dense := mustDense(t, 4, append(gauss("values", 400, 0.2, 0.3), 9, 9, 9, 9)...)
	for _, spec := range []Spec{{Kind: "mlp"}, {Kind: "cnn", Convolutions: []Convolution{{Filters: 1, Kernel: 1}}}} {
		spec.Name, spec.Features, spec.Outputs, spec.Normalize = "n", "words", 2, StandardValues
		s := mustNew(t, []Spec{spec}, dense, 1)
		if err := s.Standardize("n", allRows(100)); err != nil {
			t.Fatal(err)
		}
		mean, square := 0.0, 0.0
		seen := s.networks[0].features.Values()
		for _, v := range seen[:400] {
			mean, square = mean+float64(v)/400, square+float64(v)*float64(v)/400
		}
		if math.Abs(mean) > 1e-5 || math.Abs(square-1) > 1e-2 || seen[400] != cutoff {
			t.Errorf("%s: seen with mean %v, mean square %v, and the row beside as %v", spec.Kind, mean, square, seen[400])
		}
		if c := s.networks[0].scaling; c.center.Value[0] != c.center.Value[3] || c.scale.Value[0] != c.scale.Value[3] {
			t.Errorf("%s: columns have scales of their own", spec.Kind)
		}
	}
	sparse, err := features.Read(features.SparseText, "f", strings.NewReader("a\t0:3 1:4\nb\t1:-5\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	s := mustNew(t, []Spec{{Name: "n", Features: "words", Outputs: 2, Normalize: StandardValues}}, sparse, 1)
	if err := s.Standardize("n", nil); err != nil {
		t.Fatal(err)
	}
	want, root := s.networks[0].features.Values(), math.Sqrt(50./3)
	for k, v := range []float64{3, 4, -5} {
		if math.Abs(float64(want[k])-v/root) > 1e-6 {
			t.Errorf("nonzero %v is seen as %v, want %v", v, want[k], v/root)
		}
	}
}

// The gain multiplies all initial weights, and nothing else.
func TestGain(t *testing.T) {
	table := mustDense(t, 2, 1, 2, 3, 4)
	weights := func(gain float64) []float32 {
		s, err := New([]Spec{{Name: "n", Features: "words", Hidden: []int{3}, Outputs: 2, Gain: gain}},
			map[string]*features.Table{"words": table}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return snapshot(s)
	}
	whole, half := weights(0), weights(0.5)
	if slices.Max(whole) <= 0 {
		t.Fatal("there are no weights")
	}
	for k, v := range whole {
		if math.Abs(float64(half[k]-v/2)) > 1e-7 {
			t.Errorf("weight %d is %v, and with a gain of a half %v", k, v, half[k])
		}
	}
	if _, err := New([]Spec{{Name: "n", Features: "words", Outputs: 2, Gain: -1}},
		map[string]*features.Table{"words": table}, 1); err == nil || !strings.Contains(err.Error(), "gain -1") {
		t.Errorf("error %v", err)
	}
}
