package fit

import (
	"math"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/learn/perceptiontest"
)

// twos is a perception of rows of two logits each, which keeps what parts of it have computed for training.
type twos struct {
	*perceptiontest.Logits
	inputs []int32
	steps  *[][]int32
}

func newTwos(rows int) twos {
	t := twos{Logits: perceptiontest.NewLogits(2 * rows), steps: new([][]int32)}
	for i := range 2 * rows {
		t.inputs = append(t.inputs, int32(i))
	}
	return t
}

func (t twos) Forward(x []float64, train bool, _ uint64) error {
	for k, i := range t.inputs {
		t.X[i] = 1 / (1 + math.Exp(-float64(t.Parameter.Value[i])))
		x[k] = t.X[i]
	}
	if train {
		*t.steps = append(*t.steps, t.inputs)
	}
	return nil
}

func (t twos) Backward(upstream []float64) error {
	for k, i := range t.inputs {
		t.Parameter.Gradient[i] += float32(upstream[k] * t.X[i] * (1 - t.X[i]))
	}
	return nil
}

func (t twos) Restrict(inputs []int32) (perception.Networks, error) {
	part := twos{Logits: t.Logits, steps: t.steps}
	for _, i := range inputs {
		part.inputs = append(part.inputs, t.inputs[i])
	}
	return part, nil
}

func (t twos) Rows() (rows [][]int32) {
	of := make(map[int32]int)
	for k, i := range t.inputs {
		at, seen := of[i/2]
		if !seen {
			at = len(rows)
			of[i/2], rows = at, append(rows, nil)
		}
		rows[at] = append(rows[at], int32(k))
	}
	return rows
}

// By batches, each epoch steps once by each labelled row, rows stay whole, and the optimum is that of all labels.
func TestFitByBatches(t *testing.T) {
	const rows, labelled, size = 140, 105, 10
	labels := new(label.Labels)
	for i := range int32(2 * labelled) {
		labels.Variables, labels.Truth = append(labels.Variables, i), append(labels.Truth, float64(i%2))
	}
	fit := func(batch int) (*Result, [][]int32) {
		network := newTwos(rows)
		return fitted(t, Fitter{Perception: network, Labels: labels, Loss: label.BinaryCrossEntropy, Inputs: 2 * rows,
			Optimiser: perception.Adam, Rate: 0.05, Batch: batch, BatchRate: 0.05, Decay: 1e-3, Epochs: 4000}), *network.steps
	}
	want, _ := fit(0)
	got, steps := fit(size)
	const batches = labelled / size
	if len(steps) != batches*got.Epochs || got.Ended != learn.Converged {
		t.Errorf("%d steps in %d epochs, %v", len(steps), got.Epochs, got.Ended)
	}
	for e := range got.Epochs {
		seen := slices.Concat(steps[e*batches : (e+1)*batches]...)
		slices.Sort(seen)
		if !slices.Equal(seen, labels.Variables) {
			t.Fatalf("epoch %d steps by %v", e, seen)
		}
	}
	for _, step := range steps[:batches] {
		for _, i := range step {
			if !slices.Contains(step, i^1) {
				t.Errorf("a row is divided: %v", step)
			}
		}
	}
	for i, x := range got.X {
		if math.Abs(x-want.X[i]) > 0.02 {
			t.Errorf("output %d is %v, by all at once %v", i, x, want.X[i])
		}
	}
	if _, few := fit(labelled / (leastBatches - 1)); few[0][0] != 0 || len(few[0]) != 2*labelled {
		t.Errorf("too few batches: a step by %d labels of %d", len(few[0]), 2*labelled)
	}
	if again, _ := fit(size); !slices.Equal(again.X, got.X) {
		t.Error("the same seed gives other networks")
	}
}
