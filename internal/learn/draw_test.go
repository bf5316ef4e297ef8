package learn

import (
	"math"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// Of each thing one class is drawn, as often as it is probable; what is no class stays what it is. The seed decides.
func TestDraw(t *testing.T) {
	x, things := []float64{0.2, 0.5, 0.3, 0.9, 0.4, 0.1}, [][]int32{{0, 1, 2}, {5, 3}}
	const times = 4000
	counts := make([]float64, len(x))
	for seed := range uint64(times) {
		drawn := draw(nil, x, things, seed)
		if drawn[0]+drawn[1]+drawn[2] != 1 || drawn[3]+drawn[5] != 1 {
			t.Fatalf("seed %d drew %v", seed, drawn)
		}
		for i := range counts {
			counts[i] += drawn[i] / times
		}
		if !slices.Equal(drawn, draw(nil, x, things, seed)) {
			t.Fatalf("seed %d drew twice", seed)
		}
	}
	for i, share := range counts {
		if math.Abs(share-x[i]) > 0.03 {
			t.Errorf("input %d is %v on average, and not %v", i, share, x[i])
		}
	}
}

// On average over all draws, a reward is the derivative of the share of examples that come out right, less what all
// classes of a thing have alike, and by so much as others' examples are in the mean.
func TestReward(t *testing.T) {
	x, things := []float64{0.3, 0.7, 0.6, 0.4}, [][]int32{{0, 1}, {2, 3}} // one of each of two examples
	mean := make([]float64, len(x))
	for _, a := range things[0] {
		for _, b := range things[1] {
			drawn, gradient := make([]float64, len(x)), make([]float64, len(x))
			drawn[a], drawn[b] = 1, 1
			reward(gradient, x, drawn, things, []bool{a == 0, b == 2}) // the first class is right
			for i, g := range gradient {
				mean[i] += x[a] * x[b] * g
			}
		}
	}
	const others = 0.5 // of the examples
	for _, thing := range things {
		if got := mean[thing[0]] - mean[thing[1]]; math.Abs(got+others/2) > 1e-12 {
			t.Errorf("%v: the difference is %v", thing, got)
		}
	}
}

// Where nothing is known, a third of each class, half a unit runs each of two ways for nothing, and no derivative tells
// that one of them is dear. At draws it does: what is on the labelled way and not on the other is to be cheap.
func TestDrawsHaveASlopeWhereMixturesHaveNone(t *testing.T) {
	// Two ways, y0 + y1 = 1, each dear if its input says so: 1: x_i -> !y_i.
	b := mrftest.New(2, 2, 2).Rule(0, mrf.Hinge, 1)
	for i := range 2 {
		b.Add(-1, ones(i), ones(i))
	}
	b.Rule(1, mrf.Equal, 0).Add(-1, ones(0, 1), nil)
	field := mrftest.Field(b.Model(), []float64{1, 0}, []float64{0.4, 0.4})
	y := []float64{0.5, 0.5}
	multipliers := make([]float64, 3)
	gradient := make([]float64, 2)
	field.EnvelopeInputs(multipliers, gradient)
	if field.Energy(y) != 0 || gradient[0] != 0 || gradient[1] != 0 {
		t.Fatalf("the mixture costs %v, slopes %v", field.Energy(y), gradient)
	}
	field.SetInputs([]float64{0, 1}) // drawn; the free state is the first way
	field.SwitchInputs([]float64{1, 0}, multipliers, gradient)
	if gradient[0] != 1 || gradient[1] != 0 {
		t.Errorf("slopes %v at the draw", gradient)
	}
}
