package eval

import (
	"math"
	"testing"
)

// The expected numbers are worked out by hand from the formulas' sources.
func TestIntervals(t *testing.T) {
	for _, test := range []struct {
		name string
		got  [2]float64
		want [2]float64
	}{
		{"Wilson, 8 of 10", wilson(8, 10), [2]float64{0.490162, 0.943318}},
		{"Wilson, 0 of 10", wilson(0, 10), [2]float64{0, 0.277533}},
		{"F1 of J = 1/2 in 20", f1(10, 10).Interval, [2]float64{0.460707, 0.824015}},
		{"mean of 0, 0, 1, 1", mean("", 2, 2, 4).Interval, [2]float64{0, 1.065793}},
		{"AUROC 0.8 of 50 and 50", rocInterval(0.8, 50, 50), [2]float64{0.712777, 0.887223}},
		{"precision 0.5 of 16", precisionInterval(0.5, 16), [2]float64{0.272895, 0.727105}},
		{"perfect precision", precisionInterval(1, 16), [2]float64{1, 1}},
	} {
		for k := range test.got {
			if math.Abs(test.got[k]-test.want[k]) > 1e-4 {
				t.Errorf("%s: %v, want %v", test.name, test.got, test.want)
			}
		}
	}
	if v := wilson(0, 0); !math.IsNaN(v[0]) {
		t.Errorf("nothing counted has the interval %v", v)
	}
}
