package neural

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/fit"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/neural/features"
)

// comparing is a network that compares rows of a table whose columns stay as they are.
func comparing(t *testing.T, table *features.Table, skip *bool) (*System, *Perception) {
	t.Helper()
	s := mustNew(t, []Spec{{Name: "n", Kind: "siamese", Features: "words", Normalize: NoNormalization, Hidden: []int{3},
		Activation: Tanh, Skip: skip}}, table, 3)
	p, err := s.Bind(4, Binding{Network: "n", Inputs: []int32{0, 1, 2, 3}, Rows: []int32{0, 1, 8, 4},
		Others: []int32{2, 1, 3, 0}})
	if err != nil {
		t.Fatal(err)
	}
	return s, p
}

// The skip adds what its definition says, of dense and sparse tables alike, and its gradients are those of differences.
func TestSkip(t *testing.T) {
	const rows, width = 9, 130 // more than a chunk of columns
	sparse := sparseTable(t, rows, width, 300, 5)
	values := make([]float32, rows*width)
	sparse.Gather([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8}, values)
	dense, err := features.NewDense(sparse.IDs(), width, values)
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range map[string]*features.Table{"dense": dense, "sparse": sparse} {
		t.Run(name, func(t *testing.T) {
			s, p := comparing(t, table, nil)
			for k, p := range []*parameter{s.byName["n.distance.differences"], s.byName["n.distance.products"]} {
				newStream(7, p.Name).initialize(p.Value, p.Shape, func(_, _ int) float64 { return 0.3 + float64(k) })
			}
			with, _ := both(t, p, false, 1)
			without, pWithout := comparing(t, table, new(false))
			for _, p := range without.parameters {
				copy(p.Value, s.byName[p.Name].Value)
			}
			plain, _ := both(t, pWithout, false, 1)
			for k, pair := range [][2]int{{0, 2}, {1, 1}, {8, 3}, {4, 0}} {
				want := bySkip(s, values[pair[0]*width:][:width], values[pair[1]*width:][:width])
				if got := logit(with[k]) - logit(plain[k]); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
					t.Errorf("pair %v: the skip adds %v, want %v", pair, got, want)
				}
			}
			checkDifferences(t, p, 5, 2e-3, 2e-3)
		})
	}
}

func logit(truth float64) float64 { return math.Log(truth / (1 - truth)) }

// bySkip is Σ_c (δ_c + δ₀/√n)·|u_c − u'_c| + (π_c + π₀/√n)·u_c·u'_c.
func bySkip(s *System, u, v []float32) (sum float64) {
	near, both := s.byName["n.distance.differences"].Value, s.byName["n.distance.products"].Value
	n := len(u)
	for c := range u {
		x, y := float64(u[c]), float64(v[c])
		sum += (float64(near[c])+float64(near[n])/math.Sqrt(float64(n)))*math.Abs(x-y) +
			(float64(both[c])+float64(both[n])/math.Sqrt(float64(n)))*x*y
	}
	return sum
}

// Before anything is learned, what is near is more alike than what is far.
func TestNearIsAlikeAtFirst(t *testing.T) {
	table, err := features.NewDense(names(9), 2, []float32{0, 0, 0, 0, 3, 3, -3, 3, 0.5, 0, 0, 0, 0, 0, 0, 0, 0.2, 0})
	if err != nil {
		t.Fatal(err)
	}
	_, p := comparing(t, table, nil)
	x, _ := both(t, p, false, 1)
	if same, close, far := x[1], x[3], x[0]; !(same > close && close > far) {
		t.Errorf("%v for equal rows, %v for close ones and %v for those far apart", same, close, far)
	}
}

// A classifier's skip adds u·S to what its softmax is of, of dense and sparse tables alike. It begins with 0, and where
// networks share layers there is none.
func TestSkipPastHiddenLayers(t *testing.T) {
	sparse := sparseTable(t, 9, 6, 27, 5)
	values := make([]float32, 9*6)
	sparse.Gather([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8}, values)
	dense, err := features.NewDense(sparse.IDs(), 6, values)
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range map[string]*features.Table{"dense": dense, "sparse": sparse} {
		s, p := classifying(t, table, nil)
		_, pWithout := classifying(t, table, new(false))
		without, _ := both(t, pWithout, false, 1)
		if with, _ := both(t, p, false, 1); !slices.Equal(with, without) {
			t.Errorf("%s: at first it says %v, and %v without a skip", name, with, without)
		}
		skip := s.byName["n.skip.weights"]
		newStream(7, skip.Name).initialize(skip.Value, skip.Shape, Glorot)
		with, _ := both(t, p, false, 1)
		for k, row := range []int{0, 8} {
			want := 0.0
			for c := range 6 {
				want += float64(values[row*6+c]) * float64(skip.Value[2*c]-skip.Value[2*c+1])
			}
			if got := logit(with[2*k]) - logit(without[2*k]); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("%s: row %d: the skip adds %v, want %v", name, row, got, want)
			}
		}
	}
	if shared := newSmall(t, Tanh, 1); shared.byName["neural.skip.weights"] != nil {
		t.Error("an encoder has a skip")
	}
}

