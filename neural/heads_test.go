package neural

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// comparing is a network that compares rows of a table whose columns stay as they are.
func comparing(t *testing.T, table *Features, skip *bool) (*System, *Perception) {
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
	sparse.dense([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8}, values)
	dense, err := NewDense(sparse.ids, width, values)
	if err != nil {
		t.Fatal(err)
	}
	for name, table := range map[string]*Features{"dense": dense, "sparse": sparse} {
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
	table, err := NewDense(names(9), 2, []float32{0, 0, 0, 0, 3, 3, -3, 3, 0.5, 0, 0, 0, 0, 0, 0, 0, 0.2, 0})
	if err != nil {
		t.Fatal(err)
	}
	_, p := comparing(t, table, nil)
	x, _ := both(t, p, false, 1)
	if same, close, far := x[1], x[3], x[0]; !(same > close && close > far) {
		t.Errorf("%v for equal rows, %v for close ones and %v for those far apart", same, close, far)
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
	old, oldSees := comparing(t, table, new(false))
	now, nowSees := comparing(t, table, nil)
	want, _ := both(t, oldSees, false, 1)
	if err := now.Load(bytes.NewReader(written(old))); err != nil {
		t.Fatal(err)
	}
	if got, _ := both(t, nowSees, false, 1); !slices.Equal(got, want) {
		t.Errorf("an old file's network says %v, want %v", got, want)
	}
	err := old.Load(bytes.NewReader(written(now)))
	if err == nil || !strings.Contains(err.Error(), `write "skip": true`) {
		t.Errorf("a network with a skip is read by one without: %v", err)
	}
}
