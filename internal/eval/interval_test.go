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
		{"AUROC 0.8 of 50 and 50", rocInterval(0.8, 50, 50), [2]float64{0.697307, 0.871203}},
		{"AUROC 1 of 50 and 50", rocInterval(1, 50, 50), [2]float64{0.960344, 1}},
		{"AUROC 0 of 50 and 50", rocInterval(0, 50, 50), [2]float64{0, 0.039656}},
		{"precision 0.5 of 16", precisionInterval(0.5, 16), [2]float64{0.279993, 0.720007}},
		{"perfect precision", precisionInterval(1, 16), [2]float64{0.806392, 1}},
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

// Where nothing is known of how much a number varies there is no interval, and not one without width.
func TestNoIntervalWithoutWidth(t *testing.T) {
	for _, values := range [][]float64{{}, {0.8}, {math.NaN()}, {0.8, 0.8}, {0.1, 0.1, 0.1, 0.1}} {
		known := len(values) > 0 && !math.IsNaN(values[0])
		if mean, ci95 := Interval(values); !math.IsNaN(ci95) || math.IsNaN(mean) == known {
			t.Errorf("%v: %v ± %v", values, mean, ci95)
		}
	}
	for _, v := range []Value{
		mean("one error", 0.3, 0.09, 1), mean("no error", 0, 0, 7), mean("the same errors", 0.7, 0.07, 7),
	} {
		if !math.IsNaN(v.Interval[0]) || !math.IsNaN(v.Interval[1]) {
			t.Errorf("%s: %v has the interval %v", v.Name, v.Number, v.Interval)
		}
	}
	for _, interval := range [][2]float64{
		rocInterval(1, 3, 2), precisionInterval(0, 4), precisionInterval(1, 1), wilson(5, 5), f1(9, 0).Interval,
		f1(0, 9).Interval,
	} {
		if !(interval[1] > interval[0]+0.01) {
			t.Errorf("an interval of no width: %v", interval)
		}
	}
}
