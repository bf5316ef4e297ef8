package neural

import (
	"math"
	"strings"
	"testing"
)

// Words that all texts have count least, those of no text that is learned from are not seen, and texts are of one
// length however long, dense or sparse.
func TestTFIDF(t *testing.T) {
	dense := mustDense(t, 3, 1, 1, 0, 4, 4, 0, 1, 0, 0, 2, 0, 7)
	sparse, err := Read(SparseText, "f", strings.NewReader("a\t0 1\nb\t0:4 1:4\nc\t0\nd\t0:2 2:7\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	rare := math.Log(4./3) + 1 // of two texts in three; the common word's weight is 1
	size := math.Hypot(1, rare) / textLength
	want := [][3]float64{{1 / size, rare / size, 0}, {1 / size, rare / size, 0}, {textLength, 0, 0}, {textLength, 0, 0}}
	for _, table := range []*Features{dense, sparse} {
		s := mustNew(t, []Spec{{Name: "n", Features: "words", Outputs: 2, Normalize: RowsByTFIDF}}, table, 1)
		if err := s.Standardize("n", allRows(3)); err != nil {
			t.Fatal(err)
		}
		for r, row := range want {
			seen := make([]float32, 3)
			s.networks[0].features.dense([]int32{int32(r)}, seen)
			for c := range row {
				if math.Abs(float64(seen[c])-row[c]) > 1e-6 {
					t.Errorf("sparse %v, row %d: %v, want %v", table.Sparse(), r, seen, row)
					break
				}
			}
		}
	}
}
