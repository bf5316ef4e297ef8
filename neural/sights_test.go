package neural

import (
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// What is seen of an input is the row of its network's features as the network sees it, dense or sparse; nothing of
// what no network sees.
func TestSights(t *testing.T) {
	table := mustDense(t, 3, 1, 0, 2, 0, 0, 3)
	for _, seen := range []*features.Table{table, toSparse(table)} {
		s, err := New([]Spec{{Name: "eye", Features: "f", Outputs: 2, Normalize: NoNormalization}},
			map[string]*features.Table{"f": seen}, 1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Bind(3, Binding{Network: "eye", Inputs: []int32{2, 0}, Rows: []int32{0, 1}, Classes: []int32{0, 1}},
			Binding{Inputs: []int32{1}})
		if err != nil {
			t.Fatal(err)
		}
		sights := p.Sights()
		if sights[1].Columns() != 0 || sights[2].Columns() != 3 || sights[2].Row() != 0 {
			t.Errorf("seen: %v", sights)
		}
		sum := make([]float32, 3)
		sights[0].AddTo(sum, 1)
		sights[2].AddTo(sum, 0.5)
		if !slices.Equal(sum, []float32{0.5, 0, 4}) {
			t.Errorf("sparse %v: %v", seen.Sparse(), sum)
		}
	}
}
