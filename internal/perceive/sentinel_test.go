package perceive

import (
	"slices"
	"testing"
)

// A number of nines far from all others, and more than once, stands for what is missing; ends of a scale do not.
func TestSentinel(t *testing.T) {
	for _, test := range []struct {
		values []float32
		sign   float32
		count  int
	}{
		{[]float32{20, 35, -999, 60, -999}, -999, 2}, {[]float32{1, 5, 99, 2, 99, 99}, 99, 3},
		{[]float32{0.5, 0.25, 9999, 9999}, 9999, 2}, {[]float32{20, 35, -999, 60}, 0, 0},
		{[]float32{1, 50, 98, 99, 99}, 0, 0}, {[]float32{0, 99, 99, 0}, 99, 2}, {[]float32{-99, -99}, 0, 0},
		{[]float32{1, 2, 1000, 1000}, 0, 0}, {[]float32{3, 9, 9, 9}, 0, 0}, {[]float32{10, 60000, 99999, 99999}, 0, 0},
	} {
		slices.Sort(test.values)
		if sign, count, _, _ := sentinel(test.values); sign != test.sign || count != test.count {
			t.Errorf("%v: %v, %d times", test.values, sign, count)
		}
	}
}
