package latent

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
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

// What labels say of outputs is how probable they are by what rules would cost with other ones: a factor of wrongLabels
// to the share of the largest weight that is broken.
func TestLatentByHand(t *testing.T) {
	field, things := likes()
	labels := &label.Labels{Variables: []int32{0, 1, 2}, Truth: []float64{1, 0, 1}}
	latent := New(field, labels, Sight{Things: things}, MostTried)
	if latent.Len() != 3 { // nothing is known of label 3
		t.Fatalf("%d scopes, want 3", latent.Len())
	}
	x := []float64{0.2, 0.5, 0.3, 0.1, 0.6, 0.3, 0.7, 0.2, 0.1, 0.3, 0.3, 0.4, 0.9}
	same := func(a, b int) float64 { return x[a]*x[b] + x[a+1]*x[b+1] + x[a+2]*x[b+2] }
	mean := func(chance, ifSo, otherwise float64) float64 { return chance*ifSo + (1-chance)*otherwise }
	slip := math.Sqrt(WrongLabels) // of rule 1, which has half of the largest weight
	chances := []float64{
		mean(x[12], mean(same(0, 6), 1/(1+WrongLabels), slip/(1+slip)),
			mean(same(0, 6), slip/(slip+WrongLabels), WrongLabels/(1+WrongLabels))),
		mean(same(0, 9), WrongLabels/(1+WrongLabels), 1/(1+slip)),
		mean(same(3, 6), 1/(1+WrongLabels), slip/(1+slip)),
	}
	want := 0.0
	for _, chance := range chances {
		want -= math.Log(chance) / 3
	}
	if got := latent.Value(x, nil); math.Abs(got-want) > 1e-12 {
		t.Errorf("loss %v, want %v", got, want)
	}
	if got := latent.Kept(x); math.Abs(got-1./3) > 1e-12 { // label 1
		t.Errorf("%v of the scopes are kept, want a third", got)
	}
}

// tallest is a model of three things, of three classes each, and which of them is the tallest: variables 0 to 2. Who is
// of a lower class than another is not.
func tallest(sum *mrf.Potential) (*mrf.Field, [][]int32) {
	model := &mrf.Model{Variables: 3, Inputs: 9, Rules: 2}
	things := [][]int32{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}
	for a := range int32(3) {
		for b := range int32(3) {
			for high := range 3 {
				for low := range high {
					if a != b {
						model.AppendPotential(&mrf.Potential{Exponent: 2, Vars: []int32{b}, Coef: []float64{1},
							Inputs: []int32{things[a][high], things[b][low]}, InputCoef: []float64{1, 1}, Constant: -2, Scale: 1})
					}
				}
			}
		}
	}
	if sum != nil {
		sum.Vars, sum.Coef, sum.Constant, sum.Scale = []int32{0, 1, 2}, []float64{1, 1, 1}, -1, 1
		model.AppendPotential(sum)
	}
	field := mrf.NewFieldOn(model, 1)
	field.SetWeights([]float64{1, 20})
	return field, things
}

