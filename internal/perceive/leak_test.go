package perceive

import (
	"testing"

	"github.com/deeppsl/deeppsl/neural/features"
)

// What a feature says is found in whatever numbers, and not where it may be so by chance.
func TestSameColumn(t *testing.T) {
	const n = 40
	var rows []int32
	var ids []string
	var values, binary, classes, real, others []float32
	for k := range n {
		rows, ids = append(rows, int32(k)), append(ids, string(rune('A'+k)))
		values = append(values, float32(k%7), 5-4*float32(k%2), float32(10*(k%3)), 0.3+float32(k*k))
		binary, classes = append(binary, float32(k%2)), append(classes, float32(2-k%3))
		real, others = append(real, 0.3+float32(k*k)), append(others, float32(100-k)) // all differ
	}
	features, err := features.NewDense(ids, 4, values)
	if err != nil {
		t.Fatal(err)
	}
	other := append([]float32{1 - binary[0]}, binary[1:]...)
	for _, test := range []struct {
		answer []float32
		rows   int
		want   int
	}{
		{binary, n, 1}, {classes, n, 2}, {other, n, -1}, {binary, 8, -1}, {make([]float32, n), n, -1},
		{real, n, 3}, {others, n, -1}, {others, 10, -1},
	} {
		if got := sameColumn(features, rows[:test.rows], test.answer[:test.rows], 100); got != test.want {
			t.Errorf("%v: column %d, want %d", test.answer[:test.rows], got, test.want)
		}
	}
}
