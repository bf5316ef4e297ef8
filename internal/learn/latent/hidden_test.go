package latent

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
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

// explained returns the probability of the true label, and the share of choices that break nothing with it or tell it
// all the same, by going through all choices, labels and values of what is hidden.
func explained(field *mrf.Field, x []float64, truth int) (likely, kept float64) {
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
				sums[label] += math.Pow(WrongLabels, c)
				if label == truth {
					best = math.Min(best, c)
				}
			}
		}
		share := sums[truth] / (sums[0] + sums[1] + sums[2])
		likely += chance * share
		if share > tellingMore/3 {
			best = 0
		}
		kept += chance * math.Pow(WrongLabels, best)
	}
	return likely, kept
}

// Targets without labels between networks and labels are summed out: the loss is that of all choices, labels and values
// of these gone through, and its gradient that of differences.
func TestLatentSumsOutHidden(t *testing.T) {
	field, things := tallestByPairs()
	labels := &label.Labels{Variables: []int32{0, 1, 2}, Truth: []float64{0, 1, 0}}
	latent := New(field, labels, Sight{Things: things}, MostTried)
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
		likely, kept := explained(field, x, 1)
		if got, want := latent.Value(x, nil), -math.Log(likely); math.Abs(got-want) > 1e-12 {
			t.Errorf("loss %v, want %v", got, want)
		}
		if got := latent.scopes[0].kept.expect(latent.scopes[0].ChanceOf(x)); math.Abs(got-kept) > 1e-12 {
			t.Errorf("%v break nothing or tell the label, want %v", got, kept)
		}
	}
	compareSlopes(t, latent.Value, x)
}

