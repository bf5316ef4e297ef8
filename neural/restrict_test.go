package neural

import (
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
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

// Rows are those of classifiers, whose classes stay together, and single pairs.
func TestRows(t *testing.T) {
	whole := bindT2(t, newSmall(t, Tanh, 1), 9, 3, 20)
	rows, seen := whole.Rows(), make([]bool, whole.inputs)
	lengths := make(map[int]int)
	for _, inputs := range rows {
		lengths[len(inputs)]++
		for _, i := range inputs {
			if seen[i] {
				t.Errorf("input %d is in two rows", i)
			}
			seen[i] = true
		}
	}
	if slices.Contains(seen, false) || lengths[3] != 9 || lengths[1] != 20 || len(lengths) != 2 {
		t.Errorf("%d inputs in rows of these lengths: %v", len(seen), lengths)
	}
}

// gradientsOf runs Backward.
func gradientsOf(t *testing.T, p perception.Networks, upstream []float64) (gradients []float32) {
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
