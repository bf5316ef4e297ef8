package latent

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
)

const formClasses = 10

// sameClasses is a model of pairs of things and whether they are of one class, by the rule 0 and its converse; the last
// pair has a ground rule more.
func sameClasses(pairs int) (*mrf.Field, [][]int32) {
	model := &mrf.Model{Variables: pairs, Inputs: 2 * formClasses * pairs, Rules: 2}
	things := make([][]int32, 2*pairs)
	for i := range int32(model.Inputs) {
		things[i/formClasses] = append(things[i/formClasses], i)
	}
	for p := range pairs {
		tie := func(rule, a, b int, coef float64) {
			model.AppendPotential(&mrf.Potential{Rule: rule, Exponent: 1, Vars: []int32{int32(p)}, Coef: []float64{coef},
				Inputs: []int32{things[2*p][a], things[2*p+1][b]}, InputCoef: []float64{1, 1}, Scale: 1,
				Constant: -1.5 - coef/2})
		}
		for a := range formClasses {
			for b := range formClasses {
				if a == b {
					tie(0, a, b, -1)
				} else {
					tie(0, a, b, 1)
				}
			}
		}
		if p == pairs-1 {
			tie(1, 2, 3, -1)
		}
	}
	field := mrf.NewFieldOn(model, 1)
	field.SetWeights([]float64{1, 0.5})
	return field, things
}

// Labels that differ in nothing but the things which their ground rules speak of are worked out once: however many
// there are, there is little more to try, and what each says is what it says by itself.
func TestLatentSharesForms(t *testing.T) {
	const pairs = 60
	field, things := sameClasses(pairs)
	labels := new(label.Labels)
	for p := range int32(pairs) {
		labels.Variables, labels.Truth = append(labels.Variables, p), append(labels.Truth, float64(p%2))
	}
	latent := New(field, labels, Sight{Things: things}, MostTried)
	if latent == nil || latent.Len() != pairs {
		t.Fatalf("%+v in place of %d scopes", latent, pairs)
	}
	diagrams := make(map[*Diagram]int)
	for _, s := range latent.scopes {
		diagrams[s.likely]++
	}
	if len(diagrams) != 3 {
		t.Errorf("%d diagrams for two labels, and one of a pair with a rule more", len(diagrams))
	}
	random, x := rand.New(rand.NewPCG(1, 2)), make([]float64, field.Model.Inputs)
	for _, inputs := range things {
		sum := 0.0
		for _, i := range inputs {
			x[i] = 0.1 + random.Float64()
			sum += x[i]
		}
		for _, i := range inputs {
			x[i] /= sum
		}
	}
	want := 0.0
	for p := range pairs {
		alone := New(field, &label.Labels{Variables: labels.Variables[p : p+1], Truth: labels.Truth[p : p+1]},
			Sight{Things: things}, MostTried)
		want += alone.Value(x, nil) / pairs
	}
	if got := latent.Value(x, nil); math.Abs(got-want) > 1e-12 {
		t.Errorf("loss %v, want the mean %v of those of each label", got, want)
	}
	compareSlopes(t, latent.Value, x)
}
