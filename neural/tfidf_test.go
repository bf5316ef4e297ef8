package neural

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// Words that all texts have count least, those of no text that is learned from are not seen, and texts are of one
// length however long, dense or sparse.
func TestTFIDF(t *testing.T) {
	dense := mustDense(t, 3, 1, 1, 0, 4, 4, 0, 1, 0, 0, 2, 0, 7)
	sparse, err := features.Read(features.SparseText, "f", strings.NewReader("a\t0 1\nb\t0:4 1:4\nc\t0\nd\t0:2 2:7\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	rare := math.Log(4./3) + 1 // of two texts in three; the common word's weight is 1
	size := math.Hypot(1, rare) / textLength
	want := [][3]float64{{1 / size, rare / size, 0}, {1 / size, rare / size, 0}, {textLength, 0, 0}, {textLength, 0, 0}}
	for _, table := range []*features.Table{dense, sparse} {
		s := mustNew(t, []Spec{{Name: "n", Features: "words", Outputs: 2, Normalize: RowsByTFIDF}}, table, 1)
		if err := s.Standardize("n", allRows(3)); err != nil {
			t.Fatal(err)
		}
		for r, row := range want {
			seen := make([]float32, 3)
			s.networks[0].features.Gather([]int32{int32(r)}, seen)
			for c := range row {
				if math.Abs(float64(seen[c])-row[c]) > 1e-6 {
					t.Errorf("sparse %v, row %d: %v, want %v", table.Sparse(), r, seen, row)
					break
				}
			}
		}
	}
}

// A network that begins with a checkpoint sees a table of three texts, which look like no bags of words, as it saw the
// many that it learned from.
func TestCheckpointsSayHowTextsAreScaled(t *testing.T) {
	const width, many, few = 40, 100, 3
	r := rand.New(rand.NewPCG(3, 4))
	values, ids := make([]float32, many*width), make([]string, many)
	for k := range values {
		if r.Float64() < 0.1 {
			values[k] = float32(1 + r.IntN(3))
		}
	}
	for k := range ids {
		ids[k] = fmt.Sprint("t", k)
	}
	path := filepath.Join(t.TempDir(), "saved")
	outputs := func(spec Spec, texts int) []float32 {
		table, err := features.NewDense(ids[:texts], width, values[:texts*width])
		if err != nil {
			t.Fatal(err)
		}
		if texts == few && table.OfWords() {
			t.Fatal("three texts look like bags of words")
		}
		s, err := New([]Spec{spec}, map[string]*features.Table{"texts": table}, 1)
		if err != nil {
			t.Fatal(err)
		}
		y, err := s.Predict("eye", []int32{0, 1, 2})
		if err != nil {
			t.Fatal(err)
		}
		if spec.Checkpoint == "" {
			if err := s.SaveFile(path); err != nil {
				t.Fatal(err)
			}
		}
		return y
	}
	spec := Spec{Name: "eye", Features: "texts", Outputs: 3}
	learned := outputs(spec, many)
	spec.Checkpoint = path
	if seen := outputs(spec, few); !slices.Equal(seen, learned) {
		t.Errorf("%v of many texts, %v of three of them", learned, seen)
	}
}
