package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// likes is a model of two users, two songs and whether a user likes a song: if they are of one kind, of which there are
// three. Inputs 0-5 are the users' kinds, 6-11 the songs', and 12 is an input by itself, which is above variable 0.
func likes() (*mrf.Field, [][]int32) {
	model := &mrf.Model{Variables: 4, Inputs: 13, Rules: 2}
	for u := range int32(2) {
		for s := range int32(2) {
			v := 2*u + s
			for kind := range int32(3) {
				user, song := 3*u+kind, 6+3*s+kind
				model.AppendPotential(&mrf.Potential{Rule: 0, Exponent: 2, Vars: []int32{v}, Coef: []float64{-1},
					Inputs: []int32{user, song}, InputCoef: []float64{1, 1}, Constant: -1, Scale: 1})
				model.AppendPotential(&mrf.Potential{Rule: 1, Exponent: 2, Vars: []int32{v}, Coef: []float64{1},
					Inputs: []int32{user, song}, InputCoef: []float64{1, -1}, Constant: -1, Scale: 1})
			}
		}
	}
	model.AppendPotential(&mrf.Potential{Rule: 1, Kind: mrf.Hinge, Exponent: 1, Vars: []int32{0}, Coef: []float64{1},
		Inputs: []int32{12}, InputCoef: []float64{-1}, Scale: 1})
	field := mrf.NewFieldOn(model, 1)
	field.SetWeights([]float64{2, 1})
	return field, [][]int32{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}}
}

// What labels say of outputs is the chance of choices that break no rule, but for a factor of wrongLabels to the
// share of the largest weight that is broken.
func TestLatentByHand(t *testing.T) {
	field, things := likes()
	labels := &Labels{Variables: []int32{0, 1, 2}, Truth: []float64{1, 0, 1}}
	latent := NewLatent(field, labels, things)
	if latent.Len() != 4 { // of labels 0 to 2, and of input 12; nothing is known of label 3
		t.Fatalf("%d scopes, want 4", latent.Len())
	}
	x := []float64{0.2, 0.5, 0.3, 0.1, 0.6, 0.3, 0.7, 0.2, 0.1, 0.3, 0.3, 0.4, 0.9}
	same := func(a, b int) float64 { return x[a]*x[b] + x[a+1]*x[b+1] + x[a+2]*x[b+2] }
	slip := math.Sqrt(wrongLabels) // of rule 1, which has half of the largest weight
	chances := []float64{
		same(0, 6) + (1-same(0, 6))*slip, 1 - same(0, 9) + same(0, 9)*wrongLabels, same(3, 6) + (1-same(3, 6))*slip,
		0.9 + 0.1*slip,
	}
	want := 0.0
	for _, chance := range chances {
		want -= math.Log(chance) / 4
	}
	if got := latent.Value(x, nil); math.Abs(got-want) > 1e-12 {
		t.Errorf("loss %v, want %v", got, want)
	}
	if got := latent.Kept(x); got != 0.5 { // labels 1 and the input by itself
		t.Errorf("%v of the scopes are kept, want 0.5", got)
	}
}

// The gradient agrees with central differences.
func TestLatentGradient(t *testing.T) {
	field, things := likes()
	latent := NewLatent(field, &Labels{Variables: []int32{0, 1, 2, 3}, Truth: []float64{1, 0, 0.3, 1}}, things)
	random := rand.New(rand.NewPCG(1, 2))
	x, upstream := make([]float64, 13), make([]float64, 13)
	for i := range x {
		x[i] = 0.05 + 0.9*random.Float64()
	}
	latent.Value(x, upstream)
	const step = 1e-6
	for i := range x {
		at := x[i]
		x[i] = at + step
		above := latent.Value(x, nil)
		x[i] = at - step
		below := latent.Value(x, nil)
		x[i] = at
		if want := (above - below) / (2 * step); math.Abs(upstream[i]-want) > 1e-6 {
			t.Errorf("input %d: slope %v, differences say %v", i, upstream[i], want)
		}
	}
}

// Where no label depends on inputs and on nothing else that is unknown, there is nothing to learn so.
func TestLatentOfNothing(t *testing.T) {
	field, things := likes()
	if latent := NewLatent(field, &Labels{}, things); latent != nil {
		t.Errorf("%d scopes without a label", latent.Len())
	}
}
