package mrf_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// Between two points that agree outside some variables, the model of the potentials that touch these must show the same
// differences as the whole one.
func TestTouchingKeepsDifferences(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 3))
		model, theta, x := mrftest.Random(random, mrftest.Shape{Variables: 30, Inputs: 8, Blocks: 6, Potentials: 20,
			Kinds: mrftest.Soft, Arity: 4, Scales: true})
		chosen := []int32{3, 17, 29}
		whole, part := mrf.NewField(model), mrf.NewField(model.Touching(chosen))
		y, moved := make([]float64, 30), make([]float64, 30)
		for i := range y {
			y[i] = random.Float64()
			moved[i] = y[i]
		}
		for _, i := range chosen {
			moved[i] = random.Float64()
		}
		differences := make([][]float64, 2)
		for k, field := range []*mrf.Field{whole, part} {
			field.SetWeights(theta)
			field.SetInputs(x)
			differences[k] = change(field, y, moved)
		}
		for k := range differences[0] {
			if math.Abs(differences[0][k]-differences[1][k]) > 1e-9 {
				t.Fatalf("seed %d, quantity %d: %v in the whole model, %v in the part", seed, k, differences[0][k],
					differences[1][k])
			}
		}
		if part.Model.Potentials() >= model.Potentials() {
			t.Fatalf("seed %d: the part has all %d potentials", seed, model.Potentials())
		}
	}
}

// change is the energy's, the regulariser's, and their gradients' in inputs and weights, between two points.
func change(field *mrf.Field, y, moved []float64) []float64 {
	values := []float64{field.Energy(moved) - field.Energy(y),
		mrftest.Regulariser(field, moved) - mrftest.Regulariser(field, y)}
	for _, gradient := range []func(y, g []float64){field.GradientInputs, field.RegulariserInputs} {
		at, there := make([]float64, field.Model.Inputs), make([]float64, field.Model.Inputs)
		gradient(y, at)
		gradient(moved, there)
		for k := range at {
			values = append(values, there[k]-at[k])
		}
	}
	at, there := make([]float64, field.Model.Rules), make([]float64, field.Model.Rules)
	field.GradientWeights(y, at)
	field.GradientWeights(moved, there)
	for k := range at {
		values = append(values, there[k]-at[k])
	}
	return values
}
