package interior

import (
	"slices"

	"github.com/deeppsl/deeppsl/internal/kernel"
)

// outer is Σ w a aᵀ of sparse vectors a, laid out to be multiplied with many times: by what each vector makes of d, and
// then by what each place takes of that, in the order of the vectors.
type outer struct {
	vectors, places *kernel.Lines
	sums            []float64 // of the vectors
}

// newOuter lays out so many vectors, without some of them, of so many places.
func newOuter(s kernel.Sparse, vectors int, without []int32, places int) *outer {
	out := make([]bool, len(s.Start)-1)
	for _, k := range without {
		out[k] = true
	}
	list := slices.DeleteFunc(s.WithEntries(0, vectors), func(k int32) bool { return out[k] })
	t := s.Transposed(list, places)
	return &outer{s.InOrder(list, nil), t.InOrder(t.WithEntries(0, places), nil), make([]float64, len(out))}
}

// weigh sets the weights.
func (o *outer) weigh(weights []float64) { o.vectors.Scale(weights) }

// add adds the product with d to q.
func (o *outer) add(q, d []float64) {
	o.vectors.Set(o.sums, d)
	o.places.AddInOrder(q, o.sums)
}
