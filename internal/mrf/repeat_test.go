package mrf_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// The slacks of a repeated model must be those of its examples, one after the other within each block.
func TestRepeatIsExamplesSideBySide(t *testing.T) {
	const n = 3
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 5))
		model, theta, _ := mrftest.Random(random, mrftest.Shape{Variables: 12, Inputs: 5, Blocks: 6, Potentials: 9,
			Kinds: mrftest.All, Arity: 4, Scales: true})
		many := mrftest.Repeat(model, n)
		if err := many.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		y, x := mrftest.Uniform(random, n*12), mrftest.Uniform(random, n*5)
		whole := mrftest.Field(many, theta, x)
		got, total := make([]float64, many.Potentials()), 0.0
		whole.Slacks(y, got)
		for e := range n {
			one := mrftest.Field(model, theta, x[5*e:5*e+5])
			want := make([]float64, model.Potentials())
			one.Slacks(y[12*e:12*e+12], want)
			total += one.Energy(y[12*e : 12*e+12])
			first := 0
			for _, b := range model.Blocks {
				at := n*first + e*b.Len
				if !slices.Equal(got[at:at+b.Len], want[first:first+b.Len]) {
					t.Fatalf("seed %d, example %d: slacks %v, want %v", seed, e, got[at:at+b.Len], want[first:first+b.Len])
				}
				first += b.Len
			}
		}
		if got := whole.Energy(y); math.Abs(got-total) > 1e-9*(1+math.Abs(total)) {
			t.Errorf("seed %d: the energy is %v, that of the examples %v", seed, got, total)
		}
	}
}

// An observed variable must count as the input that it became, and not as itself.
func TestObserveKeepsSlacks(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 6))
		model, theta, x := mrftest.Random(random, mrftest.Shape{Variables: 20, Inputs: 6, Blocks: 8, Potentials: 12,
			Kinds: mrftest.All, Arity: 4, Scales: true})
		variables := []int32{2, 5, 6, 11, 19}
		observed := model.Observe(variables)
		if err := observed.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		y := mrftest.Uniform(random, 20)
		other := slices.Clone(y)
		values := make([]float64, len(variables))
		for k, i := range variables {
			values[k], other[i] = y[i], 0.5
		}
		sameSlacks(t, mrftest.Field(model, theta, x),
			mrftest.Field(observed, theta, append(slices.Clone(x), values...)), y, other)
	}
}