// Where it is too much to sum them out, or they are too many, what they say counts for nothing.
func TestLatentLeavesHiddenOut(t *testing.T) {
	field, things := tallestByPairs()
	labels := &label.Labels{Variables: []int32{0, 1, 2}, Truth: []float64{0, 1, 0}}
	if none := New(field, labels, Sight{Things: things}, 100); none != nil {
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
	if none := New(field, labels, Sight{Things: things}, MostTried); none != nil {
		t.Errorf("%d scopes with %d hidden targets", none.Len(), 6+mostHidden)
	}
}

// Targets that are as networks see them, and too many to be summed out, are what these see. Papers 0 to 9, of three
// fields each, have two authors of a row, of whose fields the networks see inputs; nothing is known of half the papers.
func TestLatentTwins(t *testing.T) {
	const papers, authors, fields = 10, 11, 3
	model := &mrf.Model{Variables: (papers + authors) * fields, Inputs: authors * fields, Rules: 3}
	author := func(a, field int32) int32 { return (papers+a)*fields + field }
	things, twins, x := make([][]int32, authors), make(map[int32]int32), make([]float64, authors*fields)
	labels := new(label.Labels)
	for a := range int32(authors) {
		for field := range int32(fields) {
			things[a] = append(things[a], a*fields+field)
			twins[author(a, field)], x[a*fields+field] = a*fields+field, float64(1+(a+field)%fields)/6
		}
	}
	for p := range int32(papers) {
		for field := range int32(fields) {
			paper := p*fields + field
			for _, a := range []int32{p, p + 1} {
				model.AppendPotential(&mrf.Potential{Rule: 1, Exponent: 2, Vars: []int32{author(a, field), paper},
					Coef: []float64{1, -1}, Scale: 1})
				model.AppendPotential(&mrf.Potential{Rule: 2, Exponent: 2, Vars: []int32{author(a, field), paper},
					Coef: []float64{-1, 1}, Scale: 1})
			}
			if p%2 == 0 {
				labels.Variables, labels.Truth = append(labels.Variables, paper), append(labels.Truth, 0)
				labels.Entities, labels.Classes = append(labels.Entities, p), append(labels.Classes, field)
			}
		}
		if p%2 == 0 {
			labels.Truth[len(labels.Truth)-1] = 1
		}
	}
	field := mrf.NewFieldOn(model, 1)
	field.SetWeights([]float64{1, 1, 1})
	if none := New(field, labels, Sight{Things: things}, MostTried); none != nil {
		t.Errorf("%d scopes without twins", none.Len())
	}
	latent := New(field, labels, Sight{Things: things, Twins: twins}, MostTried)
	if latent.Len() != papers/2 {
		t.Fatalf("%d scopes, want %d", latent.Len(), papers/2)
	}
	want := 0.0
	for p := 0; p < papers; p += 2 {
		chance := 0.0
		for z := range fields * fields {
			var shares [fields]float64
			for topic := range shares {
				broken := 0.0
				for _, of := range []int{z / fields, z % fields} {
					if of != topic { // it is not of the topic, and the paper not of its field
						broken += 2
					}
				}
				shares[topic] = math.Pow(WrongLabels, broken)
			}
			chance += x[p*fields+z/fields] * x[(p+1)*fields+z%fields] * shares[fields-1] /
				(shares[0] + shares[1] + shares[2])
		}
		want -= math.Log(chance) / (papers / 2)
	}
	if got := latent.Value(x, nil); math.Abs(got-want) > 1e-12 {
		t.Errorf("loss %v, want %v", got, want)
	}
	compareSlopes(t, latent.Value, x)
}

// What stands between may make choices too many for a scope, as long as it is summed out: whether two numbers of two
// digits each, a b and c d, come to a hundred or more, by a hidden carry of b and d.
func TestLatentSumsOutLargeTables(t *testing.T) {
	const base = 10
	model := &mrf.Model{Variables: 4, Inputs: 4 * base, Rules: 3} // labels 0 and 1, the carry 2 and 3
	things := make([][]int32, 4)
	for i := range int32(4 * base) {
		things[i/base] = append(things[i/base], i)
	}
	over := func(sum int) int32 { return int32(min(sum/base, 1)) }
	implies := func(rule int, inputs [2]int32, targets []int32, coef []float64) {
		model.AppendPotential(&mrf.Potential{Rule: rule, Exponent: 1, Vars: targets, Coef: coef, Inputs: inputs[:],
			InputCoef: []float64{1, 1}, Constant: -float64(len(targets)), Scale: 1})
	}
	for first := range base {
		for second := range base {
			implies(0, [2]int32{things[1][first], things[3][second]}, []int32{2 + over(first+second)}, []float64{-1})
			for carry := range 2 {
				implies(1, [2]int32{things[0][first], things[2][second]},
					[]int32{2 + int32(carry), over(first + second + carry)}, []float64{1, -1})
			}
		}
	}
	for _, i := range []int32{0, 2} {
		model.AppendPotential(&mrf.Potential{Kind: mrf.Equal, Rule: 2, Vars: []int32{i, i + 1}, Coef: []float64{1, 1},
			Constant: -1, Scale: 1})
	}
	field := mrf.NewFieldOn(model, 1)
	field.SetWeights([]float64{1, 1, 1})
	labels := &label.Labels{Variables: []int32{0, 1}, Truth: []float64{0, 1}}
	latent := New(field, labels, Sight{Things: things}, MostTried/1000)
	if latent == nil || latent.Len() != 1 {
		t.Fatalf("%+v in place of one scope", latent)
	}
	// A carry as digits have it, the other one, none and both: where the label is as that has it, and where it is not.
	const w = WrongLabels
	holds, breaks := 1+w*w+w*w+w*w, w+w+w*w+w*w
	for digits, share := range map[[4]int]float64{{5, 7, 4, 5}: holds, {5, 2, 4, 5}: breaks} {
		x := make([]float64, model.Inputs)
		for thing, digit := range digits {
			x[things[thing][digit]] = 1
		}
		want := -math.Log(share / (holds + breaks))
		if got := latent.Value(x, nil); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: loss %v, want %v", digits, got, want)
		}
	}
}
