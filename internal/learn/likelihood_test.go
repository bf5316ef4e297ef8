package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// The quadrature must agree with integrals that have a closed form.
func TestPseudoLikelihoodIsExact(t *testing.T) {
	const truth = 0.3
	for _, w := range []float64{0.01, 1, 8, 60} {
		linear := -math.Log(w) + math.Log(1-math.Exp(-w)) + w*truth
		// The integral of exp(-w(v - 0.6)²) is a difference of error functions.
		root := math.Sqrt(w)
		square := math.Log(math.Sqrt(math.Pi)/2/root*(math.Erf(0.4*root)+math.Erf(0.6*root))) + w*0.3*0.3
		for _, c := range []struct {
			kind     mrf.Kind
			constant float64
			want     float64
		}{{mrf.Linear, 0, linear}, {mrf.Absolute, -0.6, square}} {
			model := mrftest.New(1, 0, 1).Rule(0, c.kind, 2).
				Add(c.constant, []mrftest.Term{{Index: 0, Coef: 1}}, nil).Model()
			field := mrf.NewField(model)
			field.SetWeights([]float64{w})
			labels := &Labels{Variables: []int32{0}, Truth: []float64{truth}}
			got := newPseudoLikelihood(model, labels).at(field, []float64{truth}, make([]float64, 1), nil)
			if math.Abs(got-c.want) > 1e-6 {
				t.Errorf("kind %d, weight %v: %v, want %v", c.kind, w, got, c.want)
			}
		}
	}
}

func TestPseudoLikelihoodGradients(t *testing.T) {
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 12))
		kinds, moving := mrftest.Soft, true
		if seed%2 == 1 {
			kinds, moving = mrftest.All, false // intervals that hard rules cut count as constant in x
		}
		model, theta, x := mrftest.Random(random, mrftest.Shape{Variables: 12, Inputs: 4, Blocks: 6, Potentials: 10,
			Kinds: kinds, Arity: 3, Scales: true})
		labels := new(Labels)
		y := make([]float64, 12)
		for i := range y {
			y[i] = random.Float64()
			if i%3 > 0 {
				labels.Variables, labels.Truth = append(labels.Variables, int32(i)), append(labels.Truth, y[i])
			}
		}
		p := newPseudoLikelihood(model, labels)
		field := mrf.NewField(model)
		weights, inputs := make([]float64, len(theta)), make([]float64, len(x))
		scratchW, scratchX := make([]float64, len(theta)), make([]float64, len(x))
		value := func() float64 {
			field.SetWeights(theta)
			field.SetInputs(x)
			return p.at(field, y, scratchW, scratchX)
		}
		value()
		copy(weights, scratchW)
		copy(inputs, scratchX)
		compare(t, "weight", weights, theta, value, 1e-5, 1e-4)
		if moving {
			compare(t, "input", inputs, x, value, 1e-7, 1e-2)
		}
	}
}

// A sum of one leaves no freedom to any single variable, and an inequality cuts the interval.
func TestPseudoLikelihoodIntervals(t *testing.T) {
	term := func(i int) mrftest.Term { return mrftest.Term{Index: i, Coef: 1} }
	model := mrftest.New(4, 0, 2).
		Rule(0, mrf.Equal, 0).Add(-1, []mrftest.Term{term(0), term(1)}, nil).
		Rule(1, mrf.LessEqual, 0).Add(-0.75, []mrftest.Term{term(2), term(3)}, nil).Model()
	y := []float64{0.25, 0.75, 0.25, 0.5}
	p := newPseudoLikelihood(model, &Labels{Variables: []int32{0, 2}, Truth: []float64{0.25, 0.25}})
	mrf.NewField(model).Slacks(y, p.slacks)
	if lo, hi := p.interval(0); hi-lo > narrow {
		t.Errorf("a variable of a sum has [%v, %v]", lo, hi)
	}
	if lo, hi := p.interval(1); lo != 0 || math.Abs(hi-0.25) > 1e-9 {
		t.Errorf("a variable below 0.75 - 0.5 has [%v, %v]", lo, hi)
	}
}
