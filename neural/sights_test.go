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
		if sights[1].Columns() != 0 || sights[2].Columns() != 3 || !sights[2].Alone() {
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

// What a siamese network sees of two rows is how far apart they are, whichever is the first.
func TestSightsOfPairs(t *testing.T) {
	table := mustDense(t, 2, 1, 5, 3, 4)
	s, err := New([]Spec{{Name: "twins", Features: "f", Kind: siamese, Hidden: []int{2}, Normalize: NoNormalization}},
		map[string]*features.Table{"f": table}, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Bind(2, Binding{Network: "twins", Inputs: []int32{0, 1}, Rows: []int32{0, 1}, Others: []int32{1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, sight := range p.Sights() {
		apart := make([]float32, sight.Columns())
		if sight.AddTo(apart, 0.5); !slices.Equal(apart, []float32{1, 0.5}) || sight.Alone() {
			t.Errorf("seen: %v", apart)
		}
	}
}
