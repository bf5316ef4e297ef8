package learn

import (
	"math"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
)

// The slope of classes and of labels by themselves is that of differences, at the temperature that suits the values;
// and values that lie half as far from each other lose nothing.
func TestCalibratedLoss(t *testing.T) {
	labels := &label.Labels{
		Variables: []int32{0, 1, 2, 3, 4, 5, 6, 7}, Truth: []float64{1, 0, 0, 0, 1, 0, 1, 0},
		Entities: []int32{1, 1, 1, 2, 2, 2, 3, 4}, Classes: []int32{7, 8, 9, 7, 8, 9, label.NoClass, label.NoClass},
	}
	y := []float64{0.40, 0.33, 0.27, 0.36, 0.34, 0.30, 0.52, 0.49}
	g := make([]float64, len(y))
	loss := calibrated{}
	if value := loss.Gradient(labels, y, g); value != loss.Value(labels, y) {
		t.Fatalf("Gradient says %v, Value %v", value, loss.Value(labels, y))
	}
	for i := range y {
		want := derivative(func() float64 { return loss.Value(labels, y) }, &y[i], 1e-6)
		if math.Abs(g[i]-want) > 1e-4*(1+math.Abs(want)) {
			t.Errorf("∂L/∂y%d = %v, differences say %v", i, g[i], want)
		}
	}
	y[6], y[7] = 0.6, 0.4
	far := loss.Value(&label.Labels{Variables: []int32{6, 7}, Truth: []float64{1, 0}, Entities: []int32{3, 4},
		Classes: []int32{label.NoClass, label.NoClass}}, y)
	y[6], y[7] = 0.55, 0.45
	near := loss.Value(&label.Labels{Variables: []int32{6, 7}, Truth: []float64{1, 0}, Entities: []int32{3, 4},
		Classes: []int32{label.NoClass, label.NoClass}}, y)
	if math.Abs(far-near) > 0.05 {
		t.Errorf("values twice as far apart have the loss %v, the others %v", far, near)
	}
}
