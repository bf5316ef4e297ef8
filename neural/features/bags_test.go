package features_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// Bags of words are told from other tables by their numbers, dense or sparse; a column of another scale, or numbers
// below 0, make them something else.
func TestBagsOfWords(t *testing.T) {
	kind := 0
	for _, test := range []struct {
		name  string
		width int
		value func(r *rand.Rand, column int) float32
		want  bool
	}{
		{"words that are there", 60, func(r *rand.Rand, column int) float32 {
			return one(r.Float64() < 0.8/float64(1+column))
		}, true},
		{"bits, one in ten", 60, func(r *rand.Rand, _ int) float32 { return one(r.Float64() < 0.1) }, false},
		{"bits of any frequency", 60, func(r *rand.Rand, column int) float32 {
			return one(r.Float64() < 0.01*float64(1+column))
		}, false},
		{"counts and a stop word", 60, func(r *rand.Rand, column int) float32 {
			if column == 0 {
				return float32(1 + r.IntN(9))
			}
			return one(r.Float64() < 0.1) * float32(1+r.IntN(3))
		}, true},
		{"weights", 60, func(r *rand.Rand, _ int) float32 { return one(r.Float64() < 0.1) * r.Float32() }, true},
		{"one of six kinds in ten ways", 60, func(r *rand.Rand, column int) float32 {
			if column%6 == 0 {
				kind = r.IntN(6)
			}
			return one(column%6 == kind)
		}, false},
		{"an income beside", 60, func(r *rand.Rand, column int) float32 {
			if column == 0 {
				return float32(20_000 + r.IntN(50_000))
			}
			return one(r.Float64() < 0.1)
		}, false},
		{"a sign beside", 60, func(r *rand.Rand, column int) float32 {
			return one(r.Float64() < 0.1) - 2*one(column == 0)
		}, false},
		{"numbers", 60, func(r *rand.Rand, _ int) float32 { return r.Float32() }, false},
		{"few columns", 6, func(r *rand.Rand, _ int) float32 { return one(r.Float64() < 0.1) }, false},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		const rows = 200
		var ids []string
		var dense, values []float32
		var columns []int32
		start := []int{0}
		for k := range rows {
			ids = append(ids, fmt.Sprint("t", k))
			for column := range test.width {
				v := test.value(r, column)
				if dense = append(dense, v); v != 0 {
					columns, values = append(columns, int32(column)), append(values, v)
				}
			}
			start = append(start, len(values))
		}
		for _, table := range []func() (*features.Table, error){
			func() (*features.Table, error) { return features.NewDense(ids, test.width, dense) },
			func() (*features.Table, error) {
				return features.NewSparse(ids, test.width, start, columns, values)
			},
		} {
			f, err := table()
			if err != nil {
				t.Fatal(err)
			}
			if got := f.OfWords(); got != test.want {
				t.Errorf("%s, sparse %v: %v", test.name, f.Sparse(), got)
			}
		}
	}
}

func one(is bool) float32 {
	if is {
		return 1
	}
	return 0
}