// Of several labels one is true, whether a hard rule says so, a soft one or none: what explains one must not explain
// all. The loss is that of all choices and labels gone through, and least where classes tell.
func TestLatentOfOne(t *testing.T) {
	labels := &label.Labels{Variables: []int32{0, 1, 2}, Truth: []float64{0, 1, 0}, Entities: []int32{0, 0, 0},
		Classes: []int32{0, 1, 2}}
	hard := &label.Labels{Variables: labels.Variables, Truth: labels.Truth}
	x := []float64{0.2, 0.5, 0.3, 0.1, 0.2, 0.7, 0.6, 0.3, 0.1}
	broken := func(z [3]int, tallest int) (count float64) { // those that are taller
		for _, class := range z {
			if class > z[tallest] {
				count++
			}
		}
		return count
	}
	chance := 0.0
	for k := range 27 {
		z := [3]int{k / 9, k / 3 % 3, k % 3}
		all := 0.0
		for label := range 3 {
			all += math.Pow(WrongLabels, broken(z, label))
		}
		chance += x[z[0]] * x[3+z[1]] * x[6+z[2]] * math.Pow(WrongLabels, broken(z, 1)) / all
	}
	for _, c := range []struct {
		name   string
		sum    *mrf.Potential
		labels *label.Labels
	}{
		{"a hard sum", &mrf.Potential{Kind: mrf.Equal, Rule: 1}, hard},
		{"a hard sum of classes", &mrf.Potential{Kind: mrf.Equal, Rule: 1}, labels},
		{"a soft sum", &mrf.Potential{Kind: mrf.Absolute, Exponent: 2, Rule: 1}, labels},
		{"no sum", nil, labels},
	} {
		field, things := tallest(c.sum)
		latent := New(field, c.labels, Sight{Things: things}, MostTried)
		if latent.Len() != 1 {
			t.Fatalf("%s: %d scopes, want 1", c.name, latent.Len())
		}
		if got, want := latent.Value(x, nil), -math.Log(chance); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: loss %v, want %v", c.name, got, want)
		}
		alike := latent.Value([]float64{0, 1, 0, 0, 1, 0, 0, 1, 0}, nil)
		apart := latent.Value([]float64{1, 0, 0, 0, 0, 1, 1, 0, 0}, nil)
		if math.Abs(alike-math.Log(3)) > 1e-12 || apart > 0.05 {
			t.Errorf("%s: a loss of %v where all are alike and of %v where classes tell", c.name, alike, apart)
		}
	}
}

// Where there is too much to try for all things of a label together, what is said of each two is taken to be
// independent of the others, and a label as probable as all that together leaves it.
func TestLatentOfMany(t *testing.T) {
	field, things := tallest(nil)
	labels := &label.Labels{Variables: []int32{0, 1, 2}, Truth: []float64{0, 1, 0}, Entities: []int32{0, 0, 0},
		Classes: []int32{0, 1, 2}}
	whole := New(field, labels, Sight{Things: things}, MostTried)
	crowd := New(field, labels, Sight{Things: things}, whole.tried-1)
	if crowd == nil || len(crowd.crowds) != 1 || crowd.Len() != 1 {
		t.Fatalf("%+v in place of one crowd", crowd)
	}
	x := []float64{0.2, 0.5, 0.3, 0.1, 0.2, 0.7, 0.6, 0.3, 0.1}
	chance := func(tallest int) float64 {
		all := 1.0
		for _, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
			mean := 0.0
			for z := range 9 {
				classes, cost := [2]int{z / 3, z % 3}, 0.0
				for k, thing := range pair {
					if thing == tallest && classes[k] < classes[1-k] {
						cost++
					}
				}
				mean += x[3*pair[0]+classes[0]] * x[3*pair[1]+classes[1]] * math.Pow(WrongLabels, cost)
			}
			all *= mean
		}
		return all
	}
	want := -math.Log(chance(1) / (chance(0) + chance(1) + chance(2)))
	if got := crowd.Value(x, nil); math.Abs(got-want) > 1e-12 {
		t.Errorf("loss %v, want %v", got, want)
	}
	compareSlopes(t, crowd.Value, x)
	if got, want := crowd.Kept(x), 0.0; chance(1) < 0.5 && got != want {
		t.Errorf("%v is kept, want %v of a chance of %v", got, want, chance(1))
	}
	if got := crowd.Kept([]float64{1, 0, 0, 0, 0, 1, 1, 0, 0}); got != 1 {
		t.Errorf("%v is kept of what breaks nothing", got)
	}
	number := make(map[int32]int32)
	moved := make([]float64, len(x))
	for i := range x {
		number[int32(i)] = int32(len(x) - 1 - i)
		moved[len(x)-1-i] = x[i]
	}
	if got := crowd.Renumbered(number).Value(moved, nil); math.Abs(got-want) > 1e-12 {
		t.Errorf("loss %v with inputs numbered anew, want %v", got, want)
	}
	if none := New(field, labels, Sight{Things: things}, crowd.tried-1); none != nil {
		t.Errorf("%d scopes of more than there is to be tried", none.Len())
	}
}

