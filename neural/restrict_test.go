package neural

import (
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn"
)

// A part of a perception computes what the whole does, forward and backward, for classifiers and pairs that share a
// layer, with dropout, and after a selection of rows.
func TestRestrict(t *testing.T) {
	s := newSmall(t, Tanh, 1)
	whole := bindT2(t, s, 9, 3, 20)
	inputs := []int32{30, 4, 5, 46, 20}
	for _, selected := range [][]int32{nil, {3, 1, 2, 8, 7, 6, 5, 4, 0}} {
		if selected != nil {
			if err := whole.Select(selected); err != nil {
				t.Fatal(err)
			}
		}
		restricted, err := whole.Restrict(inputs)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, whole.inputs)
		if err := whole.Forward(x, true, 5); err != nil {
			t.Fatal(err)
		}
		part, upstream := make([]float64, len(inputs)), make([]float64, whole.inputs)
		if err := restricted.Forward(part, true, 5); err != nil {
			t.Fatal(err)
		}
		wantX := make([]float64, len(inputs))
		for k, input := range inputs {
			wantX[k], upstream[input] = x[input], upstreamOf(len(inputs))[k]
		}
		checkSame(t, "restricted", part, wantX, gradientsOf(t, restricted, upstreamOf(len(inputs))),
			gradientsOf(t, whole, upstream))
	}
}

// gradientsOf runs Backward.
func gradientsOf(t *testing.T, p learn.Perception, upstream []float64) (gradients []float32) {
	t.Helper()
	for _, w := range p.Parameters() {
		clear(w.Gradient)
	}
	if err := p.Backward(upstream); err != nil {
		t.Fatal(err)
	}
	for _, w := range p.Parameters() {
		gradients = append(gradients, slices.Clone(w.Gradient)...)
	}
	return gradients
}