// classifying is a network that tells two classes of two rows apart, of a table whose columns stay as they are.
func classifying(t *testing.T, table *features.Table, skip *bool) (*System, *Perception) {
	t.Helper()
	s := mustNew(t, []Spec{{Name: "n", Features: "words", Normalize: NoNormalization, Hidden: []int{3}, Activation: Tanh,
		Outputs: 2, Skip: skip}}, table, 3)
	p, err := s.Bind(4, Binding{Network: "n", Inputs: []int32{0, 1, 2, 3}, Rows: []int32{0, 0, 8, 8},
		Classes: []int32{0, 1, 0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	return s, p
}

// A file of a network without a hidden layer, as was the default, says what to write.
func TestCheckpointWithoutHiddenLayer(t *testing.T) {
	table := sparseTable(t, 9, 6, 27, 5)
	makes := func(hidden []int) *System {
		return mustNew(t, []Spec{{Name: "n", Features: "words", Normalize: NoNormalization, Hidden: hidden, Outputs: 2}},
			table, 3)
	}
	var file bytes.Buffer
	if err := makes([]int{}).Save(&file); err != nil {
		t.Fatal(err)
	}
	if err := makes([]int{}).Load(bytes.NewReader(file.Bytes())); err != nil {
		t.Error(err)
	}
	err := makes(nil).Load(&file)
	if err == nil || !strings.Contains(err.Error(), `write "hidden": []`) {
		t.Errorf("a network with a hidden layer reads one without: %v", err)
	}
}

// A file of before there was a skip, or of another program, computes what it did. One with a skip is for no network
// without.
func TestSkipInCheckpoints(t *testing.T) {
	table := sparseTable(t, 9, 6, 27, 5)
	written := func(s *System) []byte {
		var file bytes.Buffer
		if err := s.Save(&file); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	for kind, makes := range map[string]func(*testing.T, *features.Table, *bool) (*System, *Perception){
		"siamese": comparing, "mlp": classifying,
	} {
		old, oldSees := makes(t, table, new(false))
		now, nowSees := makes(t, table, nil)
		want, _ := both(t, oldSees, false, 1)
		if err := now.Load(bytes.NewReader(written(old))); err != nil {
			t.Fatal(err)
		}
		if got, _ := both(t, nowSees, false, 1); !slices.Equal(got, want) {
			t.Errorf("%s: an old file's network says %v, want %v", kind, got, want)
		}
		err := old.Load(bytes.NewReader(written(now)))
		if err == nil || !strings.Contains(err.Error(), `write "skip": true`) {
			t.Errorf("%s: a network with a skip is read by one without: %v", kind, err)
		}
	}
}

// Few labels are enough where what matters is linear: past the hidden layer, they tell the rest better.
func TestFewLabelsAreEnough(t *testing.T) {
	const tables = 12
	losses := make(map[bool]float64)
	for seed := range uint64(tables) {
		for _, skip := range []bool{true, false} {
			losses[skip] += lossOfFew(t, seed, skip) / tables
		}
	}
	t.Logf("cross-entropy %.3f with a skip, %.3f without", losses[true], losses[false])
	if !(losses[true] < losses[false]-0.03) {
		t.Errorf("cross-entropy %.3f with a skip, and %.3f without", losses[true], losses[false])
	}
}

// lossOfFew is the cross-entropy of rows that a network has not seen, whose odds of being true are linear, after it has
// been fitted to others.
func lossOfFew(t *testing.T, seed uint64, skip bool) float64 {
	t.Helper()
	const columns, known, asked = 6, 80, 300
	random := rand.New(rand.NewPCG(seed, 11))
	values, labels := make([]float32, 0, columns*(known+asked)), [2]*label.Labels{new(label.Labels), new(label.Labels)}
	b := Binding{Network: "n"}
	for k := range int32(known + asked) {
		odds := math.Log(1/random.Float64() - 1)
		for c := range columns {
			u := random.NormFloat64()
			odds += u * float64(c%3-1)
			values = append(values, float32(u))
		}
		b.Inputs, b.Rows, b.Classes = append(b.Inputs, k), append(b.Rows, k), append(b.Classes, 0)
		part := labels[min(1, k/known)]
		part.Variables, part.Truth = append(part.Variables, k), append(part.Truth, map[bool]float64{true: 1}[odds > 0])
	}
	table, err := features.NewDense(names(known+asked), columns, values)
	if err != nil {
		t.Fatal(err)
	}
	s := mustNew(t, []Spec{{Name: "n", Features: "words", Hidden: []int{16}, Outputs: 1, Skip: &skip}}, table, seed)
	p, err := s.Bind(len(b.Inputs), b)
	if err != nil {
		t.Fatal(err)
	}
	fitter := fit.Fitter{Perception: p, Labels: labels[0], Loss: label.BinaryCrossEntropy, Inputs: len(b.Inputs),
		Optimiser: perception.Adam, Rate: 0.01, Decay: -1, Epochs: 2000, Seed: seed, Threads: 1}
	fit, err := fitter.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return label.Loss{Kind: label.BinaryCrossEntropy, Floor: label.TinyFloor}.Value(labels[1], fit.X)
}