// A table of what two numbers, below ten, and one of three signs between them come to may be gone through for thousands
// of examples: most rows break nothing with most classes, whatever the label.
func TestLatentOfTable(t *testing.T) {
	things := [][]int32{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {10, 11, 12}, {13, 14, 15, 16, 17, 18, 19, 20, 21, 22}}
	model := &mrf.Model{Variables: 101, Inputs: 23, Rules: 2}
	labels := new(label.Labels)
	for i := range int32(101) { // 0 to 81, and -1 to -9 behind
		labels.Variables, labels.Truth = append(labels.Variables, i), append(labels.Truth, 0)
	}
	labels.Truth[7] = 1
	for a := range 10 {
		for b := range 10 {
			for sign, result := range []int{a + b, (a - b + 101) % 101, a * b} {
				model.AppendPotential(&mrf.Potential{Exponent: 1, Vars: []int32{int32(result)}, Coef: []float64{-1},
					Inputs:    []int32{things[0][a], things[1][sign], things[2][b]},
					InputCoef: []float64{1, 1, 1}, Constant: -2, Scale: 1})
			}
		}
	}
	sum := &mrf.Potential{Kind: mrf.Equal, Rule: 1, Constant: -1, Scale: 1}
	for _, i := range labels.Variables {
		sum.Vars, sum.Coef = append(sum.Vars, i), append(sum.Coef, 1)
	}
	model.AppendPotential(sum)
	field := mrf.NewFieldOn(model, 1)
	field.SetWeights([]float64{1, 1})
	latent := New(field, labels, Sight{Things: things}, MostTried)
	if latent == nil || latent.Len() != 1 || latent.tried > MostTried/5000 {
		t.Fatalf("%+v, of at most %d tried", latent, MostTried/5000)
	}
	x := make([]float64, 23)
	x[3], x[10], x[13+4] = 1, 1, 1        // 3 + 4
	want := math.Log(1 + 100*WrongLabels) // as all other results break a rule
	if right := latent.Value(x, nil); math.Abs(right-want) > 1e-12 {
		t.Errorf("a loss of %v of 3 + 4 = 7, want %v", right, want)
	}
	x[17], x[18] = 0, 1 // 3 + 5
	if wrong := latent.Value(x, nil); math.Abs(wrong-want+math.Log(WrongLabels)) > 1e-12 {
		t.Errorf("a loss of %v of 3 + 5 = 7, want %v", wrong, want-math.Log(WrongLabels))
	}
}

// The gradient agrees with central differences.
func TestLatentGradient(t *testing.T) {
	field, things := likes()
	labels := &label.Labels{Variables: []int32{0, 1, 2, 3}, Truth: []float64{1, 0, 0.3, 1}}
	latent := New(field, labels, Sight{Things: things}, MostTried)
	random := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 13)
	for i := range x {
		x[i] = 0.05 + 0.9*random.Float64()
	}
	compareSlopes(t, latent.Value, x)
}

// compareSlopes compares a loss's gradient with central differences.
func compareSlopes(t *testing.T, loss func(x, upstream []float64) float64, x []float64) {
	t.Helper()
	upstream := make([]float64, len(x))
	loss(x, upstream)
	const step = 1e-6
	for i := range x {
		at := x[i]
		x[i] = at + step
		above := loss(x, nil)
		x[i] = at - step
		below := loss(x, nil)
		x[i] = at
		if want := (above - below) / (2 * step); math.Abs(upstream[i]-want) > 1e-6 {
			t.Errorf("input %d: slope %v, differences say %v", i, upstream[i], want)
		}
	}
}

// Where no label depends on inputs and on nothing else that is unknown, there is nothing to learn so.
func TestLatentOfNothing(t *testing.T) {
	field, things := likes()
	if latent := New(field, &label.Labels{}, Sight{Things: things}, MostTried); latent != nil {
		t.Errorf("%d scopes without a label", latent.Len())
	}
}
