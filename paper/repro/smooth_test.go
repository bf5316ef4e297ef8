package repro

import (
	"math"
	"testing"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/task"
)

func TestSmoothedWordsAreThoseOfNeighbours(t *testing.T) {
	c := &citation{Citation: task.Citation{Citation: &dataset.Citation{Documents: 3, Words: 4,
		WordStart: []int32{0, 2, 3, 4},
		Word:      []int32{0, 2, 2, 3}, Links: [][2]int32{{0, 1}}}}}
	for hops, want := range [][3][4]float64{
		{{1, 0, 1, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}},
		{{0.5, 0, 1, 0}, {0.5, 0, 1, 0}, {0, 0, 0, 1}},
		{{0.5, 0, 1, 0}, {0.5, 0, 1, 0}, {0, 0, 0, 1}},
	} {
		words := c.smoothed(hops)
		for d, row := range want {
			got := [4]float64{}
			for e := words.start[d]; e < words.start[d+1]; e++ {
				got[words.index[e]] = float64(words.value[e])
			}
			for w, v := range row {
				if math.Abs(got[w]-v) > 1e-6 {
					t.Errorf("%d hops, document %d: %v, want %v", hops, d, got, row)
					break
				}
			}
		}
	}
}
