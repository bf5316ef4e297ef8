package neural

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// The sizes of the paper's task T2 on Cora.
const (
	documents, words, nonzeros = 2708, 1433, 49216
	topics, citations          = 7, 10556
)

// sparseTable returns a binary table with about the given number of nonzeros, evenly spread over rows.
func sparseTable(tb testing.TB, rows, width, nonzeros int, seed uint64) *features.Table {
	tb.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	start, columns := []int{0}, []int32{}
	for r := range rows {
		for c, taken, wanted := 0, 0, nonzeros*(r+1)/rows-nonzeros*r/rows; taken < wanted; c++ {
			if random.IntN(width-c) < wanted-taken {
				columns, taken = append(columns, int32(c)), taken+1
			}
		}
		start = append(start, len(columns))
	}
	values := make([]float32, len(columns))
	for i := range values {
		values[i] = 1
	}
	f, err := features.NewSparse(names(rows), width, start, columns, values)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func names(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = "e" + strconv.Itoa(i)
	}
	return ids
}

// bindT2 binds a classifier to all classes of all rows, and a siamese network to random pairs of rows.
func bindT2(tb testing.TB, s *System, rows, outputs, pairs int) *Perception {
	tb.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	classifier, siamese := Binding{Network: "neural"}, Binding{Network: "similar"}
	for k := range rows * outputs {
		classifier.Inputs = append(classifier.Inputs, int32(k))
		classifier.Rows = append(classifier.Rows, int32(k/outputs))
		classifier.Classes = append(classifier.Classes, int32(k%outputs))
	}
	for k := range pairs {
		siamese.Inputs = append(siamese.Inputs, int32(rows*outputs+k))
		siamese.Rows = append(siamese.Rows, int32(random.IntN(rows)))
		siamese.Others = append(siamese.Others, int32(random.IntN(rows)))
	}
	p, err := s.Bind(rows*outputs+pairs, classifier, siamese)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func benchmarkT2(b *testing.B) (p *Perception, x, upstream []float64) {
	table := sparseTable(b, documents, words, nonzeros, 1)
	specs := []Spec{
		{Name: "neural", Features: "words", Normalize: RowsToUnitSum, Hidden: []int{16}, Dropout: 0.2, Outputs: topics},
		{Name: "similar", Kind: "siamese", Encoder: "neural", Distance: 16},
	}
	s, err := New(specs, map[string]*features.Table{"words": table}, 1)
	if err != nil {
		b.Fatal(err)
	}
	p = bindT2(b, s, documents, topics, citations)
	x, upstream = make([]float64, p.inputs), make([]float64, p.inputs)
	for i := range upstream {
		upstream[i] = rand.Float64() - 0.5
	}
	if err := p.Forward(x, true, 1); err != nil {
		b.Fatal(err)
	}
	if err := p.Backward(upstream); err != nil {
		b.Fatal(err)
	}
	return p, x, upstream
}

// BenchmarkT2Setup includes everything up to the first gradient: normalisation, compilation, transposition.
func BenchmarkT2Setup(b *testing.B) {
	for b.Loop() {
		benchmarkT2(b)
	}
}

func BenchmarkT2Forward(b *testing.B) {
	p, x, _ := benchmarkT2(b)
	for b.Loop() {
		if err := p.Forward(x, true, 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkT2Backward(b *testing.B) {
	p, _, upstream := benchmarkT2(b)
	for b.Loop() {
		if err := p.Backward(upstream); err != nil {
			b.Fatal(err)
		}
	}
}
