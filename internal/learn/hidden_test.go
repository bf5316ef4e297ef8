package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// tallestByPairs is which of three things is the tallest, variables 0 to 2, by which of two is taller: six targets that
// nobody has labelled, from 3 on. Of the things, of three classes each, those of a higher class are taller.
func tallestByPairs() (*mrf.Field, [][]int32) {
	model := &mrf.Model{Variables: 9, Inputs: 9, Rules: 4}
	things := [][]int32{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}
	taller := func(a, b int32) int32 { return 3 + 2*a + (b+2-a)%3 }
	for a := range int32(3) {
		for b := range int32(3) {
			if a == b {
				continue
			}
			for high := range 3 {
				for low := range high {
					model.AppendPotential(&mrf.Potential{Exponent: 2, Vars: []int32{taller(a, b)}, Coef: []float64{-1},
						Inputs: []int32{things[a][high], things[b][low]}, InputCoef: []float64{1, 1}, Constant: -1, Scale: 1})
				}
			}
			model.AppendPotential(&mrf.Potential{Rule: 1, Exponent: 2, Vars: []int32{taller(a, b), taller(b, a)},
				Coef: []float64{1, 1}, Constant: -1, Scale: 1})
			model.AppendPotential(&mrf.Potential{Rule: 2, Exponent: 2, Vars: []int32{taller(a, b), b},
				Coef: []float64{1, 1}, Constant: -1, Scale: 1})
		}
	}
	model.AppendPotential(&mrf.Potential{Kind: mrf.Equal, Rule: 3, Vars: []int32{0, 1, 2}, Coef: []float64{1, 1, 1},
		Constant: -1, Scale: 1})
	field := mrf.NewFieldOn(model, 1)
	field.SetWeights([]float64{2, 1, 0.5, 1})
	return field, things
}

// costs is what a model costs at values of its variables and inputs, in the units of the latent likelihood, with all of
// its ground rules.
func costs(field *mrf.Field, y, x []float64) float64 {
	sum, largest := 0.0, 0.0
	for _, w := range field.Weights() {
		largest = math.Max(largest, w)
	}
	for _, block := range field.Model.Blocks {
		for j := range block.Len {
			p := block.At(j)
			d := p.Constant
			for k, i := range p.Vars {
				d += p.Coef[k] * y[i]
			}
			for k, i := range p.Inputs {
				d += p.InputCoef[k] * x[i]
			}
			unit := field.Weights()[block.Rule] / largest
			if block.Kind.Hard() {
				unit = 1
			}
			sum += unit * cost(block, d)
		}
	}
	return sum
}

// explained returns the probability of the true label, and the share of choices that break nothing with it, by going
// through all choices, labels and values of what is hidden.
func explained(field *mrf.Field, x []float64, truth int) (likely, unhurt float64) {
	hidden := field.Model.Variables - 3
	y, z := make([]float64, field.Model.Variables), make([]float64, len(x))
	for choice := range 27 {
		classes := []int{choice / 9, choice / 3 % 3, choice % 3}
		clear(z)
		chance := 1.0
		for t, class := range classes {
			z[3*t+class] = 1
			chance *= x[3*t+class]
		}
		var sums [3]float64
		best := math.Inf(1)
		for h := range 1 << hidden {
			for i := range hidden {
				y[3+i] = float64(h >> i & 1)
			}
			for label := range 3 {
				clear(y[:3])
				y[label] = 1
				c := costs(field, y, z)
				sums[label] += math.Pow(wrongLabels, c)
				if label == truth {
					best = math.Min(best, c)
				}
			}
		}
		likely += chance * sums[truth] / (sums[0] + sums[1] + sums[2])
		unhurt += chance * math.Pow(wrongLabels, best)
	}
	return likely, unhurt
}

// Targets without labels between networks and labels are summed out: the loss is that of all choices, labels and values
// of these gone through, and its gradient that of differences.
func TestLatentSumsOutHidden(t *testing.T) {
	field, things := tallestByPairs()
	labels := &Labels{Variables: []int32{0, 1, 2}, Truth: []float64{0, 1, 0}}
	latent := NewLatent(field, labels, things, MostTried)
	if latent == nil || latent.Len() != 1 {
		t.Fatalf("%v in place of one scope", latent)
	}
	random := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, 9)
	for range 5 {
		for thing := range 3 {
			a, b, c := random.ExpFloat64(), random.ExpFloat64(), random.ExpFloat64()
			x[3*thing], x[3*thing+1], x[3*thing+2] = a/(a+b+c), b/(a+b+c), c/(a+b+c)
		}
		likely, unhurt := explained(field, x, 1)
		if got, want := latent.Value(x, nil), -math.Log(likely); math.Abs(got-want) > 1e-12 {
			t.Errorf("loss %v, want %v", got, want)
		}
		if got := latent.scopes[0].unhurt.expect(latent.scopes[0].chanceOf(x)); math.Abs(got-unhurt) > 1e-12 {
			t.Errorf("%v break nothing, want %v", got, unhurt)
		}
	}
	compareSlopes(t, latent, x)
}

// Where it is too much to sum them out, or they are too many, what they say counts for nothing.
func TestLatentLeavesHiddenOut(t *testing.T) {
	field, things := tallestByPairs()
	labels := &Labels{Variables: []int32{0, 1, 2}, Truth: []float64{0, 1, 0}}
	if none := NewLatent(field, labels, things, 100); none != nil {
		t.Errorf("%d scopes of more than there is to be tried", none.Len())
	}
	model := field.Model
	for i := range int32(mostHidden) {
		model.AppendPotential(&mrf.Potential{Rule: 1, Exponent: 2, Vars: []int32{3 + i%6, 9 + i, 9 + (i+1)%mostHidden},
			Coef: []float64{1, 1, 1}, Constant: -1, Scale: 1})
	}
	model.Variables += mostHidden
	field = mrf.NewFieldOn(model, 1)
	field.SetWeights([]float64{2, 1, 0.5, 1})
	if none := NewLatent(field, labels, things, MostTried); none != nil {
		t.Errorf("%d scopes with %d hidden targets", none.Len(), 6+mostHidden)
	}
}
