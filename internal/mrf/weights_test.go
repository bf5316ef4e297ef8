package mrf_test

import (
	"math"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// The grain is about the least weight, whatever the others are, unless rounding forbids it; and c times as much if all
// weights are.
func TestGrain(t *testing.T) {
	b := mrftest.New(1, 0, 3)
	for rule, n := range []int{6, 2, 1} {
		b.Rule(rule, mrf.Hinge, 1)
		for range n {
			b.Add(0, []mrftest.Term{{Index: 0, Coef: 1}}, nil)
		}
	}
	for _, test := range []struct {
		weights     []float64
		least, most float64
	}{
		{[]float64{3, 3, 3}, 3 - 1e-12, 3},
		{[]float64{1e6, 1, 1e6}, 1, 2},
		{[]float64{1e9, 1e9, 1}, 9, 10}, // 1e-8 of the largest
		{[]float64{1, 0, 1e-3}, 1e-3, 2e-3},
		{[]float64{0, 0, 0}, 1, 1},
	} {
		field := mrf.NewField(b.Model())
		field.SetWeights(test.weights)
		got := field.Grain()
		if got < test.least*(1-1e-9) || got > test.most*1.01 || got > field.Unit() {
			t.Errorf("weights %v: %v, want %v to %v, and no more than %v", test.weights, got, test.least, test.most,
				field.Unit())
		}
		scaled := make([]float64, len(test.weights))
		for k, w := range test.weights {
			scaled[k] = math.Ldexp(w, -20)
		}
		field.SetWeights(scaled)
		if want := math.Ldexp(got, -20); test.weights[0] > 0 && field.Grain() != want {
			t.Errorf("weights %v: %v, want %v", scaled, field.Grain(), want)
		}
	}
}

// The means of parts tell the grain of the whole.
func TestGrainOfParts(t *testing.T) {
	parts := [][]float64{{1, 2, 1e9}, {1e-3}, {}, {5e-4, 1e-3}}
	grain := func(weights []float64) *mrf.Field {
		b := mrftest.New(1, 0, max(1, len(weights)))
		for rule := range weights {
			b.Rule(rule, mrf.Hinge, 1)
			b.Add(0, []mrftest.Term{{Index: 0, Coef: 1}}, nil)
		}
		field := mrf.NewField(b.Model())
		field.SetWeights(append(weights[:len(weights):len(weights)], make([]float64, max(1-len(weights), 0))...))
		return field
	}
	var all []float64
	var counts []int
	var means []mrf.Means
	for _, weights := range parts {
		all, counts = append(all, weights...), append(counts, len(weights))
		means = append(means, grain(weights).Means())
	}
	if got, want := mrf.GrainOfParts(counts, means), grain(all).Grain(); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
}
